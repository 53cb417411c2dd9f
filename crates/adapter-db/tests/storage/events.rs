//! Tests that a reader of the event feed misses no event while others write, delete old events or restore the
//! database.

#![expect(clippy::panic, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use std::num::NonZeroU32;
use std::sync::Arc;

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, open_store, test_on_both_databases};
use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::date::Timestamp;
use payroll_domain::event::{Event, EventDomain};
use payroll_ports::Store;
use payroll_ports::contract::world::{create_company_and_caller, id};
use payroll_ports::events::{FeedQuery, FeedResult};

test_on_both_databases! {
    |database| (database, open_store(database.url()).await);
    a_reader_sees_each_event_of_sixteen_writers_once,
    a_filtered_page_returns_its_last_scanned_position,
    one_request_reads_a_limited_number_of_events,
    an_unknown_position_is_rejected_as_too_old,
    deletes_old_events_from_the_beginning_and_keeps_the_last,
    an_application_sees_the_events_of_its_grants_and_token,
}

/// Returns the SQL statement that inserts an event. The name is the id of the event.
fn insert_event_sql(name: &str, company: &str, domain: &str, application: &str, as_of: i64) -> String {
    format!(
        "INSERT INTO events (event_id, company_id, application_id, domain, action, as_of) \
         VALUES ('{name}', '{company}', nullif('{application}', ''), '{domain}', 'UPDATE', {as_of});"
    )
}

fn insert_acme_event_sql(name: &str) -> String {
    insert_event_sql(name, "acme", "CLT_DEM", "", 0)
}

fn feed_query(after: Option<i64>, limit: u32) -> FeedQuery {
    FeedQuery {
        after,
        company_id: None,
        visible_companies: None,
        domain: None,
        limit: NonZeroU32::new(limit).unwrap(),
    }
}

/// Returns the events of a page, and the position after which the next page begins.
fn events_and_next_position(feed: FeedResult) -> (Vec<Event>, Option<i64>) {
    match feed {
        FeedResult::Events { events, next } => (events, next),
        FeedResult::TooOld => panic!("too old"),
    }
}

fn event_names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.event_id.as_str()).collect()
}

/// Reads all events after a position, page by page. Returns the ids of the events and the last position.
async fn read_all_events(
    store: &Arc<dyn Store>,
    mut after: Option<i64>,
    limit: u32,
) -> (Vec<String>, Option<i64>) {
    let mut seen = Vec::new();
    loop {
        let (events, next) =
            events_and_next_position(store.read_events(&feed_query(after, limit)).await.unwrap());
        seen.extend(events.into_iter().map(|event| event.event_id));
        if next == after {
            return (seen, after);
        }
        after = next;
    }
}

/// Waits until the feed shows at least `count` events. On PostgreSQL, an event is hidden while any older
/// transaction of the cluster is open, even a transaction in another database.
async fn wait_for_event_count(store: &Arc<dyn Store>, count: usize) {
    while read_all_events(store, None, 1000).await.0.len() < count {
        tokio::task::yield_now().await;
    }
}

async fn event_summaries(store: &Arc<dyn Store>, caller: &Caller, query: &FeedQuery) -> Vec<String> {
    let guarded = store.read_caller_events(caller, query).await.unwrap();
    guarded.access().authenticate().unwrap();
    let (_, feed) = guarded.open_without_company(caller, Scope::ReadWebhooks).unwrap();
    events_and_next_position(feed).0.into_iter().map(|event| event.event_id).collect()
}

mod claims {
    use super::*;

    const WRITERS: usize = 16;
    const TRANSACTIONS: usize = 25;

