//! Deletes log entries and expires queued deliveries, in batches during normal operation. Rows that another
//! transaction has locked are left for the next batch.

use futures_util::try_join;
use payroll_domain::date::Timestamp;

use super::{Conn, dialect};
use crate::error::Outcome;
use crate::rows::delivery_log::DeliveryAttemptsKey;
use crate::statement::{binds, command, query};

/// The key of a delivery: the number of its hook and its position.
type DeliveryKey = (i64, i64);

/// Deletes deliveries that ended, and API requests that were logged, before the given instant. Deliveries of
/// removed hooks are deleted regardless of their age.
pub(super) async fn delete_ended_deliveries(conn: &Conn, before: Timestamp, limit: u32) -> Outcome<u64> {
    const DELETE_ENDED_DELIVERIES: &str = concat!(
        "DELETE FROM deliveries WHERE (hook, position) IN (SELECT hook, position FROM deliveries \
            WHERE ended < $1 AND due IS NULL ORDER BY ended LIMIT CAST($2 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ") RETURNING hook, position"
    );
    const DELETE_NOTED_REQUESTS: &str = "DELETE FROM noted_requests WHERE position IN (\
        SELECT position FROM noted_requests WHERE at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT))";
    let limit = i64::from(limit);
    let ended = query!(DELETE_ENDED_DELIVERIES, binds![before.as_micros(), limit]);
    let ((), keys) = try_join!(dialect::prefer_index_scans(conn), conn.query_rows(ended))?;
    let mut keys: Vec<DeliveryKey> = keys;
    if to_i64(keys.len()) < limit {
        add_deliveries_of_removed_hooks(conn, &mut keys, limit).await?;
    }
    let of: Vec<_> = keys.iter().map(|&(hook, position)| DeliveryAttemptsKey { hook, position }).collect();
    dialect::bulk_delete(conn, &of).await?;
    let mut forgotten = to_i64(keys.len());
    if forgotten < limit {
        let values = binds![before.as_micros(), limit - forgotten];
        forgotten += to_i64(conn.execute(command!(DELETE_NOTED_REQUESTS, values)).await?);
    }
    Ok(u64::try_from(forgotten).unwrap_or(0))
}

/// Finds deliveries of removed hooks, whether they have ended or not. The query steps through the index from
/// hook to hook, so its time does not depend on the number of deliveries.
async fn add_deliveries_of_removed_hooks(
    conn: &Conn,
    keys: &mut Vec<DeliveryKey>,
    limit: i64,
) -> Outcome<()> {
    const SELECT_REMOVED_HOOKS: &str = "WITH RECURSIVE found (hook) AS (\
            SELECT min(hook) FROM deliveries UNION ALL \
            SELECT (SELECT min(d.hook) FROM deliveries d WHERE d.hook > found.hook) \
            FROM found WHERE found.hook IS NOT NULL) \
        SELECT hook FROM found WHERE hook IS NOT NULL \
            AND NOT EXISTS (SELECT 1 FROM hooks h WHERE h.hook = found.hook) LIMIT 100";
    const DELETE_DELIVERIES_OF_HOOK: &str = concat!(
        "DELETE FROM deliveries WHERE (hook, position) IN (SELECT hook, position FROM deliveries \
            WHERE hook = $1 ORDER BY position LIMIT CAST($2 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ") RETURNING hook, position"
    );
    let removed: Vec<(i64,)> = conn.query_rows(query!(SELECT_REMOVED_HOOKS, binds![])).await?;
    for (hook,) in removed {
        let values = binds![hook, limit - to_i64(keys.len())];
        let left: Vec<DeliveryKey> = conn.query_rows(query!(DELETE_DELIVERIES_OF_HOOK, values)).await?;
        keys.extend(left);
        if to_i64(keys.len()) >= limit {
            break;
        }
    }
    Ok(())
}

/// Expires deliveries that became due before the given instant but are not sent, because the hook is inactive
/// or its application is disabled. The hooks are locked first, in the same way as when attempts are recorded
/// or hooks are enabled.
pub(super) async fn expire_deliveries(
    conn: &Conn,
    before: Timestamp,
    now: Timestamp,
    limit: u32,
) -> Outcome<u64> {
    const SELECT_INACTIVE_HOOKS: &str = concat!(
        "SELECT h.hook FROM hooks h JOIN applications a ON a.application_id = h.application_id \
            WHERE NOT (h.active AND a.enabled) \
            AND EXISTS (SELECT 1 FROM deliveries d WHERE d.hook = h.hook AND d.due < $1) \
            ORDER BY h.hook LIMIT 100",
        dialect::lock_rows!("FOR UPDATE OF h SKIP LOCKED")
    );
    let hooks = query!(SELECT_INACTIVE_HOOKS, binds![before.as_micros()]);
    let ((), hooks) = try_join!(dialect::prefer_index_scans(conn), conn.query_rows::<(i64,)>(hooks))?;
    let mut left = i64::from(limit);
    for (hook,) in hooks {
        left -= expire_deliveries_of_hook(conn, hook, (before, now), left).await?;
        if left <= 0 {
            break;
        }
    }
    Ok(u64::try_from(i64::from(limit) - left).unwrap_or(0))
}

async fn expire_deliveries_of_hook(
    conn: &Conn,
    hook: i64,
    (before, now): (Timestamp, Timestamp),
    limit: i64,
) -> Outcome<i64> {
    const EXPIRE_DELIVERIES: &str = concat!(
        "UPDATE deliveries SET state = 'EXPIRED', due = NULL, ended = $1, claimed_until = 0 \
            WHERE (hook, position) IN (SELECT hook, position FROM deliveries \
            WHERE hook = $2 AND due < $3 AND claimed_until <= $1 \
            ORDER BY due, position LIMIT CAST($4 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ")"
    );
    const ADD_TO_EXPIRED_COUNT: &str = "UPDATE hooks SET expired = expired + $1 WHERE hook = $2";
    let values = binds![now.as_micros(), hook, before.as_micros(), limit];
    let expired = to_i64(conn.execute(command!(EXPIRE_DELIVERIES, values)).await?);
    if expired > 0 {
        conn.execute(command!(ADD_TO_EXPIRED_COUNT, binds![expired, hook])).await?;
    }
    Ok(expired)
}

fn to_i64(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
