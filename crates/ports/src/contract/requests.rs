//! Contract tests for the log of requests.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::access::Caller;
use payroll_domain::date::Timestamp;

use super::world::{NOW, create_application, id};
use crate::Store;
use crate::requests::RequestLogSection::{Details, Requests};
use crate::requests::{LoggedRequest, RequestDetails, RequestPage, RequestQuery};

fn instant_at(number: i64) -> Timestamp {
    NOW.plus_seconds(number)
}

fn request_query(limit: u32) -> RequestQuery {
    RequestQuery { before: None, status: None, from: None, to: None, limit: NonZeroU32::new(limit).unwrap() }
}

/// Returns the logged request `number`, which was sent `number` seconds after `NOW`.
fn successful_request(caller: &Caller, number: u32) -> LoggedRequest {
    LoggedRequest {
        application_id: caller.application_id.clone(),
        at: instant_at(number.into()),
        duration_micros: 1_500,
        method: "GET".into(),
        route: "/companies/{companyId}".into(),
        company_id: Some(id("acme")),
        status: 200,
        codes: Vec::new(),
        request_id: format!("r{number}"),
        correlation_id: None,
        skipped_before: 0,
        details: None,
    }
}

/// Returns a rejected request that has a value in every column.
fn rejected_request(caller: &Caller, number: u32) -> LoggedRequest {
    LoggedRequest {
        company_id: None,
        status: 400,
        codes: vec!["API-46".into(), "API-48".into()],
        correlation_id: Some("mine, \"so\"".to_owned()),
        skipped_before: 7,
        ..successful_request(caller, number)
    }
}

async fn read_requests(store: &Arc<dyn Store>, caller: &Caller, query: RequestQuery) -> RequestPage {
    store.requests(&caller.application_id, &query).await.unwrap()
}

/// Returns the ids of the requests, in the order of the page.
fn request_ids(page: &RequestPage) -> Vec<&str> {
    page.requests.iter().map(|request| request.request_id.as_str()).collect()
}

pub(super) async fn requests_are_read_newest_first_and_each_once(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let requests: Vec<_> = (1..=4).map(|number| successful_request(&caller, number)).collect();
    store.log_requests(&[]).await.unwrap();
    store.log_requests(&requests).await.unwrap();
    store.log_requests(&[rejected_request(&caller, 5)]).await.unwrap();
    let first = read_requests(&store, &caller, request_query(2)).await;
    assert_eq!(first.requests, [rejected_request(&caller, 5), successful_request(&caller, 4)]);
    let middle =
        read_requests(&store, &caller, RequestQuery { before: first.next_cursor, ..request_query(2) }).await;
    assert_eq!(request_ids(&middle), ["r3", "r2"]);
    let last =
        read_requests(&store, &caller, RequestQuery { before: middle.next_cursor, ..request_query(2) }).await;
    assert_eq!((request_ids(&last), last.next_cursor), (vec!["r1"], None));
}

pub(super) async fn an_application_reads_its_own_requests_only(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let other = create_application(&store, "other").await;
    store.log_requests(&[successful_request(&caller, 1), successful_request(&other, 2)]).await.unwrap();
    assert_eq!(request_ids(&read_requests(&store, &caller, request_query(9)).await), ["r1"]);
    let guarded = store.requests_of_caller(&other, &request_query(9)).await.unwrap();
    assert_eq!(request_ids(&guarded.open_by_any_token().unwrap().1), ["r2"]);
    let nobody = Caller { application_id: id("nobody"), ..other };
    assert!(store.requests_of_caller(&nobody, &request_query(9)).await.unwrap().open_by_any_token().is_err());
    assert_eq!(read_requests(&store, &nobody, request_query(9)).await, RequestPage::default());
}

pub(super) async fn filters_of_requests_are_combined(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let both = |number| [successful_request(&caller, number), rejected_request(&caller, number + 1)];
    store.log_requests(&[both(1), both(3), both(5)].concat()).await.unwrap();
    let failed = RequestQuery { status: Some(400..=499), ..request_query(9) };
    assert_eq!(request_ids(&read_requests(&store, &caller, failed.clone()).await), ["r6", "r4", "r2"]);
    let of_time = RequestQuery { from: Some(instant_at(2)), to: Some(instant_at(6)), ..failed };
    assert_eq!(request_ids(&read_requests(&store, &caller, of_time).await), ["r4", "r2"]);
    let none = RequestQuery { status: Some(500..=500), ..request_query(9) };
    assert_eq!(read_requests(&store, &caller, none).await, RequestPage::default());
}

