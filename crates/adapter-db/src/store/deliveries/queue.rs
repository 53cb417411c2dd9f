//! The queue of deliveries: claims them for sending and records the results.
//!
//! The module `audit_log` adds deliveries, and `withdrawal` cancels them before they are sent. A power
//! failure may undo claims, but not results.

mod health;
mod permissions;

use std::collections::HashSet;

use async_trait::async_trait;
use futures_util::future::try_join_all;
use futures_util::try_join;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::HookHealth;
use payroll_ports::StoreError;
use payroll_ports::deliveries::{
    AttemptRecord, ClaimRequest, ClaimedDelivery, DeliveryId, DeliveryQueue, DeliveryTarget,
    HookHealthChange, HookNumber, ReadyHook,
};

use super::super::lists::to_unsigned_count;
use super::super::{Conn, Store, dialect, queue};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::deliveries::{ClaimRow, ClaimedRow, FinishedDeliveryRow};
use crate::rows::hooks::HookRow;
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::TableDefinition;

use permissions::ApplicationPermissions;

#[async_trait]
impl DeliveryQueue for Store {
    async fn wait_for_deliveries(&self) {
        self.db.wait_for_deliveries().await;
    }

    async fn ready_hooks(&self) -> Result<Vec<ReadyHook>, StoreError> {
        Ok(self.db.read(|conn| Box::pin(read_ready_hooks(conn))).await?)
    }

    async fn claim_deliveries(
        &self,
        requests: &[ClaimRequest],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        Ok(run_on_connection!(self.write_without_sync, |conn, requests| claim_deliveries(
            conn, &requests, now, until
        ))?)
    }

    async fn read_targets(&self, hooks: &[HookNumber]) -> Result<Vec<DeliveryTarget>, StoreError> {
        let sealer = &self.sealer;
        Ok(run_on_connection!(self.read, |conn, hooks, sealer| read_targets(conn, &hooks, &sealer))?)
    }

    async fn record_attempts(
        &self,
        attempts: &[AttemptRecord],
        hooks: &[HookHealthChange],
    ) -> Result<(), StoreError> {
        let sealer = &self.sealer;
        Ok(run_on_connection!(self.write_in_series, |conn, attempts, hooks, sealer| record_attempts(
            conn, &attempts, hooks, &sealer
        ))?)
    }

