//! Reads and writes single objects of companies for the operator API.
//!
//! Each write is one transaction, which also writes the audit row and the events.

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::document::DefinitionMismatch;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::resource::{Resource, ResourceKind};

use crate::filters::{CompanyFilter, ResourceFilter};
use crate::idempotency::ResponseRecord;
use crate::write::AuditContext;
use crate::{Listing, StoreError, Window};

/// A stored value with the version of its row. Every write increases the version. The first version is the
/// instant of creation in microseconds. If an object is deleted and created again, the versions of the new
/// object therefore differ from all versions of the earlier object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The stored object or other value.
    pub value: T,
    /// The version of the row that stores the value.
    pub version: i64,
}

/// The lock that is active on a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompanyLock {
    /// An operator has locked the company.
    Operator(Lock),
    /// The company is locked because this pay period is in processing.
    Processing(PayPeriodId),
}

/// A write of one object: its creation, replacement or deletion.
#[derive(Debug, Clone)]
pub enum ObjectWrite {
    /// Creates an object whose id is not in use.
    Create(Resource),
    /// Replaces the stored object with the same id if the stored object has the given version. `None` accepts
    /// any version.
    Replace(Resource, Option<i64>),
    /// Deletes the object if it has the given version and no object refers to it. `None` accepts any version.
    Delete(ResourceKind, String, Option<i64>),
}

/// A function that gets a stored object and returns its replacement. If the function returns `None`, nothing
/// is written. Other writers of the company wait until this function has completed.
pub type EditFunction = Box<dyn FnOnce(Versioned<Resource>) -> BoxFuture<'static, Option<EditResult>> + Send>;

/// The result of an [`EditFunction`]: the replacement for the object, and the response.
#[derive(Debug, Clone)]
pub struct EditResult {
    /// The replacement for the stored object.
    pub object: Resource,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub response_record: Option<ResponseRecord>,
}

impl From<Resource> for EditResult {
    fn from(object: Resource) -> Self {
        Self { object, response_record: None }
    }
}

/// The result of writing one or several objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The object is stored durably. Contains the new version of its row. If the object equals the stored
    /// object, nothing is written. In this case there is also no audit row and no event.
    Stored(i64),
    /// The write is rejected, and nothing is stored.
    Refused(WriteRefusal),
}

/// The reason for rejecting a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteRefusal {
    /// No company has the given id.
    UnknownCompany,
    /// The company has no object with the given id.
    Unknown,
    /// The object does not have the expected version.
    Stale,
    /// Another actor has locked the company. Only writes of workers, pay components and pay periods can be
    /// rejected for this reason (specification §8.3).
    Locked(CompanyLock),
    /// The id or a name of the object is already in use. Contains the id or the name.
    Taken(String),
    /// The object refers to missing objects.
    Missing(Vec<MissingReference>),
    /// The object has values that do not match the definitions of its company, such as custom fields.
    Unfit(Vec<DefinitionMismatch>),
    /// Other objects refer to the object, or contain values that would no longer be valid after the change.
    /// Contains one text for each kind of reference. A text contains the ids of the first few referring
    /// objects.
    Referenced(Vec<String>),
    /// The state of the object forbids the write. The text explains why.
    NotAllowed(String),
    /// The [`EditFunction`] returned `None` instead of an object.
    Declined,
    /// Several objects were written and some of them are rejected. Contains the index of each rejected object
    /// with the reason.
    Several(Vec<(usize, Self)>),
    /// The application no longer has the scope that the write requires ([`AuditContext::scope`]) for the
    /// company.
    NotGranted,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// A reference to a missing object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingReference {
    /// The kind of the missing object.
    pub target: ResourceKind,
    /// The id of the missing object.
    pub id: String,
    /// JSON Pointer to the id in the object's document.
    pub pointer: String,
}

/// The result of setting or releasing a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LockOutcome {
    /// The change of the lock is stored.
    Done,
    /// No company has the given id.
    UnknownCompany,
    /// The company is already locked, by an operator or by a period in processing.
    Held(CompanyLock),
    /// The company has no lock.
    NotLocked,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// Reads and writes the objects of companies.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer of the company takes too
/// long.
#[async_trait]
pub trait ResourceStore: Send + Sync {
    /// Reads one object of a company. The company itself is also one of its objects.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn resource(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<Option<Versioned<Resource>>, StoreError>;

    /// Returns the objects that match the filter, in the order of their creation. `None` if no company has
    /// the given id.
    ///
    /// # Errors
    /// Returns the errors that the trait documents. A filter with
    /// [`WorkerFilter::last_four`](crate::filters::WorkerFilter::last_four) also returns
    /// [`StoreError::Unavailable`] while some workers of the company are not yet indexed by their last four
    /// digits.
    async fn resources(
        &self,
        company_id: &CompanyId,
        filter: &ResourceFilter,
        window: Window,
    ) -> Result<Option<Listing<Versioned<Resource>>>, StoreError>;

    /// Returns the companies of the server that match the filter, in the order of their creation.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn all_companies(
        &self,
        filter: &CompanyFilter,
        window: Window,
    ) -> Result<Listing<Versioned<Resource>>, StoreError>;

    /// Writes one object of a company in one transaction, together with its audit row and its events.
    ///
    /// These conditions are true at the commit: referenced objects exist, ids and names are unique where
    /// required, and the stored object has the given version. If another actor has locked the company, the
    /// write is rejected as [`WriteRefusal::Locked`] describes. Only
    /// [`PeriodStore`](crate::periods::PeriodStore) changes the state of a pay period, except from INITIAL to
    /// ENTRY. A period that is in processing or processed cannot be written, and a period with checks cannot
    /// be deleted.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn write_resource(
        &self,
        company_id: &CompanyId,
        write: &ObjectWrite,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError>;

    /// Creates objects of one kind in one transaction. Either all objects are created or none. Each object
    /// gets an audit row and events. All guarantees of [`Self::write_resource`] apply to each object. Lists
    /// show the objects in the given order. If some objects are rejected, the result is
    /// [`WriteRefusal::Several`] with the reason for each of these objects.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn create_resources(
        &self,
        company_id: &CompanyId,
        objects: &[Resource],
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError>;

    /// Changes one object in the same transaction that reads it, so that no other write occurs between the
    /// read and the change. All guarantees of [`Self::write_resource`] apply. The response to store is part
    /// of the result of the edit, so `audit` must not contain a response.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn edit_resource(
        &self,
        company_id: &CompanyId,
        (kind, id): (ResourceKind, &str),
        edit: EditFunction,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError>;

    /// Returns the lock of the company at the instant `now`. The outer `None` means that no company has the
    /// given id. The inner `None` means that the company is not locked.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_lock(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<Option<CompanyLock>>, StoreError>;

    /// Sets the operator's lock of a company, unless the company is already locked.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn lock_company(
        &self,
        company_id: &CompanyId,
        lock: &Lock,
        audit: &AuditContext,
    ) -> Result<LockOutcome, StoreError>;

    /// Releases the operator's lock, even if another operator has set it.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn unlock_company(
        &self,
        company_id: &CompanyId,
        audit: &AuditContext,
    ) -> Result<LockOutcome, StoreError>;
}
