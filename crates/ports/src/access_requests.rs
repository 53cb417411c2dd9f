//! Access requests of applications for companies, which are pending until an operator decides.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded, Scopes};
pub use payroll_domain::application::{AccessRequest, Grant};
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::{AccessRequestId, ApplicationId, CompanyId};

use crate::StoreError;
use crate::applications::SecretHash;
use crate::resources::Versioned;
use crate::write::AuditContext;

/// A company whose display id matches the display id in an application's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCompany {
    /// The company with the display id.
    pub company_id: CompanyId,
    /// The last day on which the company is active. `None` if the company has no end.
    pub end_date: Option<Date>,
    /// The scopes that the application already has for the company.
    pub granted_scopes: Scopes,
}

/// An access request to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccessRequest {
    /// The id of the access request.
    pub access_request_id: AccessRequestId,
    /// The application that requests access.
    pub application_id: ApplicationId,
    /// The company to which the application requests access.
    pub company_id: CompanyId,
    /// The hash of the secret at the end of the link to the request.
    pub hash: SecretHash,
    /// The scopes that are requested.
    pub scopes: Scopes,
    /// The instant at which the link expires.
    pub expires: Timestamp,
}

/// The value by which an access request is found: the hash of its secret, or its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessRequestKey {
    /// The hash of the secret at the end of the link to the request.
    Link(SecretHash),
    /// The id of the access request.
    Id(AccessRequestId),
}

/// The reason why an access request was not stored or not approved. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRefusal {
    /// The application, the company or the access request does not exist, or the company has ended.
    Unknown,
    /// The application already has the requested scopes.
    Granted,
    /// The application already has the maximum number of pending requests.
    TooMany,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// Stores access requests. Each change writes audit rows, which do not contain the link or its hash. All
/// methods treat expired requests as nonexistent.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`].
#[async_trait]
pub trait AccessRequestStore: Send + Sync {
    /// Returns the companies with the given display key (see
    /// [`to_display_key`](payroll_domain::company::to_display_key)), at most two. If the method returns two
    /// companies, the display key is ambiguous.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn find_named_companies(
        &self,
        caller: &Caller,
        display_key: &str,
    ) -> Result<Guarded<Vec<NamedCompany>>, StoreError>;

    /// Stores an access request if the application has fewer than `max_pending` other pending requests. The
    /// new request replaces a pending request of the same application for the same company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn request_access(
        &self,
        new: &NewAccessRequest,
        max_pending: u32,
        audit: &AuditContext,
    ) -> Result<Result<(), AccessRefusal>, StoreError>;

    /// Returns the access requests that are pending at the instant `now`, oldest first.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn access_requests(&self, now: Timestamp) -> Result<Vec<AccessRequest>, StoreError>;

    /// Returns an access request if it is pending at the instant `now`.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn access_request(
        &self,
        key: &AccessRequestKey,
        now: Timestamp,
    ) -> Result<Option<AccessRequest>, StoreError>;

    /// Adds the given scopes to the application's grant and closes the request in one transaction. Returns
    /// the new grant. If several calls are concurrent, only one succeeds.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn approve_access(
        &self,
        key: &AccessRequestKey,
        scopes: Scopes,
        audit: &AuditContext,
    ) -> Result<Result<Versioned<Grant>, AccessRefusal>, StoreError>;

    /// Closes an access request without granting any scopes.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn reject_access(
        &self,
        key: &AccessRequestKey,
        audit: &AuditContext,
    ) -> Result<Result<(), AccessRefusal>, StoreError>;

    /// Deletes at most `limit` access requests that have expired by the instant `now`. Returns their number.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_expired_access_requests(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
