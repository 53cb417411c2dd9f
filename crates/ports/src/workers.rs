//! Workers as partners read them: lists of them, one, and what belongs to one.
//!
//! Not here: tax settings and recurring pay components, which partners do not see, and what the
//! operator reads and writes ([`resources`](crate::resources)).

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

/// How much of a worker is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Communications and tax identity.
    Whole,
    /// Communications, without the tax identity.
    Communications,
    /// Neither communications nor tax identity.
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

    /// Whether the tax identity is read.
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
    /// Id of the company.
    pub company_id: CompanyId,
    /// Which of its workers.
    pub filter: WorkerFilter,
    /// How much of them.
    pub detail: Detail,
    /// The part of the list that is wanted.
    pub window: Window,
}

/// One worker of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerOf {
    /// Id of the company.
    pub company_id: CompanyId,
    /// Id of the worker.
    pub worker_id: WorkerId,
}

/// A worker with the names of what they refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerView {
    /// The worker, as far as [`Detail`] says. Pay rates, recurring components and tax settings are not read:
    /// none is in here, even if some are stored.
    pub worker: Worker,
    /// The name of their custom employment type.
    pub custom_employment_type_name: Option<String>,
    /// The organization that they belong to.
    pub organization: Option<OrganizationLabel>,
    /// Family name and given name of the worker above them.
    pub supervisor_name: Option<(String, String)>,
}

/// The pay of a worker: its rates, its standards, and what has been paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compensation {
    /// The pay rates, in their order.
    pub pay_rates: Vec<PayRate>,
    /// The pay standards, if the worker has any.
    pub pay_standards: Option<PayStandards>,
    /// The gross earnings of checks that have been paid on some days; `None` if there is no such check. Checks of
    /// archived and of reversed pay periods do not count.
    pub paid: Option<Amount>,
    /// Grows with every change of the pay periods that these checks belong to.
    pub version_of_paid: i64,
}

/// A direct deposit that an operator has to decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingDeposit {
    /// Id of the company.
    pub company_id: CompanyId,
    /// Id of the worker.
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

/// A range of days of payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckDates {
    /// The first day, inclusive.
    pub first: Date,
    /// The last day, inclusive.
    pub last: Date,
}

/// Reads workers and their parts.
///
/// Every method reads the caller's access in the same snapshot as the data. The versions that they return
/// change with every change of the company's objects.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`] when the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for a row that makes no sense, [`StoreError::Bug`] otherwise.
#[async_trait]
pub trait WorkerStore: Send + Sync {
    /// A company's workers that are wanted, in the order of their creation.
    ///
    /// # Errors
    /// See the trait. [`StoreError::Unavailable`] also for [`WorkerFilter::last_four`] while a worker
    /// of the company cannot be found by it yet, see [`Self::index_tax_ids`].
    async fn workers(
        &self,
        caller: &Caller,
        query: &WorkersQuery,
    ) -> Result<Guarded<Listing<WorkerView>>, StoreError>;

    /// One worker; `None` inside when the company has none of that id.
    ///
    /// # Errors
    /// Those of the trait.
    async fn worker(
        &self,
        caller: &Caller,
        worker: &WorkerOf,
        detail: Detail,
    ) -> Result<Guarded<Option<Versioned<WorkerView>>>, StoreError>;

    /// A worker's addresses, phones, e-mail, in their order; `None` inside when the company has no
    /// such worker.
    ///
    /// # Errors
    /// Those of the trait.
    async fn communications(
        &self,
        caller: &Caller,
        worker: &WorkerOf,
    ) -> Result<Guarded<Option<Versioned<Vec<Communication>>>>, StoreError>;

    /// Makes up to that many workers findable by the last digits of their tax identity who are not:
    /// a release that did not know of this has written them. How many they were.
    ///
    /// # Errors
    /// Those of the trait.
    async fn index_tax_ids(&self, limit: u32) -> Result<u64, StoreError>;

    /// The direct deposits of these companies, or of all, that operators have to decide about, at most that many.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pending_deposits(
        &self,
        within: Option<&[CompanyId]>,
        limit: u32,
    ) -> Result<Vec<PendingDeposit>, StoreError>;

    /// The workers of all companies with a future status that has begun by that day, those after one of them or from
    /// the first, at most that many. A write of the worker recomputes whether there is one, from the day of the write.
    ///
    /// # Errors
    /// Those of the trait.
    async fn due_statuses(
        &self,
        day: Date,
        after: Option<&DueStatus>,
        limit: u32,
    ) -> Result<Vec<DueStatus>, StoreError>;

    /// A worker's pay rates, in their order; `None` inside when the company has no such worker.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pay_rates(
        &self,
        caller: &Caller,
        worker: &WorkerOf,
    ) -> Result<Guarded<Option<Versioned<Vec<PayRate>>>>, StoreError>;

    /// The pay of a worker, with what checks of these days have paid; `None` inside when the company has no such
    /// worker.
    ///
    /// # Errors
    /// Those of the trait.
    async fn compensation(
        &self,
        caller: &Caller,
        worker: &WorkerOf,
        days: CheckDates,
    ) -> Result<Guarded<Option<Versioned<Compensation>>>, StoreError>;
}
