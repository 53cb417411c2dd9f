//! What is removed from the log, and what expires in the queue, a batch at a time next to requests. Rows that
//! another transaction has locked are left to the next batch.

use futures_util::try_join;
use payroll_domain::date::Timestamp;

use super::{Conn, dialect};
use crate::error::Outcome;
use crate::fixed::{binds, command, query};
use crate::rows::delivery_log::AttemptsOf;

/// A delivery: its hook and its position.
type Place = (i64, i64);

/// Removes what has ended, what removed hooks have left, and requests, all of them from before that
/// instant but for what has no hook any more.
pub(super) async fn forget(conn: &Conn, before: Timestamp, limit: u32) -> Outcome<u64> {
    const ENDED: &str = concat!(
        "DELETE FROM deliveries WHERE (hook, position) IN (SELECT hook, position FROM deliveries \
            WHERE ended < $1 AND due IS NULL ORDER BY ended LIMIT CAST($2 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ") RETURNING hook, position"
    );
    const REQUESTS: &str = "DELETE FROM noted_requests WHERE position IN (\
        SELECT position FROM noted_requests WHERE at < $1 ORDER BY at LIMIT CAST($2 AS BIGINT))";
    let limit = i64::from(limit);
    let ended = query!(ENDED, binds![before.as_micros(), limit]);
    let ((), places) = try_join!(dialect::by_index(conn), conn.rows(ended))?;
    let mut places: Vec<Place> = places;
    if count(places.len()) < limit {
        left_by_removed_hooks(conn, &mut places, limit).await?;
    }
    let of: Vec<_> = places.iter().map(|&(hook, position)| AttemptsOf { hook, position }).collect();
    dialect::erase(conn, &of).await?;
    let mut forgotten = count(places.len());
    if forgotten < limit {
        let values = binds![before.as_micros(), limit - forgotten];
        forgotten += count(conn.execute(command!(REQUESTS, values)).await?);
    }
    Ok(u64::try_from(forgotten).unwrap_or(0))
}

/// Removes deliveries whose hook is gone, ended or not. The hooks that have deliveries are found by
/// stepping from one to the next in the index, however many deliveries each has.
async fn left_by_removed_hooks(conn: &Conn, places: &mut Vec<Place>, limit: i64) -> Outcome<()> {
    const REMOVED: &str = "WITH RECURSIVE found (hook) AS (\
            SELECT min(hook) FROM deliveries UNION ALL \
            SELECT (SELECT min(d.hook) FROM deliveries d WHERE d.hook > found.hook) \
            FROM found WHERE found.hook IS NOT NULL) \
        SELECT hook FROM found WHERE hook IS NOT NULL \
            AND NOT EXISTS (SELECT 1 FROM hooks h WHERE h.hook = found.hook) LIMIT 100";
    const LEFT: &str = concat!(
        "DELETE FROM deliveries WHERE (hook, position) IN (SELECT hook, position FROM deliveries \
            WHERE hook = $1 ORDER BY position LIMIT CAST($2 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ") RETURNING hook, position"
    );
    let removed: Vec<(i64,)> = conn.rows(query!(REMOVED, binds![])).await?;
    for (hook,) in removed {
        let values = binds![hook, limit - count(places.len())];
        let left: Vec<Place> = conn.rows(query!(LEFT, values)).await?;
        places.extend(left);
        if count(places.len()) >= limit {
            break;
        }
    }
    Ok(())
}

/// Ends, as expired, what has been due since before that instant and is not sent: its hook is not
/// active, or its application is not enabled. The hooks are held first, as when attempts
/// are recorded or a hook is enabled.
pub(super) async fn expire(conn: &Conn, before: Timestamp, now: Timestamp, limit: u32) -> Outcome<u64> {
    const HOOKS: &str = concat!(
        "SELECT h.hook FROM hooks h JOIN applications a ON a.application_id = h.application_id \
            WHERE NOT (h.active AND a.enabled) \
            AND EXISTS (SELECT 1 FROM deliveries d WHERE d.hook = h.hook AND d.due < $1) \
            ORDER BY h.hook LIMIT 100",
        dialect::lock_rows!("FOR UPDATE OF h SKIP LOCKED")
    );
    let hooks = query!(HOOKS, binds![before.as_micros()]);
    let ((), hooks) = try_join!(dialect::by_index(conn), conn.rows::<(i64,)>(hooks))?;
    let mut left = i64::from(limit);
    for (hook,) in hooks {
        left -= expire_of(conn, hook, (before, now), left).await?;
        if left <= 0 {
            break;
        }
    }
    Ok(u64::try_from(i64::from(limit) - left).unwrap_or(0))
}

async fn expire_of(
    conn: &Conn,
    hook: i64,
    (before, now): (Timestamp, Timestamp),
    limit: i64,
) -> Outcome<i64> {
    const EXPIRE: &str = concat!(
        "UPDATE deliveries SET state = 'EXPIRED', due = NULL, ended = $1, claimed_until = 0 \
            WHERE (hook, position) IN (SELECT hook, position FROM deliveries \
            WHERE hook = $2 AND due < $3 AND claimed_until <= $1 \
            ORDER BY due, position LIMIT CAST($4 AS BIGINT)",
        dialect::lock_rows!("FOR UPDATE SKIP LOCKED"),
        ")"
    );
    const COUNT: &str = "UPDATE hooks SET expired = expired + $1 WHERE hook = $2";
    let values = binds![now.as_micros(), hook, before.as_micros(), limit];
    let expired = count(conn.execute(command!(EXPIRE, values)).await?);
    if expired > 0 {
        conn.execute(command!(COUNT, binds![expired, hook])).await?;
    }
    Ok(expired)
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}
