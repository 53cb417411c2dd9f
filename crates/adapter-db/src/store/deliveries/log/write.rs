//! Stores replays and test calls that a client or an operator requests, and API requests that contain ids of
//! notifications.

use futures_util::future::try_join_all;
use futures_util::try_join;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::Notification;
use payroll_domain::hook::HookKey;
use payroll_ports::deliveries::{MAX_STORED_REQUESTS, NotificationRequest, ReplayOutcome, ReplayQuery};
use payroll_ports::write::AuditContext;

use super::super::super::remove_nul;
use super::read::hook_binds;
use super::texts::{LAST_SCANNED_ROW_SQL, hook_number_sql};
use super::{Conn, dialect, idempotency};
use crate::error::Outcome;
use crate::statement::{binds, command, query, sql};

/// Makes deliveries due at $1, as if they had not been attempted. A claim of a pending delivery stays valid
/// until its expiry. A claim of an ended delivery is removed.
const UPDATE_TO_REPLAY: &str = "UPDATE deliveries SET due = $1, state = 'WAITING', replayed = TRUE, ended = NULL, \
        claimed_until = CASE WHEN due IS NULL THEN 0 ELSE claimed_until END, \
        ordered = (SELECT h.ordered FROM hooks h WHERE h.hook = deliveries.hook)";

/// Replays one delivery of a hook.
pub(super) async fn replay_delivery(
    conn: &Conn,
    key: &HookKey,
    position: i64,
    audit: &AuditContext,
) -> Outcome<bool> {
    const REPLAY_DELIVERY: &str =
        sql![UPDATE_TO_REPLAY, " WHERE hook = ", hook_number_sql!("$2", "$3"), " AND position = $4"];
    let values = binds![audit.now.as_micros()].into_iter().chain(hook_binds(key)).chain(binds![position]);
    let found = conn.execute(command!(REPLAY_DELIVERY, values)).await? > 0;
    if found {
        conn.wake_sender_on_commit();
    }
    idempotency::store_response(conn, audit.response_record.as_ref()).await?;
    Ok(found)
}

/// Replays many deliveries, except those that are being sent.
pub(super) async fn replay_deliveries(
    conn: &Conn,
    key: &HookKey,
    query: &ReplayQuery,
    audit: &AuditContext,
) -> Outcome<ReplayOutcome> {
    // The statement replays at most $9 deliveries: those between the positions $4 and $5 that were queued
    // from $6 on and before $7. Deliveries without an attempt are skipped, because they will be sent anyway.
    const REPLAY_DELIVERIES: &str = sql![
        UPDATE_TO_REPLAY,
        " WHERE (hook, position) IN (SELECT hook, position FROM deliveries WHERE hook = ",
        hook_number_sql!("$2", "$3"),
        " AND position > $4 AND position <= $5 AND queued >= $6 AND queued < $7 \
            AND (state IN ('RETRYING', 'EXPIRED') OR (state IN ('DELIVERED', 'CANCELLED') AND NOT $8)) \
            AND (due IS NULL OR claimed_until <= $1) ORDER BY position LIMIT CAST($9 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ") RETURNING position"
    ];
    let after = query.after.unwrap_or(i64::MIN);
    let ((), full) =
        try_join!(dialect::prefer_index_scans(conn), read_last_scanned_position(conn, key, after))?;
    let limit = i64::from(query.limit.get());
    let values = binds![audit.now.as_micros()].into_iter().chain(hook_binds(key)).chain(binds![
        after,
        full.unwrap_or(i64::MAX),
        query.from.map_or(i64::MIN, Timestamp::as_micros),
        query.to.map_or(i64::MAX, Timestamp::as_micros),
        query.failed_only,
        limit,
    ]);
    let replayed: Vec<(i64,)> = conn.query_rows(query!(REPLAY_DELIVERIES, values)).await?;
    if !replayed.is_empty() {
        conn.wake_sender_on_commit();
    }
    idempotency::store_response(conn, audit.response_record.as_ref()).await?;
    let deliveries = u64::try_from(replayed.len()).unwrap_or(u64::MAX);
    let last = replayed.iter().map(|(position,)| *position).max();
    let next = if deliveries >= u64::from(query.limit.get()) { last } else { full };
    Ok(ReplayOutcome { deliveries, next_cursor: next })
}

