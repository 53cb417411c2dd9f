//! Tests of receivers that respond slowly or never. Deliveries to other receivers must continue.

use payroll_domain::event::EventDomain;

use super::{
    add_hook, change_request, change_worker, run_with_receiver, wait_until_in_state,
    wait_until_queue_is_empty,
};
use crate::support::{FOREIGN, Reply};

const WORKER_DOMAIN: EventDomain = EventDomain::WorkerEmployment;

#[test]
fn a_success_with_an_endless_body_is_a_success() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            receiver.reply_with(|_| Reply::Endless);
            change_worker(server, 1).await;
            wait_until_in_state(&server.database, "DELIVERED", 1).await;
            assert_eq!(receiver.received().len(), 1);
        },
    );
}

#[test]
fn a_silent_receiver_delays_no_other_application() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            let slow = add_hook(&*server.store, "partner", "slow", WORKER_DOMAIN).await;
            add_hook(&*server.store, "other", "quick", WORKER_DOMAIN).await;
            receiver.reply_with(|received| match received.target.as_str() {
                "/slow" => Reply::Hold,
                _ => Reply::Status(204),
            });
            for number in 0..100 {
                change_worker(server, number).await;
            }
            receiver.wait_for_requests("/slow", 1).await;
            for number in 0..50 {
                let response = server.send(&change_request(FOREIGN, "FOREIGN-WORKER", number)).await;
                assert_eq!(response.status, 200, "{response:?}");
            }
            receiver.wait_for_requests("/quick", 50).await;
            let queue = server.store.hook(&slow).await.expect("the store answers").expect("a hook").queue;
            assert_eq!(queue.pending, 100, "none of the slow one's has arrived");
            receiver.release_held_requests(1_000);
            wait_until_queue_is_empty(&server.database).await;
            assert_eq!(receiver.requests_to("/quick").len(), 50);
        },
    );
}

#[test]
fn an_accepting_receiver_gets_each_notification_once() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            for number in 0..200 {
                change_worker(server, number).await;
            }
            wait_until_queue_is_empty(&server.database).await;
            let mut ids: Vec<_> =
                receiver.requests_to("/here").iter().map(|it| it.notification_id()).collect();
            ids.sort();
            ids.dedup();
            assert_eq!((ids.len(), receiver.received().len()), (200, 200));
        },
    );
}
