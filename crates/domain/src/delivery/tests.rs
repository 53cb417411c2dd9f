use super::*;

const RETRY_POLICY: RetryPolicy =
    RetryPolicy { retry_seconds: 300, obey_retry_after: true, disable_after_seconds: 1_001 };

fn timestamp_at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

/// Returns the seconds between a failed attempt and the next one.
fn retry_wait(policy: RetryPolicy, retry_after: Option<u32>) -> i64 {
    match decide_next_step(
        &policy,
        AttemptResult { success: false, retry_after, is_last: false },
        timestamp_at(7),
    ) {
        NextStep::TryAgain { due } => due.as_seconds() - 7,
        NextStep::Delivered | NextStep::GivenUp => panic!("it has failed"),
    }
}

#[test]
fn never_resends_a_delivered_notification() {
    for retry_after in [None, Some(0), Some(u32::MAX)] {
        let outcome = AttemptResult { success: true, retry_after, is_last: false };
        assert_eq!(decide_next_step(&RETRY_POLICY, outcome, timestamp_at(0)), NextStep::Delivered);
    }
}

#[test]
fn respects_a_longer_retry_after_up_to_a_day() {
    let cases = [
        (None, 300),
        (Some(0), 300),
        (Some(299), 300),
        (Some(301), 301),
        (Some(86_400), 86_400),
        (Some(86_401), 86_400),
        (Some(u32::MAX), 86_400),
    ];
    for (retry_after, seconds) in cases {
        assert_eq!(retry_wait(RETRY_POLICY, retry_after), seconds, "{retry_after:?}");
    }
}

#[test]
fn ignores_retry_after_if_the_policy_does_not_respect_it() {
    let policy = RetryPolicy { obey_retry_after: false, ..RETRY_POLICY };
    assert_eq!(retry_wait(policy, Some(86_400)), 300);
}

#[test]
fn keeps_a_configured_wait_of_more_than_a_day() {
    let policy = RetryPolicy { retry_seconds: 100_000, ..RETRY_POLICY };
    assert_eq!((retry_wait(policy, Some(90_000)), retry_wait(policy, None)), (100_000, 100_000));
}

#[test]
fn saturates_the_instant_of_the_next_attempt() {
    let last = Timestamp::from_micros(i64::MAX);
    let failed = AttemptResult { success: false, retry_after: None, is_last: false };
    assert_eq!(decide_next_step(&RETRY_POLICY, failed, last), NextStep::TryAgain { due: last });
}

#[test]
fn warns_once_at_half_of_the_failing_time_and_disables_at_its_end() {
    use HealthStep::{Disable, Failing, Recovered, Same, Warn};
    let well = HookHealth::default();
    let failing = HookHealth { failing_since: Some(timestamp_at(100)), warned: false };
    let warned = HookHealth { warned: true, ..failing };
    let cases = [
        (well, true, 100, Same),
        (well, false, 100, Failing),
        (failing, true, 100, Recovered),
        (failing, false, 99, Same), // another process's clock is behind
        (failing, false, 100, Same),
        (failing, false, 599, Same),
        (failing, false, 600, Warn), // half of an odd number of seconds is rounded down
        (failing, false, 1_100, Warn),
        (failing, false, 1_101, Disable), // even if no warning could be sent
        (warned, false, 600, Same),
        (warned, false, 1_100, Same),
        (warned, false, 1_101, Disable),
        (warned, false, 999_999, Disable),
        (warned, true, 999_999, Recovered),
    ];
    for (before, success, now, expected) in cases {
        assert_eq!(
            decide_health_step(&RETRY_POLICY, before, success, timestamp_at(now)),
            expected,
            "{before:?} {success} {now}"
        );
    }
}

#[test]
fn disables_on_the_second_failure_if_the_time_is_zero() {
    let policy = RetryPolicy { disable_after_seconds: 0, ..RETRY_POLICY };
    let failing = HookHealth { failing_since: Some(timestamp_at(100)), warned: false };
    assert_eq!(
        decide_health_step(&policy, HookHealth::default(), false, timestamp_at(100)),
        HealthStep::Failing
    );
    assert_eq!(decide_health_step(&policy, failing, false, timestamp_at(100)), HealthStep::Disable);
}

#[test]
fn the_time_of_the_warning_is_exact_to_the_microsecond() {
    let policy = RetryPolicy { disable_after_seconds: 1_000, ..RETRY_POLICY };
    let failing = HookHealth { failing_since: Some(timestamp_at(0)), warned: false };
    let just_before = Timestamp::from_micros(timestamp_at(500).as_micros() - 1);
    assert_eq!(decide_health_step(&policy, failing, false, just_before), HealthStep::Same);
    assert_eq!(decide_health_step(&policy, failing, false, timestamp_at(500)), HealthStep::Warn);
}
