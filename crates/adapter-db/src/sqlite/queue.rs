//! Claiming and recording deliveries on SQLite.

use payroll_ports::deliveries::{AttemptRecord, MAX_STORED_ATTEMPTS};

use super::connection::Conn;
use crate::error::{Failure, Outcome};
use crate::rows::deliveries::attempt_bind_values;
use crate::statement::{BindValue, Statement, binds, command, sql};

/// The columns of a claimed delivery, and the version and the application of its hook.
const RETURNING_CLAIMED: &str = "RETURNING position, event_id, company_id, worker_id, pay_period_id, domain, action, \
        as_of, test, state, attempts, replayed, due, \
        (SELECT h.version FROM hooks h WHERE h.hook = $2), \
        (SELECT h.application_id FROM hooks h WHERE h.hook = $2)";

/// Claims deliveries of the hook $2 that are due at $3, at most $4, until the instant $1.
pub(crate) const CLAIM_DELIVERIES: &str = sql![
    "UPDATE deliveries SET claimed_until = $1 \
    WHERE position IN (SELECT position FROM deliveries \
        WHERE hook = $2 AND due IS NOT NULL AND due <= $3 AND claimed_until <= $3 \
            AND EXISTS (SELECT 1 FROM hooks h WHERE h.hook = $2 AND h.active) \
        ORDER BY due, position LIMIT CAST($4 AS BIGINT)) ",
    RETURNING_CLAIMED
];

/// Claims the first pending delivery of the hook $2 until the instant $1, if it is due at $3. Deliveries that
/// an older release queued have no order, and are claimed after all others.
pub(crate) const CLAIM_DELIVERIES_IN_ORDER: &str = sql![
    "UPDATE deliveries SET claimed_until = $1 \
    WHERE position = coalesce(\
            (SELECT d.position FROM deliveries d WHERE d.hook = $2 AND d.due IS NOT NULL AND d.ordered \
                ORDER BY d.position + 0 LIMIT 1), \
            (SELECT d.position FROM deliveries d WHERE d.hook = $2 AND d.due IS NOT NULL \
                ORDER BY d.due, d.position LIMIT 1)) \
        AND due <= $3 AND claimed_until <= $3 \
        AND EXISTS (SELECT 1 FROM hooks h WHERE h.hook = $2 AND h.active) ",
    RETURNING_CLAIMED
];

/// Ends a delivery, or sets its next attempt. A next instant below 0 means that no further attempt follows.
const UPDATE_DELIVERY: &str = "UPDATE deliveries SET \
        state = CASE WHEN $1 IS NULL THEN 'DELIVERED' WHEN due IS NULL THEN state \
            WHEN $1 < 0 THEN 'EXPIRED' ELSE 'RETRYING' END, \
        ended = CASE WHEN state = 'DELIVERED' THEN ended \
            WHEN $1 IS NULL OR ($1 < 0 AND due IS NOT NULL) THEN $2 ELSE ended END, \
        due = CASE WHEN due IS NULL OR $1 < 0 THEN NULL ELSE $1 END, \
        claimed_until = 0, attempts = attempts + 1 \
    WHERE position = $3 AND hook = $4";

/// Stores an attempt under the next number of its delivery.
const INSERT_ATTEMPT: &str = "INSERT INTO attempts \
        (hook, position, number, at, duration, cause, status, error, answer, answer_cut, retry_after) \
    SELECT hook, position, attempts, $1, $2, $3, $4, $5, $6, $7, $8 FROM deliveries \
    WHERE position = $9 AND hook = $10";

/// Deletes the oldest attempts of a delivery with more than $3 stored attempts.
const DELETE_OLD_ATTEMPTS: &str = "DELETE FROM attempts WHERE hook = $1 AND position = $2 \
    AND number <= (SELECT d.attempts - $3 FROM deliveries d WHERE d.position = $2)";

/// Records attempts. Deliveries that no longer exist are skipped. A delivery that has ended keeps its state,
/// unless this attempt delivered it.
pub(crate) async fn record_attempts(conn: &Conn, attempts: &[&AttemptRecord]) -> Outcome<()> {
    let statements =
        attempts.iter().map(|attempted| record_statements(attempted)).collect::<Outcome<Vec<_>>>()?;
    conn.execute_all(statements.into_iter().flatten())?;
    let many = attempts.iter().filter(|attempted| attempted.attempt.number > MAX_STORED_ATTEMPTS);
    conn.execute_all(many.map(|attempted| -> Statement<'_> {
        let (hook, position) = (attempted.id.hook.0, attempted.id.position);
        command!(DELETE_OLD_ATTEMPTS, binds![hook, position, i64::from(MAX_STORED_ATTEMPTS)])
    }))?;
    Ok(())
}

fn record_statements(record: &AttemptRecord) -> Outcome<[Statement<'_>; 2]> {
    let values = <[BindValue<'_>; 12]>::try_from(attempt_bind_values(record));
    let Ok([hook, position, next, ended, attempt @ ..]) = values else {
        return Err(Failure::Bug("an attempt has other values".to_owned()));
    };
    let step = command!(UPDATE_DELIVERY, [next, ended, position.clone(), hook.clone()]);
    Ok([step, command!(INSERT_ATTEMPT, attempt.into_iter().chain([position, hook]))])
}
