//! Contract tests for the log of deliveries. The queued deliveries are test calls.

mod queries;

use std::sync::Arc;

use payroll_domain::access::Caller;
use payroll_domain::delivery::{Attempt, AttemptCause, DeliveryState, ErrorClass, NextStep, Notification};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::hook::{Hook, HookKey};

use super::hooks::{hook_key, register_hook};
use super::world::{NOW, create_application, id};
use crate::Store;
use crate::deliveries::{
    AttemptRecord, ClaimRequest, ClaimedDelivery, Delivery, DeliveryPage, DeliveryQuery, MAX_STORED_REQUESTS,
    NotificationRequest, QueueSummary, ReplayOutcome, ReplayQuery,
};
use queries::{audit_context, instant_at, log_query, notification_ids, read_page, replay_query};

fn notification(name: &str, domain: EventDomain) -> Notification {
    Notification {
        notification_id: name.to_owned(),
        company_id: Some(id("acme")),
        worker_id: Some(id("acme-w1")),
        pay_period_id: None,
        domain,
        action: EventAction::Update,
        as_of: NOW,
        test: true,
    }
}

/// Creates an application with a hook.
async fn create_company_with_hook(store: &Arc<dyn Store>, name: &str) -> (Caller, Hook) {
    let caller = create_application(store, name).await;
    let hook = register_hook(store, &caller, "hook").await;
    (caller, hook)
}

/// Queues the notifications `n1`, `n2` and so on. `n1` is queued one second after `NOW`, `n2` two seconds,
/// and so on. Returns the positions of their deliveries.
async fn queue_notifications(
    store: &Arc<dyn Store>,
    hook: &HookKey,
    numbers: std::ops::RangeInclusive<i64>,
) -> Vec<i64> {
    let mut positions = Vec::new();
    for number in numbers {
        let domain = if number % 2 == 0 { EventDomain::CompanyAccess } else { EventDomain::WorkerAdded };
        let notification = notification(&format!("n{number}"), domain);
        positions.push(
            store.queue_test_delivery(hook, &notification, &audit_context(number)).await.unwrap().unwrap(),
        );
    }
    positions
}

pub(super) async fn the_delivery_log_is_read_newest_first_with_a_cursor(store: Arc<dyn Store>) {
    let (caller, hook) = create_company_with_hook(&store, "partner").await;
    let other = register_hook(&store, &caller, "other").await;
    let positions = queue_notifications(&store, &hook.key, 1..=5).await;
    queue_notifications(&store, &other.key, 6..=6).await;
    let mut query = log_query(2);
    let mut seen = Vec::new();
    for expected in [vec!["n5", "n4"], vec!["n3", "n2"], vec!["n1"]] {
        let page = read_page(&store, &hook.key, &query).await;
        assert_eq!(notification_ids(&page), expected);
        seen.extend(page.deliveries.iter().map(|delivery| delivery.position));
        query.before = page.next_cursor;
    }
    assert_eq!(query.before, None, "there are no more");
    assert_eq!(seen, positions.into_iter().rev().collect::<Vec<_>>());
    let none = read_page(&store, &hook_key(&caller, "none"), &log_query(9)).await;
    assert_eq!(none, DeliveryPage::default(), "a hook that is not there has an empty log");
}

pub(super) async fn filters_of_the_delivery_log_are_combined(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    queue_notifications(&store, &hook.key, 1..=4).await;
    store.set_hook_active(&hook.key, false, &audit_context(5)).await.unwrap();
    store.expire_deliveries(instant_at(3), instant_at(6), 9).await.unwrap();
    let cases = [
        (DeliveryQuery { state: Some(DeliveryState::Expired), ..log_query(9) }, vec!["n2", "n1"]),
        (DeliveryQuery { state: Some(DeliveryState::Delivered), ..log_query(9) }, vec![]),
        (DeliveryQuery { domain: Some(EventDomain::WorkerAdded), ..log_query(9) }, vec!["n3", "n1"]),
        (
            DeliveryQuery { from: Some(instant_at(2)), to: Some(instant_at(4)), ..log_query(9) },
            vec!["n3", "n2"],
        ),
        (
            DeliveryQuery {
                state: Some(DeliveryState::Waiting),
                domain: Some(EventDomain::WorkerAdded),
                from: Some(instant_at(1)),
                ..log_query(9)
            },
            vec!["n3"],
        ),
    ];
    for (query, expected) in cases {
        let page = read_page(&store, &hook.key, &query).await;
        assert_eq!((notification_ids(&page), page.next_cursor), (expected, None), "{query:?}");
    }
}

