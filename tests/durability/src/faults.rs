//! Specifies which system call of a process fails, and how it fails.

/// A kind of system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SystemCall {
    /// Opens an existing file.
    Open,
    /// Creates or truncates a file.
    Create,
    Write,
    Sync,
    /// Renames or removes a file, or creates a folder.
    Name,
    /// Locks a part of a file. A lock changes no file. A plan for all kinds of calls therefore does not count
    /// locks, but a plan for this kind does.
    Lock,
}

/// The way in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallFault {
    /// The call fails with this error number.
    Error(i32),
    /// A write stores only half of its data.
    Half,
}

/// A plan of faults: one call fails, or a series of consecutive calls.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PlannedFaults {
    /// The number of the first failing call, counted from 1. With 0, no call fails.
    pub(crate) first: usize,
    /// The number of calls that fail.
    pub(crate) count: usize,
    pub(crate) fault: Option<CallFault>,
    /// The only kind of call that is counted. `None` counts all kinds.
    pub(crate) only: Option<SystemCall>,
    matching_calls: usize,
    failed: usize,
}

impl PlannedFaults {
    /// Plans the failure of the call with this number, among all calls or calls of one kind.
    pub(crate) const fn new(first: usize, fault: CallFault, only: Option<SystemCall>) -> Self {
        Self { first, count: 1, fault: Some(fault), only, matching_calls: 0, failed: 0 }
    }

    /// Returns the number of calls so far, and the number of failed calls among them.
    pub(crate) const fn call_and_fault_counts(&self) -> (usize, usize) {
        (self.matching_calls, self.failed)
    }

    /// Counts a call, and returns its fault if it must fail.
    pub(crate) fn next_fault(&mut self, call: SystemCall) -> Option<CallFault> {
        if self.only.map_or(call == SystemCall::Lock, |only| only != call) {
            return None;
        }
        self.matching_calls += 1;
        let fails = self.first > 0 && (self.first..self.first + self.count).contains(&self.matching_calls);
        let fault = self.fault.filter(|_| fails)?;
        self.failed += 1;
        Some(fault)
    }

    /// Counts a call that cannot succeed partly. Returns the error number if the call must fail.
    pub(crate) fn error_of_next_call(&mut self, call: SystemCall) -> Option<i32> {
        match self.next_fault(call)? {
            CallFault::Error(error) => Some(error),
            CallFault::Half => None,
        }
    }
}
