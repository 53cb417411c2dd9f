//! Changes the states of pay periods: processing, completing and reopening.
//!
//! A completion takes several steps, so that no transaction is long and nothing is visible before the last
//! one. The module [`completion`](crate::completion) calls them: [`PeriodStore::begin_completion`] starts an
//! attempt, [`PeriodStore::stage`] writes the amounts of some checks, and [`PeriodStore::complete`] makes
//! everything visible at once. After a crash in between, the period remains in processing, and another
//! attempt overwrites the staged data.

use std::collections::HashMap;

use async_trait::async_trait;
use payroll_domain::check::{Pay, PeriodTotals, ProcessedLine, RegisterCheck, StoredCheck, TaxLine, Totals};
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

/// The result of a change of state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeriodMoveOutcome {
    /// The change is done. Contains the new version of the period's row.
    Done(i64),
    /// No company has that id.
    UnknownCompany,
    /// The company has no such period.
    UnknownPeriod,
    /// The period has another version.
    Stale,
    /// This change is not possible from the given state.
    NotFrom(PeriodStatus),
    /// Another actor has locked the company, or another period is in processing.
    Locked(CompanyLock),
    /// Another attempt to complete the period has started since, or checks are not staged.
    Overtaken,
    /// The request to approve is not pending, or has another version.
    NotRequested,
    /// The operator who approves the request also made it.
    SameOperator,
    /// The idempotency record no longer belongs to the request.
    RecordLost,
}

/// The data of a period before a change of state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodView {
    /// The pay period without its totals.
    pub period: PayPeriod,
    /// The version of the period's row.
    pub version: i64,
    /// The number of checks in the period.
    pub check_count: u64,
    /// The operator's lock of the company, if it is active.
    pub lock: Option<Lock>,
    /// The requested pay components that the company has.
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

/// The totals of pay runs.
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

/// A period that is open or in processing, with its company. It needs an action by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayRun {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The account number of the company.
    pub display_id: String,
    /// The legal name of the company.
    pub legal_name: String,
    /// The pay period with its totals.
    pub summary: PeriodSummary,
}

/// The payroll register of a period.
#[derive(Debug)]
pub enum Register {
    /// The checks of the period, archived or not.
    Checks(Listing<RegisterCheck>),
    /// The checks were archived, and this copy of the database has no archive.
    LeftOut,
}

/// The change of one period's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodMove {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The id of the pay period.
    pub pay_period_id: PayPeriodId,
    /// The version that the period's row must have. `None` means any version.
    pub version: Option<i64>,
    /// The period as the caller saw it. For an open period only the state may have changed since then.
    /// Otherwise the result is [`PeriodMoveOutcome::Stale`].
    pub expected_period: Option<PayPeriod>,
    /// The version of the completion request that this completion approves. The request must be pending, and
    /// made by another operator. `None` approves no request.
    pub request: Option<i64>,
}

/// A check with its position in the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionedCheck {
    /// The position, from 1.
    pub ordinal: i64,
    /// The check as it is stored.
    pub check: StoredCheck,
}

/// The amounts of a check, staged until its period is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedCheck {
    /// The position in the period.
    pub ordinal: i64,
    /// The id of the check.
    pub paycheck_id: PaycheckId,
    /// The gross and the net pay.
    pub pay: Pay,
    /// The type of the check, such as `Regular`.
    pub check_type: String,
    /// The number on the printed check.
    pub check_number: Option<String>,
    /// The taxes, as they were supplied.
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
    /// A period with the given pay components. `None` if the company has no such period.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        components: &[ComponentId],
        now: Timestamp,
    ) -> Result<Option<PeriodView>, StoreError>;

    /// A period with the totals of its checks, for an operator. `None` if the company has no such period. The
    /// time does not depend on the number of checks.
    ///
    /// The totals are the sums over the period's checks in the same snapshot, after any additions, removals,
    /// imports and completions.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn period_summary(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<Versioned<PeriodSummary>>, StoreError>;

    /// The periods of a company that match the filter, with their totals, in the order of their creation.
    /// `None` if no company has that id. The version of the list changes with each of the company's periods
    /// and their checks, whether or not they match.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn period_summaries(
        &self,
        company_id: &CompanyId,
        filter: &PeriodFilter,
        window: Window,
    ) -> Result<Option<Listing<Versioned<PeriodSummary>>>, StoreError>;

    /// The periods of all companies that are open or in processing, by check date, company and id.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn pay_runs(&self, filter: &PayRunFilter, window: Window) -> Result<Listing<PayRun>, StoreError>;

    /// The totals over all pay runs that a filter selects.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn pay_run_totals(&self, filter: &PayRunFilter) -> Result<PayRunTotals, StoreError>;

    /// The checks of a period, no matter who added them. `None` if the company has no such period.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn checks_of_period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodChecks>, StoreError>;

    /// The payroll register of a period: all its checks, with the names of the workers from the same
    /// snapshot. `None` if the company has no such period.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn register(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<Register>, StoreError>;

    /// The company's period with this interval that was paid last before that day, by check date and then by
    /// creation. A reversed period is skipped.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn last_paid_period_before(
        &self,
        company_id: &CompanyId,
        interval: IntervalCode,
        check_date: Date,
    ) -> Result<Option<PayPeriodId>, StoreError>;

    /// Closes an open period and locks its company. Every check in the period afterwards was confirmed to its
    /// writer.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn process(
        &self,
        period_move: &PeriodMove,
        audit: &AuditContext,
    ) -> Result<PeriodMoveOutcome, StoreError>;

    /// Reopens a period in processing and unlocks its company. Staged data is discarded, and a completion
    /// request is deleted.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn reopen(
        &self,
        period_move: &PeriodMove,
        audit: &AuditContext,
    ) -> Result<PeriodMoveOutcome, StoreError>;

    /// Begins an attempt to complete a period in processing. It supersedes an earlier attempt.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn begin_completion(
        &self,
        period_move: &PeriodMove,
        attempt: &str,
        audit: &AuditContext,
    ) -> Result<PeriodMoveOutcome, StoreError>;

    /// The checks of a period after an ordinal, in their order, at most `limit`.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn checks_to_complete(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        after_ordinal: i64,
        limit: u32,
    ) -> Result<Vec<PositionedCheck>, StoreError>;

    /// Stages the amounts of some checks, and replaces those that were staged for them before. The checks
    /// must be consecutive and follow or overlap those that the attempt has staged. `false` if the attempt
    /// was superseded, and nothing is staged. Staged data is not visible in the unprocessed form.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn stage(
        &self,
        period_move: &PeriodMove,
        attempt: &str,
        checks: &[StagedCheck],
    ) -> Result<bool, StoreError>;

    /// Completes the period with its audit row and its event in one short transaction, and unlocks its
    /// company. The attempt must have staged every check, with these totals. The store counts checks and
    /// workers. It approves the completion request in `period_move`, and deletes any other request.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn complete(
        &self,
        period_move: &PeriodMove,
        attempt: &str,
        totals: &Totals,
        audit: &AuditContext,
    ) -> Result<PeriodMoveOutcome, StoreError>;
}
