//! The objects of companies as the operator reads and writes them, one by one.
//!
//! Each write is one transaction with its audit row and its events.

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::document::Misfit;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_domain::resource::{Resource, ResourceKind};

use crate::filters::{CompanyFilter, ResourceFilter};
use crate::idempotency::KeptAnswer;
use crate::write::By;
use crate::{Listing, StoreError, Window};

/// Something stored, with the version of its row, which another write makes greater. The first
/// version is the instant of creation in microseconds, so that an object that was deleted and made
/// again never has a version of its predecessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The value that is stored.
    pub value: T,
    /// The version of its row.
    pub version: i64,
}

/// Who holds a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompanyLock {
    /// The lock of an operator.
    Operator(Lock),
    /// A pay period in processing.
    Processing(PayPeriodId),
}

/// What is to be written.
#[derive(Debug, Clone)]
pub enum Write {
    /// A new object; nothing has its id.
    Create(Resource),
    /// The object takes the place of the stored one of its id, if that has this version (`None`:
    /// any version).
    Replace(Resource, Option<i64>),
    /// The object goes, if it has this version (`None`: any version) and nothing refers to it.
    Delete(ResourceKind, String, Option<i64>),
}

/// Makes of an object, as it is stored, the one that takes its place; `None`: nothing is written. Others
/// who write in the company wait for it.
pub type Edit = Box<dyn FnOnce(Versioned<Resource>) -> BoxFuture<'static, Option<Edited>> + Send>;

/// What an edit makes of an object.
#[derive(Debug, Clone)]
pub struct Edited {
    /// The object that takes its place.
    pub object: Resource,
    /// The response to keep under the request's idempotency key, in the same transaction.
    pub kept: Option<KeptAnswer>,
}

impl From<Resource> for Edited {
    fn from(object: Resource) -> Self {
        Self { object, kept: None }
    }
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// It is stored, durably; the version of its row from now on. What was the same is not written,
    /// and has no audit row and no events.
    Stored(i64),
    /// The write is rejected, and nothing is stored.
    Refused(Refusal),
}

/// Why a write is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// No company has that id.
    UnknownCompany,
    /// The company has no such object.
    Unknown,
    /// The object has another version.
    Stale,
    /// The company is locked, and not by the actor. Only writes of workers, pay components and pay periods
    /// are rejected so (specification §8.3).
    Locked(CompanyLock),
    /// An id or a name is in use; the sentence names it.
    Taken(String),
    /// It refers to what is not there.
    Missing(Vec<Missing>),
    /// It has what does not fit the definitions of its company.
    Unfit(Vec<Misfit>),
    /// Others refer to it, or have what fits it only as it is; a sentence for each kind of them, with the first few ids.
    Referenced(Vec<String>),
    /// Its state forbids it; the sentence says why.
    NotAllowed(String),
    /// The edit has made nothing of it.
    Declined,
    /// Some of several objects are rejected, each by its index among them.
    Several(Vec<(usize, Self)>),
    /// The application no longer holds the scope that the write requires ([`By::scope`]).
    NotGranted,
    /// The mark of its idempotency key was no longer its own.
    MarkLost,
}

/// A reference to what is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What it leads to.
    pub target: ResourceKind,
    /// The id that is unknown.
    pub id: String,
    /// JSON Pointer to the id in the object's document.
    pub pointer: String,
}

/// What became of locking or unlocking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locking {
    /// The change of the lock is stored.
    Done,
    /// No company has that id.
    UnknownCompany,
    /// The company is locked already, by an actor or by a period in processing.
    Held(CompanyLock),
    /// The operator holds no lock.
    NotLocked,
    /// The mark of its idempotency key was no longer its own.
    MarkLost,
}

/// Reading and writing the objects of companies.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that write also [`StoreError::CompanyBusy`] when another writer of the company takes too long.
#[async_trait]
pub trait ResourceStore: Send + Sync {
    /// One object; a company is an object of itself.
    ///
    /// # Errors
    /// Those of the trait.
    async fn resource(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<Option<Versioned<Resource>>, StoreError>;

    /// The objects that are wanted, in the order of their creation; `None` when no company has that id.
    ///
    /// # Errors
    /// See the trait. [`StoreError::Unavailable`] also for
    /// [`WorkerFilter::last_four`](crate::filters::WorkerFilter::last_four) while a worker of the company
    /// cannot be found by it yet.
    async fn resources(
        &self,
        company_id: &CompanyId,
        filter: &ResourceFilter,
        window: Window,
    ) -> Result<Option<Listing<Versioned<Resource>>>, StoreError>;

    /// The companies of the server that are wanted, in the order of their creation.
    ///
    /// # Errors
    /// Those of the trait.
    async fn all_companies(
        &self,
        filter: &CompanyFilter,
        window: Window,
    ) -> Result<Listing<Versioned<Resource>>, StoreError>;

    /// Writes one object of a company in one transaction with its audit row and its events.
    ///
    /// These hold at the commit: what it refers to is there; ids and names are unique where they must be; the
    /// version is the one that was named; a company that another actor has locked is not written to where
    /// [`Refusal::Locked`] says so. A pay period moves by [`PeriodStore`](crate::periods::PeriodStore) only,
    /// but for INITIAL to ENTRY; one that is processing or processed is not written, and one with checks is
    /// not deleted.
    ///
    /// # Errors
    /// Those of the trait.
    async fn write(&self, company_id: &CompanyId, write: &Write, by: &By) -> Result<Written, StoreError>;

    /// Creates objects of one kind in one transaction: all of them, or none. Each has an audit row and events, and
    /// everything that [`Self::write`] promises holds for each. They are listed in the given order. What is wrong
    /// with single objects comes back as [`Refusal::Several`].
    ///
    /// # Errors
    /// Those of the trait.
    async fn create_all(
        &self,
        company_id: &CompanyId,
        objects: &[Resource],
        by: &By,
    ) -> Result<Written, StoreError>;

    /// Changes one object in the transaction that reads it, so that no other write comes in between.
    /// Everything that [`Self::write`] promises holds. The response that is kept is that of the edit, and
    /// `by` has none.
    ///
    /// # Errors
    /// Those of the trait.
    async fn edit(
        &self,
        company_id: &CompanyId,
        (kind, id): (ResourceKind, &str),
        edit: Edit,
        by: &By,
    ) -> Result<Written, StoreError>;

    /// Who holds the company at that instant; `None` outside when no company has that id.
    ///
    /// # Errors
    /// Those of the trait.
    async fn lock_of(
        &self,
        company_id: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<Option<CompanyLock>>, StoreError>;

    /// Takes the operator's lock of a company, if it is free.
    ///
    /// # Errors
    /// Those of the trait.
    async fn lock(&self, company_id: &CompanyId, lock: &Lock, by: &By) -> Result<Locking, StoreError>;

    /// Gives the operator's lock back, also one that another actor took.
    ///
    /// # Errors
    /// Those of the trait.
    async fn unlock(&self, company_id: &CompanyId, by: &By) -> Result<Locking, StoreError>;
}