pub(super) async fn a_queued_test_call_is_pending(store: Arc<dyn Store>) {
    let (caller, hook) = create_company_with_hook(&store, "partner").await;
    let (_, theirs) = create_company_with_hook(&store, "other").await;
    let reported = notification("n1", EventDomain::WorkerAdded);
    let position = store.queue_test_delivery(&hook.key, &reported, &audit_context(1)).await.unwrap().unwrap();
    let expected = Delivery {
        position,
        notification: reported.clone(),
        state: DeliveryState::Waiting,
        queued: instant_at(1),
        due: Some(instant_at(1)),
        ended: None,
        replayed: false,
        attempts: 0,
        stored_attempts: Vec::new(),
        requests: Vec::new(),
    };
    assert_eq!(store.delivery(&hook.key, position).await.unwrap(), Some(expected));
    assert_eq!(store.delivery(&theirs.key, position).await.unwrap(), None, "it is another's");
    assert_eq!(store.delivery(&hook.key, position + 1).await.unwrap(), None);
    let queue = store.hook(&hook.key).await.unwrap().unwrap().queue;
    assert_eq!((queue.pending, queue.oldest_waiting), (1, Some(instant_at(1))));
    let nowhere =
        store.queue_test_delivery(&hook_key(&caller, "none"), &reported, &audit_context(1)).await.unwrap();
    assert_eq!(nowhere, None);
}

fn numbered_request(caller: &Caller, notification_id: &str, number: u32) -> NotificationRequest {
    NotificationRequest {
        notification_id: notification_id.to_owned(),
        application_id: caller.application_id.clone(),
        requested_at: instant_at(number.into()),
        method: "GET".to_owned(),
        route: "/hr/v3/companies/{companyId}/workers/{workerId}".to_owned(),
        status: 200,
        request_id: format!("r{number}"),
    }
}

/// Returns the first `MAX_STORED_REQUESTS` requests of the list, except the first `without` ones.
fn skip_oldest_requests(requests: &[NotificationRequest], without: usize) -> Vec<NotificationRequest> {
    requests.iter().take(MAX_STORED_REQUESTS as usize).skip(without).cloned().collect()
}

pub(super) async fn a_request_is_only_stored_with_notifications_of_its_own_application(
    store: Arc<dyn Store>,
) {
    let (caller, hook) = create_company_with_hook(&store, "partner").await;
    let (stranger, theirs) = create_company_with_hook(&store, "other").await;
    let position = queue_notifications(&store, &hook.key, 1..=1).await.pop().unwrap();
    let their_position = queue_notifications(&store, &theirs.key, 2..=2).await.pop().unwrap();
    let own: Vec<_> =
        (0..MAX_STORED_REQUESTS + 5).map(|number| numbered_request(&caller, "n1", number)).collect();
    let (first, rest) = own.split_at(3);
    let strange = [
        numbered_request(&stranger, "n1", 90),
        numbered_request(&caller, "n2", 91),
        numbered_request(&caller, "no\u{0}ne", 92),
    ];
    store.link_requests_to_notifications(&[]).await.unwrap();
    store.link_requests_to_notifications(first).await.unwrap();
    store.link_requests_to_notifications(&[rest, &strange].concat()).await.unwrap();
    let stored = store.delivery(&hook.key, position).await.unwrap().unwrap().requests;
    assert_eq!(stored, skip_oldest_requests(&own, 0));
    assert_eq!(read_page(&store, &hook.key, &log_query(9)).await.deliveries.pop().unwrap().requests, stored);
    assert!(store.delivery(&theirs.key, their_position).await.unwrap().unwrap().requests.is_empty());

    assert_eq!(
        store.delete_deliveries_before(instant_at(10), 100).await.unwrap(),
        10,
        "the oldest requests go"
    );
    let stored = store.delivery(&hook.key, position).await.unwrap().unwrap().requests;
    assert_eq!(stored, skip_oldest_requests(&own, 10));
}