/// Returns the position of the last delivery that one call scans, if more deliveries follow. The call starts
/// after the position `after`.
async fn read_last_scanned_position(conn: &Conn, key: &HookKey, after: i64) -> Outcome<Option<i64>> {
    const SELECT_LAST_POSITION: &str = sql![
        "SELECT position FROM deliveries WHERE hook = ",
        hook_number_sql!("$1", "$2"),
        " AND position > $3 ORDER BY position",
        LAST_SCANNED_ROW_SQL
    ];
    let values = hook_binds(key).into_iter().chain(binds![after]);
    Ok(conn.query_row::<(i64,)>(query!(SELECT_LAST_POSITION, values)).await?.map(|(position,)| position))
}

/// Queues a test call of a hook. `None` if the hook does not exist.
pub(super) async fn queue_test_delivery(
    conn: &Conn,
    key: &HookKey,
    notification: &Notification,
    audit: &AuditContext,
) -> Outcome<Option<i64>> {
    const INSERT_TEST_DELIVERY: &str = "INSERT INTO deliveries (event_id, company_id, worker_id, pay_period_id, domain, \
            action, as_of, test, queued, due, hook, ordered) \
        SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), \
            CAST($6 AS TEXT), CAST($7 AS BIGINT), CAST($8 AS BOOLEAN), CAST($9 AS BIGINT), \
            CAST($9 AS BIGINT), hook, ordered \
        FROM hooks WHERE application_id = $10 AND hook_id = $11 RETURNING position";
    let values = binds![
        &notification.notification_id,
        notification.company_id.as_ref().map(|id| id.as_str()),
        notification.worker_id.as_ref().map(|id| id.as_str()),
        notification.pay_period_id.as_ref().map(|id| id.as_str()),
        notification.domain.as_str(),
        notification.action.as_str(),
        notification.as_of.as_micros(),
        notification.test,
        audit.now.as_micros(),
    ];
    let values = values.into_iter().chain(hook_binds(key));
    let position: Option<(i64,)> = conn.query_row(query!(INSERT_TEST_DELIVERY, values)).await?;
    if position.is_some() {
        conn.wake_sender_on_commit();
    }
    idempotency::store_response(conn, audit.response_record.as_ref()).await?;
    Ok(position.map(|(position,)| position))
}

/// Stores API requests with the notifications whose ids they contain. A request is only stored if the
/// application owns the notification, so that callers cannot fill the table.
pub(super) async fn insert_requests(conn: &Conn, requests: &[NotificationRequest]) -> Outcome<()> {
    // The `LIMIT` makes the planner look up the few deliveries of the notification first. The limit is larger
    // than the number of hooks of one company, so it omits no delivery.
    const INSERT_NOTED_REQUEST: &str = "INSERT INTO noted_requests \
            (notification_id, application_id, at, method, route, status, request_id) \
        SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), \
            CAST($6 AS BIGINT), CAST($7 AS TEXT) \
        WHERE EXISTS (SELECT 1 FROM (SELECT hook FROM deliveries WHERE event_id = $1 LIMIT 10000) d \
                JOIN hooks h ON h.hook = d.hook WHERE h.application_id = $2) \
            AND (SELECT count(*) FROM noted_requests \
                WHERE notification_id = $1 AND application_id = $2) < CAST($8 AS BIGINT)";
    let noted = requests.iter().map(|request| {
        conn.execute(command(
            INSERT_NOTED_REQUEST,
            binds![
                remove_nul(&request.notification_id),
                request.application_id.as_str(),
                request.requested_at.as_micros(),
                &request.method,
                &request.route,
                i64::from(request.status),
                &request.request_id,
                i64::from(MAX_STORED_REQUESTS),
            ],
        ))
    });
    try_join_all(noted).await?;
    Ok(())
}
