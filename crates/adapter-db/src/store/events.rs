//! The feed of events. No event ever appears before the cursor of a reader.
//!
//! A position is assigned when a row is written, not when it is committed. With several concurrent writers,
//! an event is therefore only shown after its own transaction and all transactions with a lower id have ended
//! (`dialect::feed`). Events are ordered by transaction, and within a transaction by position.

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::access::{Caller, Guarded, Scope};
use payroll_domain::date::Timestamp;
use payroll_domain::event::EventDomain;
use payroll_ports::StoreError;
use payroll_ports::events::{EventStore, FeedQuery, FeedResult};

use super::dialect::{equals_any, feed};
use super::filters::LogCompanySelection;
use super::{Conn, Store, access, dialect};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::audit_log::EventRow;
use crate::statement::{self, BindValue, Statement, binds, command, query, sql};
use crate::table::TableDefinition;

/// The maximum number of events that one request scans, including those that its filter omits. Without this
/// limit, a filter that matches nothing would read the complete feed. The request returns the position of the
/// last scanned event.
const SCAN_LIMIT_SQL: &str = " LIMIT 10000";
/// Selects the last of the events that one request scans. The next page starts after this event.
const LAST_SCANNED_EVENT_SQL: &str = " LIMIT 1 OFFSET 9999";

/// Selects the settled events after the position $1, of the company $2 or of all companies. At the start of
/// the feed, $1 is less than every position.
const FROM_EVENTS_OF_COMPANY: &str = sql![
    " FROM events WHERE ",
    feed::AFTER_POSITION,
    " AND company_id = $2 AND ",
    feed::IS_SETTLED,
    " ORDER BY ",
    feed::FEED_ORDER
];
/// Like [`FROM_EVENTS_OF_COMPANY`], for the companies in the list $2.
const FROM_EVENTS_OF_COMPANIES: &str = sql![
    " FROM events WHERE ",
    feed::AFTER_POSITION,
    " AND company_id",
    equals_any!("$2"),
    " AND ",
    feed::IS_SETTLED,
    " ORDER BY ",
    feed::FEED_ORDER
];
const FROM_ALL_EVENTS: &str = sql![
    " FROM events WHERE ",
    feed::AFTER_POSITION,
    " AND CAST($2 AS TEXT) IS NULL AND ",
    feed::IS_SETTLED,
    " ORDER BY ",
    feed::FEED_ORDER
];

const SELECT_EVENTS: &str = sql!["SELECT ", EventRow::COLUMNS, " FROM (SELECT *"];

/// The end of the query for operators: events of the domain $3, at most $4 of them.
const OPERATOR_CONDITION: &str = sql![
    SCAN_LIMIT_SQL,
    ") looked WHERE (CAST($3 AS TEXT) IS NULL OR domain = $3) ORDER BY ",
    feed::FEED_ORDER,
    " LIMIT CAST($4 AS BIGINT)"
];

/// The end of the query that returns at most $9 events of the domain $4 to the application $3. An application
/// always sees events that only this application gets. The list $5 contains the domains of all other visible
/// events. Each of the lists $6, $7 and $8 contains the domains that also require one scope in the grant.
const APPLICATION_CONDITION: &str = sql![
    SCAN_LIMIT_SQL,
    ") looked LEFT JOIN (SELECT company_id AS granted_id, scopes FROM grants WHERE application_id = $3) granted \
        ON granted_id = company_id \
    WHERE (CAST($4 AS TEXT) IS NULL OR domain = $4) AND (application_id = $3 OR (\
        application_id IS NULL AND scopes IS NOT NULL AND domain",
    equals_any!("$5"),
    " AND (scopes LIKE '%read:companies%' OR NOT domain",
    equals_any!("$6"),
    ") AND (scopes LIKE '%read:payroll%' OR NOT domain",
    equals_any!("$7"),
    ") AND (scopes LIKE '%read:workers%' OR NOT domain",
    equals_any!("$8"),
    "))) ORDER BY ",
    feed::FEED_ORDER,
    " LIMIT CAST($9 AS BIGINT)"
];

/// The scopes that event domains can require, in the order of the parameters of the query for applications.
const SCOPES_WITH_EVENTS: [Scope; 3] = [Scope::ReadCompanies, Scope::ReadPayroll, Scope::ReadWorkers];

