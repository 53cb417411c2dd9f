//! Tests of the dispatcher loop with a queue and receivers in memory. The simulated time advances only while
//! all tasks wait.

mod options;
mod world;

use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{ErrorClass, HealthStep};
use payroll_ports::Clock;
use payroll_ports::deliveries::{DeliveryId, HookNumber};

use super::DispatchSettings;
use world::{ReceiverBehavior, SETTINGS, TestEnvironment};

#[tokio::test(start_paused = true)]
async fn every_delivery_is_sent_once_and_recorded() {
    let world = TestEnvironment::new();
    for hook in 1..=3 {
        world.add_hook(hook, "receiver.example", ReceiverBehavior::Accepts(5));
        world.queue_deliveries(hook, 1_000);
    }
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| (1..=3).all(|hook| world.count_delivered(hook) == 1_000)).await;
    running.stop().await;
    assert_eq!(world.lock_state().started_deliveries.len(), 3_000);
    assert_eq!(world.lock_state().deliveries.values().map(|it| it.attempts.len()).max(), Some(1));
    assert!(world.lock_state().steps.is_empty(), "nothing is to be reported of hooks that are well");
}

#[tokio::test(start_paused = true)]
async fn a_later_delivery_is_sent_immediately() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(0));
    let running = world.run_dispatcher(SETTINGS);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let queued = world.now();
    world.queue_deliveries(1, 1);
    world.wait_until(|world| world.count_delivered(1) == 1).await;
    let attempt = world.lock_state().deliveries.values().next().unwrap().attempts[0].attempt.clone();
    assert_eq!(
        (attempt.at, attempt.number, attempt.response_body.as_deref()),
        (queued, 1, Some("with a \u{fffd}"))
    );
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn deliveries_are_sent_while_changes_arrive_continuously() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(1));
    world.lock_state().is_busy = true;
    let running = world.run_dispatcher(SETTINGS);
    for _ in 0..20 {
        let (queued, delivered) = (world.now(), world.count_delivered(1));
        world.queue_deliveries(1, 50);
        world.wait_until(|world| world.count_delivered(1) == delivered + 50).await;
        assert!(world.now() < queued.plus_seconds(1), "a claim follows each query for hooks");
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_receiver_with_a_backlog_delays_no_other_receiver() {
    let world = TestEnvironment::new();
    world.add_hook(1, "slow.example", ReceiverBehavior::Accepts(5_000));
    world.add_hook(2, "quick.example", ReceiverBehavior::Accepts(1));
    world.queue_deliveries(1, 3_000);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.started_count(1) > 0).await;
    for _ in 0..50 {
        let before = world.count_delivered(2);
        world.queue_deliveries(2, 1);
        world.wait_until(|world| world.count_delivered(2) == before + 1).await;
    }
    assert_eq!(world.count_delivered(1), 0);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn unresponsive_receivers_do_not_occupy_all_slots() {
    let world = TestEnvironment::new();
    for hook in 1..=60 {
        world.add_hook(hook, &format!("dead-{hook}.example"), ReceiverBehavior::Rejects(15_000));
        world.queue_deliveries(hook, 50);
    }
    world.add_hook(99, "quick.example", ReceiverBehavior::Accepts(1));
    let running = world.run_dispatcher(DispatchSettings { max_in_flight: 40, ..SETTINGS });
    tokio::time::sleep(Duration::from_secs(60)).await;
    let now = world.now();
    world.queue_deliveries(99, 20);
    world.wait_until(|world| world.count_delivered(99) == 20).await;
    assert!(world.now() < now.plus_seconds(1), "there were slots for it");
    let most = |host: &str| world.lock_state().in_progress[host].1;
    assert!((1..=60).all(|hook| most(&format!("dead-{hook}.example")) <= 4), "a few until it is known");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_hook_with_a_large_backlog_does_not_delay_other_hooks() {
    let world = TestEnvironment::new();
    for hook in 1..=4 {
        world.add_hook(hook, &format!("{hook}.example"), ReceiverBehavior::Accepts(2));
    }
    world.queue_deliveries(1, 20_000);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(1) > 1_000).await;
    for hook in 2..=4 {
        world.queue_deliveries(hook, 100);
    }
    world.wait_until(|world| (2..=4).all(|hook| world.count_delivered(hook) == 100)).await;
    assert!(world.count_delivered(1) < 19_000);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn host_and_hook_limits_are_not_exceeded() {
    let world = TestEnvironment::new();
    for hook in 1..=6 {
        world.add_hook(hook, "one.example", ReceiverBehavior::Accepts(50));
        world.queue_deliveries(hook, 500);
    }
    world.add_hook(7, "other.example", ReceiverBehavior::Accepts(50));
    world.queue_deliveries(7, 500);
    let running = world.run_dispatcher(DispatchSettings { connections_per_host: 100, ..SETTINGS });
    world.wait_until(|world| (1..=7).all(|hook| world.count_delivered(hook) == 500)).await;
    assert_eq!(world.lock_state().in_progress["one.example"].1, 100);
    assert_eq!(world.lock_state().in_progress["other.example"].1, 64);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn rejected_deliveries_are_retried_when_due_and_the_hook_recovers() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Rejects(10));
    world.queue_deliveries(1, 1);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.started_count(1) == 1).await;
    world.lock_state().hooks.get_mut(&HookNumber(1)).unwrap().1 = ReceiverBehavior::Accepts(10);
    world.wait_until(|world| world.count_delivered(1) == 1).await;
    running.stop().await;
    let inner = world.lock_state();
    let times: Vec<_> =
        inner.deliveries.values().flat_map(|it| &it.attempts).map(|it| it.attempt.at).collect();
    // The retry interval of 300 s starts at the end of the first attempt, which takes 10 ms. Timers are
    // exact to a millisecond, so the time may exceed the interval slightly.
    let early = (times[1].as_micros() - times[0].as_micros()) - 300_010_000;
    assert!((0..=2_000).contains(&early), "{early}");
    let steps: Vec<_> = inner.steps.iter().map(|(_, step)| *step).collect();
    assert_eq!(steps, [HealthStep::Failing, HealthStep::Recovered]);
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_fails_too_long_is_disabled_and_keeps_its_pending_deliveries() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Rejects(10));
    world.queue_deliveries(1, 40);
    let mut settings = SETTINGS;
    settings.retry.disable_after_seconds = 900;
    let running = world.run_dispatcher(settings);
    world.wait_until(|world| world.lock_state().disabled.contains(&HookNumber(1))).await;
    let started = world.started_count(1);
    tokio::time::sleep(Duration::from_secs(1_000)).await;
    assert_eq!(world.started_count(1), started);
    assert!(world.lock_state().deliveries.values().all(|it| it.due.is_some()));
    let steps: Vec<_> = world.lock_state().steps.iter().map(|(_, step)| *step).collect();
    assert_eq!(steps.iter().filter(|step| **step == HealthStep::Warn).count(), 1);
    assert_eq!((running.metrics.disabled.get(), running.metrics.warned.get()), (1, 1));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_storage_causes_no_loss_and_no_busy_loop() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(100));
    world.queue_deliveries(1, 10);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.started_count(1) == 4).await;
    world.lock_state().is_unavailable = true;
    let queries_before = world.lock_state().query_count;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(world.lock_state().query_count - queries_before < 40);
    world.lock_state().is_unavailable = false;
    world.wait_until(|world| world.count_delivered(1) == 10).await;
    assert_eq!(world.started_count(1), 10, "none twice");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_unstorable_outcome_delays_no_other_outcome() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(1));
    world.queue_deliveries(1, 200);
    world.lock_state().poisoned.insert(DeliveryId { hook: HookNumber(1), position: 100 });
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(1) == 199).await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_finishes_attempts_and_releases_other_claims() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(900));
    world.queue_deliveries(1, 1_000);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(1) > 100).await;
    running.stop().await;
    let (delivered, started) = (world.count_delivered(1), world.started_count(1));
    assert_eq!(delivered, started, "what was begun has ended and is recorded");
    let claimed = world.lock_state().deliveries.values().filter(|it| it.claimed_until.is_some()).count();
    assert_eq!(claimed, 0);
}

