//! Counts the steps of input readers in tests. A step is one byte that is read, one member that is
//! compared, or one byte that is moved.
//!
//! A reader is linear if four times the input takes at most four times the steps. The tests count steps
//! because they cannot measure time reliably on a busy machine. The counter is compiled only in tests and
//! with the feature `step-counter`.

/// Adds to the number of steps. This function does nothing if the counter is not compiled.
#[inline]
#[cfg_attr(
    not(any(test, feature = "step-counter")),
    expect(clippy::missing_const_for_fn, reason = "it counts in tests")
)]
pub fn record_steps(steps: usize) {
    #[cfg(any(test, feature = "step-counter"))]
    counter::STEP_COUNT.with(|counted| counted.set(counted.get().saturating_add(steps)));
    #[cfg(not(any(test, feature = "step-counter")))]
    let _ = steps;
}

#[cfg(any(test, feature = "step-counter"))]
pub use counter::{assert_linear, count_steps_during};

#[cfg(any(test, feature = "step-counter"))]
mod counter {
    use std::cell::Cell;

    thread_local! {
        pub(super) static STEP_COUNT: Cell<usize> = const { Cell::new(0) };
    }

    /// The size of the smaller input.
    const SMALLER_INPUT_SIZE: usize = 2_000;
    /// The factor between the smaller and the larger input.
    const INPUT_GROWTH_FACTOR: usize = 4;

    /// Runs `work` and returns the number of steps that the current thread counted during `work`.
    pub fn count_steps_during(work: impl FnOnce()) -> usize {
        let before = STEP_COUNT.replace(0);
        work();
        STEP_COUNT.replace(before)
    }

    /// Asserts that a reader takes at most four times the steps for four times the input. Also asserts that
    /// the reader counts at least one step for each part of the input, because a reader that counts nothing
    /// would always pass.
    ///
    /// # Panics
    /// Panics if the reader takes more steps, or counts too few.
    pub fn assert_linear(name: &str, input: impl Fn(usize) -> String, read: impl Fn(&str)) {
        let steps = |size: usize| {
            let text = input(size);
            count_steps_during(|| read(&text))
        };
        let (small, large) = (steps(SMALLER_INPUT_SIZE), steps(INPUT_GROWTH_FACTOR * SMALLER_INPUT_SIZE));
        assert!(
            small >= SMALLER_INPUT_SIZE,
            "{name}: {small} steps for {SMALLER_INPUT_SIZE} parts are not all that was done"
        );
        // A tenth more is allowed for setup work, and for numbers with more digits in the larger input.
        let most = INPUT_GROWTH_FACTOR * small + small / 10;
        assert!(
            large <= most,
            "{name}: {small} steps, and {large} for {INPUT_GROWTH_FACTOR} times the input"
        );
    }
}
