//! Defects of an application, for tests that must find them.

use std::ffi::CStr;
use std::path::Path;

/// A defect that is planted in the server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Defect {
    None,
    /// Each connection of SQLite begins with this `PRAGMA synchronous = …` and keeps the setting.
    Synchronous(&'static CStr),
    /// Syncs of these files and folders only pretend to succeed.
    Unsynced(fn(&Path) -> bool),
    /// The database gets this SQL trigger, which disturbs its data.
    Trigger(&'static str),
    /// The client receives its response before the commit.
    EarlyResponse,
}

impl Defect {
    /// Returns whether a sync of this path only pretends to succeed.
    pub(crate) fn pretends(self, path: &Path) -> bool {
        matches!(self, Self::Unsynced(of) if of(path))
    }
}
