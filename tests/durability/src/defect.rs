//! Defects that are planted in the application, for tests that must find the defects.

use std::ffi::CStr;
use std::path::Path;

/// A defect that is planted in the server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Defect {
    None,
    /// Each connection of SQLite begins with this `PRAGMA synchronous = …` and keeps the setting.
    Synchronous(&'static CStr),
    /// Syncs of the files and folders that the function selects report success without syncing.
    Unsynced(fn(&Path) -> bool),
    /// The database gets this SQL trigger, which changes or deletes data.
    Trigger(&'static str),
    /// The client receives its response before the commit.
    EarlyResponse,
}

impl Defect {
    /// Returns whether a sync of this path reports success without syncing.
    pub(crate) fn ignores_sync(self, path: &Path) -> bool {
        matches!(self, Self::Unsynced(of) if of(path))
    }
}
