//! A reliable clock for decisions that must not depend on a single wrong clock reading, such as deleting old
//! data.
//!
//! A clock that goes back is trusted immediately, because an earlier time only delays such decisions. A clock
//! that suddenly jumps ahead is only trusted after it has run for [`CLOCK_TRUST_DELAY`] without another jump.
//! The first reading of a clock is treated like a jump ahead. Until the clock is trusted, the trusted time
//! continues from the last trusted value.

use std::time::Duration;

use payroll_domain::date::Timestamp;

/// The time for which a clock must run after a jump ahead before the clock is trusted. A machine synchronizes
/// its clock in less time after a start. An administrator also has time to notice a wrong clock.
pub const CLOCK_TRUST_DELAY: Duration = Duration::from_secs(3_600);

/// The maximum allowed difference between two readings and the monotonic time that passed between them. A
/// gradual adjustment of the clock causes at most this difference in an hour. A larger difference is treated
/// as a jump.
const MAX_DEVIATION_MICROS: i64 = 2_000_000;

/// The trusted state of a clock.
#[derive(Debug)]
pub struct ClockState {
    /// The previous reading of the clock, and the monotonic time of the reading.
    last_reading: Option<(Timestamp, Duration)>,
    /// The trusted time. In the first hour of a process, the trusted time is 1970, so that no deadline seems
    /// to have passed.
    trusted_time: Timestamp,
    /// The monotonic time since which the clock has been ahead of the trusted time without another jump.
    /// `None` if the clock is not ahead.
    ahead_since: Option<Duration>,
}

/// The result of a reading of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReading {
    /// The trusted time, which is never later than the time of the clock.
    pub trusted_time: Timestamp,
    /// Whether the clock was set back since the previous reading.
    pub went_back: bool,
}

impl Default for ClockState {
    fn default() -> Self {
        Self { last_reading: None, trusted_time: Timestamp::from_micros(0), ahead_since: None }
    }
}

impl ClockState {
    /// Reads the trusted time. The arguments are the current values of both kinds of time
    /// ([`Clock`](crate::Clock)).
    pub fn read_clock(&mut self, now: Timestamp, monotonic: Duration) -> ClockReading {
        let (last, before) = self.last_reading.replace((now, monotonic)).unwrap_or((now, monotonic));
        let passed = to_micros(monotonic.saturating_sub(before));
        let step = now.as_micros().saturating_sub(last.as_micros()).saturating_sub(passed);
        self.trusted_time = Timestamp::from_micros(self.trusted_time.as_micros().saturating_add(passed));
        if now.as_micros() <= self.trusted_time.as_micros().saturating_add(MAX_DEVIATION_MICROS) {
            (self.trusted_time, self.ahead_since) = (now, None);
        } else {
            let steady = step.abs() <= MAX_DEVIATION_MICROS;
            let since = self.ahead_since.filter(|_| steady).unwrap_or(monotonic);
            self.ahead_since = Some(since);
            if monotonic.saturating_sub(since) >= CLOCK_TRUST_DELAY {
                (self.trusted_time, self.ahead_since) = (now, None);
            }
        }
        ClockReading { trusted_time: self.trusted_time, went_back: step < -MAX_DEVIATION_MICROS }
    }
}

fn to_micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS_PER_HOUR: i64 = 3_600;
    const SECONDS_PER_YEAR: i64 = 365 * 24 * SECONDS_PER_HOUR;
    const START_SECONDS: i64 = 1_778_587_200;

    /// Reads a clock that shows `system_seconds` at the monotonic time `elapsed_seconds`, and returns the
    /// trusted time. All times are in seconds after the start.
    fn advance_trusted_seconds(state: &mut ClockState, system_seconds: i64, elapsed_seconds: i64) -> i64 {
        let now = Timestamp::from_micros(0).plus_seconds(START_SECONDS + system_seconds);
        let reading = state.read_clock(now, Duration::from_secs(u64::try_from(elapsed_seconds).unwrap()));
        assert!(reading.trusted_time <= now, "never later than the clock");
        reading.trusted_time.as_seconds() - START_SECONDS
    }

    /// Returns the state of a clock that has run without a jump for two hours.
    fn trusted_clock() -> ClockState {
        let mut time = ClockState::default();
        assert!(advance_trusted_seconds(&mut time, 0, 0) < -SECONDS_PER_YEAR, "nothing is believed at once");
        assert_eq!(advance_trusted_seconds(&mut time, SECONDS_PER_HOUR, SECONDS_PER_HOUR), SECONDS_PER_HOUR);
        assert_eq!(
            advance_trusted_seconds(&mut time, 2 * SECONDS_PER_HOUR, 2 * SECONDS_PER_HOUR),
            2 * SECONDS_PER_HOUR
        );
        time
    }

    #[test]
    fn does_not_trust_a_single_wrong_clock_reading() {
        let mut time = trusted_clock();
        assert_eq!(
            advance_trusted_seconds(&mut time, SECONDS_PER_YEAR, 2 * SECONDS_PER_HOUR + 60),
            2 * SECONDS_PER_HOUR + 60
        );
        assert_eq!(
            advance_trusted_seconds(&mut time, 2 * SECONDS_PER_HOUR + 120, 2 * SECONDS_PER_HOUR + 120),
            2 * SECONDS_PER_HOUR + 120
        );
    }

    #[test]
    fn trusts_a_clock_one_hour_after_a_jump() {
        let mut time = trusted_clock();
        assert_eq!(
            advance_trusted_seconds(&mut time, SECONDS_PER_YEAR, 2 * SECONDS_PER_HOUR),
            2 * SECONDS_PER_HOUR
        );
        assert_eq!(
            advance_trusted_seconds(
                &mut time,
                SECONDS_PER_YEAR + SECONDS_PER_HOUR - 1,
                3 * SECONDS_PER_HOUR - 1
            ),
            3 * SECONDS_PER_HOUR - 1
        );
        assert_eq!(
            advance_trusted_seconds(&mut time, SECONDS_PER_YEAR + SECONDS_PER_HOUR, 3 * SECONDS_PER_HOUR),
            SECONDS_PER_YEAR + SECONDS_PER_HOUR
        );
    }

    #[test]
    fn each_clock_jump_restarts_the_hour_of_waiting() {
        let mut time = trusted_clock();
        for step in 1..10 {
            let passed = 2 * SECONDS_PER_HOUR + step * SECONDS_PER_HOUR / 2;
            assert_eq!(advance_trusted_seconds(&mut time, step * SECONDS_PER_YEAR, passed), passed);
        }
    }

    #[test]
    fn trusts_a_clock_that_goes_back_immediately_and_reports_it() {
        let mut time = trusted_clock();
        let back = Timestamp::from_micros(0).plus_seconds(START_SECONDS - 24 * SECONDS_PER_HOUR);
        let reading = time.read_clock(back, Duration::from_secs(7_200));
        assert_eq!(reading, ClockReading { trusted_time: back, went_back: true });
        let later = time.read_clock(back.plus_seconds(60), Duration::from_secs(7_260));
        assert_eq!(later, ClockReading { trusted_time: back.plus_seconds(60), went_back: false });
    }

    #[test]
    fn trusts_a_clock_that_is_adjusted_gradually() {
        let mut time = trusted_clock();
        for hour in 3..100 {
            let says = hour * SECONDS_PER_HOUR + hour - 2;
            assert_eq!(advance_trusted_seconds(&mut time, says, hour * SECONDS_PER_HOUR), says);
        }
    }
}
