//! Tests of hooks with ordered notifications or with a limit of attempts per second.

use std::time::Duration;

use payroll_domain::delivery::NextStep;
use payroll_domain::hook::DeliveryOptions;
use payroll_ports::deliveries::HookNumber;

use super::world::{ReceiverBehavior, SETTINGS, TestEnvironment};

const ORDERED_DELIVERY: DeliveryOptions =
    DeliveryOptions { ordered: true, max_attempts: None, max_per_second: None };

/// Returns the positions of the deliveries of all attempts, in the order in which the attempts started.
fn read_started_positions(environment: &TestEnvironment) -> Vec<i64> {
    environment.lock_state().started_deliveries.iter().map(|id| id.position).collect()
}

#[tokio::test(start_paused = true)]
async fn an_ordered_hook_gets_one_notification_at_a_time_in_order() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(5));
    world.set_options(1, ORDERED_DELIVERY);
    world.queue_deliveries(1, 300);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(1) == 300).await;
    running.stop().await;
    assert_eq!(read_started_positions(&world), (0..300).collect::<Vec<_>>());
    assert_eq!(world.lock_state().in_progress["receiver.example"].1, 1);
}

#[tokio::test(start_paused = true)]
async fn failed_notification_delays_later_ones_of_an_ordered_hook() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Rejects(10));
    world.set_options(1, ORDERED_DELIVERY);
    world.queue_deliveries(1, 20);
    let running = world.run_dispatcher(SETTINGS);
    tokio::time::sleep(Duration::from_secs(1_000)).await;
    assert_eq!(read_started_positions(&world), [0, 0, 0, 0], "an attempt every 300 seconds");
    world.queue_deliveries(1, 5);
    world.lock_state().hooks.get_mut(&HookNumber(1)).unwrap().1 = ReceiverBehavior::Accepts(10);
    world.wait_until(|world| world.count_delivered(1) == 25).await;
    running.stop().await;
    assert_eq!(read_started_positions(&world)[4..], (0..25).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn enabling_ordered_delivery_applies_to_all_later_notifications() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(100));
    world.queue_deliveries(1, 2_000);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.started_count(1) >= 200).await;
    world.set_options(1, ORDERED_DELIVERY);
    // Deliveries that were already claimed when the hook became ordered may still be sent out of order. The
    // number of such deliveries is limited.
    world.wait_until(|world| world.count_delivered(1) == 2_000).await;
    running.stop().await;
    let started = read_started_positions(&world);
    let unordered =
        started.iter().rposition(|position| started.iter().filter(|it| *it == position).count() > 1);
    assert_eq!(unordered, None, "each was sent once");
    assert!(started[600..].is_sorted(), "{:?}", &started[600..]);
}

#[tokio::test(start_paused = true)]
async fn notification_fails_after_its_last_allowed_attempt() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Rejects(10));
    world.set_options(1, DeliveryOptions { max_attempts: Some(2), ..ORDERED_DELIVERY });
    world.queue_deliveries(1, 2);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(1) == 2).await;
    running.stop().await;
    assert_eq!(read_started_positions(&world), [0, 0, 1, 1]);
    let inner = world.lock_state();
    let steps: Vec<_> = inner.deliveries.values().map(|it| it.attempts.last().unwrap().next_step).collect();
    assert_eq!(steps, [NextStep::GivenUp, NextStep::GivenUp]);
}

#[tokio::test(start_paused = true)]
async fn the_attempts_of_a_hook_are_limited_per_second() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(1));
    world.add_hook(2, "quick.example", ReceiverBehavior::Accepts(1));
    world.set_options(1, DeliveryOptions { max_per_second: Some(10), ..DeliveryOptions::default() });
    world.queue_deliveries(1, 100);
    world.queue_deliveries(2, 1_000);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(2) == 1_000).await;
    assert!(world.count_delivered(1) < 50, "another hook is not slowed down");
    world.wait_until(|world| world.count_delivered(1) == 100).await;
    running.stop().await;
    let inner = world.lock_state();
    let starts: Vec<_> = inner
        .deliveries
        .iter()
        .filter(|(id, _)| id.hook == HookNumber(1))
        .map(|(_, it)| it.attempts[0].attempt.at.as_micros())
        .collect();
    let mut sorted = starts.clone();
    sorted.sort_unstable();
    let most = sorted.iter().map(|at| sorted.iter().filter(|it| (*at..at + 1_000_000).contains(*it)).count());
    assert!(most.max().unwrap() <= 11, "10 within a second, and one at its end: {sorted:?}");
    assert!(sorted[99] - sorted[0] < 12_000_000, "the limit is used: {sorted:?}");
}
