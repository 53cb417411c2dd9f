//! What can be wrong with an application, for tests that must find it.

use std::ffi::CStr;
use std::path::Path;

/// A defect that is planted in the server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Defect {
    None,
    /// Each connection of SQLite begins with that `PRAGMA synchronous = …`, and keeps it.
    Synchronous(&'static CStr),
    /// Syncs of these files and folders are only pretended.
    Unsynced(fn(&Path) -> bool),
    /// A trigger in the database.
    Trigger(&'static str),
    /// The client has its response before the commit.
    EarlyResponse,
}

impl Defect {
    /// Whether a sync of that path is only pretended.
    pub(crate) fn pretends(self, path: &Path) -> bool {
        matches!(self, Self::Unsynced(of) if of(path))
    }
}