#[async_trait]
impl EventStore for Store {
    async fn read_events(&self, query: &FeedQuery) -> Result<FeedResult, StoreError> {
        Ok(run_on_connection!(self.read, |conn, query| read_feed(conn, &query, None))?)
    }

    async fn read_caller_events(
        &self,
        caller: &Caller,
        query: &FeedQuery,
    ) -> Result<Guarded<FeedResult>, StoreError> {
        let (caller, query) = (caller.clone(), query.clone());
        let read = self.db.read(move |conn| {
            Box::pin(async move {
                let company_id = query.company_id.as_ref().map(|id| id.as_str());
                let ((access, _), feed) = try_join!(
                    access::read_access(conn, &caller, company_id),
                    read_feed(conn, &query, Some(&caller))
                )?;
                Ok(Guarded::new(access, feed))
            })
        });
        Ok(read.await?)
    }

    async fn delete_events_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(run_on_connection!(self.write, |conn| delete_events_before(conn, before, limit))?)
    }
}

impl Store {
    /// Lowers the transaction ids of the events of a restored database, so that the feed lists these events
    /// before all new events.
    pub(crate) async fn lower_restored_transaction_ids(&self) -> Outcome<()> {
        self.db.write(|conn| Box::pin(dialect::lower_restored_transaction_ids(conn))).await
    }
}

async fn read_feed(conn: &Conn, query: &FeedQuery, caller: Option<&Caller>) -> Outcome<FeedResult> {
    let (known, rows, head) = try_join!(
        event_exists(conn, query.after),
        conn.query_rows(feed_statement(query, caller)),
        read_last_position(conn)
    )?;
    if !known {
        return Ok(FeedResult::TooOld);
    }
    let rows: Vec<EventRow> = rows;
    let limit = usize::try_from(query.limit.get()).unwrap_or(usize::MAX);
    let next = match rows.last() {
        Some(last) if rows.len() >= limit => Some(last.position),
        // This query runs in the snapshot of the page. It scans all events that one request may read, so it
        // is omitted if the page is full.
        _ => read_last_scanned_position(conn, query).await?.or(head),
    };
    let events = rows.into_iter().map(EventRow::into_event).collect::<Outcome<Vec<_>>>()?;
    Ok(FeedResult::Events { events, next })
}

/// Returns whether the event at the position exists, so that reading can continue after it. `None` means the
/// start of the feed, which always exists.
async fn event_exists(conn: &Conn, after: Option<i64>) -> Outcome<bool> {
    const SELECT_KNOWN_POSITION: &str =
        sql!["SELECT position FROM events WHERE position = $1 AND ", feed::IS_SETTLED];
    let Some(position) = after else { return Ok(true) };
    Ok(read_position(conn, query!(SELECT_KNOWN_POSITION, binds![position])).await?.is_some())
}

fn feed_statement<'a>(query: &'a FeedQuery, caller: Option<&'a Caller>) -> Statement<'a> {
    let mut values = cursor_binds(query).to_vec();
    let domain = query.domain.map(EventDomain::as_str);
    let Some(caller) = caller else {
        values.extend(binds![domain, i64::from(query.limit.get())]);
        let text = match select_companies(query) {
            LogCompanySelection::One(_) => sql![SELECT_EVENTS, FROM_EVENTS_OF_COMPANY, OPERATOR_CONDITION],
            LogCompanySelection::Among(_) => {
                sql![SELECT_EVENTS, FROM_EVENTS_OF_COMPANIES, OPERATOR_CONDITION]
            }
            LogCompanySelection::All => sql![SELECT_EVENTS, FROM_ALL_EVENTS, OPERATOR_CONDITION],
        };
        return statement::query(text, values);
    };
    values.extend(binds![caller.application_id.as_str(), domain]);
    values.push(bind_selected_domains(|domain| domain.needed_scopes().difference(caller.scopes).is_empty()));
    values.extend(
        SCOPES_WITH_EVENTS
            .map(|scope| bind_selected_domains(|domain| domain.needed_scopes().contains(scope))),
    );
    values.extend(binds![i64::from(query.limit.get())]);
    let text = match select_companies(query) {
        LogCompanySelection::One(_) => sql![SELECT_EVENTS, FROM_EVENTS_OF_COMPANY, APPLICATION_CONDITION],
        LogCompanySelection::Among(_) => sql![SELECT_EVENTS, FROM_EVENTS_OF_COMPANIES, APPLICATION_CONDITION],
        LogCompanySelection::All => sql![SELECT_EVENTS, FROM_ALL_EVENTS, APPLICATION_CONDITION],
    };
    statement::query(text, values)
}