pub(super) async fn a_replayed_delivery_is_pending_again(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    let (_, theirs) = create_company_with_hook(&store, "other").await;
    let positions = queue_notifications(&store, &hook.key, 1..=3).await;
    let [first, second_one, last] = positions.try_into().unwrap();
    store.set_hook_active(&hook.key, false, &audit_context(4)).await.unwrap();
    store.expire_deliveries(instant_at(3), instant_at(5), 9).await.unwrap();
    assert!(!store.replay_delivery(&theirs.key, first, &audit_context(6)).await.unwrap(), "it is another's");
    for position in [first, last] {
        assert!(store.replay_delivery(&hook.key, position, &audit_context(6)).await.unwrap());
        let delivery = store.delivery(&hook.key, position).await.unwrap().unwrap();
        let life = (delivery.state, delivery.due, delivery.ended, delivery.replayed);
        assert_eq!(life, (DeliveryState::Waiting, Some(instant_at(6)), None, true));
    }
    let untouched = store.delivery(&hook.key, second_one).await.unwrap().unwrap();
    assert_eq!((untouched.state, untouched.replayed), (DeliveryState::Expired, false));
}

pub(super) async fn a_replay_starts_with_the_oldest_and_respects_its_limit(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    let (_, theirs) = create_company_with_hook(&store, "other").await;
    let positions = queue_notifications(&store, &hook.key, 1..=5).await;
    queue_notifications(&store, &theirs.key, 1..=5).await;
    for hook in [&hook, &theirs] {
        store.set_hook_active(&hook.key, false, &audit_context(6)).await.unwrap();
    }
    store.expire_deliveries(instant_at(5), instant_at(7), 99).await.unwrap();
    let replay = async |query| store.replay_deliveries(&hook.key, &query, &audit_context(8)).await.unwrap();
    let one = replay(replay_query(1)).await;
    assert_eq!(one, ReplayOutcome { deliveries: 1, next_cursor: positions.first().copied() });
    let of_time = ReplayQuery {
        from: Some(instant_at(2)),
        to: Some(instant_at(4)),
        after: one.next_cursor,
        ..replay_query(9)
    };
    assert_eq!(replay(of_time).await, ReplayOutcome { deliveries: 2, next_cursor: None });
    let states = read_page(&store, &hook.key, &log_query(9)).await.deliveries;
    let states: Vec<_> = states.iter().rev().map(|delivery| (delivery.state, delivery.replayed)).collect();
    use DeliveryState::{Expired, Waiting};
    let (again, expired, never) = ((Waiting, true), (Expired, false), (Waiting, false));
    assert_eq!(states, [again, again, again, expired, never], "what was never tried is sent anyway");
    let theirs = DeliveryQuery { state: Some(Expired), ..log_query(9) };
    assert_eq!(
        read_page(&store, &HookKey { application_id: id("other"), ..hook.key.clone() }, &theirs)
            .await
            .deliveries
            .len(),
        4
    );
}

pub(super) async fn deliveries_of_an_inactive_hook_expire(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    let (_, active) = create_company_with_hook(&store, "other").await;
    queue_notifications(&store, &hook.key, 1..=5).await;
    queue_notifications(&store, &active.key, 1..=5).await;
    assert_eq!(store.expire_deliveries(instant_at(9), instant_at(9), 9).await.unwrap(), 0, "they are sent");
    store.set_hook_active(&hook.key, false, &audit_context(6)).await.unwrap();
    for (limit, expected) in [(2, 2), (9, 1), (9, 0)] {
        assert_eq!(store.expire_deliveries(instant_at(4), instant_at(7), limit).await.unwrap(), expected);
    }
    let queue = store.hook(&hook.key).await.unwrap().unwrap().queue;
    assert_eq!((queue.pending, queue.expired, queue.oldest_waiting), (2, 3, Some(instant_at(4))));
    let oldest = read_page(&store, &hook.key, &log_query(9)).await.deliveries.pop().unwrap();
    let life = (oldest.state, oldest.due, oldest.ended);
    assert_eq!(life, (DeliveryState::Expired, None, Some(instant_at(7))));
    let queue = store.hook(&active.key).await.unwrap().unwrap().queue;
    assert_eq!((queue.pending, queue.expired), (5, 0));
}

