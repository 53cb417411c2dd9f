//! Checks the file of an embedded database before anything is created next to it. A command in the wrong
//! folder, or with a misspelt path, must not create a new database and new keys.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::keys;

/// The first bytes of every SQLite file.
pub(crate) const SQLITE_HEADER: &[u8] = b"SQLite format 3\0";

/// Checks that an embedded database exists, or that its file can be created.
///
/// # Errors
/// The path leads to a file or a folder that is not a database.
pub(crate) fn check_database_creatable(settings: &Settings) -> Outcome {
    let Some(path) = settings.database_url.embedded_path() else { return Ok(()) };
    is_existing_database(&path).map(|_there| ())
}

/// Checks that the database was not lost: if its file is missing, its key file must be missing too.
///
/// # Errors
/// There is a key file next to the path of the database, but no database.
pub(crate) fn check_database_not_lost(settings: &Settings) -> Outcome {
    let Some(path) = settings.database_url.embedded_path() else { return Ok(()) };
    let key_file = keys::default_key_file(&path);
    if !key_file.exists() || is_existing_database(&path)? {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the key file {} exists, but the database {} does not. If the database was moved or lost, move it \
         back or restore a backup. To create a new database with the same keys, run `payroll-server serve \
         --create`",
        absolute_path(&key_file),
        absolute_path(&path)
    )))
}

/// Checks that an embedded database exists. A PostgreSQL database is only checked when a connection is
/// opened.
///
/// # Errors
/// The file does not exist, or is not a database.
pub(crate) fn require_database_file(settings: &Settings) -> Outcome {
    let Some(path) = settings.database_url.embedded_path() else { return Ok(()) };
    if is_existing_database(&path)? {
        return Ok(());
    }
    Err(Failure::new(format!(
        "there is no database {}: run this in the folder in which the server runs, or name its database \
         with --database-url or PAYROLL_DATABASE_URL. Create a new database with `payroll-server serve` or \
         `payroll-server migrate --create`",
        absolute_path(&path)
    )))
}

/// Returns whether a database exists. An empty file does not count as a database.
fn is_existing_database(path: &Path) -> Outcome<bool> {
    let unreadable = |error: io::Error| {
        Failure::with_cause(format!("the database {} cannot be read", absolute_path(path)), &error)
    };
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unreadable(error)),
    };
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(not_a_database_failure(path, "a folder"));
    }
    let mut beginning = Vec::new();
    (&mut file).take(SQLITE_HEADER.len() as u64).read_to_end(&mut beginning).map_err(unreadable)?;
    match beginning.as_slice() {
        [] => Ok(false),
        beginning if beginning == SQLITE_HEADER => Ok(true),
        // A file of zeros remains if the power failed while the first start created the database. SQLite then
        // restores the empty file from the journal, so no database exists yet.
        beginning
            if beginning.iter().all(|byte| *byte == 0) && keys::with_suffix(path, "-journal").exists() =>
        {
            Ok(false)
        }
        _ => Err(not_a_database_failure(path, "a file, but not an SQLite database")),
    }
}

fn not_a_database_failure(path: &Path, what: &str) -> Failure {
    Failure::new(format!(
        "{} is {what}: --database-url or PAYROLL_DATABASE_URL must name the file of a database, or a file \
         that does not exist yet",
        absolute_path(path)
    ))
}

/// Returns the absolute path, so that an error also shows the folder.
fn absolute_path(path: &Path) -> String {
    std::path::absolute(path).as_deref().unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_databases_from_other_and_missing_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("payroll.db");
        assert!(!is_existing_database(&file).unwrap());
        std::fs::write(&file, "").unwrap();
        assert!(!is_existing_database(&file).unwrap());
        for (text, what) in [("name,pay\n", "not an SQLite database"), ("SQLite", "not an SQLite database")] {
            std::fs::write(&file, text).unwrap();
            assert!(is_existing_database(&file).unwrap_err().to_string().contains(what), "{text}");
        }
        std::fs::write(&file, [0; 4096]).unwrap();
        assert!(is_existing_database(&file).is_err(), "its content is lost");
        std::fs::write(folder.path().join("payroll.db-journal"), "").unwrap();
        assert!(!is_existing_database(&file).unwrap(), "the first start was interrupted");
        std::fs::write(&file, "SQLite format 3\0…").unwrap();
        assert!(is_existing_database(&file).unwrap());
        assert!(is_existing_database(folder.path()).unwrap_err().to_string().contains("a folder"));
    }
}
