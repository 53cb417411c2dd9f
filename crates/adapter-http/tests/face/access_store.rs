//! The test store that is always unavailable: its implementation of the ports for access requests, operator
//! keys, sessions, disclosures and the request log. The store knows one operator key for each role, so that
//! tests can authenticate.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded, Scopes};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, OperatorKeyId, OperatorSessionId};
use payroll_domain::resource::ResourceKind;
use payroll_domain::tax_id::LegalId;
use payroll_ports::StoreError;
use payroll_ports::access_requests::{
    AccessRefusal, AccessRequest, AccessRequestKey, AccessRequestStore, Grant, NamedCompany, NewAccessRequest,
};
use payroll_ports::applications::SecretHash;
use payroll_ports::disclosures::DisclosureStore;
use payroll_ports::operator_keys::{KeyCreationOutcome, OperatorKey, OperatorKeyStore, OperatorRole};
use payroll_ports::operator_sessions::{OperatorSession, OperatorSessionStore, SessionCreationOutcome};
use payroll_ports::requests::{
    FailedRequest, LoggedRequest, RequestLogSection, RequestPage, RequestQuery, RequestStore,
};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use crate::store::{UnavailableStore, unavailable_error};

/// An operator key with full access.
pub(crate) const FULL_KEY: &str = "opk_administrator";

/// Returns the value of a key with the given role.
pub(crate) fn operator_key_with_role(role: OperatorRole) -> String {
    format!("opk_{role}")
}

#[async_trait]
impl OperatorKeyStore for UnavailableStore {
    async fn operator_key(&self, hash: &SecretHash) -> Result<Option<OperatorKey>, StoreError> {
        let key = |role: OperatorRole| {
            let (id, created) = (role.as_str(), Timestamp::from_micros(0));
            OperatorKey::new(id.parse().unwrap(), id.to_owned(), role, created)
        };
        let known = OperatorRole::ALL
            .iter()
            .find(|role| SecretHash::from_secret(&operator_key_with_role(**role)) == *hash);
        Ok(known.map(|role| key(*role)))
    }
    async fn operator_keys(&self) -> Result<Vec<OperatorKey>, StoreError> {
        unavailable_error()
    }
    async fn create_operator_key(
        &self,
        _: &OperatorKey,
        _: &SecretHash,
        _: &AuditContext,
    ) -> Result<KeyCreationOutcome, StoreError> {
        unavailable_error()
    }
    async fn record_operator_key_use(&self, _: &OperatorKeyId, _: Timestamp) -> Result<(), StoreError> {
        unavailable_error()
    }
    async fn revoke_operator_key(&self, _: &OperatorKeyId, _: &AuditContext) -> Result<bool, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl DisclosureStore for UnavailableStore {
    async fn reveal_tax_id(
        &self,
        _: &CompanyId,
        _: ResourceKind,
        _: &str,
        _: &AuditContext,
    ) -> Result<Option<LegalId>, StoreError> {
        unavailable_error()
    }
    async fn record_export(&self, _: &CompanyId, _: &AuditContext) -> Result<bool, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl OperatorSessionStore for UnavailableStore {
    async fn operator_session(
        &self,
        _: &SecretHash,
        _: Timestamp,
    ) -> Result<Option<OperatorSession>, StoreError> {
        unavailable_error()
    }
    async fn operator_sessions(&self, _: Timestamp) -> Result<Vec<OperatorSession>, StoreError> {
        unavailable_error()
    }
    async fn create_operator_session(
        &self,
        _: &OperatorSession,
        _: &SecretHash,
        _: &AuditContext,
    ) -> Result<SessionCreationOutcome, StoreError> {
        unavailable_error()
    }
    async fn end_operator_session(
        &self,
        _: &OperatorSessionId,
        _: &AuditContext,
    ) -> Result<bool, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl AccessRequestStore for UnavailableStore {
    async fn find_named_companies(
        &self,
        _: &Caller,
        _: &str,
    ) -> Result<Guarded<Vec<NamedCompany>>, StoreError> {
        unavailable_error()
    }
    async fn request_access(
        &self,
        _: &NewAccessRequest,
        _: u32,
        _: &AuditContext,
    ) -> Result<Result<(), AccessRefusal>, StoreError> {
        unavailable_error()
    }
    async fn access_requests(&self, _: Timestamp) -> Result<Vec<AccessRequest>, StoreError> {
        unavailable_error()
    }
    async fn access_request(
        &self,
        _: &AccessRequestKey,
        _: Timestamp,
    ) -> Result<Option<AccessRequest>, StoreError> {
        unavailable_error()
    }
    async fn approve_access(
        &self,
        _: &AccessRequestKey,
        _: Scopes,
        _: &AuditContext,
    ) -> Result<Result<Versioned<Grant>, AccessRefusal>, StoreError> {
        unavailable_error()
    }
    async fn reject_access(
        &self,
        _: &AccessRequestKey,
        _: &AuditContext,
    ) -> Result<Result<(), AccessRefusal>, StoreError> {
        unavailable_error()
    }
    async fn delete_expired_access_requests(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl RequestStore for UnavailableStore {
    async fn log_requests(&self, _: &[LoggedRequest]) -> Result<(), StoreError> {
        unavailable_error()
    }
    async fn requests(&self, _: &ApplicationId, _: &RequestQuery) -> Result<RequestPage, StoreError> {
        unavailable_error()
    }
    async fn requests_of_caller(
        &self,
        _: &Caller,
        _: &RequestQuery,
    ) -> Result<Guarded<RequestPage>, StoreError> {
        unavailable_error()
    }
    async fn read_failed_request(
        &self,
        _: &ApplicationId,
        _: &str,
    ) -> Result<Option<FailedRequest>, StoreError> {
        unavailable_error()
    }
    async fn failed_request_of_caller(
        &self,
        _: &Caller,
        _: &str,
    ) -> Result<Guarded<Option<FailedRequest>>, StoreError> {
        unavailable_error()
    }
    async fn delete_requests_before(
        &self,
        _: RequestLogSection,
        _: Timestamp,
        _: u32,
        _: u32,
    ) -> Result<u64, StoreError> {
        unavailable_error()
    }
}
