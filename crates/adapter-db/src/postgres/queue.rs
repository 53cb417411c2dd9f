//! Claiming and recording deliveries on PostgreSQL.

use std::collections::HashMap;

use payroll_ports::deliveries::{AttemptRecord, DeliveryId, MAX_STORED_ATTEMPTS};

use super::connection::Conn;
use super::dialect::transpose_into_columns;
use crate::error::Outcome;
use crate::rows::deliveries::attempt_bind_values;
use crate::statement::{BindValue, binds, command, sql};

/// The columns of a claimed delivery, and the version and the application of its hook.
const RETURNING_CLAIMED: &str = "RETURNING d.position, d.event_id, d.company_id, d.worker_id, d.pay_period_id, d.domain, d.action, \
        d.as_of, d.test, d.state, d.attempts, d.replayed, d.due, h.version, h.application_id";

/// Claims at most $4 deliveries of the hook $2 that are due at $3. The claims expire at $1. Rows that another
/// process is claiming are skipped. The UPDATE finds the rows by their physical location (`ctid`), because
/// the SELECT locks this version of each row.
pub(crate) const CLAIM_DELIVERIES: &str = sql![
    "UPDATE deliveries d SET claimed_until = $1 \
    FROM (SELECT version, application_id FROM hooks WHERE hook = $2 AND active) h \
    WHERE d.ctid = ANY(ARRAY(SELECT ctid FROM deliveries \
        WHERE hook = $2 AND due IS NOT NULL AND due <= $3 AND claimed_until <= $3 \
        ORDER BY due, position LIMIT CAST($4 AS BIGINT) FOR UPDATE SKIP LOCKED)) ",
    RETURNING_CLAIMED
];

/// Claims the first pending delivery of the hook $2 until the instant $1, if it is due at $3. Deliveries that
/// an older release queued have no order, and are claimed after all others. The UPDATE finds the row by its
/// physical location (`ctid`). With outdated statistics, the planner would otherwise search all pending rows.
/// If two processes claim the same row, the second waits for the first, and then detects that the row is
/// claimed.
pub(crate) const CLAIM_DELIVERIES_IN_ORDER: &str = sql![
    "UPDATE deliveries d SET claimed_until = $1 \
    FROM (SELECT version, application_id FROM hooks WHERE hook = $2 AND active) h \
    WHERE d.ctid = coalesce(\
            (SELECT ctid FROM deliveries WHERE hook = $2 AND due IS NOT NULL AND ordered \
                ORDER BY position + 0 LIMIT 1), \
            (SELECT ctid FROM deliveries WHERE hook = $2 AND due IS NOT NULL \
                ORDER BY due, position LIMIT 1)) \
        AND d.due <= $3 AND d.claimed_until <= $3 ",
    RETURNING_CLAIMED
];

/// Stores the results of attempts: the new state and the next attempt of each delivery, and a row for each
/// attempt with the next free number. If the instant of the next attempt is below 0, no attempt follows.
const RECORD_ATTEMPTS: &str = "WITH recorded AS (UPDATE deliveries d SET \
        state = CASE WHEN new.next IS NULL THEN 'DELIVERED' WHEN d.due IS NULL THEN d.state \
            WHEN new.next < 0 THEN 'EXPIRED' ELSE 'RETRYING' END, \
        ended = CASE WHEN d.state = 'DELIVERED' THEN d.ended \
            WHEN new.next IS NULL OR (new.next < 0 AND d.due IS NOT NULL) THEN new.ended ELSE d.ended END, \
        due = CASE WHEN d.due IS NULL OR new.next < 0 THEN NULL ELSE new.next END, \
        claimed_until = 0, attempts = d.attempts + 1 \
    FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::text[], \
        $8::int8[], $9::text[], $10::text[], $11::bool[], $12::int8[]) \
        AS new (hook, position, next, ended, at, duration, cause, status, error, answer, answer_cut, \
            retry_after) \
    WHERE d.hook = new.hook AND d.position = new.position \
    RETURNING d.hook, d.position, d.attempts, new.at, new.duration, new.cause, new.status, new.error, \
        new.answer, new.answer_cut, new.retry_after) \
    INSERT INTO attempts (hook, position, number, at, duration, cause, status, error, answer, answer_cut, \
        retry_after) \
    SELECT * FROM recorded";

/// Records attempts. Deliveries that no longer exist are skipped. A delivery that has ended keeps its state,
/// unless this attempt delivered it.
pub(crate) async fn record_attempts(conn: &Conn, attempts: &[&AttemptRecord]) -> Outcome<()> {
    const DELETE_OLD_ATTEMPTS: &str = "DELETE FROM attempts a USING unnest($1::int8[], $2::int8[]) AS many (hook, position) \
        WHERE a.hook = many.hook AND a.position = many.position AND a.number <= \
            (SELECT d.attempts - $3 FROM deliveries d WHERE d.hook = many.hook AND d.position = many.position)";
    for round in group_by_distinct_delivery(attempts) {
        let values = transpose_into_columns(round.iter().map(|attempted| attempt_bind_values(attempted)))?;
        conn.execute(command!(RECORD_ATTEMPTS, values)).await?;
    }
    let many = attempts.iter().filter(|attempted| attempted.attempt.number > MAX_STORED_ATTEMPTS);
    let many: Vec<Vec<BindValue<'_>>> =
        many.map(|attempted| Vec::from(binds![attempted.id.hook.0, attempted.id.position])).collect();
    if !many.is_empty() {
        let mut values = transpose_into_columns(many)?;
        values.extend(binds![i64::from(MAX_STORED_ATTEMPTS)]);
        conn.execute(command!(DELETE_OLD_ATTEMPTS, values)).await?;
    }
    Ok(())
}

/// Groups the attempts, because a statement can change a row only once. Attempts of the same delivery are
/// placed in different groups.
fn group_by_distinct_delivery<'a>(attempts: &[&'a AttemptRecord]) -> Vec<Vec<&'a AttemptRecord>> {
    let mut seen: HashMap<DeliveryId, usize> = HashMap::with_capacity(attempts.len());
    let mut rounds: Vec<Vec<&AttemptRecord>> = Vec::new();
    for attempted in attempts {
        let round = seen.entry(attempted.id).or_default();
        match rounds.get_mut(*round) {
            Some(round) => round.push(attempted),
            None => rounds.push(vec![attempted]),
        }
        *round += 1;
    }
    rounds
}
