//! Reserves disk space for the start of an embedded database.
//!
//! SQLite creates two small files next to the database when it is opened, even for reading. On a full disk
//! this fails, so a stopped server could not start again. Therefore a small file is kept next to the
//! database, and deleted at a start with a full disk. The server then starts and serves reads, and changes
//! get 503 until there is space.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::keys::{OWNER_ONLY, with_suffix};

/// The size of the reserve in bytes, with a margin. The shared memory of the log has 32 kB.
const BYTES: usize = 1024 * 1024;
/// The minimum free space for creating the reserve.
const PLENTY: u64 = 64 * 1024 * 1024;

fn file(database: &Path) -> PathBuf {
    with_suffix(database, ".reserve")
}

fn free_bytes(database: &Path) -> io::Result<u64> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    let disk = rustix::fs::statvfs(folder.unwrap_or(Path::new(".")))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Deletes the reserve if the disk has less free space. Errors are ignored, because opening the database
/// reports them.
pub(crate) fn release_on_a_full_disk(database: &Path) {
    let is_full = free_bytes(database).is_ok_and(|free| free < BYTES as u64);
    if is_full && fs::remove_file(file(database)).is_ok() {
        tracing::warn!("the disk is full: the space reserved for the start is released");
    }
}

/// Creates the reserve if there is enough free space. Without it, only a start on a full disk fails.
pub(crate) fn create_reserve(database: &Path) {
    let path = file(database);
    if path.exists() || free_bytes(database).map_or(true, |free| free < PLENTY) {
        return;
    }
    if let Err(error) = write(&path) {
        tracing::warn!(%error, "no space is reserved for a start on a full disk");
        // An incomplete reserve is useless.
        let _removed = fs::remove_file(&path);
    }
}

/// Writes all bytes, because a file system stores a sparse file without using space.
fn write(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY).open(path)?;
    file.write_all(&vec![0xA5; BYTES])?;
    file.sync_all()
}
