//! Contract tests for idempotency keys.

use std::sync::Arc;

use payroll_domain::date::Timestamp;

use super::world::{NOW, create_company_and_caller, new_checks, sample_check};
use crate::Store;
use crate::checks::AdditionOutcome;
use crate::idempotency::{IdempotencyRecord, IdempotencyState, ResponseRecord, StoredResponse};

pub(super) const LEASE_END: Timestamp = NOW.plus_seconds(60);
const EXPIRY: Timestamp = NOW.plus_seconds(86_400);

pub(super) fn idempotency_record(attempt: &str) -> IdempotencyRecord {
    IdempotencyRecord {
        owner: "partner".to_owned(),
        key: "a key with spaces?".to_owned(),
        request_hash: [7; 32],
        attempt: attempt.to_owned(),
    }
}

pub(super) fn response_record(attempt: &str) -> ResponseRecord {
    let response = StoredResponse {
        status: 201,
        content_type: "application/json".to_owned(),
        body: b"{\"a\":\"\xc3\xa9\"}".to_vec(),
    };
    ResponseRecord { record: idempotency_record(attempt), response, expires: EXPIRY }
}

async fn add_check_with_response(
    store: &Arc<dyn Store>,
    record: ResponseRecord,
    paycheck: &str,
) -> AdditionOutcome {
    let caller = super::world::create_application(store, &format!("app-{paycheck}")).await;
    let mut new = new_checks(&caller, vec![sample_check(paycheck)]);
    new.response_record = Some(record);
    store.add_checks(&new).await.unwrap()
}

pub(super) async fn one_of_a_hundred_concurrent_requests_gets_the_key(store: Arc<dyn Store>) {
    let attempts = (0..100).map(|number| {
        let store = Arc::clone(&store);
        async move {
            store
                .begin_request(&idempotency_record(&format!("attempt-{number}")), NOW, LEASE_END)
                .await
                .unwrap()
        }
    });
    let outcomes = futures_util::future::join_all(attempts).await;
    let fresh = outcomes.iter().filter(|one| **one == IdempotencyState::Fresh).count();
    let under_way = outcomes.iter().filter(|one| **one == IdempotencyState::UnderWay(LEASE_END)).count();
    assert_eq!((fresh, under_way), (1, 99));
}

pub(super) async fn a_stored_response_is_returned_byte_for_byte(store: Arc<dyn Store>) {
    create_company_and_caller(&store).await;
    assert_eq!(
        store.begin_request(&idempotency_record("one"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    assert_eq!(add_check_with_response(&store, response_record("one"), "c1").await, AdditionOutcome::Stored);
    let later = LEASE_END.plus_seconds(1);
    let again = store.begin_request(&idempotency_record("two"), later, later.plus_seconds(60)).await.unwrap();
    assert_eq!(again, IdempotencyState::Answered(response_record("one").response));
    let other = IdempotencyRecord { request_hash: [8; 32], ..idempotency_record("three") };
    assert_eq!(
        store.begin_request(&other, later, later.plus_seconds(60)).await.unwrap(),
        IdempotencyState::UsedOtherwise
    );
    let elsewhere = IdempotencyRecord { owner: "somebody else".to_owned(), ..idempotency_record("four") };
    assert_eq!(store.begin_request(&elsewhere, NOW, LEASE_END).await.unwrap(), IdempotencyState::Fresh);
    let expired =
        store.begin_request(&idempotency_record("five"), EXPIRY, EXPIRY.plus_seconds(60)).await.unwrap();
    assert_eq!(expired, IdempotencyState::Fresh, "an expired response is gone");
}

pub(super) async fn stores_a_response_after_its_change_while_the_record_is_valid(store: Arc<dyn Store>) {
    assert_eq!(
        store.begin_request(&idempotency_record("one"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    assert!(!store.store_response(&response_record("stranger")).await.unwrap());
    assert!(store.store_response(&response_record("one")).await.unwrap());
    assert!(!store.store_response(&response_record("one")).await.unwrap(), "it is kept already");
    let again = store.begin_request(&idempotency_record("two"), NOW, LEASE_END).await.unwrap();
    assert_eq!(again, IdempotencyState::Answered(response_record("one").response));
}

pub(super) async fn a_released_or_expired_record_frees_its_key(store: Arc<dyn Store>) {
    assert_eq!(
        store.begin_request(&idempotency_record("one"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    store.release_record(&idempotency_record("stranger")).await.unwrap();
    assert_eq!(
        store.begin_request(&idempotency_record("two"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::UnderWay(LEASE_END)
    );
    store.release_record(&idempotency_record("one")).await.unwrap();
    assert_eq!(
        store.begin_request(&idempotency_record("two"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    let later = LEASE_END.plus_seconds(60);
    assert_eq!(
        store.begin_request(&idempotency_record("three"), LEASE_END, later).await.unwrap(),
        IdempotencyState::Fresh
    );
}

pub(super) async fn a_request_without_its_record_stores_nothing(store: Arc<dyn Store>) {
    create_company_and_caller(&store).await;
    assert_eq!(
        store.begin_request(&idempotency_record("slow"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    let later = LEASE_END.plus_seconds(60);
    assert_eq!(
        store.begin_request(&idempotency_record("quick"), LEASE_END, later).await.unwrap(),
        IdempotencyState::Fresh
    );
    assert_eq!(
        add_check_with_response(&store, response_record("slow"), "c1").await,
        AdditionOutcome::RecordLost
    );
    assert_eq!(
        add_check_with_response(&store, response_record("quick"), "c2").await,
        AdditionOutcome::Stored
    );
}

pub(super) async fn expired_keys_are_deleted(store: Arc<dyn Store>) {
    assert_eq!(
        store.begin_request(&idempotency_record("one"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    assert_eq!(store.delete_expired_records(NOW, 10).await.unwrap(), 0);
    assert_eq!(store.delete_expired_records(LEASE_END, 10).await.unwrap(), 1);
}
