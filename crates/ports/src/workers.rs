//! Workers as partners read them: lists, single workers, and their data.
//!
//! Tax settings and recurring pay components are missing, because partners do not see them. The module
//! [`resources`](crate::resources) is for operators.

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

/// The amount of a worker's data that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Communications and tax ID.
    Whole,
    /// Communications without the tax ID.
    Communications,
    /// Neither communications nor the tax ID.
    Outline,
}

impl Detail {
    /// Whether communications are read.
    #[must_use]
    pub const fn has_communications(self) -> bool {
        match self {
            Self::Whole | Self::Communications => true,
            Self::Outline => false,
        }
    }

    /// Whether the tax ID is read.
    #[must_use]
    pub const fn has_tax_identity(self) -> bool {
        match self {
            Self::Whole => true,
            Self::Communications | Self::Outline => false,
        }
    }
}

/// The query of a list of workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkersQuery {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The filter for the company's workers.
    pub filter: WorkerFilter,
    /// The data of each worker.
    pub detail: Detail,
    /// The requested part of the list.
    pub window: Window,
}

/// One worker of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerKey {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The id of the worker.
    pub worker_id: WorkerId,
}

/// A worker with the names of the objects to which they refer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerView {
    /// The worker with the data of [`Detail`]. Pay rates, recurring components and tax settings are never
    /// read, so they are empty here even if some are stored.
    pub worker: Worker,
    /// The name of the custom employment type.
    pub custom_employment_type_name: Option<String>,
    /// The organization of the worker.
    pub organization: Option<OrganizationLabel>,
    /// The family name and the given name of the supervisor.
    pub supervisor_name: Option<(String, String)>,
}

/// The pay of a worker: rates, standards, and paid amounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compensation {
    /// The pay rates in their order.
    pub pay_rates: Vec<PayRate>,
    /// The pay standards, if the worker has any.
    pub pay_standards: Option<PayStandards>,
    /// The gross earnings of paid checks in a range of days. `None` if there is no such check. Checks of
    /// archived and of reversed pay periods are not included.
    pub paid: Option<Amount>,
    /// The version, which grows with every change of the pay periods of these checks.
    pub version_of_paid: i64,
}

/// A direct deposit that an operator has to decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingDeposit {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The id of the worker.
    pub worker_id: WorkerId,
    /// The direct deposit, which is pending or has a pending change.
    pub deposit: DirectDeposit,
}

/// A future status that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueStatus {
    /// The first day of the status.
    pub day: Date,
    /// The company of the worker.
    pub company_id: CompanyId,
    /// The worker whose status begins.
    pub worker_id: WorkerId,
}

/// A range of check dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckDates {
    /// The first day, inclusive.
    pub first: Date,
    /// The last day, inclusive.
    pub last: Date,
}

/// Reads workers and their data.
///
/// Every method reads the caller's access in the same snapshot as the data. The returned versions change with
/// every change of the company's objects.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`] if the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for an invalid row, and otherwise [`StoreError::Bug`].
#[async_trait]
pub trait WorkerStore: Send + Sync {
    /// The company's workers that match the filter, in the order of their creation.
    ///
    /// # Errors
    /// The errors of the trait. [`StoreError::Unavailable`] also for [`WorkerFilter::last_four`] while some
    /// workers of the company are not indexed yet. See [`Self::index_tax_ids`].
    async fn workers(
        &self,
        caller: &Caller,
        query: &WorkersQuery,
    ) -> Result<Guarded<Listing<WorkerView>>, StoreError>;

    /// Reads one worker. The data is `None` if the company has none with that id.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn worker(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        detail: Detail,
    ) -> Result<Guarded<Option<Versioned<WorkerView>>>, StoreError>;

    /// A worker's addresses, phones and e-mail addresses in their order. The data is `None` if the company
    /// has no such worker.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn communications(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
    ) -> Result<Guarded<Option<Versioned<Vec<Communication>>>>, StoreError>;

    /// Indexes up to `limit` workers by the last digits of their tax ID, if an older release has written them
    /// without an index. Returns their number.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn index_tax_ids(&self, limit: u32) -> Result<u64, StoreError>;

    /// The direct deposits of these companies, or of all, that operators have to decide, at most `limit`.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn pending_deposits(
        &self,
        visible_companies: Option<&[CompanyId]>,
        limit: u32,
    ) -> Result<Vec<PendingDeposit>, StoreError>;

    /// The workers of all companies with a future status that has begun by that day, from the first or after
    /// the given one, at most `limit`. A write of the worker recomputes whether there is one, from the day of
    /// the write.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn due_statuses(
        &self,
        day: Date,
        after: Option<&DueStatus>,
        limit: u32,
    ) -> Result<Vec<DueStatus>, StoreError>;

    /// A worker's pay rates in their order. The data is `None` if the company has no such worker.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn pay_rates(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
    ) -> Result<Guarded<Option<Versioned<Vec<PayRate>>>>, StoreError>;

    /// The pay of a worker, with the amounts of checks in these days. The data is `None` if the company has
    /// no such worker.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn compensation(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        days: CheckDates,
    ) -> Result<Guarded<Option<Versioned<Compensation>>>, StoreError>;
}
