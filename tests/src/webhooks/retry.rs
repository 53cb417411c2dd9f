//! Tests of retries of notifications: when they are sent, and when they end. The test moves the clock.

use payroll_domain::event::EventDomain;

use super::{
    add_hook, audit_context, change_worker, count_in_state, run_with_receiver, wait_until_in_state,
    wait_until_queue_is_empty,
};
use crate::support::receiver::wait_until_async;
use crate::support::{Reply, START_TIME, Server};

const WORKER_DOMAIN: EventDomain = EventDomain::WorkerEmployment;
const SECONDS_PER_HOUR: i64 = 3_600;

/// Returns the number of seconds until the delivery in the state RETRYING is due.
async fn seconds_until_due(server: &Server) -> i64 {
    use payroll_ports::Clock;
    let due = server.database.query_number("SELECT min(due) FROM deliveries WHERE state = 'RETRYING'").await;
    let micros = due - server.clock.now().as_micros();
    assert_eq!(micros % 1_000_000, 0, "the clock has stood");
    micros / 1_000_000
}

#[test]
fn a_rejected_notification_is_retried_after_five_minutes() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            receiver.reply_with(|_| Reply::Status(500));
            change_worker(server, 1).await;
            wait_until_in_state(&server.database, "RETRYING", 1).await;
            assert_eq!(seconds_until_due(server).await, 300);
            receiver.reply_with(|_| Reply::Status(204));
            server.clock.advance_seconds(299);
            // The server sends due deliveries in order. The notification of this new change arrives first,
            // which proves that the retry was not due yet.
            change_worker(server, 2).await;
            let received = receiver.wait_for_requests("/here", 2).await;
            assert_ne!(received[0].notification_id(), received[1].notification_id());
            server.clock.advance_seconds(1);
            let received = receiver.wait_for_requests("/here", 3).await;
            assert_eq!(received[0].notification_id(), received[2].notification_id());
            let timestamps =
                [0, 2].map(|it| received[it].header("webhook-timestamp").parse::<i64>().unwrap());
            assert_eq!(timestamps[1] - timestamps[0], 300, "signed anew");
            wait_until_queue_is_empty(&server.database).await;
        },
    );
}

#[test]
fn a_longer_retry_after_is_respected_if_configured() {
    for (obey, expected) in [(false, 300), (true, 600)] {
        run_with_receiver(
            |settings| settings.webhook_obey_retry_after = obey,
            async |server, receiver| {
                add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
                receiver.reply_with(|_| Reply::With(503, "retry-after: 600"));
                change_worker(server, 1).await;
                wait_until_in_state(&server.database, "RETRYING", 1).await;
                assert_eq!(seconds_until_due(server).await, expected);
            },
        );
    }
}

/// Waits until the only hook fulfills an SQL condition.
async fn wait_for_hook(server: &Server, condition: &str) {
    let query = format!("SELECT count(*) FROM hooks WHERE {condition}");
    wait_until_async(async || server.database.query_number(&query).await == 1, condition).await;
}

#[test]
fn a_hook_failing_for_three_days_is_disabled_and_sends_its_backlog_when_enabled() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            let key = add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            receiver.reply_with(|_| Reply::Close);
            change_worker(server, 1).await;
            wait_for_hook(server, "failing_since IS NOT NULL AND NOT warned").await;
            server.clock.advance_seconds(36 * SECONDS_PER_HOUR);
            wait_for_hook(server, "warned AND active").await;
            server.clock.advance_seconds(36 * SECONDS_PER_HOUR);
            wait_for_hook(server, "NOT active").await;
            let tried = receiver.received().len();
            change_worker(server, 2).await;
            server.clock.advance_seconds(SECONDS_PER_HOUR);
            receiver.reply_with(|_| Reply::Status(204));
            let enabled = server.store.set_hook_active(&key, true, &audit_context()).await;
            assert!(enabled.expect("the store answers").is_some_and(|hook| hook.active));
            wait_until_queue_is_empty(&server.database).await;
            assert_eq!(receiver.received().len(), tried + 2, "nothing was sent while it was disabled");
            wait_for_hook(server, "failing_since IS NULL AND NOT warned").await;
        },
    );
}

