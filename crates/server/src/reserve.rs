//! Reserves disk space so that a server with an embedded database can start on a full disk.
//!
//! SQLite creates two small files next to the database when the database is opened, even for reading. On a
//! full disk this fails, so a stopped server could not start again. Therefore the server creates a small
//! reserve file next to the database, and deletes the reserve at a start on a full disk. The server then
//! starts and serves reads. Changes get 503 until there is space.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::keys::{OWNER_ONLY_MODE, with_suffix};

/// The size of the reserve file in bytes. SQLite's shared-memory file needs 32 kB, so this size includes a
/// margin.
const RESERVE_BYTES: usize = 1024 * 1024;
/// The free space in bytes that is required for creating the reserve.
const MIN_FREE_BYTES: u64 = 64 * 1024 * 1024;

fn reserve_path(database: &Path) -> PathBuf {
    with_suffix(database, ".reserve")
}

fn available_disk_bytes(database: &Path) -> io::Result<u64> {
    let folder = database.parent().filter(|folder| !folder.as_os_str().is_empty());
    let disk = rustix::fs::statvfs(folder.unwrap_or(Path::new(".")))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Deletes the reserve if less disk space is free than the size of the reserve. Errors are ignored, because
/// opening the database reports them.
pub(crate) fn delete_reserve_if_disk_is_full(database: &Path) {
    let is_full = available_disk_bytes(database).is_ok_and(|free| free < RESERVE_BYTES as u64);
    if is_full && fs::remove_file(reserve_path(database)).is_ok() {
        tracing::warn!("the disk is full: the reserved disk space was released so that the server can start");
    }
}

/// Creates the reserve if there is enough free space. Without a reserve, the server works but may not start
/// on a full disk.
pub(crate) fn create_reserve(database: &Path) {
    let path = reserve_path(database);
    if path.exists() || available_disk_bytes(database).map_or(true, |free| free < MIN_FREE_BYTES) {
        return;
    }
    if let Err(error) = write_reserve_file(&path) {
        tracing::warn!(%error, "no disk space could be reserved, so the server may not start if the disk is \
            full");
        // An incomplete reserve has no use, so it is deleted.
        let _removed = fs::remove_file(&path);
    }
}

/// Writes the reserve with non-zero bytes, because some file systems store zeros without using space.
fn write_reserve_file(path: &Path) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(OWNER_ONLY_MODE).open(path)?;
    file.write_all(&vec![0xA5; RESERVE_BYTES])?;
    file.sync_all()
}
