//! Workers as partners read them: lists, single workers, and the data of single workers.
//!
//! Tax settings and recurring pay components are not read, because partners do not see them. Operators read
//! and write workers through the module [`resources`](crate::resources).

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::check::OrganizationLabel;
use payroll_domain::company::Communication;
use payroll_domain::date::Date;
use payroll_domain::id::{CompanyId, WorkerId};
use payroll_domain::money::Amount;
use payroll_domain::worker::{DirectDeposit, PayRate, PayStandards, Worker};

use crate::filters::WorkerFilter;
use crate::resources::Versioned;
use crate::{Listing, StoreError, Window};

/// The selection of a worker's data that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerDetail {
    /// Communications and the tax ID are read.
    Full,
    /// Communications are read, but not the tax ID.
    Communications,
    /// Communications and the tax ID are not read.
    Outline,
}

impl WorkerDetail {
    /// Returns whether communications are read.
    #[must_use]
    pub const fn has_communications(self) -> bool {
        match self {
            Self::Full | Self::Communications => true,
            Self::Outline => false,
        }
    }

    /// Returns whether the tax ID is read.
    #[must_use]
    pub const fn has_tax_identity(self) -> bool {
        match self {
            Self::Full => true,
            Self::Communications | Self::Outline => false,
        }
    }
}

/// A list of a worker that can be read without the worker's other lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerListKind {
    /// The distributions of work to labor assignments.
    AssignmentDistributions,
    /// The contacts with their communications.
    Contacts,
    /// The values of custom fields.
    CustomFields,
    /// The direct deposits with their decrypted account numbers.
    DirectDeposits,
    /// The recurring pay components.
    RecurringComponents,
    /// The history of employment statuses.
    Statuses,
    /// The balances of time off.
    TimeOff,
}

/// The query of a list of workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkersQuery {
    /// The company whose workers are listed.
    pub company_id: CompanyId,
    /// The filter for the company's workers.
    pub filter: WorkerFilter,
    /// The selection of data that is read for each worker.
    pub detail: WorkerDetail,
    /// The requested range of the list: an offset and a limit.
    pub window: Window,
}

/// Identifies a worker by the company and the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerKey {
    /// The company for which the worker works.
    pub company_id: CompanyId,
    /// The id of the worker.
    pub worker_id: WorkerId,
}

/// A worker with the names of the objects to which the worker refers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerView {
    /// The worker with the data that [`WorkerDetail`] selects. Pay rates, recurring components and tax
    /// settings are never read. These members are empty here even if the stored worker has such data.
    pub worker: Worker,
    /// The name of the worker's custom employment type. `None` if the worker has none.
    pub custom_employment_type_name: Option<String>,
    /// The organization of the worker. `None` if the worker has none.
    pub organization: Option<OrganizationLabel>,
    /// The family name and the given name of the supervisor. `None` if the worker has no supervisor.
    pub supervisor_name: Option<(String, String)>,
}

/// The pay of a worker: rates, standards, and paid amounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compensation {
    /// The pay rates in the order of the worker's list.
    pub pay_rates: Vec<PayRate>,
    /// The pay standards of the worker. `None` if the worker has none.
    pub pay_standards: Option<PayStandards>,
    /// The gross earnings of checks that were paid in a range of days. `None` if there are no such checks.
    /// Checks of archived or reversed pay periods are not included.
    pub paid: Option<Amount>,
    /// The version of `paid`, which increases with every change of the pay periods that contain the paid
    /// checks.
    pub version_of_paid: i64,
}

/// A direct deposit that an operator has to decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingDeposit {
    /// The company for which the worker works.
    pub company_id: CompanyId,
    /// The worker to whom the deposit belongs.
    pub worker_id: WorkerId,
    /// The direct deposit, which is pending or has a pending change.
    pub deposit: DirectDeposit,
}

/// A future status of a worker that must become the current status, because the first day of the status has
/// been reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueStatus {
    /// The first day of the status.
    pub day: Date,
    /// The company for which the worker works.
    pub company_id: CompanyId,
    /// The worker whose status begins.
    pub worker_id: WorkerId,
}

/// A range of check dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckDateRange {
    /// The first day, inclusive.
    pub first: Date,
    /// The last day, inclusive.
    pub last: Date,
}

/// Reads workers and their data.
///
/// Every method with a `caller` reads the caller's access in the same snapshot as the data. The returned
/// versions change with every change of the company's objects.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`] if the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for an invalid row, or [`StoreError::Bug`].
#[async_trait]
pub trait WorkerStore: Send + Sync {
    /// Returns the company's workers that match the filter, in the order of their creation.
    ///
    /// # Errors
    /// Returns the errors that the trait documents. A filter with [`WorkerFilter::last_four`] also returns
    /// [`StoreError::Unavailable`] while some workers of the company are not indexed yet. See
    /// [`Self::index_tax_ids`].
    async fn workers(
        &self,
        caller: &Caller,
        query: &WorkersQuery,
    ) -> Result<Guarded<Listing<WorkerView>>, StoreError>;

    /// Reads one worker. The data is `None` if the company has no worker with the given id.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn worker(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        detail: WorkerDetail,
    ) -> Result<Guarded<Option<Versioned<WorkerView>>>, StoreError>;

    /// Reads a worker with only one of the worker's lists, or without any. The other lists and the tax
    /// settings are empty in the result, even if the stored worker has such data. The data is `None` if the
    /// worker does not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn worker_with_list(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        list: Option<WorkerListKind>,
    ) -> Result<Guarded<Option<Versioned<Worker>>>, StoreError>;

    /// Returns a worker's addresses, phones and e-mail addresses in the order of the worker's list. The data
    /// is `None` if the worker does not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn communications(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
    ) -> Result<Guarded<Option<Versioned<Vec<Communication>>>>, StoreError>;

    /// Indexes workers by the last four digits of the tax ID. Only workers that an older release has written
    /// without such an index are affected. Indexes at most `limit` workers and returns their number.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn index_tax_ids(&self, limit: u32) -> Result<u64, StoreError>;

    /// Returns at most `limit` direct deposits about which operators must decide. If companies are given,
    /// only deposits of workers of these companies are returned.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn deposits_awaiting_approval(
        &self,
        visible_companies: Option<&[CompanyId]>,
        limit: u32,
    ) -> Result<Vec<PendingDeposit>, StoreError>;

    /// Returns the future statuses of workers of all companies that begin on the given day or earlier.
    /// Returns at most `limit` statuses, starting after the given status. The store records the day of each
    /// worker's next future status, and every write of the worker updates this day.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn due_statuses(
        &self,
        day: Date,
        after: Option<&DueStatus>,
        limit: u32,
    ) -> Result<Vec<DueStatus>, StoreError>;

    /// Returns a worker's pay rates in the order of the worker's list. The data is `None` if the worker does
    /// not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pay_rates(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
    ) -> Result<Guarded<Option<Versioned<Vec<PayRate>>>>, StoreError>;

    /// Returns the pay of a worker, with the amounts of checks that were paid on the given days. The data is
    /// `None` if the worker does not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn compensation(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        days: CheckDateRange,
    ) -> Result<Guarded<Option<Versioned<Compensation>>>, StoreError>;
}