#[tokio::test(start_paused = true)]
async fn attempts_that_exceed_the_shutdown_time_are_aborted_and_released() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(14_000));
    world.queue_deliveries(1, 10);
    let running =
        world.run_dispatcher(DispatchSettings { shutdown_timeout: Duration::from_secs(1), ..SETTINGS });
    world.wait_until(|world| world.started_count(1) == 4).await;
    running.stop().await;
    assert!(world.lock_state().deliveries.values().all(|it| it.due.is_some() && it.claimed_until.is_none()));
}

#[tokio::test(start_paused = true)]
async fn a_panicking_sender_fails_only_one_attempt() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Breaks);
    world.add_hook(2, "receiver.example", ReceiverBehavior::Accepts(1));
    world.queue_deliveries(1, 1);
    world.queue_deliveries(2, 10);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(2) == 10 && running.metrics.failed.get() == 1).await;
    running.stop().await;
    let stored_error = world.lock_state().deliveries.values().next().unwrap().attempts[0].attempt.error;
    assert_eq!(stored_error, Some(ErrorClass::Internal));
}

#[tokio::test(start_paused = true)]
async fn claims_of_a_dead_process_are_taken_over_after_they_expire() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(1));
    world.queue_deliveries(1, 5);
    let end = Timestamp::from_micros(30_000_000);
    for stored in world.lock_state().deliveries.values_mut() {
        stored.claimed_until = Some(end);
    }
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(1) == 5).await;
    let at = world.lock_state().deliveries.values().map(|it| it.attempts[0].attempt.at).min().unwrap();
    assert!(at >= end && at <= end.plus_seconds(2), "{at:?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn no_attempt_starts_if_its_claim_may_expire_before_the_end() {
    let world = TestEnvironment::new();
    world.add_hook(1, "receiver.example", ReceiverBehavior::Accepts(2_000));
    world.queue_deliveries(1, 16);
    let running =
        world.run_dispatcher(DispatchSettings { max_in_flight: 1, in_flight_per_hook: 1, ..SETTINGS });
    // Only one attempt runs at a time. Some claimed deliveries wait too long, so their claims must be
    // released.
    world.wait_until(|world| world.count_delivered(1) == 16).await;
    assert_eq!(world.started_count(1), 16, "none twice");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_changed_hook_gets_deliveries_at_its_new_address() {
    let world = TestEnvironment::new();
    world.add_hook(1, "old.example", ReceiverBehavior::Accepts(1));
    world.queue_deliveries(1, 1);
    let running = world.run_dispatcher(SETTINGS);
    world.wait_until(|world| world.count_delivered(1) == 1).await;
    world.add_hook(1, "new.example", ReceiverBehavior::Accepts(1));
    world.lock_state().hooks.get_mut(&HookNumber(1)).unwrap().0.version = 2;
    world.queue_deliveries(1, 1);
    world.wait_until(|world| world.count_delivered(1) == 2).await;
    assert_eq!(world.lock_state().in_progress["new.example"].1, 1);
    running.stop().await;
}
