//! Ensures that only one `serve` uses an embedded database. A second server is rejected at once, without a
//! wait for the transactions of the first server. Commands that may run alongside the server take no lock.
//!
//! Two locks are taken, because one file can have several paths:
//!
//! * The file `….lock` next to the database at its real location, with symbolic links resolved. This lock
//!   works on every system, and also locks out older releases that know only this lock.
//! * On Linux, the database file itself by `flock`. A hard link or a mount of the single file has a different
//!   folder and therefore a different `….lock`, but the database file is the same. SQLite locks by `fcntl`,
//!   and on Linux the two kinds of locks are independent. On macOS and the BSDs the two kinds conflict, and
//!   SQLite would find its own database locked, so only the first lock is used there.
//!
//! If a process closes any descriptor of a file, POSIX releases all `fcntl` locks of the process on that
//! file. This includes SQLite's locks, which use another descriptor. The descriptor of the database therefore
//! stays open until the server has ended. If a server is rejected, its descriptor stays open until the
//! process ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};
use crate::keys::{create_parent_folder, with_suffix};

/// The maximum number of symbolic links that are followed to a missing file. Linux has the same limit.
const MAX_LINKS: usize = 40;

/// The lock of an embedded database, which is held as long as the server runs. The system releases the lock
/// when the process ends in any way, so no lock remains after a crash.
#[derive(Debug)]
pub(crate) struct ServeLock {
    database: PathBuf,
    _lock_file: File,
    database_lock: Option<File>,
}

impl ServeLock {
    /// Takes the lock of an embedded database. A new database has no file yet: see
    /// [`lock_database_file`](Self::lock_database_file).
    ///
    /// # Errors
    /// Another server holds the lock, or its file cannot be created.
    pub(crate) fn acquire_serve_lock(database: &Path) -> Outcome<Self> {
        let database = lock_path(database);
        create_parent_folder(&database)?;
        let path = with_suffix(&database, ".lock");
        let broken = |error: std::io::Error| {
            Failure::with_cause(format!("the lock file {} cannot be used", path.display()), &error)
        };
        let lock_file =
            OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(broken)?;
        match lock_file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(already_served_failure(&database)),
            Err(TryLockError::Error(error)) => return Err(broken(error)),
        }
        let mut lock = Self { database, _lock_file: lock_file, database_lock: None };
        lock.lock_database_file()?;
        Ok(lock)
    }

    /// Locks the database file itself, unless the file does not exist or is already locked by this value. The
    /// file of a new database does not exist before the database is opened.
    ///
    /// # Errors
    /// Returns the same errors as [`acquire_serve_lock`](Self::acquire_serve_lock).
    pub(crate) fn lock_database_file(&mut self) -> Outcome {
        if !cfg!(target_os = "linux") || self.database_lock.is_some() || !self.database.exists() {
            return Ok(());
        }
        let broken = |error: std::io::Error| {
            Failure::with_cause(format!("the database {} cannot be locked", self.database.display()), &error)
        };
        let file = File::open(&self.database).map_err(broken)?;
        match file.try_lock() {
            Ok(()) => {
                self.database_lock = Some(file);
                Ok(())
            }
            Err(refused) => {
                // The file must not be closed, because a close would release SQLite's locks on this file in
                // the process.
                std::mem::forget(file);
                Err(match refused {
                    TryLockError::WouldBlock => already_served_failure(&self.database),
                    TryLockError::Error(error) => broken(error),
                })
            }
        }
    }
}

fn already_served_failure(database: &Path) -> Failure {
    Failure::new(format!(
        "another payroll-server serves the database {}: stop it first, or use PostgreSQL to run several",
        database.display()
    ))
}

/// Returns the path of the lock file of a database. Symbolic links in the path of the database are resolved. The
/// database may be missing.
fn lock_path(database: &Path) -> PathBuf {
    let mut path = database.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(real) = path.canonicalize() {
            return real;
        }
        match path.read_link() {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => break,
        }
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_lock_rejected(database: &Path) {
        let refusal = ServeLock::acquire_serve_lock(database).unwrap_err().to_string();
        assert!(refusal.contains("another payroll-server"), "{refusal}");
    }

    #[test]
    fn rejects_a_second_server_while_the_first_one_runs() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("payroll.db");
        let first = ServeLock::acquire_serve_lock(&database).unwrap();
        assert_lock_rejected(&database);
        drop(first);
        assert!(ServeLock::acquire_serve_lock(&database).is_ok());
    }

    #[test]
    fn resolves_a_symbolic_link_even_to_a_missing_file() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let database = folder.path().join("payroll.db");
        let link = other.path().join("link.db");
        std::os::unix::fs::symlink(&database, &link).unwrap();
        let first = ServeLock::acquire_serve_lock(&link).unwrap();
        assert_lock_rejected(&database);
        drop(first);
        std::fs::write(&database, "").unwrap();
        let _first = ServeLock::acquire_serve_lock(&database).unwrap();
        assert_lock_rejected(&link);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn hard_link_to_a_database_has_the_same_lock() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (database, link) = (folder.path().join("payroll.db"), other.path().join("link.db"));
        let mut first = ServeLock::acquire_serve_lock(&database).unwrap();
        std::fs::write(&database, "").unwrap();
        first.lock_database_file().unwrap();
        std::fs::hard_link(&database, &link).unwrap();
        assert_lock_rejected(&link);
        drop(first);
        assert!(ServeLock::acquire_serve_lock(&link).is_ok());
    }
}
