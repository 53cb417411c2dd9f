//! Changes the state of pay periods. A period is processed, then completed or reopened.
//!
//! A completion takes several steps, so that no transaction is long and nothing is visible before the last
//! step. The module [`completion`](crate::completion) calls these methods in this order:
//!
//! 1. [`PeriodStore::begin_completion`] starts an attempt.
//! 2. [`PeriodStore::stage_checks`] writes the amounts of some checks, and is repeated for all checks.
//! 3. [`PeriodStore::complete_period`] makes everything visible at once.
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
    /// No company has that id.
    UnknownCompany,
    /// The company has no such period.
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

/// The stored data of a period that a change of its state needs.
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

/// A pay period that is open or in processing, with its company. An operator must complete it.
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

/// The change of one period's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateChange {
    /// The company to which the pay period belongs.
    pub company_id: CompanyId,
    /// The pay period whose state changes.
    pub pay_period_id: PayPeriodId,
    /// The version that the period's row must have. `None` means any version.
    pub version: Option<i64>,
    /// The period as the caller saw it. If the period is open, only its state may have changed since then.
    /// Otherwise the result is [`StateChangeOutcome::Stale`].
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

/// The amounts of a check, which are staged until its period is completed.
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
    /// Returns a period with those of the given pay components that the company has. `None` if the company
    /// has no such period.
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

    /// Returns a period with the totals of its checks, for an operator. `None` if the company has no such
    /// period. The duration of this call does not depend on the number of checks.
    ///
    /// The totals equal the sums over the period's checks in the same snapshot. Additions, removals, imports
    /// and completions keep them up to date.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn period_summary(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<Versioned<PeriodSummary>>, StoreError>;

    /// Returns the periods of a company that match the filter, with their totals, in the order of their
    /// creation. `None` if no company has that id. The version of the list changes with every change of the
    /// company's periods or their checks, even of those that do not match.
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

    /// Returns the checks of a period, regardless of who added them. `None` if the company has no such
    /// period.
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
    /// snapshot. `None` if the company has no such period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_register(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodRegister>, StoreError>;

    /// Returns the company's last paid period with this interval whose check date is before that day. If
    /// several such periods have the latest check date, the one that was created last is returned. Reversed
    /// periods are skipped.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn last_paid_period_before(
        &self,
        company_id: &CompanyId,
        interval: IntervalCode,
        check_date: Date,
    ) -> Result<Option<PayPeriodId>, StoreError>;

    /// Closes an open period and locks its company. From then on, the period contains exactly the checks
    /// whose addition the server has confirmed to callers.
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

    /// Begins an attempt to complete a period in processing. From then on, an earlier attempt can no longer
    /// stage checks or complete the period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn begin_completion(
        &self,
        state_change: &StateChange,
        attempt: &str,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError>;

    /// Returns at most `limit` checks of a period after an ordinal, in their order.
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

    /// Stages the amounts of some checks, and replaces amounts that were staged for them before. The checks
    /// must be consecutive, and must follow or overlap those that the attempt has already staged. Returns
    /// `false` if a later attempt has started, and then stages nothing. Readers of the unprocessed period do
    /// not see staged data.
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
    /// company. The attempt must have staged every check, with these totals. The store itself counts checks
    /// and workers. The store approves the completion request in `state_change`, and deletes any other request
    /// for the period.
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
