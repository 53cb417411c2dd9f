//! Inserts events and their deliveries in one statement. A change that no hook is registered for therefore
//! needs no extra statement.

use futures_util::try_join;

use super::connection::Conn;
use super::dialect::{bulk_insert, columns};
use crate::error::{Failure, Outcome};
use crate::fan_out::{deliveries_to_all, deliveries_to_one, required_scopes};
use crate::rows::audit_log::{NewAuditRow, NewEventRow};
use crate::statement::{BindValue, command, sql};
use crate::table::{OnConflict, TableDefinition};

/// Inserts one event with these values.
const INSERT_EVENT: &str = sql![
    "WITH stored AS (INSERT INTO events (",
    NewEventRow::COLUMNS,
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)) "
];
/// Inserts one event and a row of the audit log with the values $11 to $19.
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
const INSERT_EVENT_FOR_ALL: &str =
    sql![INSERT_EVENT, deliveries_to_all!("", "$1", "$2", "$4", "$5", "$6", "$7", "$8", "$9", "$10")];
const INSERT_AUDITED_EVENT_FOR_ALL: &str = sql![
    INSERT_EVENT_AND_AUDIT_ROW,
    deliveries_to_all!("", "$1", "$2", "$4", "$5", "$6", "$7", "$8", "$9", "$10")
];
const INSERT_EVENT_FOR_ONE: &str =
    sql![INSERT_EVENT, deliveries_to_one!("", "$1", "$2", "$4", "$5", "$6", "$7", "$8", "$3")];
const INSERT_EVENTS_FOR_ALL: &str = sql![
    INSERT_EVENTS,
    deliveries_to_all!(
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
const INSERT_EVENTS_FOR_ONE: &str = sql![
    INSERT_EVENTS,
    deliveries_to_one!(
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
/// deliveries. Most changes have one audit row and one event, which need a single statement.
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
        let values = event.values().into_iter().chain(needed).chain(noted.values());
        return conn.execute(command!(INSERT_AUDITED_EVENT_FOR_ALL, values)).await;
    }
    let (_, queued) =
        try_join!(bulk_insert(conn, OnConflict::Fail, audit), insert_events_for_all(conn, events))?;
    Ok(queued)
}

async fn insert_events_for_all(conn: &Conn, events: &[NewEventRow]) -> Outcome<usize> {
    let (to_one, to_all): (Vec<_>, Vec<_>) = events.iter().partition(|event| event.application_id.is_some());
    let (one, all) = try_join!(
        insert(conn, &to_one, (INSERT_EVENT_FOR_ONE, INSERT_EVENTS_FOR_ONE)),
        insert(conn, &to_all, (INSERT_EVENT_FOR_ALL, INSERT_EVENTS_FOR_ALL)),
    )?;
    Ok(one + all)
}

async fn insert(
    conn: &Conn,
    events: &[&NewEventRow],
    (of_one, of_many): (&'static str, &'static str),
) -> Outcome<usize> {
    let mut rows: Vec<Vec<BindValue<'_>>> = Vec::with_capacity(events.len());
    for event in events {
        let mut values = event.values();
        // An event for one application requires no scopes. If it is inserted alone, its statement has no
        // parameters for scopes.
        if event.application_id.is_none() || events.len() > 1 {
            values.extend(required_scopes(event)?.map(BindValue::from));
        }
        rows.push(values);
    }
    match rows.len() {
        0 => Ok(0),
        1 => conn.execute(command(of_one, rows.remove(0))).await,
        _ => conn.execute(command(of_many, columns(rows)?)).await,
    }
}
