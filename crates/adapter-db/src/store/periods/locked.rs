//! Locks a pay period for a change of its state, and finds the reasons to reject the change.

use futures_util::try_join;
use payroll_domain::check::Totals;
use payroll_domain::pay_period::{PayPeriod, PeriodStatus};
use payroll_ports::periods::{StateChange, StateChangeOutcome};
use payroll_ports::resources::CompanyLock;
use payroll_ports::reversals::ReversalOutcome;
use payroll_ports::write::AuditContext;

use super::super::objects;
use super::super::objects::{CompanyLockMode, LockHolders};
use super::super::{Conn, dialect};
use crate::error::{Failure, Outcome};
use crate::rows::completion_requests::CompletionRequestRow;
use crate::rows::pay_period::PayPeriodRow;
use crate::statement::{binds, query, sql};
use crate::table::TableDefinition;

/// The new state of a period.
#[derive(Debug, Clone)]
pub(in super::super) enum NewPeriodState {
    Processing,
    Entry,
    Completed { attempt: String, totals: Totals },
}

impl NewPeriodState {
    pub(in super::super) const fn status(&self) -> PeriodStatus {
        match self {
            Self::Processing => PeriodStatus::Processing,
            Self::Entry => PeriodStatus::Entry,
            Self::Completed { .. } => PeriodStatus::Completed,
        }
    }

    pub(in super::super) const fn is_allowed_after(&self, status: PeriodStatus) -> bool {
        match self {
            Self::Processing => status.is_open(),
            Self::Entry | Self::Completed { .. } => matches!(status, PeriodStatus::Processing),
        }
    }
}

/// A period whose row is locked by the transaction, with the progress of its completion.
pub(in super::super) struct LockedPeriod {
    pub(in super::super) row: PayPeriodRow,
    attempt: Option<String>,
    /// Whether the period has checks after the last staged one.
    unstaged: bool,
    /// The completion request of the period. `None` if the period has none.
    pub(in super::super) request: Option<CompletionRequestRow>,
}

impl LockedPeriod {
    pub(in super::super) const fn version(&self) -> i64 {
        self.row.version()
    }

    /// Returns whether this attempt has staged every check.
    pub(in super::super) fn is_fully_staged_by(&self, attempt: &str) -> bool {
        self.attempt.as_deref() == Some(attempt) && !self.unstaged
    }
}

/// Locks the company and the period exclusively. The inner result is an error if the company or the period is
/// unknown.
pub(in super::super) async fn read_locked_period(
    conn: &Conn,
    state_change: &StateChange,
) -> Outcome<Result<(LockHolders, LockedPeriod), StateChangeOutcome>> {
    const LOCK_PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2",
        dialect::lock_rows!("FOR UPDATE")
    ];
    // Comparing `check_count` with `staged_through` is not sufficient, because the last ordinals may belong
    // to removed checks.
    const SELECT_COMPLETION_ATTEMPT: &str = "SELECT p.completion_attempt, EXISTS (SELECT 1 FROM checks c \
            WHERE c.company_id = $1 AND c.pay_period_id = $2 AND c.ordinal > p.staged_through) \
        FROM pay_periods p WHERE p.company_id = $1 AND p.pay_period_id = $2";
    const SELECT_COMPLETION_REQUEST: &str = sql![
        "SELECT ",
        CompletionRequestRow::COLUMNS,
        " FROM completion_requests WHERE company_id = $1 AND pay_period_id = $2"
    ];
    let (company_id, period_id) = (state_change.company_id.as_str(), state_change.pay_period_id.as_str());
    let (company, period, attempt, request) = try_join!(
        objects::lock_company(conn, company_id, CompanyLockMode::ToWrite),
        conn.query_row(query!(LOCK_PERIOD, binds![company_id, period_id])),
        conn.query_row(query!(SELECT_COMPLETION_ATTEMPT, binds![company_id, period_id])),
        conn.query_row(query!(SELECT_COMPLETION_REQUEST, binds![company_id, period_id])),
    )?;
    let attempt: Option<(Option<String>, bool)> = attempt;
    Ok(match (company, period, attempt) {
        (None, ..) => Err(StateChangeOutcome::UnknownCompany),
        (Some(held), Some(row), Some((attempt, unstaged))) => {
            Ok((held, LockedPeriod { row, attempt, unstaged, request }))
        }
        (Some(_), ..) => Err(StateChangeOutcome::UnknownPeriod),
    })
}

/// Returns the reason to reject the change of state. `None` if the change is allowed.
pub(in super::super) fn find_state_change_refusal(
    state_change: &StateChange,
    audit: &AuditContext,
    new_state: &NewPeriodState,
    (lock_holders, found): (&LockHolders, &LockedPeriod),
) -> Outcome<Option<StateChangeOutcome>> {
    let period = found.row.decode_value()?;
    if state_change.version.is_some_and(|version| version != found.version()) {
        return Ok(Some(StateChangeOutcome::Stale));
    }
    if !new_state.is_allowed_after(period.status) {
        return Ok(Some(StateChangeOutcome::NotFrom(period.status)));
    }
    if state_change
        .expected_period
        .as_ref()
        .is_some_and(|seen| *seen != PayPeriod { status: seen.status, ..period.clone() })
    {
        return Ok(Some(StateChangeOutcome::Stale));
    }
    if let Some(version) = state_change.request {
        let Some(row) = found.request.as_ref().filter(|row| row.is_pending_with_version(version)) else {
            return Ok(Some(StateChangeOutcome::NotRequested));
        };
        if !row.to_request()?.may_be_approved_by(&audit.actor) {
            return Ok(Some(StateChangeOutcome::SameOperator));
        }
    }
    if let Some(lock) = lock_holders.operator_lock(audit.now).filter(|lock| lock.holder != audit.actor.name) {
        return Ok(Some(StateChangeOutcome::Locked(CompanyLock::Operator(lock.clone()))));
    }
    let other =
        lock_holders.processing_period.as_ref().filter(|processing| **processing != period.pay_period_id);
    Ok(other.map(|other| StateChangeOutcome::Locked(CompanyLock::Processing(other.clone()))))
}

/// Locks the period for this transaction, if its checks may be changed.
pub(in super::super) async fn lock_open_period(
    conn: &Conn,
    state_change: &StateChange,
    audit: &AuditContext,
) -> Outcome<Result<(LockHolders, LockedPeriod), ReversalOutcome>> {
    let (held, found) = match read_locked_period(conn, state_change).await? {
        Ok(rows) => rows,
        Err(StateChangeOutcome::UnknownCompany | StateChangeOutcome::UnknownPeriod) => {
            return Ok(Err(ReversalOutcome::Unknown));
        }
        Err(other) => return Err(Failure::Bug(format!("a period was locked and is {other:?}"))),
    };
    if state_change.version.is_some_and(|version| version != found.version()) {
        return Ok(Err(ReversalOutcome::Stale));
    }
    let status = found.row.decode_value()?.status;
    if !status.is_open() {
        return Ok(Err(ReversalOutcome::NotOpen(status)));
    }
    let own = |holder: &str| holder == audit.actor.name;
    if held.processing_period.is_some()
        || held.operator_lock(audit.now).is_some_and(|lock| !own(&lock.holder))
    {
        let lock = held.active_lock(audit.now).ok_or_else(|| Failure::Bug("a lock is none".to_owned()))?;
        return Ok(Err(ReversalOutcome::Locked(lock)));
    }
    Ok(Ok((held, found)))
}
