//! Inserts events and their deliveries with prepared statements, which run once for each event.

use super::connection::Conn;
use super::dialect;
use crate::error::Outcome;
use crate::fan_out::{
    insert_deliveries_for_all_hooks, insert_deliveries_for_application_hooks, required_scopes,
};
use crate::rows::audit_log::{NewAuditRow, NewEventRow};
use crate::statement::{Statement, binds, command, query};
use crate::table::OnConflict;

const INSERT_DELIVERIES_FOR_ALL_HOOKS: &str =
    insert_deliveries_for_all_hooks!("", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9");
const INSERT_DELIVERIES_FOR_APPLICATION_HOOKS: &str =
    insert_deliveries_for_application_hooks!("", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8");

/// Inserts audit rows and events, and a delivery for each hook that an event concerns. Returns the number of
/// deliveries.
pub(crate) async fn insert_events(
    conn: &Conn,
    audit: &[NewAuditRow],
    events: &[NewEventRow],
) -> Outcome<usize> {
    const SELECT_ANY_HOOK: &str = "SELECT hook FROM hooks LIMIT 1";
    dialect::bulk_insert(conn, OnConflict::Fail, audit).await?;
    dialect::bulk_insert(conn, OnConflict::Fail, events).await?;
    if events.is_empty() || conn.query_row::<(i64,)>(query!(SELECT_ANY_HOOK, [])).await?.is_none() {
        return Ok(0);
    }
    let statements = events.iter().map(insert_deliveries_statement).collect::<Outcome<Vec<_>>>()?;
    conn.execute_all(statements.into_iter())
}

fn insert_deliveries_statement(event: &NewEventRow) -> Outcome<Statement<'_>> {
    let values = binds![
        &event.event_id,
        &event.company_id,
        &event.worker_id,
        &event.pay_period_id,
        &event.domain,
        &event.action,
        event.as_of
    ];
    let values = values.into_iter();
    Ok(match &event.application_id {
        Some(application_id) => {
            command!(INSERT_DELIVERIES_FOR_APPLICATION_HOOKS, values.chain(binds![application_id]))
        }
        None => {
            let [scope, other] = required_scopes(event)?;
            command!(INSERT_DELIVERIES_FOR_ALL_HOOKS, values.chain(binds![scope, other]))
        }
    })
}
