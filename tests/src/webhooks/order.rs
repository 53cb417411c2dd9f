//! Tests of hooks that receive notifications in order, or with limits.

use payroll_domain::event::EventDomain;
use payroll_domain::hook::{DeliveryOption, HookChange, HookKey};
use payroll_ports::Store;

use super::processes::{received_event_ids, run_with_two_processes};
use super::{
    add_hook, audit_context, change_worker, count_in_state, run_with_receiver, wait_until_in_state,
    wait_until_queue_is_empty,
};
use crate::support::receiver::wait_until_async;
use crate::support::{Database, Receiver, Reply, open};

const WORKER_DOMAIN: EventDomain = EventDomain::WorkerEmployment;

async fn set_options(store: &dyn Store, key: &HookKey, options: &[DeliveryOption]) {
    let change = HookChange { delivery: options.to_vec(), ..HookChange::default() };
    store
        .change_hook(key, &change, None, &audit_context())
        .await
        .expect("the store answers")
        .expect("a change");
}

/// Returns the ids of all queued notifications in the order of the queue.
async fn queued_event_ids(database: &Database) -> Vec<String> {
    database.query_texts("SELECT event_id FROM deliveries ORDER BY position").await
}

fn received_ids(receiver: &Receiver) -> Vec<String> {
    receiver.requests_to("/here").iter().map(|received| received.notification_id()).collect()
}

#[test]
fn an_ordered_hook_gets_its_notifications_in_order_also_after_a_failure() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            let key = add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            set_options(&*server.store, &key, &[DeliveryOption::Ordered(true)]).await;
            receiver.reply_with(|_| Reply::Status(500));
            for number in 0..30 {
                change_worker(server, number).await;
            }
            wait_until_in_state(&server.database, "RETRYING", 1).await;
            server.clock.advance_seconds(300);
            receiver.wait_for_requests("/here", 2).await;
            // The server plans the next attempt when it stores the result of the current attempt.
            let attempts = "SELECT max(attempts) FROM deliveries";
            let is_stored = async || server.database.query_number(attempts).await == 2;
            wait_until_async(is_stored, "the result of the second attempt").await;
            let queued = queued_event_ids(&server.database).await;
            assert_eq!(received_ids(receiver), [queued[0].as_str(), queued[0].as_str()]);
            receiver.reply_with(|_| Reply::Status(204));
            server.clock.advance_seconds(300);
            wait_until_queue_is_empty(&server.database).await;
            assert_eq!(received_ids(receiver)[2..], queued);
            assert_eq!(count_in_state(&server.database, "DELIVERED").await, 30);
        },
    );
}

#[test]
fn a_notification_fails_after_the_last_attempt_and_can_be_replayed() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            let key = add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            let options = [DeliveryOption::Ordered(true), DeliveryOption::MaxAttempts(Some(2))];
            set_options(&*server.store, &key, &options).await;
            receiver.reply_with(|_| Reply::Status(500));
            change_worker(server, 1).await;
            wait_until_in_state(&server.database, "RETRYING", 1).await;
            change_worker(server, 2).await;
            server.clock.advance_seconds(300);
            wait_until_in_state(&server.database, "EXPIRED", 1).await;
            wait_until_in_state(&server.database, "RETRYING", 1).await;
            assert_eq!(server.database.query_number("SELECT expired FROM hooks").await, 1);
            receiver.reply_with(|_| Reply::Status(204));
            server.clock.advance_seconds(300);
            wait_until_queue_is_empty(&server.database).await;
            let queued = queued_event_ids(&server.database).await;
            let expected = [&queued[0], &queued[0], &queued[1], &queued[1]];
            assert_eq!(received_ids(receiver).iter().collect::<Vec<_>>(), expected);
            let position = server.database.query_number("SELECT min(position) FROM deliveries").await;
            server.store.replay_delivery(&key, position, &audit_context()).await.expect("the store answers");
            receiver.wait_for_requests("/here", 5).await;
            wait_until_in_state(&server.database, "DELIVERED", 2).await;
        },
    );
}

#[test]
fn the_attempts_of_a_hook_are_limited_per_second() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            let key = add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            set_options(&*server.store, &key, &[DeliveryOption::MaxPerSecond(Some(1))]).await;
            for number in 0..4 {
                change_worker(server, number).await;
            }
            for count in 1..=4 {
                receiver.wait_for_requests("/here", count).await;
                wait_until_in_state(&server.database, "DELIVERED", i64::try_from(count).unwrap()).await;
                assert_eq!(receiver.received().len(), count, "no second has passed");
                server.clock.advance_seconds(1);
            }
            wait_until_queue_is_empty(&server.database).await;
        },
    );
}

#[test]
fn two_processes_keep_the_order_of_an_ordered_hook() {
    const CHANGE_COUNT: usize = 60;
    run_with_two_processes(async |database, receiver, processes| {
        let store = open(database).await;
        let key = HookKey { application_id: "partner".parse().unwrap(), hook_id: "here".parse().unwrap() };
        set_options(&*store, &key, &[DeliveryOption::Ordered(true)]).await;
        for number in 0..CHANGE_COUNT {
            let process = &processes[number % processes.len()];
            super::processes::change_worker(process, "EMPLOYEE", number).await;
        }
        wait_until_queue_is_empty(database).await;
        let mut arrived = received_ids(receiver);
        // A notification may arrive twice, but never after the next notification.
        arrived.dedup();
        assert_eq!(arrived, queued_event_ids(database).await);
        assert_eq!(received_event_ids(receiver).len(), CHANGE_COUNT);
    });
}
