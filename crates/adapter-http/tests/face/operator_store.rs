//! The test store that is always unavailable: its implementation of the ports that operators' requests use.
//! The ports for access are in `access_store`.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::check::Totals;
use payroll_domain::company::Lock;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::delivery::Notification;
use payroll_domain::event::FiredEvent;
use payroll_domain::hook::address::AddressRule;
use payroll_domain::hook::{Address, Hook, HookChange, HookKey, SigningSecret};
use payroll_domain::id::{ApplicationId, CompanyId, ComponentId, HookId, PayPeriodId};
use payroll_domain::pay_period::IntervalCode;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::audit::{AuditPage, AuditQuery, AuditStore};
use payroll_ports::checks::PeriodChecks;
use payroll_ports::deliveries::{
    AttemptRecord, ClaimRequest, ClaimedDelivery, Delivery, DeliveryId, DeliveryLog, DeliveryPage,
    DeliveryQuery, DeliveryQueue, DeliveryTarget, HookHealthChange, HookNumber, NotificationRequest,
    QueueSummary, ReadyHook, ReplayOutcome, ReplayQuery,
};
use payroll_ports::events::{EventStore, FeedQuery, FeedResult};
use payroll_ports::filters::{CompanyFilter, PayRunFilter, PeriodFilter, ResourceFilter};
use payroll_ports::hooks::{
    AddressChecker, ChallengeFailure, HookRefusal, HookStore, HookWithQueue, NewHook, RegistrationFacts,
};
use payroll_ports::periods::{
    PayRun, PayRunTotals, PeriodRegister, PeriodStore, PeriodSummary, PeriodView, PositionedCheck,
    StagedCheck, StateChange, StateChangeOutcome,
};
use payroll_ports::resources::{
    CompanyLock, EditFunction, LockOutcome, ObjectWrite, ResourceStore, Versioned, WriteOutcome,
};
use payroll_ports::sandbox::SandboxStore;
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, StoreError, Window};

use crate::store::{UnavailableStore, unavailable_error};

/// The result type of functions that change a hook.
type HookResult<T> = Result<Result<T, HookRefusal>, StoreError>;

