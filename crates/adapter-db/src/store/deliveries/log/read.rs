//! Reads the log, newest first, and a summary of the queue.

use std::collections::HashMap;

use futures_util::try_join;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Attempt, DeliveryState};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::HookKey;
use payroll_ports::deliveries::{
    Delivery, DeliveryPage, DeliveryQuery, MAX_STORED_ATTEMPTS, MAX_STORED_REQUESTS, NotificationRequest,
    QueueSummary,
};

use super::super::super::dialect::equals_any;
use super::super::super::lists::to_unsigned_count;
use super::texts::{LAST_SCANNED_ROW_SQL, SCAN_LIMIT_SQL, hook_number_sql};
use super::{Conn, dialect};
use crate::error::Outcome;
use crate::rows::delivery_log::{LoggedAttemptRow, LoggedDeliveryRow, NotificationRequestRow};
use crate::statement::{BindValue, binds, query, sql};
use crate::table::TableDefinition;

/// Selects the deliveries of the hook before the position $3. At the start of the log, $3 is greater than
/// every position.
const FROM_OLDER_DELIVERIES: &str = concat!(
    " FROM deliveries WHERE hook = ",
    hook_number_sql!("$1", "$2"),
    " AND position < $3 ORDER BY position DESC"
);

pub(super) async fn read_delivery_page(
    conn: &Conn,
    key: &HookKey,
    query: &DeliveryQuery,
) -> Outcome<DeliveryPage> {
    // The subquery scans the deliveries of one call. The outer statement returns at most $8 of them: those
    // with the state $4 and the domain $5 that were queued from $6 on and before $7.
    const SELECT_DELIVERIES: &str = sql![
        "SELECT ",
        LoggedDeliveryRow::COLUMNS,
        " FROM (SELECT *",
        FROM_OLDER_DELIVERIES,
        SCAN_LIMIT_SQL,
        ") looked WHERE (CAST($4 AS TEXT) IS NULL OR state = $4) \
            AND (CAST($5 AS TEXT) IS NULL OR domain = $5) AND queued >= $6 AND queued < $7 \
        ORDER BY position DESC LIMIT CAST($8 AS BIGINT)"
    ];
    let before = query.before.unwrap_or(i64::MAX);
    let values = hook_binds(key).into_iter().chain(binds![
        before,
        query.state.map(DeliveryState::as_str),
        query.domain.map(EventDomain::as_str),
        query.from.map_or(i64::MIN, Timestamp::as_micros),
        query.to.map_or(i64::MAX, Timestamp::as_micros),
        i64::from(query.limit.get()),
    ]);
    let ((), rows) =
        try_join!(dialect::prefer_index_scans(conn), conn.query_rows(query!(SELECT_DELIVERIES, values)))?;
    let rows: Vec<LoggedDeliveryRow> = rows;
    let limit = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    let last = rows.last().filter(|_| rows.len() >= limit).map(|row| row.position);
    let (deliveries, full) = try_join!(
        add_attempts_and_requests(conn, key, rows),
        read_last_scanned_position(conn, key, before, last)
    )?;
    Ok(DeliveryPage { deliveries, next_cursor: last.or(full) })
}

/// Returns the position of the last delivery that one call scans, if the log has more deliveries. A full page
/// needs no such lookup, because the last row of the page is the cursor.
async fn read_last_scanned_position(
    conn: &Conn,
    key: &HookKey,
    before: i64,
    given: Option<i64>,
) -> Outcome<Option<i64>> {
    const SELECT_LAST_POSITION: &str = sql!["SELECT position", FROM_OLDER_DELIVERIES, LAST_SCANNED_ROW_SQL];
    if given.is_some() {
        return Ok(None);
    }
    let values = hook_binds(key).into_iter().chain(binds![before]);
    Ok(conn.query_row::<(i64,)>(query!(SELECT_LAST_POSITION, values)).await?.map(|(position,)| position))
}

pub(super) async fn read_delivery(conn: &Conn, key: &HookKey, position: i64) -> Outcome<Option<Delivery>> {
    const SELECT_DELIVERY: &str = sql![
        "SELECT ",
        LoggedDeliveryRow::COLUMNS,
        concat!(" FROM deliveries WHERE hook = ", hook_number_sql!("$1", "$2"), " AND position = $3")
    ];
    let values = hook_binds(key).into_iter().chain(binds![position]);
    let ((), rows) =
        try_join!(dialect::prefer_index_scans(conn), conn.query_rows(query!(SELECT_DELIVERY, values)))?;
    Ok(add_attempts_and_requests(conn, key, rows).await?.pop())
}

