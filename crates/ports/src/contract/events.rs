//! Contract tests for the feed of events. The events in these tests are changes of grants. Each application
//! sees the events about its own access.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::access::{Caller, Scopes};
use payroll_domain::event::{Event, EventAction, EventDomain};

use super::world::{
    company, create_application, create_company_and_caller, grant_scopes, id, import_company,
};
use crate::Store;
use crate::events::{FeedQuery, FeedResult};

/// Returns a query that only finds events about access. Other events, which the import of a company fires,
/// are omitted.
fn feed_query(after: Option<i64>) -> FeedQuery {
    let domain = Some(EventDomain::CompanyAccess);
    FeedQuery { after, company_id: None, visible_companies: None, domain, limit: NonZeroU32::new(7).unwrap() }
}

/// Returns the events after a position, and the next cursor.
async fn read_events_after(store: &Arc<dyn Store>, after: Option<i64>) -> (Vec<Event>, Option<i64>) {
    match store.read_events(&feed_query(after)).await.unwrap() {
        FeedResult::Events { events, next } => (events, next),
        FeedResult::TooOld => panic!("too old"),
    }
}

/// Polls until there are `count` events after a position, and returns these events. A new event may be
/// invisible until other transactions have ended.
async fn wait_for_event_count(
    store: &Arc<dyn Store>,
    mut after: Option<i64>,
    count: usize,
) -> (Vec<Event>, Option<i64>) {
    let mut seen = Vec::new();
    while seen.len() < count {
        let (events, further) = read_events_after(store, after).await;
        seen.extend(events);
        after = further;
    }
    (seen, after)
}

/// Returns the stored events that the caller may see.
async fn read_events(store: &Arc<dyn Store>, caller: &Caller) -> Vec<Event> {
    let guarded = store.read_caller_events(caller, &feed_query(None)).await.unwrap();
    match guarded.open_by_any_token().unwrap().1 {
        FeedResult::Events { events, .. } => events,
        FeedResult::TooOld => panic!("too old"),
    }
}

const WRITER_COUNT: usize = 16;
const CHANGES_PER_WRITER: usize = 10;

pub(super) async fn a_reader_with_sixteen_writers_sees_every_event_once_in_order(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let mut callers = Vec::new();
    for writer in 0..WRITER_COUNT {
        callers.push(create_application(&store, &format!("app-{writer}")).await);
    }
    let write = |caller: &Caller| {
        let (store, caller) = (Arc::clone(&store), caller.clone());
        async move {
            for change in 0..CHANGES_PER_WRITER {
                let scopes = if change % 2 == 0 { Scopes::all() } else { Scopes::NONE };
                grant_scopes(&store, &caller, "acme", scopes).await;
            }
        }
    };
    let writers = futures_util::future::join_all(callers.iter().map(write));
    let ((), (seen, end)) = futures_util::join!(
        async { drop(writers.await) },
        wait_for_event_count(&store, None, WRITER_COUNT * CHANGES_PER_WRITER)
    );
    let ids: HashSet<&str> = seen.iter().map(|event| event.event_id.as_str()).collect();
    assert_eq!(
        (ids.len(), seen.len()),
        (WRITER_COUNT * CHANGES_PER_WRITER, WRITER_COUNT * CHANGES_PER_WRITER)
    );
    assert_eq!(read_events_after(&store, end).await, (Vec::new(), end), "there is no more");
    for caller in &callers {
        let own = seen.iter().filter(|event| event.application_id.as_ref() == Some(&caller.application_id));
        let actions: Vec<_> = own.map(|event| event.fired.action).collect();
        assert_eq!(actions, [EventAction::Add, EventAction::Delete].repeat(CHANGES_PER_WRITER / 2));
    }
}

pub(super) async fn an_application_sees_events_only_about_its_own_access(store: Arc<dyn Store>) {
    let partner = create_company_and_caller(&store).await;
    let other = create_application(&store, "other").await;
    grant_scopes(&store, &other, "acme", Scopes::all()).await;
    grant_scopes(&store, &partner, "acme", Scopes::NONE).await;
    wait_for_event_count(&store, None, 3).await;
    let of = async |caller: &Caller| -> Vec<_> {
        let events = read_events(&store, caller).await;
        events.into_iter().map(|event| (event.fired.domain, event.fired.action)).collect()
    };
    let access = EventDomain::CompanyAccess;
    assert_eq!(of(&partner).await, [(access, EventAction::Add), (access, EventAction::Delete)]);
    assert_eq!(of(&other).await, [(access, EventAction::Add)]);
}

pub(super) async fn feed_of_a_company_requires_access_to_the_company(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    wait_for_event_count(&store, None, 1).await;
    let day = super::world::day("2026-05-12");
    let of = async |company: &str| {
        let query = FeedQuery { company_id: Some(id(company)), ..feed_query(None) };
        store.read_caller_events(&caller, &query).await.unwrap().open_by_any_grant(day).map(|(_, feed)| feed)
    };
    assert!(matches!(of("acme").await, Ok(FeedResult::Events { events, .. }) if events.len() == 1));
    assert_eq!(of("nobody").await.err(), Some(payroll_domain::access::AccessDenial::UnknownCompany));
    grant_scopes(&store, &caller, "acme", Scopes::NONE).await;
    assert_eq!(of("acme").await.err(), Some(payroll_domain::access::AccessDenial::NotAuthorized));
}

pub(super) async fn an_empty_feed_has_no_cursor(store: Arc<dyn Store>) {
    assert_eq!(read_events_after(&store, None).await, (Vec::new(), None));
    assert_eq!(store.read_events(&feed_query(Some(1))).await.unwrap(), FeedResult::TooOld);
}
