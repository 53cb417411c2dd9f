//! Inserts events and their deliveries in one statement. The search for hooks therefore needs no extra
//! statement, even if no hook is registered for the event.

use futures_util::try_join;

use super::connection::Conn;
use super::dialect::{bulk_insert, transpose_into_columns};
use crate::error::{Failure, Outcome};
use crate::fan_out::{
    insert_deliveries_for_all_hooks, insert_deliveries_for_application_hooks, required_scopes,
};
use crate::rows::audit_log::{NewAuditRow, NewEventRow};
use crate::statement::{BindValue, command, sql};
use crate::table::{OnConflict, TableDefinition};

/// Inserts one event, whose column values are the parameters $1 to $8.
const INSERT_EVENT: &str = sql![
    "WITH stored AS (INSERT INTO events (",
    NewEventRow::COLUMNS,
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)) "
];
/// Inserts one event with the values $1 to $8, and a row of the audit log with the values $11 to $19.
const INSERT_EVENT_AND_AUDIT_ROW: &str = sql![
    "WITH noted AS (INSERT INTO audit (",
    NewAuditRow::COLUMNS,
    ") VALUES ($11, $12, $13, $14, $15, $16, $17, $18, $19)), stored AS (INSERT INTO events (",
    NewEventRow::COLUMNS,
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)) "
];
/// Inserts many events. Each parameter is an array with the values of one column.
const INSERT_EVENTS: &str = sql![
    "WITH new AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], \
        $6::text[], $7::text[], $8::int8[], $9::text[], $10::text[]) AS new (",
    NewEventRow::COLUMNS,
    ", scope, other_scope)), stored AS (INSERT INTO events (",
    NewEventRow::COLUMNS,
    ") SELECT ",
    NewEventRow::COLUMNS,
    " FROM new) "
];
const INSERT_EVENT_FOR_ALL_HOOKS: &str = sql![
    INSERT_EVENT,
    insert_deliveries_for_all_hooks!("", "$1", "$2", "$4", "$5", "$6", "$7", "$8", "$9", "$10")
];
const INSERT_AUDITED_EVENT_FOR_ALL_HOOKS: &str = sql![
    INSERT_EVENT_AND_AUDIT_ROW,
    insert_deliveries_for_all_hooks!("", "$1", "$2", "$4", "$5", "$6", "$7", "$8", "$9", "$10")
];
const INSERT_EVENT_FOR_APPLICATION_HOOKS: &str = sql![
    INSERT_EVENT,
    insert_deliveries_for_application_hooks!("", "$1", "$2", "$4", "$5", "$6", "$7", "$8", "$3")
];
const INSERT_EVENTS_FOR_ALL_HOOKS: &str = sql![
    INSERT_EVENTS,
    insert_deliveries_for_all_hooks!(
        "new CROSS JOIN ",
        "new.event_id",
        "new.company_id",
        "new.worker_id",
        "new.pay_period_id",
        "new.domain",
        "new.action",
        "new.as_of",
        "new.scope",
        "new.other_scope"
    )
];
const INSERT_EVENTS_FOR_APPLICATION_HOOKS: &str = sql![
    INSERT_EVENTS,
    insert_deliveries_for_application_hooks!(
        "new CROSS JOIN ",
        "new.event_id",
        "new.company_id",
        "new.worker_id",
        "new.pay_period_id",
        "new.domain",
        "new.action",
        "new.as_of",
        "new.application_id"
    )
];

/// Inserts audit rows and events, and a delivery for each hook that an event concerns. Returns the number of
/// deliveries. Most changes have one audit row and one event. A single statement inserts both.
pub(crate) async fn insert_events(
    conn: &Conn,
    audit: &[NewAuditRow],
    events: &[NewEventRow],
) -> Outcome<usize> {
    // The order of the feed is the order of the coordinator's transactions, so a node must not insert events.
    if conn.is_at_node && !events.is_empty() {
        return Err(Failure::Bug(
            "an event would be stored by another machine than the coordinator".to_owned(),
        ));
    }
    if let ([noted], [event]) = (audit, events)
        && event.application_id.is_none()
    {
        let needed = required_scopes(event)?.map(BindValue::from);
        let values = event.bind_values().into_iter().chain(needed).chain(noted.bind_values());
        return conn.execute(command!(INSERT_AUDITED_EVENT_FOR_ALL_HOOKS, values)).await;
    }
    let (_, queued) =
        try_join!(bulk_insert(conn, OnConflict::Fail, audit), insert_events_for_all(conn, events))?;
    Ok(queued)
}

async fn insert_events_for_all(conn: &Conn, events: &[NewEventRow]) -> Outcome<usize> {
    let (to_one, to_all): (Vec<_>, Vec<_>) = events.iter().partition(|event| event.application_id.is_some());
    let (one, all) = try_join!(
        execute_event_insert(
            conn,
            &to_one,
            (INSERT_EVENT_FOR_APPLICATION_HOOKS, INSERT_EVENTS_FOR_APPLICATION_HOOKS)
        ),
        execute_event_insert(conn, &to_all, (INSERT_EVENT_FOR_ALL_HOOKS, INSERT_EVENTS_FOR_ALL_HOOKS)),
    )?;
    Ok(one + all)
}

async fn execute_event_insert(
    conn: &Conn,
    events: &[&NewEventRow],
    (of_one, of_many): (&'static str, &'static str),
) -> Outcome<usize> {
    let mut rows: Vec<Vec<BindValue<'_>>> = Vec::with_capacity(events.len());
    for event in events {
        let mut values = event.bind_values();
        // An event for one application requires no scopes. The statement for exactly one such event has no
        // parameters for scopes. The statement for several events always has these parameters.
        if event.application_id.is_none() || events.len() > 1 {
            values.extend(required_scopes(event)?.map(BindValue::from));
        }
        rows.push(values);
    }
    match rows.len() {
        0 => Ok(0),
        1 => conn.execute(command(of_one, rows.remove(0))).await,
        _ => conn.execute(command(of_many, transpose_into_columns(rows)?)).await,
    }
}