#[async_trait]
impl AuditStore for UnavailableStore {
    async fn read_audit_log(&self, _: &AuditQuery) -> Result<AuditPage, StoreError> {
        unavailable_error()
    }
    async fn delete_audit_before(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl EventStore for UnavailableStore {
    async fn read_events(&self, _: &FeedQuery) -> Result<FeedResult, StoreError> {
        unavailable_error()
    }
    async fn read_caller_events(&self, _: &Caller, _: &FeedQuery) -> Result<Guarded<FeedResult>, StoreError> {
        unavailable_error()
    }
    async fn delete_events_before(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl SandboxStore for UnavailableStore {
    async fn trigger_events(
        &self,
        _: &CompanyId,
        _: &FiredEvent,
        _: &AuditContext,
    ) -> Result<Option<String>, StoreError> {
        unavailable_error()
    }
    async fn is_sandbox(&self) -> Result<bool, StoreError> {
        unavailable_error()
    }
    async fn mark_as_sandbox(&self) -> Result<(), StoreError> {
        unavailable_error()
    }
    async fn clear_database(&self) -> Result<(), StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl PeriodStore for UnavailableStore {
    async fn process_period(
        &self,
        _: &StateChange,
        _: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        unavailable_error()
    }
    async fn reopen_period(
        &self,
        _: &StateChange,
        _: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        unavailable_error()
    }
    async fn period(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: &[ComponentId],
        _: Timestamp,
    ) -> Result<Option<PeriodView>, StoreError> {
        unavailable_error()
    }
    async fn period_summary(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
    ) -> Result<Option<Versioned<PeriodSummary>>, StoreError> {
        unavailable_error()
    }
    async fn period_summaries(
        &self,
        _: &CompanyId,
        _: &PeriodFilter,
        _: Window,
    ) -> Result<Option<Listing<Versioned<PeriodSummary>>>, StoreError> {
        unavailable_error()
    }
    async fn pay_runs(&self, _: &PayRunFilter, _: Window) -> Result<Listing<PayRun>, StoreError> {
        unavailable_error()
    }
    async fn pay_run_totals(&self, _: &PayRunFilter) -> Result<PayRunTotals, StoreError> {
        unavailable_error()
    }
    async fn checks_of_period(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: Window,
    ) -> Result<Option<PeriodChecks>, StoreError> {
        unavailable_error()
    }
    async fn read_register(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: Window,
    ) -> Result<Option<PeriodRegister>, StoreError> {
        unavailable_error()
    }
    async fn last_paid_period_before(
        &self,
        _: &CompanyId,
        _: IntervalCode,
        _: Date,
    ) -> Result<Option<PayPeriodId>, StoreError> {
        unavailable_error()
    }
    async fn begin_completion(
        &self,
        _: &StateChange,
        _: &str,
        _: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        unavailable_error()
    }
    async fn checks_to_complete(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: i64,
        _: u32,
    ) -> Result<Vec<PositionedCheck>, StoreError> {
        unavailable_error()
    }
    async fn stage_checks(&self, _: &StateChange, _: &str, _: &[StagedCheck]) -> Result<bool, StoreError> {
        unavailable_error()
    }
    async fn complete_period(
        &self,
        _: &StateChange,
        _: &str,
        _: &Totals,
        _: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl ResourceStore for UnavailableStore {
    async fn resource(
        &self,
        _: &CompanyId,
        _: ResourceKind,
        _: &str,
    ) -> Result<Option<Versioned<Resource>>, StoreError> {
        unavailable_error()
    }
    async fn resources(
        &self,
        _: &CompanyId,
        _: &ResourceFilter,
        _: Window,
    ) -> Result<Option<Listing<Versioned<Resource>>>, StoreError> {
        unavailable_error()
    }
    async fn all_companies(
        &self,
        _: &CompanyFilter,
        _: Window,
    ) -> Result<Listing<Versioned<Resource>>, StoreError> {
        unavailable_error()
    }
    async fn write_resource(
        &self,
        _: &CompanyId,
        _: &ObjectWrite,
        _: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        unavailable_error()
    }

    async fn create_resources(
        &self,
        _: &CompanyId,
        _: &[Resource],
        _: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        unavailable_error()
    }

    async fn edit_resource(
        &self,
        _: &CompanyId,
        _: (ResourceKind, &str),
        _: EditFunction,
        _: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        unavailable_error()
    }
    async fn read_lock(
        &self,
        _: &CompanyId,
        _: Timestamp,
    ) -> Result<Option<Option<CompanyLock>>, StoreError> {
        unavailable_error()
    }
    async fn lock_company(
        &self,
        _: &CompanyId,
        _: &Lock,
        _: &AuditContext,
    ) -> Result<LockOutcome, StoreError> {
        unavailable_error()
    }
    async fn unlock_company(&self, _: &CompanyId, _: &AuditContext) -> Result<LockOutcome, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl HookStore for UnavailableStore {
    async fn hooks_of_caller(&self, _: &Caller) -> Result<Guarded<Vec<Hook>>, StoreError> {
        unavailable_error()
    }
    async fn hook_of_caller(&self, _: &Caller, _: &HookId) -> Result<Guarded<Option<Hook>>, StoreError> {
        unavailable_error()
    }
    async fn hook_registration_data(
        &self,
        _: &Caller,
        _: Option<&CompanyId>,
    ) -> Result<Guarded<RegistrationFacts>, StoreError> {
        unavailable_error()
    }
    async fn hooks(&self, _: Option<&ApplicationId>) -> Result<Vec<HookWithQueue>, StoreError> {
        unavailable_error()
    }
    async fn hook(&self, _: &HookKey) -> Result<Option<HookWithQueue>, StoreError> {
        unavailable_error()
    }
    async fn add_hook(&self, _: &NewHook, _: u32, _: &AuditContext) -> HookResult<()> {
        unavailable_error()
    }
    async fn change_hook(
        &self,
        _: &HookKey,
        _: &HookChange,
        _: Option<i64>,
        _: &AuditContext,
    ) -> HookResult<Hook> {
        unavailable_error()
    }
    async fn remove_hook(&self, _: &HookKey, _: Option<i64>, _: &AuditContext) -> HookResult<()> {
        unavailable_error()
    }
    async fn set_hook_active(
        &self,
        _: &HookKey,
        _: bool,
        _: &AuditContext,
    ) -> Result<Option<Hook>, StoreError> {
        unavailable_error()
    }
    async fn rotate_signing_secret(
        &self,
        _: &HookKey,
        _: SigningSecret,
        _: Timestamp,
        _: &AuditContext,
    ) -> Result<Option<Hook>, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl DeliveryQueue for UnavailableStore {
    async fn wait_for_deliveries(&self) {
        std::future::pending::<()>().await;
    }
    async fn ready_hooks(&self) -> Result<Vec<ReadyHook>, StoreError> {
        unavailable_error()
    }
    async fn claim_deliveries(
        &self,
        _: &[ClaimRequest],
        _: Timestamp,
        _: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        unavailable_error()
    }
    async fn read_targets(&self, _: &[HookNumber]) -> Result<Vec<DeliveryTarget>, StoreError> {
        unavailable_error()
    }
    async fn record_attempts(&self, _: &[AttemptRecord], _: &[HookHealthChange]) -> Result<(), StoreError> {
        unavailable_error()
    }
    async fn make_deliveries_due(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unavailable_error()
    }
    async fn release_claims(&self, _: &[DeliveryId]) -> Result<(), StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl DeliveryLog for UnavailableStore {
    async fn deliveries(&self, _: &HookKey, _: &DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        unavailable_error()
    }
    async fn delivery(&self, _: &HookKey, _: i64) -> Result<Option<Delivery>, StoreError> {
        unavailable_error()
    }
    async fn replay_delivery(&self, _: &HookKey, _: i64, _: &AuditContext) -> Result<bool, StoreError> {
        unavailable_error()
    }
    async fn replay_deliveries(
        &self,
        _: &HookKey,
        _: &ReplayQuery,
        _: &AuditContext,
    ) -> Result<ReplayOutcome, StoreError> {
        unavailable_error()
    }
    async fn queue_test_delivery(
        &self,
        _: &HookKey,
        _: &Notification,
        _: &AuditContext,
    ) -> Result<Option<i64>, StoreError> {
        unavailable_error()
    }
    async fn queue_summary(&self) -> Result<QueueSummary, StoreError> {
        unavailable_error()
    }
    async fn link_requests_to_notifications(&self, _: &[NotificationRequest]) -> Result<(), StoreError> {
        unavailable_error()
    }
    async fn delete_deliveries_before(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unavailable_error()
    }
    async fn expire_deliveries(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unavailable_error()
    }
}

/// An address checker that cannot resolve any name.
pub(crate) struct UnresolvableAddresses;

#[async_trait]
impl AddressChecker for UnresolvableAddresses {
    async fn check_address(&self, _: &Address) -> Result<(), AddressRule> {
        Err(AddressRule::Name)
    }
    async fn send_challenge(&self, _: &Address, _: &str) -> Result<(), ChallengeFailure> {
        Err(ChallengeFailure::OtherBody)
    }
}
