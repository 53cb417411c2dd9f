//! Tests of receivers that are slow or never finish, and of other receivers next to them.

use payroll_domain::event::EventDomain;

use super::{change, change_worker, hook, receive_all, until_in_state, with_receiver};
use crate::support::{FOREIGN, Reply};

const WORKER: EventDomain = EventDomain::WorkerEmployment;

#[test]
fn a_success_with_an_endless_body_is_a_success() {
    with_receiver(
        |_| (),
        async |server, receiver| {
            hook(&*server.store, "partner", "here", WORKER).await;
            receiver.reply_with(|_| Reply::Endless);
            change_worker(server, 1).await;
            until_in_state(&server.database, "DELIVERED", 1).await;
            assert_eq!(receiver.received().len(), 1);
        },
    );
}

#[test]
fn a_silent_receiver_delays_no_other_application() {
    with_receiver(
        |_| (),
        async |server, receiver| {
            let slow = hook(&*server.store, "partner", "slow", WORKER).await;
            hook(&*server.store, "other", "quick", WORKER).await;
            receiver.reply_with(|received| match received.target.as_str() {
                "/slow" => Reply::Hold,
                _ => Reply::Status(204),
            });
            for number in 0..100 {
                change_worker(server, number).await;
            }
            receiver.until("/slow", 1).await;
            for number in 0..50 {
                let response = server.send(&change(FOREIGN, "FOREIGN-WORKER", number)).await;
                assert_eq!(response.status, 200, "{response:?}");
            }
            receiver.until("/quick", 50).await;
            let queue = server.store.hook(&slow).await.expect("the store answers").expect("a hook").queue;
            assert_eq!(queue.pending, 100, "none of the slow one's has arrived");
            receiver.release(1_000);
            receive_all(&server.database).await;
            assert_eq!(receiver.requests_to("/quick").len(), 50);
        },
    );
}

#[test]
fn an_accepting_receiver_gets_each_notification_once() {
    with_receiver(
        |_| (),
        async |server, receiver| {
            hook(&*server.store, "partner", "here", WORKER).await;
            for number in 0..200 {
                change_worker(server, number).await;
            }
            receive_all(&server.database).await;
            let mut ids: Vec<_> =
                receiver.requests_to("/here").iter().map(|it| it.notification_id()).collect();
            ids.sort();
            ids.dedup();
            assert_eq!((ids.len(), receiver.received().len()), (200, 200));
        },
    );
}
