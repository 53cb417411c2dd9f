//! Reads hooks for applications and for operators.

use std::collections::HashMap;

use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded, Scopes};
use payroll_domain::date::Timestamp;
use payroll_domain::hook::{Hook, HookKey};
use payroll_domain::id::{ApplicationId, CompanyId, HookId};
use payroll_ports::hooks::{HookQueue, HookWithQueue, RegistrationFacts};

use super::super::lists::to_unsigned_count;
use super::super::{Conn, access};
use crate::error::Outcome;
use crate::rows::hooks::HookRow;
use crate::statement::{BindValue, binds, query, sql};
use crate::table::TableDefinition;

/// Reads the hooks of an application, in the order of registration.
const SELECT_HOOKS_OF_APPLICATION: &str =
    sql!["SELECT ", HookRow::COLUMNS, " FROM hooks WHERE application_id = $1 ORDER BY hook"];
/// Reads one hook of an application.
const SELECT_HOOK: &str =
    sql!["SELECT ", HookRow::COLUMNS, " FROM hooks WHERE application_id = $1 AND hook_id = $2"];

/// Reads the hooks of the caller's application.
pub(super) async fn read_hooks_of_caller(conn: &Conn, caller: &Caller) -> Outcome<Guarded<Vec<Hook>>> {
    let rows = conn.query_rows(query!(SELECT_HOOKS_OF_APPLICATION, binds![caller.application_id.as_str()]));
    let ((access, _), rows) = try_join!(access::read_access(conn, caller, None), rows)?;
    let rows: Vec<HookRow> = rows;
    let hooks = rows.iter().map(HookRow::to_hook).collect::<Outcome<_>>()?;
    Ok(Guarded::new(access, hooks))
}

/// Reads a hook of the caller's application.
pub(super) async fn read_hook_of_caller(
    conn: &Conn,
    caller: &Caller,
    hook_id: &HookId,
) -> Outcome<Guarded<Option<Hook>>> {
    let key = binds![caller.application_id.as_str(), hook_id.as_str()];
    let ((access, _), row) =
        try_join!(access::read_access(conn, caller, None), conn.query_row(query!(SELECT_HOOK, key)))?;
    let row: Option<HookRow> = row;
    Ok(Guarded::new(access, row.as_ref().map(HookRow::to_hook).transpose()?))
}

/// Reads the data for validating that the caller may register a hook: its granted scopes and its number of
/// hooks.
pub(super) async fn read_hook_registration_data(
    conn: &Conn,
    caller: &Caller,
    company_id: Option<&CompanyId>,
) -> Outcome<Guarded<RegistrationFacts>> {
    const COUNT_HOOKS: &str = "SELECT count(*) FROM hooks WHERE application_id = $1";
    let count = conn.query_row(query!(COUNT_HOOKS, binds![caller.application_id.as_str()]));
    let ((access, _), count) =
        try_join!(access::read_access(conn, caller, company_id.map(|id| id.as_str())), count)?;
    let count: Option<(i64,)> = count;
    let granted = access.company.as_ref().map_or(Scopes::NONE, |company| company.granted_scopes);
    let hooks = u32::try_from(count.map_or(0, |(count,)| count)).unwrap_or(u32::MAX);
    Ok(Guarded::new(access, RegistrationFacts { granted_scopes: granted, hooks }))
}

/// The number that identifies a hook, the count of its pending deliveries, and the instant at which the
/// oldest one was queued.
type QueueRow = (i64, i64, Option<i64>);

/// Reads all hooks, or those of one application.
pub(super) async fn read_hooks_with_queues(
    conn: &Conn,
    application_id: Option<&ApplicationId>,
) -> Outcome<Vec<HookWithQueue>> {
    const SELECT_ALL_HOOKS: &str = sql!["SELECT ", HookRow::COLUMNS, " FROM hooks ORDER BY hook"];
    const SELECT_ALL_QUEUE_SIZES: &str =
        "SELECT hook, count(*), min(queued) FROM deliveries WHERE due IS NOT NULL GROUP BY hook";
    const SELECT_QUEUE_SIZES: &str = "SELECT h.hook, count(*), min(d.queued) \
        FROM hooks h JOIN deliveries d ON d.hook = h.hook \
        WHERE h.application_id = $1 AND d.due IS NOT NULL GROUP BY h.hook";
    match application_id {
        None => combine_hooks_with_queues(conn, [SELECT_ALL_HOOKS, SELECT_ALL_QUEUE_SIZES], &[]).await,
        Some(id) => {
            combine_hooks_with_queues(
                conn,
                [SELECT_HOOKS_OF_APPLICATION, SELECT_QUEUE_SIZES],
                &binds![id.as_str()],
            )
            .await
        }
    }
}

/// Reads one hook with its health and its queue.
pub(super) async fn read_hook_with_queue(conn: &Conn, key: &HookKey) -> Outcome<Option<HookWithQueue>> {
    const SELECT_QUEUE_SIZE: &str = "SELECT h.hook, count(*), min(d.queued) \
        FROM hooks h JOIN deliveries d ON d.hook = h.hook \
        WHERE h.application_id = $1 AND h.hook_id = $2 AND d.due IS NOT NULL GROUP BY h.hook";
    let key = binds![key.application_id.as_str(), key.hook_id.as_str()];
    Ok(combine_hooks_with_queues(conn, [SELECT_HOOK, SELECT_QUEUE_SIZE], &key).await?.pop())
}

async fn combine_hooks_with_queues(
    conn: &Conn,
    [hooks, queues]: [&'static str; 2],
    values: &[BindValue<'_>],
) -> Outcome<Vec<HookWithQueue>> {
    let values = || values.iter().cloned();
    let (hooks, queues) =
        try_join!(conn.query_rows(query(hooks, values())), conn.query_rows(query(queues, values())),)?;
    let (hooks, queues): (Vec<HookRow>, Vec<QueueRow>) = (hooks, queues);
    let queues: HashMap<_, _> =
        queues.into_iter().map(|(hook, count, oldest)| (hook, (count, oldest))).collect();
    hooks
        .iter()
        .map(|row| {
            let (waiting, oldest) = queues.get(&row.hook).copied().unwrap_or_default();
            let queue = HookQueue {
                pending: to_unsigned_count(waiting)?,
                oldest_waiting: oldest.map(Timestamp::from_micros),
                failing_since: row.failing_since.map(Timestamp::from_micros),
                failures: to_unsigned_count(row.failures)?,
                disabled: row.disabled.map(Timestamp::from_micros),
                expired: to_unsigned_count(row.expired)?,
            };
            Ok(HookWithQueue { hook: row.to_hook()?, queue })
        })
        .collect()
}
