//! Changes the state of pay periods. A period is processed, then completed or reopened.
//!
//! A completion takes several steps, so that no transaction is long and nothing is visible before the last
//! step. The module [`completion`](crate::completion) calls these methods in this order:
//!
//! 1. [`PeriodStore::begin_completion`] starts an attempt.
//! 2. [`PeriodStore::stage_checks`] writes the amounts of some checks. This method is called repeatedly until
//!    all checks are staged.
//! 3. [`PeriodStore::complete_period`] makes all staged amounts visible at once.
//!
//! After a crash between these steps, the period remains in processing. Another attempt then overwrites the
//! staged data.

use std::collections::HashMap;

use async_trait::async_trait;
use payroll_domain::check::{
    CheckAmounts, PeriodTotals, ProcessedLine, RegisterCheck, StoredCheck, TaxLine, Totals,
};
use payroll_domain::company::Lock;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::{CompanyId, ComponentId, PayPeriodId, PaycheckId};
use payroll_domain::money::Amount;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::pay_period::{IntervalCode, PayPeriod, PeriodStatus};

use crate::checks::PeriodChecks;
use crate::filters::{PayRunFilter, PeriodFilter};
use crate::resources::{CompanyLock, Versioned};
use crate::write::AuditContext;
use crate::{Listing, StoreError, Window};

/// The result of a change of a period's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateChangeOutcome {
    /// The state was changed. Contains the new version of the period's row.
    Done(i64),
    /// No company has the given id.
    UnknownCompany,
    /// The company has no pay period with the given id.
    UnknownPeriod,
    /// The period does not have the expected version.
    Stale,
    /// The current state of the period does not allow this change. Contains the current state.
    NotFrom(PeriodStatus),
    /// Another actor has locked the company, or another period is in processing.
    Locked(CompanyLock),
    /// A later attempt to complete the period has started, or some checks are not staged.
    Overtaken,
    /// The completion request to approve is not pending, or does not have the expected version.
    NotRequested,
    /// The operator who approves the completion request also sent it.
    SameOperator,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// The stored data of a period that is needed for a change of the period's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodView {
    /// The pay period without its totals.
    pub period: PayPeriod,
    /// The version of the row that stores the pay period.
    pub version: i64,
    /// The number of checks in the period.
    pub check_count: u64,
    /// The operator's lock of the company. `None` if no lock is active.
    pub lock: Option<Lock>,
    /// The requested pay components that exist in the company, by id.
    pub components: HashMap<ComponentId, PayComponent>,
}

/// A period with the totals of its checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodSummary {
    /// The pay period without its totals.
    pub period: PayPeriod,
    /// The totals of the period's checks.
    pub totals: PeriodTotals,
}

/// The totals over several pay runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayRunTotals {
    /// The number of pay runs.
    pub pay_runs: u64,
    /// The number of checks of the pay runs.
    pub checks: u64,
    /// The gross earnings of all checks of the pay runs.
    pub gross_earnings: Amount,
    /// The deductions of all checks of the pay runs.
    pub deductions: Amount,
}

/// A pay period that is open or in processing, with its company. An operator must complete such a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayRun {
    /// The company to which the pay period belongs.
    pub company_id: CompanyId,
    /// The account number of the company.
    pub display_id: String,
    /// The legal name of the company.
    pub legal_name: String,
    /// The pay period with its totals.
    pub summary: PeriodSummary,
}

/// The payroll register of a pay period.
#[derive(Debug)]
pub enum PeriodRegister {
    /// The checks of the period, whether or not they are archived.
    Checks(Listing<RegisterCheck>),
    /// The checks were archived, and this copy of the database has no archive.
    LeftOut,
}

/// A change of the state of one pay period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    /// The company to which the pay period belongs.
    pub company_id: CompanyId,
    /// The pay period whose state changes.
    pub pay_period_id: PayPeriodId,
    /// The version that the period's row must have. `None` means any version.
    pub version: Option<i64>,
    /// The period as the caller has read it. If the period is open, the stored period may differ from this
    /// one only in its state. Otherwise the result is [`StateChangeOutcome::Stale`].
    pub expected_period: Option<PayPeriod>,
    /// The version of the completion request that this completion approves. The request must be pending, and
    /// another operator must have sent it. `None` approves no request.
    pub request: Option<i64>,
}

/// A check with its position in the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionedCheck {
    /// The position of the check in its period, from 1.
    pub ordinal: i64,
    /// The check as it is stored.
    pub check: StoredCheck,
}

