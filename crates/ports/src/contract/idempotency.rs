//! Contract tests for idempotency keys.

use std::sync::Arc;

use payroll_domain::date::Timestamp;

use super::world::{NOW, addition, check, company_and_caller};
use crate::Store;
use crate::checks::Addition;
use crate::idempotency::{Answer, Begun, KeptAnswer, RequestMark};

pub(super) const LEASE_ENDS: Timestamp = NOW.plus_seconds(60);
const EXPIRES: Timestamp = NOW.plus_seconds(86_400);

pub(super) fn mark(attempt: &str) -> RequestMark {
    RequestMark {
        owner: "partner".to_owned(),
        key: "a key with spaces?".to_owned(),
        request_hash: [7; 32],
        attempt: attempt.to_owned(),
    }
}

pub(super) fn kept(attempt: &str) -> KeptAnswer {
    let answer = Answer {
        status: 201,
        content_type: "application/json".to_owned(),
        body: b"{\"a\":\"\xc3\xa9\"}".to_vec(),
    };
    KeptAnswer { mark: mark(attempt), answer, expires: EXPIRES }
}

async fn add_with(store: &Arc<dyn Store>, kept: KeptAnswer, paycheck: &str) -> Addition {
    let caller = super::world::application(store, &format!("app-{paycheck}")).await;
    let mut new = addition(&caller, vec![check(paycheck)]);
    new.kept = Some(kept);
    store.add_checks(&new).await.unwrap()
}

pub(super) async fn one_of_a_hundred_concurrent_requests_is_fresh(store: Arc<dyn Store>) {
    let attempts = (0..100).map(|number| {
        let store = Arc::clone(&store);
        async move { store.begin(&mark(&format!("attempt-{number}")), NOW, LEASE_ENDS).await.unwrap() }
    });
    let outcomes = futures_util::future::join_all(attempts).await;
    let fresh = outcomes.iter().filter(|one| **one == Begun::Fresh).count();
    let under_way = outcomes.iter().filter(|one| **one == Begun::UnderWay(LEASE_ENDS)).count();
    assert_eq!((fresh, under_way), (1, 99));
}

pub(super) async fn a_stored_response_is_returned_byte_for_byte(store: Arc<dyn Store>) {
    company_and_caller(&store).await;
    assert_eq!(store.begin(&mark("one"), NOW, LEASE_ENDS).await.unwrap(), Begun::Fresh);
    assert_eq!(add_with(&store, kept("one"), "c1").await, Addition::Stored);
    let later = LEASE_ENDS.plus_seconds(1);
    let again = store.begin(&mark("two"), later, later.plus_seconds(60)).await.unwrap();
    assert_eq!(again, Begun::Answered(kept("one").answer));
    let other = RequestMark { request_hash: [8; 32], ..mark("three") };
    assert_eq!(store.begin(&other, later, later.plus_seconds(60)).await.unwrap(), Begun::UsedOtherwise);
    let elsewhere = RequestMark { owner: "somebody else".to_owned(), ..mark("four") };
    assert_eq!(store.begin(&elsewhere, NOW, LEASE_ENDS).await.unwrap(), Begun::Fresh);
    let expired = store.begin(&mark("five"), EXPIRES, EXPIRES.plus_seconds(60)).await.unwrap();
    assert_eq!(expired, Begun::Fresh, "an expired response is gone");
}

pub(super) async fn stores_a_response_after_its_change_while_the_record_is_valid(store: Arc<dyn Store>) {
    assert_eq!(store.begin(&mark("one"), NOW, LEASE_ENDS).await.unwrap(), Begun::Fresh);
    assert!(!store.keep(&kept("stranger")).await.unwrap());
    assert!(store.keep(&kept("one")).await.unwrap());
    assert!(!store.keep(&kept("one")).await.unwrap(), "it is kept already");
    let again = store.begin(&mark("two"), NOW, LEASE_ENDS).await.unwrap();
    assert_eq!(again, Begun::Answered(kept("one").answer));
}

pub(super) async fn a_released_or_expired_record_frees_its_key(store: Arc<dyn Store>) {
    assert_eq!(store.begin(&mark("one"), NOW, LEASE_ENDS).await.unwrap(), Begun::Fresh);
    store.release(&mark("stranger")).await.unwrap();
    assert_eq!(store.begin(&mark("two"), NOW, LEASE_ENDS).await.unwrap(), Begun::UnderWay(LEASE_ENDS));
    store.release(&mark("one")).await.unwrap();
    assert_eq!(store.begin(&mark("two"), NOW, LEASE_ENDS).await.unwrap(), Begun::Fresh);
    let later = LEASE_ENDS.plus_seconds(60);
    assert_eq!(store.begin(&mark("three"), LEASE_ENDS, later).await.unwrap(), Begun::Fresh);
}

pub(super) async fn a_lost_record_stores_nothing(store: Arc<dyn Store>) {
    company_and_caller(&store).await;
    assert_eq!(store.begin(&mark("slow"), NOW, LEASE_ENDS).await.unwrap(), Begun::Fresh);
    let later = LEASE_ENDS.plus_seconds(60);
    assert_eq!(store.begin(&mark("quick"), LEASE_ENDS, later).await.unwrap(), Begun::Fresh);
    assert_eq!(add_with(&store, kept("slow"), "c1").await, Addition::MarkLost);
    assert_eq!(add_with(&store, kept("quick"), "c2").await, Addition::Stored);
}

pub(super) async fn expired_keys_are_deleted(store: Arc<dyn Store>) {
    assert_eq!(store.begin(&mark("one"), NOW, LEASE_ENDS).await.unwrap(), Begun::Fresh);
    assert_eq!(store.forget_expired(NOW, 10).await.unwrap(), 0);
    assert_eq!(store.forget_expired(LEASE_ENDS, 10).await.unwrap(), 1);
}
