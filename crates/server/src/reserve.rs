//! Disk space that is held for the start of an embedded database.
//!
//! SQLite creates two small files next to the database when it is opened, also for reading. On a full disk it cannot,
//! so a server that was stopped there would not start again. A file of some space is kept next to the database, and
//! is given up at a start that finds the disk full: the server then starts, reads go on, and changes are 503 until
//! there is room.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::keys::{OWNER_ONLY, with_suffix};

/// What a start needs, with room to spare: the shared memory of the log has 32 kB.
const BYTES: usize = 1024 * 1024;
/// Space is held only where at least this much else is free.
const PLENTY: u64 = 64 * 1024 * 1024;

fn file(database: &Path) -> PathBuf {
    with_suffix(database, ".reserve")
}

fn free_bytes(database: &Path) -> io::Result<u64> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    let disk = rustix::fs::statvfs(folder.unwrap_or(Path::new(".")))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Gives the space up where the disk has less left. What cannot be found out or removed is left to the opening of
/// the database, which reports it.
pub(crate) fn release_on_a_full_disk(database: &Path) {
    let is_full = free_bytes(database).is_ok_and(|free| free < BYTES as u64);
    if is_full && fs::remove_file(file(database)).is_ok() {
        tracing::warn!("the disk is full: the space that was held for the start is given up");
    }
}

/// Holds the space from here on, where there is plenty. Without it nothing but a start on a full disk fails.
pub(crate) fn hold(database: &Path) {
    let path = file(database);
    if path.exists() || free_bytes(database).map_or(true, |free| free < PLENTY) {
        return;
    }
    if let Err(error) = write(&path) {
        tracing::warn!(%error, "no space is held for a start on a full disk");
        // Half of it is of no use.
        let _removed = fs::remove_file(&path);
    }
}

/// Written in full: a file system stores a file of holes in no space.
fn write(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)?;
    file.write_all(&vec![0xA5; BYTES])?;
    file.sync_all()
}