/// Adds the stored attempts and API requests to the deliveries.
async fn add_attempts_and_requests(
    conn: &Conn,
    key: &HookKey,
    rows: Vec<LoggedDeliveryRow>,
) -> Outcome<Vec<Delivery>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let (mut attempts, mut requests) =
        try_join!(read_attempts(conn, key, &rows), read_noted_requests(conn, key, &rows))?;
    let with_both = |row: LoggedDeliveryRow| -> Outcome<Delivery> {
        let mut delivery = row.into_delivery()?;
        delivery.stored_attempts = attempts.remove(&delivery.position).unwrap_or_default();
        delivery.requests = requests.remove(&delivery.notification.notification_id).unwrap_or_default();
        Ok(delivery)
    };
    rows.into_iter().map(with_both).collect()
}

/// Reads the stored attempts of each delivery, oldest first.
async fn read_attempts(
    conn: &Conn,
    key: &HookKey,
    rows: &[LoggedDeliveryRow],
) -> Outcome<HashMap<i64, Vec<Attempt>>> {
    const SELECT_ATTEMPTS: &str = sql![
        "SELECT ",
        LoggedAttemptRow::COLUMNS,
        concat!(
            " FROM attempts WHERE hook = ",
            hook_number_sql!("$1", "$2"),
            " AND position",
            equals_any!("$3")
        ),
        " ORDER BY position, number DESC"
    ];
    let positions = dialect::bind_numbers(rows.iter().map(|row| row.position));
    let values = hook_binds(key).into_iter().chain([positions]);
    let found: Vec<LoggedAttemptRow> = conn.query_rows(query!(SELECT_ATTEMPTS, values)).await?;
    let mut attempts: HashMap<i64, Vec<Attempt>> = HashMap::new();
    for row in found {
        let (position, attempt) = row.into_attempt()?;
        let entries = attempts.entry(position).or_default();
        if entries.len() < to_usize(MAX_STORED_ATTEMPTS) {
            entries.push(attempt);
        }
    }
    attempts.values_mut().for_each(|entries| entries.reverse());
    Ok(attempts)
}

/// Reads the application's API requests that contain the id of each notification, oldest first.
async fn read_noted_requests(
    conn: &Conn,
    key: &HookKey,
    rows: &[LoggedDeliveryRow],
) -> Outcome<HashMap<String, Vec<NotificationRequest>>> {
    const SELECT_NOTED_REQUESTS: &str = sql![
        "SELECT ",
        NotificationRequestRow::COLUMNS,
        concat!(" FROM noted_requests WHERE notification_id", equals_any!("$1"), " AND application_id = $2"),
        " ORDER BY notification_id, position"
    ];
    let named = dialect::bind_list(rows.iter().map(|row| row.event_id.as_str()));
    let values = [named, key.application_id.as_str().into()];
    let found: Vec<NotificationRequestRow> = conn.query_rows(query!(SELECT_NOTED_REQUESTS, values)).await?;
    let mut requests: HashMap<String, Vec<NotificationRequest>> = HashMap::new();
    for row in found {
        let request = row.into_request()?;
        let entries = requests.entry(request.notification_id.clone()).or_default();
        if entries.len() < to_usize(MAX_STORED_REQUESTS) {
            entries.push(request);
        }
    }
    Ok(requests)
}

fn to_usize(retained: u32) -> usize {
    usize::try_from(retained).unwrap_or(usize::MAX)
}

/// Returns the values that identify a hook.
pub(super) fn hook_binds(key: &HookKey) -> [BindValue<'_>; 2] {
    binds![key.application_id.as_str(), key.hook_id.as_str()]
}

/// Summarizes the complete queue, without the deliveries of removed hooks.
pub(super) async fn read_queue_summary(conn: &Conn) -> Outcome<QueueSummary> {
    const COUNT_PENDING_DELIVERIES: &str = "SELECT count(CASE WHEN h.active THEN 1 END), \
            count(CASE WHEN h.active AND d.state = 'RETRYING' THEN 1 END), \
            count(CASE WHEN NOT h.active THEN 1 END), min(CASE WHEN h.active THEN d.queued END) \
        FROM deliveries d JOIN hooks h ON h.hook = d.hook WHERE d.due IS NOT NULL";
    const COUNT_HOOKS: &str = "SELECT count(CASE WHEN active THEN 1 END), count(CASE WHEN NOT active THEN 1 END), \
        count(failing_since) FROM hooks";
    let (waiting, hooks) = try_join!(
        conn.query_row::<(i64, i64, i64, Option<i64>)>(query!(COUNT_PENDING_DELIVERIES, binds![])),
        conn.query_row::<(i64, i64, i64)>(query!(COUNT_HOOKS, binds![])),
    )?;
    let (waiting, retrying, held, oldest) = waiting.unwrap_or_default();
    let (active, inactive, failing) = hooks.unwrap_or_default();
    Ok(QueueSummary {
        pending: to_unsigned_count(waiting)?,
        retrying: to_unsigned_count(retrying)?,
        oldest_waiting: oldest.map(Timestamp::from_micros),
        collected: to_unsigned_count(held)?,
        active_hooks: to_unsigned_count(active)?,
        inactive_hooks: to_unsigned_count(inactive)?,
        failing_hooks: to_unsigned_count(failing)?,
    })
}
