//! Reads the log, newest first, and a summary of the queue.

use std::collections::HashMap;

use futures_util::try_join;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Attempt, DeliveryState};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::HookKey;
use payroll_ports::deliveries::{
    Delivery, DeliveryPage, DeliveryQuery, MAX_ATTEMPTS_KEPT, MAX_REQUESTS_KEPT, NotificationRequest,
    QueueSummary,
};

use super::super::super::dialect::any;
use super::super::super::lists::unsigned;
use super::texts::{LIMIT, OFFSET_OF_LAST, hook};
use super::{Conn, dialect};
use crate::error::Outcome;
use crate::rows::delivery_log::{LoggedAttemptRow, LoggedRow, NotificationRequestRow};
use crate::statement::{Bind, binds, query, sql};
use crate::table::Table;

/// Selects the deliveries of the hook before the position $3. At the start of the log, $3 is greater than
/// every position.
const OLDER: &str =
    concat!(" FROM deliveries WHERE hook = ", hook!("$1", "$2"), " AND position < $3 ORDER BY position DESC");

/// Reads a page of the deliveries of a hook.
pub(super) async fn page(conn: &Conn, key: &HookKey, query: &DeliveryQuery) -> Outcome<DeliveryPage> {
    // The subquery scans the deliveries of one call. The statement returns those with the state $4 and the
    // domain $5, queued from $6 on and before $7, at most $8.
    const ROWS: &str = sql![
        "SELECT ",
        LoggedRow::COLUMNS,
        " FROM (SELECT *",
        OLDER,
        LIMIT,
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
    let ((), rows) = try_join!(dialect::prefer_index_scans(conn), conn.rows(query!(ROWS, values)))?;
    let rows: Vec<LoggedRow> = rows;
    let limit = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    let last = rows.last().filter(|_| rows.len() >= limit).map(|row| row.position);
    let (deliveries, full) = try_join!(
        with_attempts_and_requests(conn, key, rows),
        last_scanned_position(conn, key, before, last)
    )?;
    Ok(DeliveryPage { deliveries, next_cursor: last.or(full) })
}

/// Returns the last delivery that one call scans, if there are more. A full page needs no such lookup,
/// because its last row is the cursor.
async fn last_scanned_position(
    conn: &Conn,
    key: &HookKey,
    before: i64,
    given: Option<i64>,
) -> Outcome<Option<i64>> {
    const LAST: &str = sql!["SELECT position", OLDER, OFFSET_OF_LAST];
    if given.is_some() {
        return Ok(None);
    }
    let values = hook_binds(key).into_iter().chain(binds![before]);
    Ok(conn.row::<(i64,)>(query!(LAST, values)).await?.map(|(position,)| position))
}

/// Reads one delivery of a hook.
pub(super) async fn one(conn: &Conn, key: &HookKey, position: i64) -> Outcome<Option<Delivery>> {
    const ONE: &str = sql![
        "SELECT ",
        LoggedRow::COLUMNS,
        concat!(" FROM deliveries WHERE hook = ", hook!("$1", "$2"), " AND position = $3")
    ];
    let values = hook_binds(key).into_iter().chain(binds![position]);
    let ((), rows) = try_join!(dialect::prefer_index_scans(conn), conn.rows(query!(ONE, values)))?;
    Ok(with_attempts_and_requests(conn, key, rows).await?.pop())
}

/// Adds the attempts and requests to the deliveries.
async fn with_attempts_and_requests(
    conn: &Conn,
    key: &HookKey,
    rows: Vec<LoggedRow>,
) -> Outcome<Vec<Delivery>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let (mut attempts, mut requests) = try_join!(attempts(conn, key, &rows), requests(conn, key, &rows))?;
    let with_both = |row: LoggedRow| -> Outcome<Delivery> {
        let mut delivery = row.delivery()?;
        delivery.kept_attempts = attempts.remove(&delivery.position).unwrap_or_default();
        delivery.requests = requests.remove(&delivery.notification.notification_id).unwrap_or_default();
        Ok(delivery)
    };
    rows.into_iter().map(with_both).collect()
}

