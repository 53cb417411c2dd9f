//! Which call of a process fails, and how.

/// A kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// Opening a file that is there.
    Open,
    /// Creating or emptying a file.
    Create,
    Write,
    Sync,
    /// Renaming, removing, making a folder.
    Name,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// With that number of an error.
    Error(i32),
    /// A write writes half.
    Half,
}

/// The plan: one call fails, or all from it on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    /// The number of the call, beginning at 1; nothing fails at 0.
    pub(crate) first: usize,
    /// How many calls fail.
    pub(crate) count: usize,
    pub(crate) fault: Option<Fault>,
    /// The only kind that is counted.
    pub(crate) only: Option<Call>,
    seen: usize,
    failed: usize,
}

impl Faults {
    /// Has the call of that number fail, of one kind or of all.
    pub(crate) const fn at(first: usize, fault: Fault, only: Option<Call>) -> Self {
        Self { first, count: 1, fault: Some(fault), only, seen: 0, failed: 0 }
    }

    pub(crate) const fn counted(&self) -> (usize, usize) {
        (self.seen, self.failed)
    }

    /// Counts a call; how it fails, if it does.
    pub(crate) fn fault(&mut self, call: Call) -> Option<Fault> {
        if self.only.is_some_and(|only| only != call) {
            return None;
        }
        self.seen += 1;
        let fails = self.first > 0 && (self.first..self.first + self.count).contains(&self.seen);
        let fault = self.fault.filter(|_| fails)?;
        self.failed += 1;
        Some(fault)
    }

    /// The same of a call that cannot be done by half.
    pub(crate) fn refuses(&mut self, call: Call) -> Option<i32> {
        match self.fault(call)? {
            Fault::Error(error) => Some(error),
            Fault::Half => None,
        }
    }
}