pub(super) async fn requests_of_a_previous_application_are_not_listed(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let of_another = LoggedRequest { at: NOW.plus_seconds(-1), ..successful_request(&caller, 1) };
    store.log_requests(&[successful_request(&caller, 0), of_another]).await.unwrap();
    assert_eq!(
        request_ids(&read_requests(&store, &caller, request_query(9)).await),
        ["r0"],
        "the other one had the same id"
    );
}

pub(super) async fn old_and_surplus_requests_are_deleted(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let other = create_application(&store, "other").await;
    let requests: Vec<_> = (1..=6).map(|number| successful_request(&caller, number)).collect();
    store.log_requests(&requests).await.unwrap();
    store.log_requests(&[successful_request(&other, 2), successful_request(&other, 7)]).await.unwrap();
    assert_eq!(store.delete_requests_before(Requests, instant_at(1), 6, 9).await.unwrap(), 0);
    assert_eq!(
        store.delete_requests_before(Requests, instant_at(3), 9, 2).await.unwrap(),
        2,
        "never more than were allowed"
    );
    assert_eq!(store.delete_requests_before(Requests, instant_at(3), 9, 9).await.unwrap(), 1);
    for expected in [1, 1, 0] {
        assert_eq!(store.delete_requests_before(Requests, instant_at(0), 2, 1).await.unwrap(), expected);
    }
    assert_eq!(request_ids(&read_requests(&store, &caller, request_query(9)).await), ["r6", "r5"]);
    assert_eq!(request_ids(&read_requests(&store, &other, request_query(9)).await), ["r7"]);
}

/// Returns a logged, rejected API request with details.
fn request_with_details(caller: &Caller, number: u32) -> LoggedRequest {
    let details = RequestDetails(format!(r#"{{"query":"number={number}"}}"#));
    LoggedRequest { company_id: Some(id("acme")), details: Some(details), ..rejected_request(caller, number) }
}

pub(super) async fn details_belong_to_one_request_of_one_application(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let other = create_application(&store, "other").await;
    let old = LoggedRequest { at: NOW.plus_seconds(-1), ..request_with_details(&caller, 9) };
    store
        .log_requests(&[
            successful_request(&caller, 1),
            request_with_details(&caller, 2),
            request_with_details(&other, 3),
            old,
        ])
        .await
        .unwrap();
    let read = async |caller: &Caller, request_id: &str| {
        let found = store.read_failed_request(&caller.application_id, request_id).await.unwrap();
        let guarded = store.failed_request_of_caller(caller, request_id).await.unwrap();
        assert_eq!(guarded.open_by_any_token().unwrap().1, found, "{request_id}");
        found.map(|found| (found.company_id.map(|id| id.to_string()), found.details.0))
    };
    let expected = |number| Some((Some("acme".to_owned()), format!(r#"{{"query":"number={number}"}}"#)));
    assert_eq!(read(&caller, "r2").await, expected(2));
    assert_eq!(read(&other, "r3").await, expected(3));
    for none in ["r1", "r3", "r9", "", "r2\0"] {
        assert_eq!(read(&caller, none).await, None, "{none:?}");
    }
    let listed = store.requests(&caller.application_id, &request_query(9)).await.unwrap();
    assert!(listed.requests.iter().all(|request| request.details.is_none()));
}

pub(super) async fn details_are_deleted_separately(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let requests: Vec<_> = (1..=4).map(|number| request_with_details(&caller, number)).collect();
    store.log_requests(&requests).await.unwrap();
    assert_eq!(store.delete_requests_before(Details, instant_at(2), 9, 9).await.unwrap(), 1);
    assert_eq!(store.delete_requests_before(Details, instant_at(0), 1, 9).await.unwrap(), 2);
    let mut left = Vec::new();
    for number in 1..=4 {
        let found = store.read_failed_request(&caller.application_id, &format!("r{number}")).await.unwrap();
        left.extend(found.map(|_| number));
    }
    assert_eq!(left, [4]);
    assert_eq!(read_requests(&store, &caller, request_query(9)).await.requests.len(), 4);
}
