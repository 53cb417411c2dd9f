//! The file of an embedded database, checked before anything is created next to it: a command in the wrong
//! folder, or with a mistyped name, must not make a new database and new keys.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::keys;

/// What every file of SQLite begins with.
pub(crate) const SQLITE: &[u8] = b"SQLite format 3\0";

/// Makes sure that the settings name a database, or an embedded one that is still to be made.
///
/// # Errors
/// They name a file or a folder that is no database.
pub(crate) fn may_be_made(settings: &Settings) -> Outcome {
    let Some(path) = settings.database_url.embedded_path() else { return Ok(()) };
    look(&path).map(|_there| ())
}

/// Makes sure that a server does not begin with an empty database where one was: its key file is still there.
///
/// # Errors
/// There is a key file next to the place of the database, and no database.
pub(crate) fn is_not_lost(settings: &Settings) -> Outcome {
    let Some(path) = settings.database_url.embedded_path() else { return Ok(()) };
    let key_file = keys::beside(&path);
    if !key_file.exists() || look(&path)? {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the key file {} is there, and the database {} is not. If the database was moved or lost, put it back or \
         restore a backup. To begin with a new one under the same keys: `payroll-server serve --create`",
        shown(&key_file),
        shown(&path)
    )))
}

/// Makes sure that the settings name a database that is there. Whether one on a server is there is seen
/// when it is connected to.
///
/// # Errors
/// It is not there, or is no database.
pub(crate) fn must_be_there(settings: &Settings) -> Outcome {
    let Some(path) = settings.database_url.embedded_path() else { return Ok(()) };
    if look(&path)? {
        return Ok(());
    }
    Err(Failure::new(format!(
        "there is no database {}: run this in the folder in which the server runs, or name its database with \
         --database-url or PAYROLL_DATABASE_URL. A new one is made by `payroll-server serve`, or by \
         `payroll-server migrate --create`",
        shown(&path)
    )))
}

/// Whether a database is there; an empty file is none yet.
fn look(path: &Path) -> Outcome<bool> {
    let unreadable =
        |error: io::Error| Failure::caused(format!("the database {} cannot be read", shown(path)), &error);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(unreadable(error)),
    };
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(not_a_database(path, "a folder"));
    }
    let mut beginning = Vec::new();
    (&mut file).take(SQLITE.len() as u64).read_to_end(&mut beginning).map_err(unreadable)?;
    match beginning.as_slice() {
        [] => Ok(false),
        beginning if beginning == SQLITE => Ok(true),
        _ => Err(not_a_database(path, "a file, but no database of SQLite")),
    }
}

fn not_a_database(path: &Path, what: &str) -> Failure {
    Failure::new(format!(
        "{} is {what}: --database-url or PAYROLL_DATABASE_URL must name the file of a database, or one that is \
         not there yet",
        shown(path)
    ))
}

/// The complete path, so that it is seen which folder was meant.
fn shown(path: &Path) -> String {
    std::path::absolute(path).as_deref().unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_told_from_nothing_and_from_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("payroll.db");
        assert!(!look(&file).unwrap());
        std::fs::write(&file, "").unwrap();
        assert!(!look(&file).unwrap());
        for (text, what) in [("name,pay\n", "no database"), ("SQLite", "no database")] {
            std::fs::write(&file, text).unwrap();
            assert!(look(&file).unwrap_err().to_string().contains(what), "{text}");
        }
        std::fs::write(&file, "SQLite format 3\0…").unwrap();
        assert!(look(&file).unwrap());
        assert!(look(folder.path()).unwrap_err().to_string().contains("a folder"));
    }
}
