//! Payroll checks: reading those of a pay period, judging new ones, adding them.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::audit::Actor;
use payroll_domain::check::{Facts, ProcessedCheck, StoredCheck, Wanted};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, PayPeriodId, PaycheckId, WorkerId};

use crate::idempotency::KeptAnswer;
use crate::write::By;
use crate::{Rows, StoreError, Window};

/// Which checks are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecksQuery {
    /// Id of the company.
    pub company_id: CompanyId,
    /// Id of the pay period.
    pub pay_period_id: PayPeriodId,
    /// Only those that the calling application added.
    pub only_own: bool,
    /// Only those of this worker.
    pub worker_id: Option<WorkerId>,
    /// The part that is wanted.
    pub window: Window,
}

/// The checks of a pay period, from one snapshot.
#[derive(Debug)]
pub struct PeriodChecks {
    /// How many there are, after the filter, before the window.
    pub total: u64,
    /// Grows with every change that the rows could show, of the period's status too.
    pub version: i64,
    /// The checks in the representation of the period's state, in the order of their creation.
    pub rows: CheckRows,
}

/// Checks in one of their two representations.
#[derive(Debug)]
pub enum CheckRows {
    /// Of an unprocessed period.
    Unprocessed(Rows<StoredCheck>),
    /// Of a processed period.
    Processed(Rows<ProcessedCheck>),
    /// Of a processed period whose checks were archived: for its register, journal and export. `None` for
    /// partners, and in a copy of the database that the archive was left out of.
    Archived(Option<Rows<ProcessedCheck>>),
}

/// Which one check is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckKey {
    /// Id of the company.
    pub company_id: CompanyId,
    /// The worker whom it pays.
    pub worker_id: WorkerId,
    /// Id of the check.
    pub paycheck_id: PaycheckId,
}

/// One check, from one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCheck {
    /// Grows with every change that the check could show, of its period's status too.
    pub version: i64,
    /// The check in the representation of its period's state.
    pub check: OneCheck,
}

/// One check in one of the two representations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OneCheck {
    /// Of an unprocessed period.
    Unprocessed(StoredCheck),
    /// Of a processed period.
    Processed(ProcessedCheck),
}

/// The actor that adds checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddedBy {
    /// An application, whose own checks they are.
    Application(ApplicationId),
    /// An operator: they are no application's own.
    Operator(Actor),
}

impl AddedBy {
    /// The application as checks name it; empty where there is none.
    #[must_use]
    pub fn application_id(&self) -> &str {
        match self {
            Self::Application(application_id) => application_id.as_str(),
            Self::Operator(_) => "",
        }
    }

    /// The writer of a change at that instant.
    #[must_use]
    pub fn by(&self, now: Timestamp) -> By {
        match self {
            Self::Application(application_id) => By::application(application_id, now, None),
            Self::Operator(actor) => By::new(actor.clone(), now, None),
        }
    }
}

/// Checks to be stored, all or none.
#[derive(Debug, Clone)]
pub struct NewChecks {
    /// Id of the company.
    pub company_id: CompanyId,
    /// The actor that adds the checks.
    pub added_by: AddedBy,
    /// The pay period of all of them.
    pub pay_period_id: PayPeriodId,
    /// At least one, with all their ids.
    pub checks: Vec<StoredCheck>,
    /// The present instant: locks that have ended by then do not count.
    pub now: Timestamp,
    /// Correlation ids must be unique among the checks of the period that the application, or operators, have added.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub kept: Option<KeptAnswer>,
}

/// Checks to be removed from an open period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecksToRemove {
    /// Id of the company.
    pub company_id: CompanyId,
    /// The pay period that they are in.
    pub pay_period_id: PayPeriodId,
    /// Which of its checks.
    pub which: RemovedChecks,
    /// The application that removes them.
    pub application_id: ApplicationId,
    /// The present instant: locks that have ended by then do not count.
    pub now: Timestamp,
}

/// Which checks of a period are to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovedChecks {
    /// This one, no matter who added it.
    One(PaycheckId),
    /// All that the application has added, which may be none.
    OfTheApplication,
}

/// The result of a removal that was validated with facts read before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Removal {
    /// The number of checks that are gone, durably.
    Done(u64),
    /// The data that it was validated with have changed in the meantime, or the one check is not there any
    /// more, and nothing is removed: read the facts again and validate again.
    FactsChanged,
}

/// A change of the lines of a check in an open period.
#[derive(Debug, Clone)]
pub struct CheckChange {
    /// Id of the company.
    pub company_id: CompanyId,
    /// The application that makes the change.
    pub application_id: ApplicationId,
    /// The check with which the change was validated.
    pub before: StoredCheck,
    /// The same check with other lines.
    pub after: StoredCheck,
    /// The present instant: locks that have ended by then do not count.
    pub now: Timestamp,
    /// The response to store under the request's idempotency key, in the same transaction.
    pub kept: Option<KeptAnswer>,
}

