//! A test store that is always unavailable: nearly every function returns an error.

use std::collections::HashSet;

use async_trait::async_trait;
use payroll_domain::access::{Access, Caller, Guarded};
use payroll_domain::check::{RequiredLookups, ValidationFacts};
use payroll_domain::client_key::ClientKey;
use payroll_domain::custom_field::CustomFieldFacts;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{
    ApplicationId, CompanyId, ComponentId, OrganizationId, PayPeriodId, PaycheckId, SecretId, WorkerId,
};
use payroll_domain::pay_component::PayComponent;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::applications::{
    Application, ApplicationChangeResult, ApplicationSettings, ApplicationStore, Credentials, Grant,
    GrantUpdate, NewApplication, NewSecret, SecretHash,
};
use payroll_ports::checks::{
    AdditionOutcome, CheckChange, CheckChangeOutcome, CheckKey, CheckStore, ChecksQuery, ChecksToRemove,
    NewChecks, PeriodChecks, RemovalOutcome, VersionedCheck,
};
use payroll_ports::companies::{CompanyStore, CompanyView, GrantedCompany};
use payroll_ports::completion_requests::{
    CompletionRequest, CompletionRequestOutcome, CompletionRequestStore, NewCompletionRequest,
    StoredCompletionRequest,
};
use payroll_ports::filters::{ComponentFilter, PeriodFilter};
use payroll_ports::idempotency::{IdempotencyRecord, IdempotencyState, IdempotencyStore, ResponseRecord};
use payroll_ports::import::{
    ImportOutcome, ImportRules, ImportSource, ImportStore, WorkerChangeOutcome, WorkersToChange,
};
use payroll_ports::metrics::Metric;
use payroll_ports::resources::Versioned;
use payroll_ports::schema::SchemaStore;
use payroll_ports::setup::{OrganizationView, PeriodWithCheckCount, SetupList, SetupStore};
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, StoreError, VersionedWindow, Window};

/// The client id for which the look-up of credentials panics.
pub(crate) const PANICKING_CLIENT_ID: &str = "panics";

pub(crate) struct UnavailableStore;

type StoreResult<T> = Result<T, StoreError>;

pub(crate) fn unavailable_error<T>() -> StoreResult<T> {
    Err(StoreError::Unavailable("nobody answers".into()))
}

#[async_trait]
impl ApplicationStore for UnavailableStore {
    async fn find_credentials(&self, client_id: &str, _: &SecretHash) -> StoreResult<Option<Credentials>> {
        assert!(client_id != PANICKING_CLIENT_ID, "as asked");
        unavailable_error()
    }
    async fn find_key_credentials(&self, _: &str, _: &str) -> StoreResult<Option<(Credentials, ClientKey)>> {
        unavailable_error()
    }
    async fn application(&self, _: &ApplicationId) -> StoreResult<Option<Versioned<Application>>> {
        unavailable_error()
    }
    async fn applications(&self, _: Window) -> StoreResult<Listing<Versioned<Application>>> {
        unavailable_error()
    }
    async fn create_application(&self, _: &NewApplication, _: &AuditContext) -> ApplicationChangeResult<i64> {
        unavailable_error()
    }
    async fn change_application(
        &self,
        _: &ApplicationId,
        _: &ApplicationSettings,
        _: Option<i64>,
        _: &AuditContext,
    ) -> ApplicationChangeResult<i64> {
        unavailable_error()
    }
    async fn delete_application(
        &self,
        _: &ApplicationId,
        _: Option<i64>,
        _: &AuditContext,
    ) -> ApplicationChangeResult<()> {
        unavailable_error()
    }
    async fn add_secret(
        &self,
        _: &ApplicationId,
        _: &NewSecret,
        _: &AuditContext,
    ) -> ApplicationChangeResult<()> {
        unavailable_error()
    }
    async fn revoke_secret(
        &self,
        _: &ApplicationId,
        _: &SecretId,
        _: &AuditContext,
    ) -> ApplicationChangeResult<()> {
        unavailable_error()
    }
    async fn find_grant(&self, _: &ApplicationId, _: &CompanyId) -> StoreResult<Option<Versioned<Grant>>> {
        unavailable_error()
    }
    async fn grants(&self, _: &ApplicationId, _: Window) -> StoreResult<Option<Listing<Versioned<Grant>>>> {
        unavailable_error()
    }
    async fn update_grant(
        &self,
        _: &GrantUpdate,
        _: &AuditContext,
    ) -> ApplicationChangeResult<Option<Versioned<Grant>>> {
        unavailable_error()
    }
}

#[async_trait]
impl CompanyStore for UnavailableStore {
    async fn company_of_worker(&self, _: &WorkerId) -> StoreResult<Option<CompanyId>> {
        unavailable_error()
    }
    async fn read_access(&self, _: &Caller, _: Option<&CompanyId>) -> StoreResult<Access> {
        unavailable_error()
    }
    async fn companies(
        &self,
        _: &Caller,
        _: Option<&str>,
        _: VersionedWindow,
    ) -> StoreResult<Guarded<Listing<GrantedCompany>>> {
        unavailable_error()
    }
    async fn company(&self, _: &Caller, _: &CompanyId, _: bool) -> StoreResult<Guarded<Option<CompanyView>>> {
        unavailable_error()
    }
    async fn custom_field_validation_data(
        &self,
        _: &Caller,
        _: &CompanyId,
    ) -> StoreResult<Guarded<CustomFieldFacts>> {
        unavailable_error()
    }
}

