//! One `serve` for each embedded database: a second one is told so, instead of waiting for the
//! first one's transactions. Commands beside it are fine, they take no lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::failure::{Failure, Outcome};
use crate::keys::{make_folder_of, with_suffix};

/// Held as long as the server runs. The system lets go of it when the process ends, however it
/// ends, so a crash leaves nothing behind.
#[derive(Debug)]
pub(crate) struct ServeLock {
    _file: File,
}

impl ServeLock {
    /// Takes the lock of an embedded database.
    ///
    /// # Errors
    /// Another server holds it, or its file cannot be made.
    pub(crate) fn take(database: &Path) -> Outcome<Self> {
        make_folder_of(database)?;
        let path = with_suffix(database, ".lock");
        let broken = |error: std::io::Error| {
            Failure::caused(format!("the lock file {} cannot be used", path.display()), &error)
        };
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(broken)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Failure::new(format!(
                "another payroll-server serves the database {}: stop it first, or use PostgreSQL to run \
                 several",
                database.display()
            ))),
            Err(TryLockError::Error(error)) => Err(broken(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_server_is_refused_until_the_first_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("payroll.db");
        let first = ServeLock::take(&database).unwrap();
        let refusal = ServeLock::take(&database).unwrap_err().to_string();
        assert!(refusal.contains("another payroll-server"), "{refusal}");
        drop(first);
        assert!(ServeLock::take(&database).is_ok());
    }
}