/// What became of a change of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum ChangedCheck {
    /// It is stored, durably. The version that the check has from now on ([`FoundCheck::version`]).
    Stored(i64),
    /// The data that it was validated with have changed, and nothing is stored: validate again.
    FactsChanged,
    /// The mark of its idempotency key was no longer its own, and nothing is stored.
    MarkLost,
}

/// The result of an addition that was validated with facts read before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Addition {
    /// It is stored, durably.
    Stored,
    /// The data that it was validated with have changed, and nothing is stored: read the facts
    /// again and validate again.
    FactsChanged,
    /// The mark of its idempotency key was no longer its own, and nothing is stored.
    MarkLost,
}

/// Reading, adding and removing checks.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`] when the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for a row that makes no sense, [`StoreError::Bug`] otherwise.
#[async_trait]
pub trait CheckStore: Send + Sync {
    /// The checks of a pay period, with the caller's access from the same snapshot; `None` inside
    /// when the period is not the company's. Of an archived period it has none, and their total is 0.
    ///
    /// # Errors
    /// Those of the trait.
    async fn checks(
        &self,
        caller: &Caller,
        query: &ChecksQuery,
    ) -> Result<Guarded<Option<PeriodChecks>>, StoreError>;

    /// One check of a worker, with the caller's access from the same snapshot; `None` inside when
    /// the worker of that company has no such check, or it was archived.
    ///
    /// # Errors
    /// Those of the trait.
    async fn check(&self, caller: &Caller, key: &CheckKey)
    -> Result<Guarded<Option<FoundCheck>>, StoreError>;

    /// The data to validate new checks, with the caller's access from the same snapshot. A lock that
    /// has ended by `now` is not reported.
    ///
    /// # Errors
    /// Those of the trait.
    async fn check_facts(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        wanted: &Wanted,
        now: Timestamp,
    ) -> Result<Guarded<Facts>, StoreError>;

    /// The data to validate new checks of an operator; of correlation ids those that operators have used in the
    /// period, since theirs last for it. A company that is not there has nothing.
    ///
    /// # Errors
    /// Those of the trait.
    async fn check_facts_of_operator(
        &self,
        company_id: &CompanyId,
        wanted: &Wanted,
        now: Timestamp,
    ) -> Result<Facts, StoreError>;

    /// Stores checks in one transaction, durably, together with the stored response and one row of the
    /// audit trail, which names them.
    ///
    /// These hold at the commit, despite concurrent writes, or nothing is stored and the result is
    /// [`Addition::FactsChanged`]: the period is open; the company exists, is neither locked nor end-dated;
    /// every worker is the company's; correlation ids are unique where they must be; no id is taken. A period
    /// that was `INITIAL` is `ENTRY` afterwards.
    ///
    /// The transaction ends with the call, also when its future is dropped.
    ///
    /// # Errors
    /// See the trait; [`StoreError::CompanyBusy`] when another writer of the company takes too long.
    async fn add_checks(&self, new: &NewChecks) -> Result<Addition, StoreError>;

    /// The companies on which the caller may write payroll, by token and by grant, and which have a
    /// pay period of that id, in the order of their ids; with the caller's access without a company.
    ///
    /// # Errors
    /// Those of the trait.
    async fn companies_of_pay_period(
        &self,
        caller: &Caller,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Vec<CompanyId>>, StoreError>;

    /// The company and the worker of a check; `None` when there is no check of that id.
    ///
    /// # Errors
    /// Those of the trait.
    async fn place_of_check(
        &self,
        paycheck_id: &PaycheckId,
    ) -> Result<Option<(CompanyId, WorkerId)>, StoreError>;

    /// Changes the lines of a check in one transaction, durably, together with the stored response and a row
    /// of the audit trail, which names the lines.
    ///
    /// These hold at the commit, despite concurrent writes, or nothing is changed and the result is
    /// [`ChangedCheck::FactsChanged`]: the period is open; the company exists, is neither locked nor end-dated;
    /// the check is unchanged. The totals of the period change with it.
    ///
    /// # Errors
    /// See the trait; [`StoreError::CompanyBusy`] when another writer of the company takes too long.
    async fn change_check(&self, change: &CheckChange) -> Result<ChangedCheck, StoreError>;

    /// Removes checks with all that belongs to them in one transaction, durably, together with rows of
    /// the audit trail, which name them.
    ///
    /// These hold at the commit, despite concurrent writes, or nothing is removed and the result is
    /// [`Removal::FactsChanged`]: the period is open; the company exists, is neither locked nor end-dated;
    /// the one check, where one is named, is in the period. The checks that are left keep their order, and
    /// the period its state; what reads it has another version, if any is gone.
    ///
    /// The transaction ends with the call, also when its future is dropped.
    ///
    /// # Errors
    /// See the trait; [`StoreError::CompanyBusy`] when another writer of the company takes too long.
    async fn remove_checks(&self, removed: &ChecksToRemove) -> Result<Removal, StoreError>;
}