pub(super) async fn deletes_ended_deliveries_and_keeps_pending_ones(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    queue_notifications(&store, &hook.key, 1..=5).await;
    store.set_hook_active(&hook.key, false, &audit_context(6)).await.unwrap();
    store.expire_deliveries(instant_at(3), instant_at(7), 9).await.unwrap();
    store.expire_deliveries(instant_at(4), instant_at(8), 9).await.unwrap();
    assert_eq!(store.delete_deliveries_before(instant_at(7), 9).await.unwrap(), 0);
    assert_eq!(store.delete_deliveries_before(instant_at(8), 1).await.unwrap(), 1, "at most the limit");
    assert_eq!(store.delete_deliveries_before(instant_at(8), 9).await.unwrap(), 1);
    assert_eq!(notification_ids(&read_page(&store, &hook.key, &log_query(9)).await), ["n5", "n4", "n3"]);
    assert_eq!(store.delete_deliveries_before(instant_at(99), 9).await.unwrap(), 1);
    assert_eq!(
        store.delete_deliveries_before(instant_at(99), 9).await.unwrap(),
        0,
        "pending deliveries are never deleted"
    );
    assert_eq!(notification_ids(&read_page(&store, &hook.key, &log_query(9)).await), ["n5", "n4"]);
}

pub(super) async fn deletes_the_deliveries_of_a_removed_hook(store: Arc<dyn Store>) {
    let (caller, hook) = create_company_with_hook(&store, "partner").await;
    let other = register_hook(&store, &caller, "other").await;
    queue_notifications(&store, &hook.key, 1..=5).await;
    queue_notifications(&store, &other.key, 6..=6).await;
    store.remove_hook(&hook.key, None, &audit_context(7)).await.unwrap().unwrap();
    assert_eq!(read_page(&store, &hook.key, &log_query(9)).await, DeliveryPage::default());
    assert_eq!(store.queue_summary().await.unwrap().pending, 1);
    register_hook(&store, &caller, "hook").await;
    assert_eq!(
        read_page(&store, &hook.key, &log_query(9)).await,
        DeliveryPage::default(),
        "it is another hook"
    );
    for expected in [3, 2, 0] {
        assert_eq!(store.delete_deliveries_before(NOW, 3).await.unwrap(), expected);
    }
    assert_eq!(notification_ids(&read_page(&store, &other.key, &log_query(9)).await), ["n6"]);
}

pub(super) async fn queue_summary_counts_deliveries_and_hooks(store: Arc<dyn Store>) {
    assert_eq!(store.queue_summary().await.unwrap(), QueueSummary::default());
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    let (_, paused) = create_company_with_hook(&store, "other").await;
    queue_notifications(&store, &hook.key, 3..=4).await;
    queue_notifications(&store, &paused.key, 1..=3).await;
    store.set_hook_active(&paused.key, false, &audit_context(5)).await.unwrap();
    let expected = QueueSummary {
        pending: 2,
        retrying: 0,
        oldest_waiting: Some(instant_at(3)),
        collected: 3,
        active_hooks: 1,
        inactive_hooks: 1,
        failing_hooks: 0,
    };
    assert_eq!(store.queue_summary().await.unwrap(), expected);
}

/// Claims the deliveries of every hook that are due `number` seconds after `NOW`.
async fn claim_due(store: &Arc<dyn Store>, number: i64) -> Vec<ClaimedDelivery> {
    let ready = store.ready_hooks().await.unwrap();
    let wishes: Vec<_> =
        ready.into_iter().map(|ready| ClaimRequest { hook: ready.hook, limit: 9, in_order: false }).collect();
    store.claim_deliveries(&wishes, instant_at(number), instant_at(number + 30)).await.unwrap()
}