/// Reads the stored attempts of each delivery, oldest first.
async fn attempts(conn: &Conn, key: &HookKey, rows: &[LoggedRow]) -> Outcome<HashMap<i64, Vec<Attempt>>> {
    const ATTEMPTS: &str = sql![
        "SELECT ",
        LoggedAttemptRow::COLUMNS,
        concat!(" FROM attempts WHERE hook = ", hook!("$1", "$2"), " AND position", any!("$3")),
        " ORDER BY position, number DESC"
    ];
    let positions = dialect::numbers(rows.iter().map(|row| row.position));
    let values = hook_binds(key).into_iter().chain([positions]);
    let found: Vec<LoggedAttemptRow> = conn.rows(query!(ATTEMPTS, values)).await?;
    let mut attempts: HashMap<i64, Vec<Attempt>> = HashMap::new();
    for row in found {
        let (position, attempt) = row.attempt()?;
        let kept = attempts.entry(position).or_default();
        if kept.len() < max_rows(MAX_ATTEMPTS_KEPT) {
            kept.push(attempt);
        }
    }
    attempts.values_mut().for_each(|kept| kept.reverse());
    Ok(attempts)
}

/// Reads the application's requests that mention each notification, oldest first.
async fn requests(
    conn: &Conn,
    key: &HookKey,
    rows: &[LoggedRow],
) -> Outcome<HashMap<String, Vec<NotificationRequest>>> {
    const REQUESTS: &str = sql![
        "SELECT ",
        NotificationRequestRow::COLUMNS,
        concat!(" FROM noted_requests WHERE notification_id", any!("$1"), " AND application_id = $2"),
        " ORDER BY notification_id, position"
    ];
    let named = dialect::list(rows.iter().map(|row| row.event_id.as_str()));
    let values = [named, key.application_id.as_str().into()];
    let found: Vec<NotificationRequestRow> = conn.rows(query!(REQUESTS, values)).await?;
    let mut requests: HashMap<String, Vec<NotificationRequest>> = HashMap::new();
    for row in found {
        let request = row.request()?;
        let kept = requests.entry(request.notification_id.clone()).or_default();
        if kept.len() < max_rows(MAX_REQUESTS_KEPT) {
            kept.push(request);
        }
    }
    Ok(requests)
}

fn max_rows(retained: u32) -> usize {
    usize::try_from(retained).unwrap_or(usize::MAX)
}

/// Returns the values that identify a hook.
pub(super) fn hook_binds(key: &HookKey) -> [Bind<'_>; 2] {
    binds![key.application_id.as_str(), key.hook_id.as_str()]
}

/// Summarizes the complete queue, without the deliveries of removed hooks.
pub(super) async fn summary(conn: &Conn) -> Outcome<QueueSummary> {
    const WAITING: &str = "SELECT count(CASE WHEN h.active THEN 1 END), \
            count(CASE WHEN h.active AND d.state = 'RETRYING' THEN 1 END), \
            count(CASE WHEN NOT h.active THEN 1 END), min(CASE WHEN h.active THEN d.queued END) \
        FROM deliveries d JOIN hooks h ON h.hook = d.hook WHERE d.due IS NOT NULL";
    const HOOKS: &str = "SELECT count(CASE WHEN active THEN 1 END), count(CASE WHEN NOT active THEN 1 END), \
        count(failing_since) FROM hooks";
    let (waiting, hooks) = try_join!(
        conn.row::<(i64, i64, i64, Option<i64>)>(query!(WAITING, binds![])),
        conn.row::<(i64, i64, i64)>(query!(HOOKS, binds![])),
    )?;
    let (waiting, retrying, held, oldest) = waiting.unwrap_or_default();
    let (active, inactive, failing) = hooks.unwrap_or_default();
    Ok(QueueSummary {
        pending: unsigned(waiting)?,
        retrying: unsigned(retrying)?,
        oldest_waiting: oldest.map(Timestamp::from_micros),
        collected: unsigned(held)?,
        active_hooks: unsigned(active)?,
        inactive_hooks: unsigned(inactive)?,
        failing_hooks: unsigned(failing)?,
    })
}