/// Returns the values for $1 and $2 of a query that continues after a position.
fn cursor_binds(query: &FeedQuery) -> [BindValue<'_>; 2] {
    let of = match select_companies(query) {
        LogCompanySelection::One(id) => BindValue::from(id.as_str()),
        LogCompanySelection::Among(ids) => dialect::bind_list(ids.iter().map(|id| id.as_str())),
        LogCompanySelection::All => BindValue::from(None::<String>),
    };
    [BindValue::from(query.after.unwrap_or(i64::MIN)), of]
}

fn select_companies(query: &FeedQuery) -> LogCompanySelection<'_> {
    LogCompanySelection::new(query.company_id.as_ref(), query.visible_companies.as_deref())
}

fn bind_selected_domains(is_selected: impl Fn(EventDomain) -> bool) -> BindValue<'static> {
    let selected = EventDomain::ALL.iter().filter(|domain| is_selected(**domain));
    dialect::bind_list(selected.map(|domain| domain.as_str()))
}

/// Returns the position of the last event that one request scans, if the feed has more events.
async fn read_last_scanned_position(conn: &Conn, query: &FeedQuery) -> Outcome<Option<i64>> {
    let text = match select_companies(query) {
        LogCompanySelection::One(_) => {
            sql!["SELECT position", FROM_EVENTS_OF_COMPANY, LAST_SCANNED_EVENT_SQL]
        }
        LogCompanySelection::Among(_) => {
            sql!["SELECT position", FROM_EVENTS_OF_COMPANIES, LAST_SCANNED_EVENT_SQL]
        }
        LogCompanySelection::All => sql!["SELECT position", FROM_ALL_EVENTS, LAST_SCANNED_EVENT_SQL],
    };
    read_position(conn, statement::query(text, cursor_binds(query))).await
}

/// Returns the position of the last settled event. No other event can still appear before a settled event.
async fn read_last_position(conn: &Conn) -> Outcome<Option<i64>> {
    const SELECT_LAST_POSITION: &str = sql![
        "SELECT position FROM events WHERE ",
        feed::IS_SETTLED,
        " ORDER BY ",
        feed::FEED_ORDER_NEWEST_FIRST,
        " LIMIT 1"
    ];
    read_position(conn, query!(SELECT_LAST_POSITION, binds![])).await
}

async fn read_position(conn: &Conn, statement: Statement<'_>) -> Outcome<Option<i64>> {
    Ok(conn.query_row::<(i64,)>(statement).await?.map(|(position,)| position))
}

/// Deletes old events from the start of the feed up to the first newer event, so that the remaining feed has
/// no gap. The instants of events do not always follow the order of the feed. The last event is kept, because
/// it is the cursor of readers who have read the complete feed.
async fn delete_events_before(conn: &Conn, before: Timestamp, limit: u32) -> Outcome<u64> {
    const SELECT_OLDEST_EVENTS: &str = sql![
        "SELECT position, as_of FROM events WHERE ",
        feed::IS_SETTLED,
        " ORDER BY ",
        feed::FEED_ORDER,
        " LIMIT CAST($1 AS BIGINT)"
    ];
    const DELETE_EVENTS_UNTIL: &str = sql!["DELETE FROM events WHERE ", feed::UP_TO_POSITION];
    dialect::lower_restored_transaction_ids(conn).await?;
    let one_more = binds![i64::from(limit).saturating_add(1)];
    let oldest: Vec<(i64, i64)> = conn.query_rows(query!(SELECT_OLDEST_EVENTS, one_more)).await?;
    let all_but_the_last = oldest.len().saturating_sub(1);
    let old = oldest.into_iter().take(all_but_the_last).take_while(|(_, as_of)| *as_of < before.as_micros());
    let Some((position, _)) = old.last() else { return Ok(0) };
    let forgotten = conn.execute(command!(DELETE_EVENTS_UNTIL, binds![position])).await?;
    Ok(u64::try_from(forgotten).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_for_applications_checks_every_scope_of_a_domain() {
        let known = SCOPES_WITH_EVENTS.into_iter().collect();
        for domain in EventDomain::ALL {
            assert!(domain.needed_scopes().difference(known).is_empty(), "{domain}");
        }
    }
}
