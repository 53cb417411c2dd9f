//! Tests of hooks that get their notifications in order, or with limits.

use payroll_domain::event::EventDomain;
use payroll_domain::hook::{DeliveryOption, HookChange, HookKey};
use payroll_ports::Store;

use super::processes::{ids, on_two_processes};
use super::{audit_context, change_worker, hook, in_state, receive_all, until_in_state, with_receiver};
use crate::support::{Database, Receiver, Reply, open};

const WORKER: EventDomain = EventDomain::WorkerEmployment;

async fn set(store: &dyn Store, key: &HookKey, options: &[DeliveryOption]) {
    let change = HookChange { delivery: options.to_vec(), ..HookChange::default() };
    store
        .change_hook(key, &change, None, &audit_context())
        .await
        .expect("the store answers")
        .expect("a change");
}

/// Returns the ids of all notifications in their order.
async fn queued_event_ids(database: &Database) -> Vec<String> {
    database.texts("SELECT event_id FROM deliveries ORDER BY position").await
}

fn arrived(receiver: &Receiver) -> Vec<String> {
    receiver.requests_to("/here").iter().map(|received| received.notification_id()).collect()
}

#[test]
fn an_ordered_hook_gets_its_notifications_in_order_also_after_a_failure() {
    with_receiver(
        |_| (),
        async |server, receiver| {
            let key = hook(&*server.store, "partner", "here", WORKER).await;
            set(&*server.store, &key, &[DeliveryOption::Ordered(true)]).await;
            receiver.reply_with(|_| Reply::Status(500));
            for number in 0..30 {
                change_worker(server, number).await;
            }
            until_in_state(&server.database, "RETRYING", 1).await;
            server.clock.move_seconds(300);
            receiver.until("/here", 2).await;
            until_in_state(&server.database, "RETRYING", 1).await;
            let queued = queued_event_ids(&server.database).await;
            assert_eq!(arrived(receiver), [queued[0].as_str(), queued[0].as_str()]);
            receiver.reply_with(|_| Reply::Status(204));
            server.clock.move_seconds(300);
            receive_all(&server.database).await;
            assert_eq!(arrived(receiver)[2..], queued);
            assert_eq!(in_state(&server.database, "DELIVERED").await, 30);
        },
    );
}

#[test]
fn a_notification_is_given_up_after_the_last_allowed_attempt_and_can_be_replayed() {
    with_receiver(
        |_| (),
        async |server, receiver| {
            let key = hook(&*server.store, "partner", "here", WORKER).await;
            let options = [DeliveryOption::Ordered(true), DeliveryOption::MaxAttempts(Some(2))];
            set(&*server.store, &key, &options).await;
            receiver.reply_with(|_| Reply::Status(500));
            change_worker(server, 1).await;
            until_in_state(&server.database, "RETRYING", 1).await;
            change_worker(server, 2).await;
            server.clock.move_seconds(300);
            until_in_state(&server.database, "EXPIRED", 1).await;
            until_in_state(&server.database, "RETRYING", 1).await;
            assert_eq!(server.database.number("SELECT expired FROM hooks").await, 1);
            receiver.reply_with(|_| Reply::Status(204));
            server.clock.move_seconds(300);
            receive_all(&server.database).await;
            let queued = queued_event_ids(&server.database).await;
            let expected = [&queued[0], &queued[0], &queued[1], &queued[1]];
            assert_eq!(arrived(receiver).iter().collect::<Vec<_>>(), expected);
            let position = server.database.number("SELECT min(position) FROM deliveries").await;
            server.store.replay(&key, position, &audit_context()).await.expect("the store answers");
            receiver.until("/here", 5).await;
            until_in_state(&server.database, "DELIVERED", 2).await;
        },
    );
}

#[test]
fn a_hook_gets_no_more_attempts_within_a_second_than_it_allows() {
    with_receiver(
        |_| (),
        async |server, receiver| {
            let key = hook(&*server.store, "partner", "here", WORKER).await;
            set(&*server.store, &key, &[DeliveryOption::MaxPerSecond(Some(1))]).await;
            for number in 0..4 {
                change_worker(server, number).await;
            }
            for count in 1..=4 {
                receiver.until("/here", count).await;
                until_in_state(&server.database, "DELIVERED", i64::try_from(count).unwrap()).await;
                assert_eq!(receiver.received().len(), count, "no second has passed");
                server.clock.move_seconds(1);
            }
            receive_all(&server.database).await;
        },
    );
}

#[test]
fn two_processes_keep_the_order_of_an_ordered_hook() {
    const CHANGES: usize = 60;
    on_two_processes(async |database, receiver, processes| {
        let store = open(database).await;
        let key = HookKey { application_id: "partner".parse().unwrap(), hook_id: "here".parse().unwrap() };
        set(&*store, &key, &[DeliveryOption::Ordered(true)]).await;
        for number in 0..CHANGES {
            let process = &processes[number % processes.len()];
            super::processes::change_worker(process, "EMPLOYEE", number).await;
        }
        receive_all(database).await;
        let mut arrived = arrived(receiver);
        // A notification may arrive twice, but never after the one that follows it.
        arrived.dedup();
        assert_eq!(arrived, queued_event_ids(database).await);
        assert_eq!(ids(receiver).len(), CHANGES);
    });
}