/// Records an attempt that started `number` seconds after `NOW` and took one second. If the attempt failed, a
/// retry is due after five minutes.
async fn record_attempt(
    store: &Arc<dyn Store>,
    claimed: &ClaimedDelivery,
    success: bool,
    number: i64,
) -> Attempt {
    let attempt = Attempt {
        number: claimed.attempts + 1,
        at: instant_at(number),
        duration_milliseconds: 1_000,
        cause: claimed.cause,
        status: Some(if success { 200 } else { 503 }),
        error: (!success).then_some(ErrorClass::Status),
        response_body: Some("an answer".to_owned()),
        response_truncated: !success,
        retry_after: (!success).then_some(120),
    };
    let next =
        if success { NextStep::Delivered } else { NextStep::TryAgain { due: instant_at(number + 300) } };
    let attempted = AttemptRecord { id: claimed.id, attempt: attempt.clone(), next_step: next };
    store.record_attempts(&[attempted], &[]).await.unwrap();
    attempt
}

pub(super) async fn the_log_contains_every_attempt_with_its_cause(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    let position = queue_notifications(&store, &hook.key, 1..=1).await.pop().unwrap();
    let mut expected = Vec::new();
    for (at, arrived) in [(10, false), (310, true)] {
        let claimed = claim_due(&store, at).await.pop().unwrap();
        expected.push(record_attempt(&store, &claimed, arrived, at).await);
    }
    let delivery = store.delivery(&hook.key, position).await.unwrap().unwrap();
    let life = (delivery.state, delivery.due, delivery.ended, delivery.replayed);
    assert_eq!(life, (DeliveryState::Delivered, None, Some(instant_at(311)), false));
    assert!(store.replay_delivery(&hook.key, position, &audit_context(320)).await.unwrap());
    for (at, arrived) in [(320, false), (620, true)] {
        let claimed = claim_due(&store, at).await.pop().unwrap();
        assert_eq!(claimed.notification.notification_id, "n1", "a replay keeps the id");
        expected.push(record_attempt(&store, &claimed, arrived, at).await);
    }
    let delivery = read_page(&store, &hook.key, &log_query(9)).await.deliveries.pop().unwrap();
    assert_eq!((delivery.attempts, delivery.replayed), (4, true));
    assert_eq!(delivery.stored_attempts, expected);
    let causes: Vec<_> = expected.iter().map(|attempt| attempt.cause).collect();
    use AttemptCause::{Replay, Retry, Test};
    assert_eq!(causes, [Test, Retry, Replay, Retry]);
}

pub(super) async fn replay_of_all_includes_delivered_deliveries(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    queue_notifications(&store, &hook.key, 1..=3).await;
    for (claimed, arrived) in claim_due(&store, 10).await.iter().zip([true, false, false]) {
        record_attempt(&store, claimed, arrived, 10).await;
    }
    let query = ReplayQuery { failed_only: true, ..replay_query(9) };
    let failed = store.replay_deliveries(&hook.key, &query, &audit_context(20)).await.unwrap();
    assert_eq!(failed, ReplayOutcome { deliveries: 2, next_cursor: None });
    assert_eq!(claim_due(&store, 20).await.len(), 2, "they are due at once");
    let all = ReplayQuery { failed_only: false, ..query };
    let replayed = store.replay_deliveries(&hook.key, &all, &audit_context(21)).await.unwrap();
    assert_eq!(replayed.deliveries, 1, "the others are being sent");
    assert_eq!(claim_due(&store, 21).await.len(), 1);
}

pub(super) async fn enabling_a_hook_makes_pending_retries_due(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store, "partner").await;
    queue_notifications(&store, &hook.key, 1..=2).await;
    for claimed in claim_due(&store, 10).await {
        record_attempt(&store, &claimed, false, 10).await;
    }
    let retrying = store.queue_summary().await.unwrap();
    assert_eq!((retrying.pending, retrying.retrying), (2, 2));
    assert!(claim_due(&store, 50).await.is_empty());
    store.set_hook_active(&hook.key, false, &audit_context(51)).await.unwrap();
    store.set_hook_active(&hook.key, true, &audit_context(52)).await.unwrap();
    let causes: Vec<_> = claim_due(&store, 52).await.iter().map(|claimed| claimed.cause).collect();
    assert_eq!(causes, [AttemptCause::Retry; 2]);
}
