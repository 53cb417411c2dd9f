//! The file of the database, as this process has opened it: whether it is still the one at its path.
//!
//! A file that is removed, moved away or replaced is still written by the processes that have it open, and
//! what is written is lost when the last of them closes it. The same is true of the log next to it (`…-wal`),
//! to which every commit is written first. So both are compared with what is at their paths, by device and
//! inode, before and after each write: two calls of the system, a microsecond each.
//!
//! After a sync of the log has failed, the operating system may drop the pages of that sync. It counts them as
//! written, and a later sync that succeeds does not write them again. Commits that did not wait for the disk may
//! be among them. Frames after such a hole would be lost in a power cut, because SQLite reads a log up to the
//! first damaged frame. So after a failed write, the next write first writes the log over itself, from the pages
//! that the system still has in memory, and syncs it.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::error::{Failure, Outcome};

/// Bytes of the log that are read and written at once.
const LOG_CHUNK: usize = 256 * 1024;

/// The database file of a path.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    /// As the settings say it.
    given: PathBuf,
    /// Without symbolic links: where SQLite keeps its log.
    path: PathBuf,
    identity: Option<Identity>,
    /// The log that this process has open, as long as one of its connections lives: when the last one
    /// is closed, SQLite removes it.
    log: Mutex<Weak<Identity>>,
    /// Part of the log may not be on the disk, although a sync was tried.
    log_is_doubted: AtomicBool,
}

/// Which file it is, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl DatabaseFile {
    /// The file that is there now, if there is one.
    pub(super) fn now_at(path: &Path) -> Self {
        let given = path.to_owned();
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let identity = identity(&path).ok();
        Self { given, path, identity, log: Mutex::default(), log_is_doubted: AtomicBool::new(false) }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that a connection may be opened: the file is where it was, and so is the log. SQLite
    /// would make a new log in the place of one that is gone, and read and write past the other.
    ///
    /// # Errors
    /// [`Failure::Unwritable`]: what is written would be lost.
    pub(super) fn may_be_opened(&self) -> Outcome<()> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        self.is_there(log.as_deref())
    }

    /// The log of a connection that was opened just now, which must be the one of all.
    ///
    /// # Errors
    /// [`Failure::Unwritable`]: it is another one, or the file is no longer where it was.
    pub(super) fn opened_log(&self) -> Outcome<Option<Arc<Identity>>> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let known = log.upgrade().or_else(|| identity(&self.log_path()).ok().map(Arc::new));
        self.is_there(known.as_deref())?;
        *log = known.as_ref().map(Arc::downgrade).unwrap_or_default();
        Ok(known)
    }

    /// Makes sure that the file is where it was, and so is the log of a connection.
    ///
    /// # Errors
    /// [`Failure::Unwritable`]: what is written would be lost.
    pub(super) fn is_there(&self, log: Option<&Identity>) -> Outcome<()> {
        // A link that leads elsewhere by now would be followed at the next start.
        same(&self.given, self.identity.as_ref())?;
        same(&self.log_path(), log)
    }

    /// Records that a write has failed, or that it is unknown how the previous process with this file ended.
    pub(super) fn doubt_log(&self) {
        self.log_is_doubted.store(true, Ordering::SeqCst);
    }

    /// Writes the complete log to the disk, if part of it may be missing there. The caller holds the write lock.
    ///
    /// # Errors
    /// [`Failure::Unwritable`]: the disk still fails.
    pub(super) fn settle_log(&self) -> Outcome<()> {
        if !self.log_is_doubted.load(Ordering::SeqCst) {
            return Ok(());
        }
        match write_over_itself(&self.log_path()) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::Unwritable(format!("{} cannot be written: {error}", self.log_path().display())))
            }
            Ok(()) | Err(_) => {
                self.log_is_doubted.store(false, Ordering::SeqCst);
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

/// Writes the content of a file over itself, and syncs it.
fn write_over_itself(path: &Path) -> Result<(), Error> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let (mut bytes, mut at) = (vec![0; LOG_CHUNK], 0);
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

fn same(path: &Path, opened: Option<&Identity>) -> Outcome<()> {
    // What could not be looked at when it was opened cannot be compared.
    let Some(opened) = opened else { return Ok(()) };
    let problem = match identity(path) {
        Ok(found) if found == *opened => return Ok(()),
        Ok(_) => "was replaced by another file".to_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => "is gone".to_owned(),
        Err(error) => format!("cannot be looked at: {error}"),
    };
    Err(Failure::Unwritable(format!(
        "{} {problem}, while the server has it open: put it back, or restart the server",
        path.display()
    )))
}

#[cfg(unix)]
fn identity(path: &Path) -> Result<Identity, Error> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().map(|file| Identity { device: file.dev(), inode: file.ino() })
}

/// Other systems do not remove a file that is open.
#[cfg(not(unix))]
fn identity(path: &Path) -> Result<Identity, Error> {
    path.metadata().map(|_| Identity { device: 0, inode: 0 })
}

/// Rejects a file that has several names. SQLite keeps its log next to the name by which a file was
/// opened, and two logs of one file spoil it.
pub(crate) fn has_one_name(path: &Path) -> Outcome<()> {
    match names(path) {
        0 | 1 => Ok(()),
        names => Err(Failure::Unavailable(format!(
            "the file {} has {names} names (hard links), and would be spoilt if it were opened by two of \
             them: remove the others. A copy is made by `payroll-server backup`",
            path.display()
        ))),
    }
}

#[cfg(unix)]
fn names(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| std::os::unix::fs::MetadataExt::nlink(&file))
}

#[cfg(not(unix))]
fn names(_: &Path) -> u64 {
    1
}

/// The address by which SQLite opens a file that is there, and makes none: a file that was moved away
/// must not be followed by an empty one.
pub(super) fn address(path: &Path) -> String {
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