#[test]
fn the_backlog_of_a_disabled_hook_expires_after_thirty_days() {
    const THIRTY_DAYS: i64 = 30 * 24 * SECONDS_PER_HOUR;
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            let key = add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            server.store.set_hook_active(&key, false, &audit_context()).await.expect("the store answers");
            change_worker(server, 1).await;
            server.clock.advance_seconds(THIRTY_DAYS - SECONDS_PER_HOUR);
            change_worker(server, 2).await;
            let now = START_TIME.plus_seconds(THIRTY_DAYS + 1);
            let before = now.plus_seconds(-THIRTY_DAYS);
            let expired = server.store.expire_deliveries(before, now, 100).await.expect("the store answers");
            assert_eq!((expired, count_in_state(&server.database, "EXPIRED").await), (1, 1));
            assert_eq!(
                (count_in_state(&server.database, "WAITING").await, receiver.received().len()),
                (1, 0)
            );
        },
    );
}

#[test]
fn a_clock_set_forwards_or_back_neither_loses_nor_delays_deliveries() {
    for step in [-24 * SECONDS_PER_HOUR, -SECONDS_PER_HOUR, SECONDS_PER_HOUR] {
        run_with_receiver(
            |_| (),
            async |server, receiver| {
                add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
                receiver.reply_with(|_| Reply::Status(500));
                change_worker(server, 1).await;
                wait_until_in_state(&server.database, "RETRYING", 1).await;
                let tried = receiver.received().len();
                receiver.reply_with(|_| Reply::Status(204));
                server.clock.step_seconds(step);
                server.clock.advance_seconds(300);
                receiver.wait_for_requests("/here", tried + 1).await;
                wait_until_queue_is_empty(&server.database).await;
                change_worker(server, 2).await;
                receiver.wait_for_requests("/here", tried + 2).await;
                wait_until_queue_is_empty(&server.database).await;
            },
        );
    }
}

#[test]
fn a_claim_from_before_the_clock_was_set_back_is_taken_over() {
    run_with_receiver(
        |settings| settings.webhook_poll_milliseconds = 60_000,
        async |server, receiver| {
            let key = add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            server.store.set_hook_active(&key, false, &audit_context()).await.expect("the store answers");
            change_worker(server, 1).await;
            let late = START_TIME.plus_seconds(24 * SECONDS_PER_HOUR).as_micros();
            let left = format!("UPDATE deliveries SET due = {late}, claimed_until = {late}");
            server.database.execute(&left).await;
            server.database.execute("UPDATE hooks SET active = TRUE").await;
            server.restart().await;
            receiver.wait_for_requests("/here", 1).await;
            wait_until_queue_is_empty(&server.database).await;
        },
    );
}

#[test]
fn a_clock_that_is_wrong_for_less_than_an_hour_disables_no_hook() {
    run_with_receiver(
        |_| (),
        async |server, receiver| {
            add_hook(&*server.store, "partner", "here", WORKER_DOMAIN).await;
            receiver.reply_with(|_| Reply::Close);
            change_worker(server, 1).await;
            wait_for_hook(server, "failing_since IS NOT NULL").await;
            server.clock.advance_seconds(2 * SECONDS_PER_HOUR);
            wait_for_hook(server, "failures >= 2").await;
            let before = server.database.query_number("SELECT failures FROM hooks").await;
            server.clock.step_seconds(100 * 24 * SECONDS_PER_HOUR);
            wait_for_hook(server, &format!("failures > {before}")).await;
            server.clock.step_seconds(-100 * 24 * SECONDS_PER_HOUR);
            server.clock.advance_seconds(300);
            wait_for_hook(server, &format!("failures > {before} + 1 AND active AND NOT warned")).await;
        },
    );
}