#[async_trait]
impl CheckStore for UnavailableStore {
    async fn read_checks(&self, _: &Caller, _: &ChecksQuery) -> StoreResult<Guarded<Option<PeriodChecks>>> {
        unavailable_error()
    }
    async fn read_check(&self, _: &Caller, _: &CheckKey) -> StoreResult<Guarded<Option<VersionedCheck>>> {
        unavailable_error()
    }
    async fn read_check_validation_data(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: &RequiredLookups,
        _: Timestamp,
    ) -> StoreResult<Guarded<ValidationFacts>> {
        unavailable_error()
    }
    async fn read_operator_check_validation_data(
        &self,
        _: &CompanyId,
        _: &RequiredLookups,
        _: Timestamp,
    ) -> StoreResult<ValidationFacts> {
        unavailable_error()
    }
    async fn add_checks(&self, _: &NewChecks) -> StoreResult<AdditionOutcome> {
        unavailable_error()
    }
    async fn companies_of_pay_period(
        &self,
        _: &Caller,
        _: &PayPeriodId,
    ) -> StoreResult<Guarded<Vec<CompanyId>>> {
        unavailable_error()
    }
    async fn find_owner_of_check(&self, _: &PaycheckId) -> StoreResult<Option<(CompanyId, WorkerId)>> {
        unavailable_error()
    }
    async fn change_check(&self, _: &CheckChange) -> StoreResult<CheckChangeOutcome> {
        unavailable_error()
    }
    async fn remove_checks(&self, _: &ChecksToRemove) -> StoreResult<RemovalOutcome> {
        unavailable_error()
    }
}

#[async_trait]
impl IdempotencyStore for UnavailableStore {
    async fn begin_request(
        &self,
        _: &IdempotencyRecord,
        _: Timestamp,
        _: Timestamp,
    ) -> StoreResult<IdempotencyState> {
        unavailable_error()
    }
    async fn store_response(&self, _: &ResponseRecord) -> StoreResult<bool> {
        unavailable_error()
    }
    async fn release_record(&self, _: &IdempotencyRecord) -> StoreResult<()> {
        unavailable_error()
    }
    async fn delete_expired_records(&self, _: Timestamp, _: u32) -> StoreResult<u64> {
        unavailable_error()
    }
}

#[async_trait]
impl CompletionRequestStore for UnavailableStore {
    async fn completion_request(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
    ) -> StoreResult<Option<StoredCompletionRequest>> {
        unavailable_error()
    }
    async fn completion_requests(
        &self,
        _: Option<&[CompanyId]>,
        _: Window,
    ) -> StoreResult<Listing<Versioned<CompletionRequest>>> {
        unavailable_error()
    }
    async fn request_completion(
        &self,
        _: &NewCompletionRequest,
        _: &AuditContext,
    ) -> StoreResult<CompletionRequestOutcome> {
        unavailable_error()
    }
    async fn withdraw_completion_request(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: Option<i64>,
        _: &AuditContext,
    ) -> StoreResult<CompletionRequestOutcome> {
        unavailable_error()
    }
}

#[async_trait]
impl ImportStore for UnavailableStore {
    async fn import_company(
        &self,
        _: ImportSource,
        _: ImportRules,
        _: &AuditContext,
    ) -> StoreResult<ImportOutcome> {
        unavailable_error()
    }
    async fn validate_company(
        &self,
        _: ImportSource,
        _: &HashSet<CompanyId>,
        _: ImportRules,
        _: &AuditContext,
    ) -> StoreResult<ImportOutcome> {
        unavailable_error()
    }
    async fn change_workers(&self, _: WorkersToChange, _: &AuditContext) -> StoreResult<WorkerChangeOutcome> {
        unavailable_error()
    }
}

#[async_trait]
impl SetupStore for UnavailableStore {
    async fn pay_periods(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: &PeriodFilter,
        _: VersionedWindow,
    ) -> StoreResult<Guarded<Listing<PeriodWithCheckCount>>> {
        unavailable_error()
    }
    async fn pay_period(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: &PayPeriodId,
    ) -> StoreResult<Guarded<Option<Versioned<PeriodWithCheckCount>>>> {
        unavailable_error()
    }
    async fn pay_components(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: &ComponentFilter,
        _: Window,
    ) -> StoreResult<Guarded<Listing<PayComponent>>> {
        unavailable_error()
    }
    async fn pay_component(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: &ComponentId,
    ) -> StoreResult<Guarded<Option<Versioned<PayComponent>>>> {
        unavailable_error()
    }
    async fn organizations(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: Window,
    ) -> StoreResult<Guarded<Listing<OrganizationView>>> {
        unavailable_error()
    }
    async fn organization(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: &OrganizationId,
    ) -> StoreResult<Guarded<Option<Versioned<OrganizationView>>>> {
        unavailable_error()
    }
    async fn setup_list(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: SetupList,
        _: Window,
    ) -> StoreResult<Guarded<Listing<Resource>>> {
        unavailable_error()
    }
    async fn object(
        &self,
        _: &Caller,
        _: &CompanyId,
        _: ResourceKind,
        _: &str,
    ) -> StoreResult<Guarded<Option<Versioned<Resource>>>> {
        unavailable_error()
    }
}

#[async_trait]
impl SchemaStore for UnavailableStore {
    async fn schema_version(&self) -> StoreResult<String> {
        unavailable_error()
    }
    async fn ping(&self) -> StoreResult<String> {
        unavailable_error()
    }
    fn metrics(&self) -> Vec<Metric> {
        Vec::new()
    }
    async fn is_empty(&self) -> StoreResult<bool> {
        unavailable_error()
    }
}
