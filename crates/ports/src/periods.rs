//! Moving pay periods: processing, completing, going back.
//!
//! Completing is done in steps, so that no transaction is long and none of them shows anything
//! before the last ([`completion`](crate::completion) takes them): [`PeriodStore::begin_completion`] names an attempt, [`PeriodStore::stage`]
//! writes what some checks come to, and [`PeriodStore::complete`] shows all of it at once. A crash
//! in between leaves the period in processing; another attempt overwrites what was staged.

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
use crate::write::By;
use crate::{Listing, StoreError, Window};

/// What became of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// It is done; the version of the period's row from now on.
    Done(i64),
    /// No company has that id.
    UnknownCompany,
    /// The company has no such period.
    UnknownPeriod,
    /// The period has another version.
    Stale,
    /// From this state there is no such move.
    NotFrom(PeriodStatus),
    /// Another actor has locked the company, or another period is in processing.
    Locked(CompanyLock),
    /// Another attempt at completing the period has begun since, or checks are not staged.
    Overtaken,
    /// The request that it approves does not wait, or in another version.
    NotRequested,
    /// Who approves the request has made it.
    SameOperator,
    /// The mark of its idempotency key was no longer its own.
    MarkLost,
}

/// A period as it is before a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodView {
    /// The pay period without its totals.
    pub period: PayPeriod,
    /// The version of its row.
    pub version: i64,
    /// How many checks it has.
    pub check_count: u64,
    /// The operator's lock of its company, if one holds.
    pub lock: Option<Lock>,
    /// The pay components that were requested, as far as the company has them.
    pub components: HashMap<ComponentId, PayComponent>,
}

/// A period with what its checks come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodSummary {
    /// The pay period without its totals.
    pub period: PayPeriod,
    /// The sums over its checks.
    pub totals: PeriodTotals,
}

/// The sums over pay runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PayRunTotals {
    /// How many pay runs there are.
    pub pay_runs: u64,
    /// The number of their checks.
    pub checks: u64,
    /// The gross earnings of those checks.
    pub gross_earnings: Amount,
    /// The deductions of those checks.
    pub deductions: Amount,
}

/// A period that is open or in processing, with its company: pending for an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayRun {
    /// Id of the company.
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
    /// Its checks, whether they were archived or not.
    Checks(Listing<RegisterCheck>),
    /// They were archived, and this copy of the database has no archive.
    LeftOut,
}

/// The move of one period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodMove {
    /// Id of the company.
    pub company_id: CompanyId,
    /// Id of the pay period.
    pub pay_period_id: PayPeriodId,
    /// The version that its row must have; `None`: any.
    pub version: Option<i64>,
    /// The period of the response: of an open one only the state may have changed
    /// since, else the move is [`Moved::Stale`].
    pub seen: Option<PayPeriod>,
    /// The version of the completion request that a completion approves: it must wait, and be another
    /// operator's. `None`: it approves none.
    pub request: Option<i64>,
}

/// A check with its place in its period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedCheck {
    /// 1 is the period's first check.
    pub ordinal: i64,
    /// The check as it is stored.
    pub check: StoredCheck,
}

/// What a check comes to, staged until its period is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedCheck {
    /// Its place in its period.
    pub ordinal: i64,
    /// Id of the check.
    pub paycheck_id: PaycheckId,
    /// The gross and the net pay.
    pub pay: Pay,
    /// `Regular`, …
    pub check_type: String,
    /// Its number on paper.
    pub check_number: Option<String>,
    /// Taxes, as they were handed in.
    pub taxes: Vec<TaxLine>,
    /// Deductions that came with the completion.
    pub deductions: Vec<ProcessedLine>,
}

