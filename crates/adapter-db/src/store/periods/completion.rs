//! The first steps of a completion: starting an attempt, and staging (storing in advance) the amounts of
//! checks.
//!
//! Staged data is stored in the rows of the checks. The last step therefore only changes the period. Checks
//! are staged in their order, and the period stores the progress. An attempt that skipped checks cannot
//! complete the period. Readers ignore staged data until the period is processed.

use payroll_domain::check::Totals;
use payroll_ports::periods::{StagedCheck, StateChange, StateChangeOutcome};
use payroll_ports::write::AuditContext;

use super::super::{Conn, dialect};
use super::locked::{NewPeriodState, find_state_change_refusal, read_locked_period};
use crate::error::{Failure, Outcome};
use crate::rows::checks::StagedCompletionRow;
use crate::statement::{binds, command, query};

/// Starts an attempt. From then on, data that earlier attempts have staged is ignored.
pub(in super::super) async fn begin_completion(
    conn: &Conn,
    state_change: &StateChange,
    attempt: &str,
    audit: &AuditContext,
) -> Outcome<StateChangeOutcome> {
    const BEGIN_COMPLETION: &str = "UPDATE pay_periods SET completion_attempt = $1, staged_through = 0 \
        WHERE company_id = $2 AND pay_period_id = $3";
    let (held, found) = match read_locked_period(conn, state_change).await? {
        Ok(rows) => rows,
        Err(unknown) => return Ok(unknown),
    };
    let to = NewPeriodState::Completed { attempt: attempt.to_owned(), totals: Totals::default() };
    if let Some(refusal) = find_state_change_refusal(state_change, audit, &to, (&held, &found))? {
        return Ok(refusal);
    }
    let values = binds![attempt, state_change.company_id.as_str(), state_change.pay_period_id.as_str()];
    conn.execute(command!(BEGIN_COMPLETION, values)).await?;
    Ok(StateChangeOutcome::Done(found.version()))
}

/// The staged amounts of consecutive checks, as rows.
pub(in super::super) struct StagedRows {
    company_id: String,
    pay_period_id: String,
    attempt: String,
    /// The ordinals of the first and the last check.
    first_ordinal: i64,
    last_ordinal: i64,
    checks: Vec<StagedCompletionRow>,
}

impl StagedRows {
    /// Creates the rows. The checks must be in ascending order of their ordinals.
    pub(in super::super) fn from_checks(
        state_change: &StateChange,
        attempt: &str,
        checks: &[StagedCheck],
    ) -> Outcome<Self> {
        let in_order = |pair: &[StagedCheck]| match pair {
            [one, next] => one.ordinal < next.ordinal,
            _ => true,
        };
        if !checks.windows(2).all(in_order) {
            return Err(Failure::Bug("checks are staged out of their order".to_owned()));
        }
        Ok(Self {
            company_id: state_change.company_id.to_string(),
            pay_period_id: state_change.pay_period_id.to_string(),
            attempt: attempt.to_owned(),
            first_ordinal: checks.first().map_or(1, |check| check.ordinal),
            last_ordinal: checks.last().map_or(0, |check| check.ordinal),
            checks: checks.iter().map(StagedCompletionRow::new).collect::<Outcome<_>>()?,
        })
    }

    /// Replaces the staged data of these rows. Returns `false`, without staging anything, if the attempt is
    /// no longer the current attempt, or if the attempt has skipped checks before these rows.
    pub(in super::super) async fn stage_checks(&self, conn: &Conn) -> Outcome<bool> {
        if !self.advance_staged_through(conn).await? {
            return Ok(false);
        }
        if !self.are_consecutive(conn).await? {
            return Err(Failure::Bug("checks between those that are staged are left out".to_owned()));
        }
        if dialect::bulk_update(conn, &self.checks).await? != self.checks.len() {
            return Err(Failure::Bug("a check to stage is not there".to_owned()));
        }
        Ok(true)
    }

    /// Returns whether the rows contain every check of the period in the range of ordinals that they cover.
    /// If there are as many rows as ordinals in the range, no check is missing. Otherwise some ordinals may
    /// belong to removed checks, so the stored checks in the range are counted.
    async fn are_consecutive(&self, conn: &Conn) -> Outcome<bool> {
        const COUNT_BETWEEN: &str = "SELECT count(*) FROM checks \
            WHERE company_id = $1 AND pay_period_id = $2 AND ordinal >= $3 AND ordinal <= $4";
        let staged = i64::try_from(self.checks.len()).unwrap_or(i64::MAX);
        if self.last_ordinal - self.first_ordinal + 1 == staged {
            return Ok(true);
        }
        let values = binds![&self.company_id, &self.pay_period_id, self.first_ordinal, self.last_ordinal];
        let row: Option<(i64,)> = conn.query_row(query!(COUNT_BETWEEN, values)).await?;
        Ok(row.is_some_and(|(count,)| count == staged))
    }

    /// Stores the ordinal up to which the attempt has staged all checks. Returns `false` if the attempt is no
    /// longer the current attempt, or if the attempt has skipped checks before these rows. The update locks
    /// the period's row. A concurrent change of the period's state therefore waits for this transaction.
    async fn advance_staged_through(&self, conn: &Conn) -> Outcome<bool> {
        const ADVANCE_STAGED_THROUGH: &str = "UPDATE pay_periods \
            SET staged_through = CASE WHEN staged_through > $1 THEN staged_through ELSE $1 END \
            WHERE company_id = $2 AND pay_period_id = $3 AND status = 'PROCESSING' \
                AND completion_attempt = $4 \
                AND NOT EXISTS (SELECT 1 FROM checks c WHERE c.company_id = $2 AND c.pay_period_id = $3 \
                    AND c.ordinal > pay_periods.staged_through AND c.ordinal < $5)";
        let values = binds![
            self.last_ordinal,
            &self.company_id,
            &self.pay_period_id,
            &self.attempt,
            self.first_ordinal
        ];
        Ok(conn.execute(command!(ADVANCE_STAGED_THROUGH, values)).await? == 1)
    }
}
