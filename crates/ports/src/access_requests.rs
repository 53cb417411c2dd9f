//! Requests of applications for access to companies, until an operator decides.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded, Scopes};
pub use payroll_domain::application::{AccessRequest, Grant};
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::{AccessRequestId, ApplicationId, CompanyId};

use crate::StoreError;
use crate::applications::SecretHash;
use crate::resources::Versioned;
use crate::write::By;

/// A company that has the display id that an application named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCompany {
    /// Id of the company.
    pub company_id: CompanyId,
    /// Its last day, if it has one.
    pub end_date: Option<Date>,
    /// What the application may do there already.
    pub granted: Scopes,
}

/// A request to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccessRequest {
    /// Id of the access request.
    pub access_request_id: AccessRequestId,
    /// The application that requests access.
    pub application_id: ApplicationId,
    /// Id of the requested company.
    pub company_id: CompanyId,
    /// The hash of what the link ends with.
    pub hash: SecretHash,
    /// What it wants there.
    pub scopes: Scopes,
    /// When the link ends.
    pub expires: Timestamp,
}

/// By what a request is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessRequestKey {
    /// What its link ends with, as a hash.
    Link(SecretHash),
    /// The id of the request.
    Id(AccessRequestId),
}

/// Why a request was not stored or not approved. Nothing is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRefusal {
    /// The application, the company or the request is not there, or has ended.
    Unknown,
    /// The application has these scopes already.
    Granted,
    /// The application has as many open requests as it may.
    TooMany,
    /// The mark of the request's idempotency key was no longer its own.
    MarkLost,
}

/// Keeping requests for access. A change leaves its rows in the audit trail, without link and hash.
/// What has ended is not there.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that write also [`StoreError::CompanyBusy`].
#[async_trait]
pub trait AccessRequestStore: Send + Sync {
    /// The companies with that display key (see [`display_key`](payroll_domain::company::display_key)),
    /// at most two: one is meant, more are too many.
    ///
    /// # Errors
    /// Those of the trait.
    async fn companies_named(
        &self,
        caller: &Caller,
        display_key: &str,
    ) -> Result<Guarded<Vec<NamedCompany>>, StoreError>;

    /// Stores a request, in the place of that of the same application for the same company, if the
    /// application has fewer than `most` others.
    ///
    /// # Errors
    /// Those of the trait.
    async fn request_access(
        &self,
        new: &NewAccessRequest,
        most: u32,
        by: &By,
    ) -> Result<Result<(), AccessRefusal>, StoreError>;

    /// The requests that are open at that instant, the oldest first.
    ///
    /// # Errors
    /// Those of the trait.
    async fn access_requests(&self, now: Timestamp) -> Result<Vec<AccessRequest>, StoreError>;

    /// A request that is open at that instant.
    ///
    /// # Errors
    /// Those of the trait.
    async fn access_request(
        &self,
        key: &AccessRequestKey,
        now: Timestamp,
    ) -> Result<Option<AccessRequest>, StoreError>;

    /// Gives the application these scopes in addition to those that it has, and closes the request, all in
    /// one; the grant from now on. Of several at once one succeeds.
    ///
    /// # Errors
    /// Those of the trait.
    async fn approve_access(
        &self,
        key: &AccessRequestKey,
        scopes: Scopes,
        by: &By,
    ) -> Result<Result<Versioned<Grant>, AccessRefusal>, StoreError>;

    /// Uses a request up without granting anything.
    ///
    /// # Errors
    /// Those of the trait.
    async fn refuse_access(
        &self,
        key: &AccessRequestKey,
        by: &By,
    ) -> Result<Result<(), AccessRefusal>, StoreError>;

    /// Removes requests that have ended by that instant, at most `limit`; returns how many.
    ///
    /// # Errors
    /// Those of the trait.
    async fn forget_access_requests(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