/// Reads pay periods and changes their states.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that write also [`StoreError::CompanyBusy`] when another writer of the company takes too long.
#[async_trait]
pub trait PeriodStore: Send + Sync {
    /// A period, with the pay components that are named; `None` when the company has no such period.
    ///
    /// # Errors
    /// Those of the trait.
    async fn period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        components: &[ComponentId],
        now: Timestamp,
    ) -> Result<Option<PeriodView>, StoreError>;

    /// A period with what its checks come to, as the operator reads it; `None` when the company has no
    /// such period. What it takes does not grow with the number of checks.
    ///
    /// The totals are the sums over the checks that the period has in the same snapshot, after any additions,
    /// removals, imports and completions.
    ///
    /// # Errors
    /// Those of the trait.
    async fn period_summary(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<Versioned<PeriodSummary>>, StoreError>;

    /// The periods of a company that are wanted, with what their checks come to, in the order of their
    /// creation; `None` when no company has that id. The listing's version changes with each of the
    /// company's periods, wanted or not, and with their checks.
    ///
    /// # Errors
    /// Those of the trait.
    async fn period_summaries(
        &self,
        company_id: &CompanyId,
        filter: &PeriodFilter,
        window: Window,
    ) -> Result<Option<Listing<Versioned<PeriodSummary>>>, StoreError>;

    /// The periods of all companies that are open or in processing, by check date, company and id.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pay_runs(&self, filter: &PayRunFilter, window: Window) -> Result<Listing<PayRun>, StoreError>;

    /// The sums over all pay runs that a filter selects.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pay_run_totals(&self, filter: &PayRunFilter) -> Result<PayRunTotals, StoreError>;

    /// The checks of a period, no matter who added them; `None` when the company has no such period.
    ///
    /// # Errors
    /// Those of the trait.
    async fn checks_of_period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodChecks>, StoreError>;

    /// The payroll register of a period: its checks, no matter who added them, with the names of the workers
    /// from the same snapshot; `None` when the company has no such period.
    ///
    /// # Errors
    /// Those of the trait.
    async fn register(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<Register>, StoreError>;

    /// Which period of the company with that interval was paid last before that day, by check date; of
    /// several of one day the one that was created last. A period whose checks were taken back is none.
    ///
    /// # Errors
    /// Those of the trait.
    async fn paid_before(
        &self,
        company_id: &CompanyId,
        interval: IntervalCode,
        check_date: Date,
    ) -> Result<Option<PayPeriodId>, StoreError>;

    /// Closes an open period and locks its company. No check is in the period afterwards that its
    /// writer had no response to.
    ///
    /// # Errors
    /// Those of the trait.
    async fn process(&self, moved: &PeriodMove, by: &By) -> Result<Moved, StoreError>;

    /// Opens a period in processing again and unlocks its company. What was staged is no longer
    /// shown by anything, and a completion request is removed.
    ///
    /// # Errors
    /// Those of the trait.
    async fn reopen(&self, moved: &PeriodMove, by: &By) -> Result<Moved, StoreError>;

    /// Begins an attempt at completing a period in processing; an earlier attempt is overtaken.
    ///
    /// # Errors
    /// Those of the trait.
    async fn begin_completion(&self, moved: &PeriodMove, attempt: &str, by: &By)
    -> Result<Moved, StoreError>;

    /// The checks of a period after an ordinal, in their order, at most `limit`.
    ///
    /// # Errors
    /// Those of the trait.
    async fn checks_to_complete(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        behind: i64,
        limit: u32,
    ) -> Result<Vec<PlacedCheck>, StoreError>;

    /// Stages what some checks come to, in place of what was staged of them before: neighbours, in their
    /// order, after or among those that the attempt has staged. `false` when the attempt was overtaken:
    /// nothing is staged. The unprocessed representation never shows what is staged.
    ///
    /// # Errors
    /// Those of the trait.
    async fn stage(
        &self,
        moved: &PeriodMove,
        attempt: &str,
        checks: &[StagedCheck],
    ) -> Result<bool, StoreError>;

    /// Completes the period, with its audit row and its event, in one short transaction; its
    /// company is unlocked. The attempt must have staged every check, and what it has staged comes to
    /// these totals; checks and workers are counted by the store. A completion request that the move names
    /// is approved by it; another one is removed.
    ///
    /// # Errors
    /// Those of the trait.
    async fn complete(
        &self,
        moved: &PeriodMove,
        attempt: &str,
        totals: &Totals,
        by: &By,
    ) -> Result<Moved, StoreError>;
}