    pub(super) async fn a_reader_sees_each_event_of_sixteen_writers_once(
        database: &TestDatabase,
        store: Arc<dyn Store>,
    ) {
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..WRITERS {
            let mut raw = RawConnection::connect_to(database).await;
            // SQLite blocks the thread while it waits for a lock, so each writer gets its own thread.
            let handle = tokio::runtime::Handle::current();
            writers.spawn_blocking(move || handle.block_on(write_events(&mut raw, writer)));
        }
        let (mut seen, mut after) = (Vec::new(), None);
        while !writers.is_empty() {
            let (more, next) = read_all_events(&store, after, 7).await;
            seen.extend(more);
            after = next;
            while let Some(written) = writers.try_join_next() {
                written.unwrap();
            }
            tokio::task::yield_now().await;
        }
        let written = WRITERS * TRANSACTIONS * 2 * 4 / 5;
        wait_for_event_count(&store, written).await;
        seen.extend(read_all_events(&store, after, 7).await.0);
        assert_eq!(seen.len(), written);
        let (again, _) = read_all_events(&store, None, 1000).await;
        assert_eq!(seen, again, "the order is the same for every reader");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), again.len(), "none twice");
    }

    /// Writes transactions with two events each. Every fifth transaction is rolled back.
    async fn write_events(raw: &mut RawConnection, writer: usize) {
        for transaction in 0..TRANSACTIONS {
            let name = |part| format!("{writer}-{transaction}-{part}");
            raw.begin_blocking_transaction(&insert_acme_event_sql(&name("a"))).await;
            tokio::task::yield_now().await;
            raw.execute(&insert_acme_event_sql(&name("b"))).await;
            raw.execute(if transaction % 5 == 4 { "ROLLBACK" } else { "COMMIT" }).await;
        }
    }

    pub(super) async fn a_filtered_page_returns_its_last_scanned_position(
        database: &TestDatabase,
        store: Arc<dyn Store>,
    ) {
        let mut raw = RawConnection::connect_to(database).await;
        for (name, company, domain) in [
            ("a", "one", "CLT_DEM"),
            ("b", "two", "CLT_ORG"),
            ("c", "one", "CLT_ORG"),
            ("d", "two", "CLT_DEM"),
        ] {
            raw.execute(&insert_event_sql(name, company, domain, "", 0)).await;
        }
        wait_for_event_count(&store, 4).await;
        let of = |company: Option<&str>, domain| FeedQuery {
            company_id: company.map(id),
            domain,
            ..feed_query(None, 10)
        };
        let (all, end) = events_and_next_position(store.read_events(&feed_query(None, 10)).await.unwrap());
        assert_eq!(event_names(&all), ["a", "b", "c", "d"]);
        assert_eq!(end, all.last().map(|event| event.position));
        for (query, expected) in [
            (of(Some("one"), None), vec!["a", "c"]),
            (of(None, Some(EventDomain::CompanyOrganizations)), vec!["b", "c"]),
            (of(Some("one"), Some(EventDomain::CompanyOrganizations)), vec!["c"]),
            (of(Some("none"), None), vec![]),
        ] {
            let (events, next) = events_and_next_position(store.read_events(&query).await.unwrap());
            assert_eq!((event_names(&events), next), (expected, end), "{query:?}");
        }
        let (first, next) = events_and_next_position(
            store.read_events(&FeedQuery { limit: NonZeroU32::MIN, ..of(Some("one"), None) }).await.unwrap(),
        );
        assert_eq!((event_names(&first), next), (vec!["a"], Some(all[0].position)));
        let (rest, _) = events_and_next_position(
            store.read_events(&FeedQuery { after: next, ..of(Some("one"), None) }).await.unwrap(),
        );
        assert_eq!(event_names(&rest), ["c"]);
    }

    pub(super) async fn one_request_reads_a_limited_number_of_events(
        database: &TestDatabase,
        store: Arc<dyn Store>,
    ) {
        RawConnection::connect_to(database)
            .await
            .execute(
                "INSERT INTO events (event_id, company_id, domain, action, as_of) \
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) \
                 SELECT CAST(i AS TEXT), 'acme', CASE WHEN i = 25000 THEN 'CLT_ORG' ELSE 'CLT_DEM' END, 'UPDATE', 0 \
                 FROM n",
            )
            .await;
        wait_for_event_count(&store, 25_000).await;
        for company in [None, Some(id("acme"))] {
            let (mut after, mut requests, mut seen) = (None, 0, Vec::new());
            while seen.is_empty() {
                let domain = Some(EventDomain::CompanyOrganizations);
                let query = FeedQuery { company_id: company.clone(), domain, ..feed_query(after, 10) };
                let (events, next) = events_and_next_position(store.read_events(&query).await.unwrap());
                assert!(next > after);
                (after, requests, seen) = (next, requests + 1, events);
            }
            assert_eq!((requests, event_names(&seen)), (3, vec!["25000"]));
        }
    }

    pub(super) async fn an_unknown_position_is_rejected_as_too_old(
        database: &TestDatabase,
        store: Arc<dyn Store>,
    ) {
        assert_eq!(
            events_and_next_position(store.read_events(&feed_query(None, 1)).await.unwrap()),
            (Vec::new(), None)
        );
        assert_eq!(
            store.read_events(&feed_query(Some(1), 1)).await.unwrap(),
            FeedResult::TooOld,
            "of an empty feed"
        );
        RawConnection::connect_to(database).await.execute(&insert_acme_event_sql("a")).await;
        wait_for_event_count(&store, 1).await;
        let (events, next) = events_and_next_position(store.read_events(&feed_query(None, 1)).await.unwrap());
        assert_eq!(event_names(&events), ["a"]);
        assert_eq!(
            events_and_next_position(store.read_events(&feed_query(next, 1)).await.unwrap()),
            (Vec::new(), next),
            "nothing new"
        );
        for none in [i64::MIN, -1, 0, next.unwrap() + 1, i64::MAX] {
            assert_eq!(
                store.read_events(&feed_query(Some(none), 1)).await.unwrap(),
                FeedResult::TooOld,
                "{none}"
            );
        }
    }

    pub(super) async fn deletes_old_events_from_the_beginning_and_keeps_the_last(
        database: &TestDatabase,
        store: Arc<dyn Store>,
    ) {
        let mut raw = RawConnection::connect_to(database).await;
        for (name, as_of) in [("a", 1), ("b", 2), ("c", 3), ("d", 9), ("e", 4), ("f", 5)] {
            raw.execute(&insert_event_sql(name, "acme", "CLT_DEM", "", as_of)).await;
        }
        wait_for_event_count(&store, 6).await;
        let (all, end) = events_and_next_position(store.read_events(&feed_query(None, 10)).await.unwrap());
        let forget = async |before, limit| {
            store.delete_events_before(Timestamp::from_micros(before), limit).await.unwrap()
        };
        assert_eq!(forget(1, 100).await, 0);
        assert_eq!(forget(9, 2).await, 2, "never more than were allowed");
        assert_eq!(forget(9, 100).await, 1, "e and f are old, and stand behind one that is not");
        assert_eq!(read_all_events(&store, None, 10).await.0, ["d", "e", "f"]);
        let after = |at: usize| feed_query(Some(all[at].position), 10);
        assert_eq!(store.read_events(&after(2)).await.unwrap(), FeedResult::TooOld);
        assert_eq!(
            event_names(&events_and_next_position(store.read_events(&after(3)).await.unwrap()).0),
            ["e", "f"]
        );
        assert_eq!(forget(i64::MAX, 100).await, 2);
        assert_eq!(forget(i64::MAX, 100).await, 0);
        let (rest, next) = events_and_next_position(store.read_events(&feed_query(end, 10)).await.unwrap());
        assert_eq!((rest.len(), next), (0, end), "who has read everything has missed nothing");
    }

    pub(super) async fn an_application_sees_the_events_of_its_grants_and_token(
        database: &TestDatabase,
        store: Arc<dyn Store>,
    ) {
        let mut caller = create_company_and_caller(&store).await;
        let mut raw = RawConnection::connect_to(database).await;
        raw.execute("DELETE FROM events").await;
        for domain in EventDomain::ALL.iter().filter(|it| **it != EventDomain::CompanyAccess) {
            raw.execute(&insert_event_sql(domain.as_str(), "acme", domain.as_str(), "", 0)).await;
            raw.execute(&insert_event_sql("elsewhere", "other", domain.as_str(), "", 0)).await;
        }
        raw.execute(&insert_event_sql("own", "lost", "CLT_ACCESS", "partner", 0)).await;
        raw.execute(&insert_event_sql("not own", "acme", "CLT_ACCESS", "somebody", 0)).await;
        wait_for_event_count(&store, 2 * (EventDomain::ALL.len() - 1) + 2).await;
        let every = feed_query(None, 100);
        let told_with = async |caller: &Caller| event_summaries(&store, caller, &every).await.join(" ");
        let workers = "WRKR_ADD WRKR_DEM WRKR_EMPL WRKR_TAX WRKR_ASGN";
        let clients = "CLT_DEM CLT_ORG CLT_PROD";
        assert_eq!(told_with(&caller).await, format!("{workers} WRKR_CMP {clients} CLT_PYRN own"));
        for (grant, expected) in [
            ("read:workers", format!("{workers} own")),
            ("read:payroll", "CLT_PYRN own".to_owned()),
            ("read:companies", format!("{clients} own")),
            ("read:payroll read:workers", format!("{workers} WRKR_CMP CLT_PYRN own")),
            ("write:companies write:payroll", "own".to_owned()),
        ] {
            raw.execute(&format!("UPDATE grants SET scopes = '{grant}'")).await;
            assert_eq!(told_with(&caller).await, expected, "granted {grant}");
        }
        raw.execute(&format!("UPDATE grants SET scopes = '{}'", Scopes::all())).await;
        caller.scopes = [Scope::ReadPayroll, Scope::ReadWebhooks].into_iter().collect();
        assert_eq!(told_with(&caller).await, "CLT_PYRN own", "the token has less");
        let filtered = FeedQuery { company_id: Some(id("acme")), ..feed_query(None, 100) };
        assert_eq!(event_summaries(&store, &caller, &filtered).await, ["CLT_PYRN"]);
        raw.execute("DELETE FROM grants").await;
        assert_eq!(told_with(&caller).await, "own");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_hidden_while_older_transactions_are_open_on_postgres() {
    let Some(database) = TestDatabase::postgres() else { return };
    database.create().await;
    let store = open_store(database.url()).await;
    let (mut slow, mut quick) =
        (RawConnection::connect_to(&database).await, RawConnection::connect_to(&database).await);
    slow.begin_blocking_transaction(&insert_acme_event_sql("slow")).await;
    quick.execute(&insert_acme_event_sql("quick")).await;
    assert_eq!(read_all_events(&store, None, 10).await.0, [""; 0], "else slow would come in behind quick");
    slow.execute("COMMIT").await;
    wait_for_event_count(&store, 2).await;
    assert_eq!(read_all_events(&store, None, 10).await.0, ["slow", "quick"]);
    database.delete_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_feed_continues_after_the_position_of_its_readers_on_postgres() {
    let Some(database) = TestDatabase::postgres() else { return };
    database.create().await;
    let store = open_store(database.url()).await;
    let mut raw = RawConnection::connect_to(&database).await;
    for name in ["b", "a", "d", "c"] {
        raw.execute(&insert_acme_event_sql(name)).await;
    }
    // The events get transaction ids as if they came from a cluster with higher ids. In that cluster, the
    // transactions of the events b and d began later than the others.
    raw.execute(
        "UPDATE events SET transaction_id = 9000000000000 + position \
            + CASE WHEN event_id IN ('b', 'd') THEN 2 ELSE 0 END",
    )
    .await;
    drop(store);
    let store = open_store(database.url()).await;
    raw.execute(&insert_acme_event_sql("new")).await;
    wait_for_event_count(&store, 5).await;
    let (all, _) = read_all_events(&store, None, 1).await;
    assert_eq!(all, ["a", "b", "c", "d", "new"]);
    let (_, second) = events_and_next_position(store.read_events(&feed_query(None, 2)).await.unwrap());
    assert_eq!(read_all_events(&store, second, 10).await.0, ["c", "d", "new"]);
    // The database is restored a second time, into a third cluster.
    raw.execute("UPDATE events SET transaction_id = transaction_id + 9000000000000").await;
    raw.execute(&insert_acme_event_sql("newer")).await;
    assert_eq!(store.delete_events_before(Timestamp::from_micros(-1), 10).await.unwrap(), 0);
    wait_for_event_count(&store, 6).await;
    assert_eq!(
        read_all_events(&store, second, 10).await.0,
        ["c", "d", "new", "newer"],
        "noticed while it runs too"
    );
    database.delete_database().await;
}