/// The amounts of a check that are staged (stored but not visible) until the period of the check is
/// completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedCheck {
    /// The position of the check in its period.
    pub ordinal: i64,
    /// The id of the check.
    pub paycheck_id: PaycheckId,
    /// The gross earnings and the net pay.
    pub pay: CheckAmounts,
    /// The type of the check, such as `Regular`.
    pub check_type: String,
    /// The number on the printed check.
    pub check_number: Option<String>,
    /// The taxes that were supplied on completion.
    pub taxes: Vec<TaxLine>,
    /// The deductions that were supplied on completion.
    pub deductions: Vec<ProcessedLine>,
}

/// Reads pay periods and changes their states.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer of the company takes too
/// long.
#[async_trait]
pub trait PeriodStore: Send + Sync {
    /// Returns a period, and the given pay components that exist in the company. `None` if the period does
    /// not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        components: &[ComponentId],
        now: Timestamp,
    ) -> Result<Option<PeriodView>, StoreError>;

    /// Returns a period with the totals of its checks, for an operator. `None` if the period does not exist
    /// in the company. The duration of this call does not depend on the number of checks.
    ///
    /// The totals equal the sums over the period's checks in the same snapshot. Additions, removals, imports
    /// and completions of checks update the totals.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn period_summary(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<Versioned<PeriodSummary>>, StoreError>;

    /// Returns the periods of a company that match the filter, with their totals, in the order of their
    /// creation. `None` if no company has the given id. The version of the list changes with every change of
    /// the company's periods or their checks. This includes changes of periods that do not match the filter.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn period_summaries(
        &self,
        company_id: &CompanyId,
        filter: &PeriodFilter,
        window: Window,
    ) -> Result<Option<Listing<Versioned<PeriodSummary>>>, StoreError>;

    /// Returns the periods of all companies that are open or in processing and match the filter. The default
    /// order is by check date, company and id.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pay_runs(&self, filter: &PayRunFilter, window: Window) -> Result<Listing<PayRun>, StoreError>;

    /// Returns the totals over all pay runs that match a filter.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pay_run_totals(&self, filter: &PayRunFilter) -> Result<PayRunTotals, StoreError>;

    /// Returns the checks of a period, regardless of who added them. `None` if the period does not exist in
    /// the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn checks_of_period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodChecks>, StoreError>;

    /// Returns the payroll register of a period: all its checks, with the names of the workers from the same
    /// snapshot. `None` if the period does not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_register(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodRegister>, StoreError>;

    /// Returns the company's latest paid period that has the given pay interval and a check date before the
    /// given day. If several periods have the latest check date, the period that was created last is
    /// returned. Reversed periods are skipped.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn last_paid_period_before(
        &self,
        company_id: &CompanyId,
        interval: IntervalCode,
        check_date: Date,
    ) -> Result<Option<PayPeriodId>, StoreError>;

    /// Closes an open period and locks its company. The period then contains exactly the checks whose
    /// addition the server has confirmed to callers.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn process_period(
        &self,
        state_change: &StateChange,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError>;

    /// Reopens a period in processing and unlocks its company. Discards staged data, and deletes a completion
    /// request for the period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn reopen_period(
        &self,
        state_change: &StateChange,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError>;

    /// Begins an attempt to complete a period in processing. Earlier attempts can then no longer stage checks
    /// or complete the period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn begin_completion(
        &self,
        state_change: &StateChange,
        attempt: &str,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError>;

    /// Returns at most `limit` checks of a period that follow the check with the ordinal `after_ordinal`, in
    /// the order of the period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn checks_to_complete(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        after_ordinal: i64,
        limit: u32,
    ) -> Result<Vec<PositionedCheck>, StoreError>;

    /// Stages the amounts of some checks. Amounts that were staged before for these checks are replaced. The
    /// checks must be consecutive. The checks must also follow or overlap the checks that the attempt has
    /// already staged. If a later attempt has started, the method stages nothing and returns `false`. Readers
    /// of the unprocessed period do not see staged data.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn stage_checks(
        &self,
        state_change: &StateChange,
        attempt: &str,
        checks: &[StagedCheck],
    ) -> Result<bool, StoreError>;

    /// Completes the period with its audit row and its event in one short transaction, and unlocks its
    /// company. The attempt must have staged every check, and the staged amounts must add up to the given
    /// totals. The store counts the checks and the workers itself. The store approves the completion request
    /// in `state_change`, and deletes any other request for the period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn complete_period(
        &self,
        state_change: &StateChange,
        attempt: &str,
        totals: &Totals,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError>;
}