    async fn make_deliveries_due(
        &self,
        now: Timestamp,
        latest_due: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError> {
        Ok(run_on_connection!(self.write, |conn| make_deliveries_due(conn, (now, latest_due), limit))?)
    }

    async fn release_claims(&self, delivery_ids: &[DeliveryId]) -> Result<(), StoreError> {
        let rows: Vec<ClaimRow> = delivery_ids.iter().copied().map(ClaimRow::new_unclaimed).collect();
        if run_on_connection!(self.write_without_sync, |conn| dialect::bulk_update(conn, &rows))? > 0 {
            self.db.notify_other_processes();
        }
        Ok(())
    }
}

/// Reads the hooks that have due deliveries. The query steps from hook to hook through the index of due
/// deliveries. Its time depends on the number of these hooks, and not on the number of deliveries.
async fn read_ready_hooks(conn: &Conn) -> Outcome<Vec<ReadyHook>> {
    const SELECT_READY_HOOKS: &str = "WITH RECURSIVE waiting (hook) AS (\
        SELECT (SELECT hook FROM deliveries WHERE due IS NOT NULL ORDER BY hook, due, position LIMIT 1) \
        UNION ALL SELECT (SELECT d.hook FROM deliveries d WHERE d.due IS NOT NULL AND d.hook > waiting.hook \
            ORDER BY d.hook, d.due, d.position LIMIT 1) FROM waiting WHERE waiting.hook IS NOT NULL) \
        SELECT h.hook, h.application_id, coalesce(\
            (SELECT d.due FROM deliveries d WHERE d.hook = h.hook AND h.ordered \
                AND d.due IS NOT NULL AND d.ordered ORDER BY d.position + 0 LIMIT 1), \
            (SELECT d.due FROM deliveries d WHERE d.hook = h.hook \
                AND d.due IS NOT NULL ORDER BY d.due, d.position LIMIT 1)) \
        FROM waiting CROSS JOIN hooks h WHERE h.hook = waiting.hook AND h.active";
    // Applications may be on another node than deliveries, so a separate statement reads the applications.
    const SELECT_DISABLED_APPLICATIONS: &str = "SELECT application_id FROM applications WHERE NOT enabled";
    let (rows, disabled) = try_join!(
        conn.query_rows::<(i64, String, Option<i64>)>(query!(SELECT_READY_HOOKS, [])),
        conn.query_rows::<(String,)>(query!(SELECT_DISABLED_APPLICATIONS, []))
    )?;
    let disabled: HashSet<String> = disabled.into_iter().map(|(id,)| id).collect();
    let ready = rows.into_iter().filter_map(|(hook, application_id, due)| {
        let due = due.filter(|_| !disabled.contains(&application_id))?;
        Some(ReadyHook { hook: HookNumber(hook), due: Timestamp::from_micros(due) })
    });
    Ok(ready.collect())
}

async fn claim_deliveries(
    conn: &Conn,
    requests: &[ClaimRequest],
    now: Timestamp,
    until: Timestamp,
) -> Outcome<Vec<ClaimedDelivery>> {
    let (now_at, until) = (now.as_micros(), until.as_micros());
    let rows = try_join_all(requests.iter().map(|wish| {
        let (hook, most) = (wish.hook.0, i64::from(wish.limit));
        conn.query_rows::<ClaimedRow>(match wish.in_order {
            false => query!(queue::CLAIM_DELIVERIES, binds![until, hook, now_at, most]),
            true => query!(queue::CLAIM_DELIVERIES_IN_ORDER, binds![until, hook, now_at]),
        })
    }));
    let rows: Vec<Vec<ClaimedRow>> = rows.await?;
    let known = ApplicationPermissions::load(conn, &rows).await?;
    let (mut claimed, mut cancelled, mut freed) = (Vec::new(), Vec::new(), Vec::new());
    for (wish, mut rows) in requests.iter().zip(rows) {
        rows.sort_unstable_by_key(ClaimedRow::queue_position);
        for row in rows {
            let id = row.id(wish.hook);
            let Some(scopes) = known.find_granted_scopes(&row) else {
                freed.push(ClaimRow::new_unclaimed(id));
                continue;
            };
            // The grant may have been revoked while the delivery was in the queue.
            match row
                .is_visible_with(scopes)
                .and_then(|may| may.then(|| row.into_claimed_delivery(wish.hook)).transpose())
            {
                Ok(Some(delivery)) => claimed.push(delivery),
                Ok(None) => cancelled.push(FinishedDeliveryRow::new_cancelled(id, now)),
                // An invalid row is skipped and stays in the queue, because a different release may be able
                // to read it. All other deliveries are sent.
                Err(failure) => {
                    let error = StoreError::from(failure);
                    tracing::error!(%error, "a delivery is left out");
                }
            }
        }
    }
    try_join!(dialect::bulk_update(conn, &cancelled), dialect::bulk_update(conn, &freed))?;
    Ok(claimed)
}

async fn make_deliveries_due(conn: &Conn, (now, latest): (Timestamp, Timestamp), limit: u32) -> Outcome<u64> {
    const MAKE_DELIVERIES_DUE: &str = "UPDATE deliveries \
        SET due = CASE WHEN due > $1 THEN $1 ELSE due END, claimed_until = 0 \
        WHERE (hook, position) IN (SELECT hook, position FROM deliveries \
            WHERE due IS NOT NULL AND (due > $2 OR claimed_until > $2) LIMIT CAST($3 AS BIGINT))";
    let values = binds![now.as_micros(), latest.as_micros(), i64::from(limit)];
    let moved = conn.execute(command!(MAKE_DELIVERIES_DUE, values)).await?;
    to_unsigned_count(i64::try_from(moved).unwrap_or(0))
}

async fn read_targets(conn: &Conn, hooks: &[HookNumber], sealer: &Sealer) -> Outcome<Vec<DeliveryTarget>> {
    const SELECT_HOOK: &str = sql!["SELECT ", HookRow::COLUMNS, " FROM hooks WHERE hook = $1"];
    let rows = hooks.iter().map(|hook| conn.query_row(query!(SELECT_HOOK, binds![hook.0])));
    let rows: Vec<Option<HookRow>> = try_join_all(rows).await?;
    let readable = rows.iter().flatten().filter_map(|row| match to_delivery_target(row, sealer) {
        Ok(target) => Some(target),
        Err(failure) => {
            let error = StoreError::from(failure);
            tracing::error!(%error, "a hook is left out");
            None
        }
    });
    Ok(readable.collect())
}

fn to_delivery_target(row: &HookRow, sealer: &Sealer) -> Outcome<DeliveryTarget> {
    Ok(DeliveryTarget {
        hook: HookNumber(row.hook),
        version: row.version,
        key: row.read_key()?,
        address: row.read_address()?,
        authentication: row.decrypt_authentication(sealer)?,
        signing_secret: row.decrypt_current_secret(sealer)?,
        old_signing_secret: row.decrypt_old_secret(sealer)?,
        health: HookHealth {
            failing_since: row.failing_since.map(Timestamp::from_micros),
            warned: row.warned,
        },
        options: row.read_delivery_options()?,
    })
}

/// Records attempts. Hooks are changed before deliveries, as in every transaction that changes hooks and
/// deliveries. Deliveries are changed in ascending order. Concurrent calls therefore cannot deadlock.
async fn record_attempts(
    conn: &Conn,
    attempts: &[AttemptRecord],
    mut hooks: Vec<HookHealthChange>,
    sealer: &Sealer,
) -> Outcome<()> {
    hooks.sort_unstable_by_key(|outcome| outcome.hook);
    let mut attempts: Vec<&AttemptRecord> = attempts.iter().collect();
    attempts.sort_by_key(|attempted| attempted.id);
    try_join!(
        health::record_hook_health(conn, &hooks, &attempts, sealer),
        queue::record_attempts(conn, &attempts)
    )
    .map(|_| ())
}
