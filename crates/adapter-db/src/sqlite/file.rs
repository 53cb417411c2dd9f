//! The database file of this process. This module verifies that the open file is still the file at its path.
//!
//! If a file is removed, moved or replaced, processes that have it open still write to the old file. These
//! writes are lost when the last process closes the old file. The same applies to the log (`…-wal`) next to
//! the file, to which every commit is written first. Before and after each write, the open file and the open
//! log are therefore compared by device and inode with the files at their paths. The comparison takes two
//! system calls of one microsecond each.
//!
//! If a sync of the log fails, the operating system may still mark the pages of that sync as written. A later
//! successful sync then does not write these pages. SQLite reads a log up to the first damaged frame, so a
//! power failure would lose these pages and all later frames. After a failed write, the next write therefore
//! first rewrites the log with its own content from the page cache and syncs it.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::error::{Failure, Outcome};

/// The number of bytes of the log that are read and written at a time.
const WAL_READ_BYTES: usize = 256 * 1024;

/// The database file at a path.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    /// The path from the settings.
    configured_path: PathBuf,
    /// The path with all symbolic links resolved. SQLite stores the log next to this path.
    path: PathBuf,
    identity: Option<FileIdentity>,
    /// The identity of the log that the connections of this process have open. The identity is dropped with
    /// the last of these connections, because SQLite then removes the log.
    log: Mutex<Weak<FileIdentity>>,
    /// Whether part of the log may be missing on disk after a failed sync.
    wal_may_be_unsynced: AtomicBool,
}

/// The identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    device: u64,
    inode: u64,
}

impl DatabaseFile {
    /// Records the identity of the file that is at the path now, if there is one.
    pub(super) fn from_path(path: &Path) -> Self {
        let given = path.to_owned();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let identity = file_identity(&path).ok();
        Self {
            configured_path: given,
            path,
            identity,
            log: Mutex::default(),
            wal_may_be_unsynced: AtomicBool::new(false),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Verifies that the file and the log are still at their paths, before a connection is opened. If the log
    /// is missing, SQLite would create a new one, and the connections would use different logs.
    ///
    /// # Errors
    /// [`Failure::Unwritable`] if the file or the log is no longer at its path, because writes would be lost.
    pub(super) fn check_openable(&self) -> Outcome<()> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        self.check_still_at_path(log.as_deref())
    }

    /// Returns the identity of the log that a new connection has open. All connections must have the same
    /// log.
    ///
    /// # Errors
    /// [`Failure::Unwritable`] if the connection has a different log, or if the file is no longer at its
    /// path.
    pub(super) fn shared_log_identity(&self) -> Outcome<Option<Arc<FileIdentity>>> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let known = log.upgrade().or_else(|| file_identity(&self.log_path()).ok().map(Arc::new));
        self.check_still_at_path(known.as_deref())?;
        *log = known.as_ref().map(Arc::downgrade).unwrap_or_default();
        Ok(known)
    }

    /// Verifies that the file and the log of a connection are still at their paths.
    ///
    /// # Errors
    /// [`Failure::Unwritable`] if the file or the log is no longer at its path, because writes would be lost.
    pub(super) fn check_still_at_path(&self, log: Option<&FileIdentity>) -> Outcome<()> {
        // The configured path is followed again. If a symbolic link now leads to another file, the next start
        // would open that file.
        check_identity(&self.configured_path, self.identity.as_ref())?;
        check_identity(&self.log_path(), log)
    }

    /// Records that a part of the log may be missing on disk: a write has failed, or it is unknown how the
    /// previous process ended.
    pub(super) fn mark_wal_unsynced(&self) {
        self.wal_may_be_unsynced.store(true, Ordering::SeqCst);
    }

    /// Flushes the complete log to disk if part of the log may be missing on disk. The caller holds the write
    /// lock.
    ///
    /// # Errors
    /// [`Failure::Unwritable`] if the disk still fails.
    pub(super) fn sync_wal(&self) -> Outcome<()> {
        if !self.wal_may_be_unsynced.load(Ordering::SeqCst) {
            return Ok(());
        }
        match rewrite_and_sync(&self.log_path()) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::Unwritable(format!("{} cannot be written: {error}", self.log_path().display())))
            }
            Ok(()) | Err(_) => {
                self.wal_may_be_unsynced.store(false, Ordering::SeqCst);
                Ok(())
            }
        }
    }

    fn log_path(&self) -> PathBuf {
        let mut path = self.path.as_os_str().to_owned();
        path.push("-wal");
        path.into()
    }
}

/// Overwrites a file with its own content and syncs it.
fn rewrite_and_sync(path: &Path) -> Result<(), Error> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let (mut bytes, mut at) = (vec![0; WAL_READ_BYTES], 0);
    loop {
        file.seek(SeekFrom::Start(at))?;
        let count = file.read(&mut bytes)?;
        if count == 0 {
            return file.sync_all();
        }
        file.seek(SeekFrom::Start(at))?;
        file.write_all(bytes.get(..count).unwrap_or_default())?;
        at += u64::try_from(count).unwrap_or(0);
    }
}

fn check_identity(path: &Path, opened: Option<&FileIdentity>) -> Outcome<()> {
    // The identity of the opened file could not be read, so there is nothing to compare.
    let Some(opened) = opened else { return Ok(()) };
    let problem = match file_identity(path) {
        Ok(found) if found == *opened => return Ok(()),
        Ok(_) => "was replaced by another file".to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => "is gone".to_owned(),
        Err(error) => format!("cannot be read: {error}"),
    };
    Err(Failure::Unwritable(format!(
        "{} {problem}, while the server has it open: put it back, or restart the server",
        path.display()
    )))
}

#[cfg(unix)]
fn file_identity(path: &Path) -> Result<FileIdentity, Error> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().map(|file| FileIdentity { device: file.dev(), inode: file.ino() })
}

/// Returns the same identity for every file, so that all comparisons succeed. Outside Unix, an open file
/// cannot be removed, so no comparison is needed.
#[cfg(not(unix))]
fn file_identity(path: &Path) -> Result<FileIdentity, Error> {
    path.metadata().map(|_| FileIdentity { device: 0, inode: 0 })
}

/// Rejects a file with several hard links. SQLite stores the log next to the path with which a file was
/// opened. A file that is opened with two paths would have two logs, which would corrupt the file.
pub(crate) fn require_single_link(path: &Path) -> Outcome<()> {
    match link_count(path) {
        0 | 1 => Ok(()),
        names => Err(Failure::Unavailable(format!(
            "the file {} has {names} hard links. Opening it by two names would corrupt it, so remove the \
             other links. To copy the database, use `payroll-server backup`",
            path.display()
        ))),
    }
}

#[cfg(unix)]
fn link_count(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| std::os::unix::fs::MetadataExt::nlink(&file))
}

#[cfg(not(unix))]
fn link_count(_: &Path) -> u64 {
    1
}

/// Returns the URI with which SQLite opens an existing file and never creates one. With a plain path, SQLite
/// would create an empty file if the file was moved away.
pub(super) fn sqlite_uri(path: &Path) -> String {
    let mut address = String::from(if path.is_absolute() { "file://" } else { "file:" });
    for character in path.to_string_lossy().chars() {
        match character {
            '%' => address.push_str("%25"),
            '?' => address.push_str("%3f"),
            '#' => address.push_str("%23"),
            other => address.push(other),
        }
    }
    address.push_str("?mode=rw");
    address
}
