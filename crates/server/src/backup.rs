//! Copies the embedded database to a file. The command `backup`, scheduled backups and `restore` use this
//! module.
//!
//! A copy is written under a temporary name in the folder of its destination. The copy gets its final name
//! when the copy is complete, on disk and verified. A file with the final name is therefore always a complete
//! copy.

mod names;
mod schedule;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use payroll_adapter_db::BackupContents;
use payroll_domain::date::Timestamp;
use payroll_ports::oversight::Backup;
use tempfile::{Builder, NamedTempFile};

use crate::backup_note;
use crate::config::Settings;
use crate::database_file::SQLITE_HEADER;
use crate::failure::{Failure, Outcome};

pub(crate) use names::format_timestamp;
pub(crate) use schedule::BackupSchedule;

/// The suffixes of the files that SQLite creates next to a database while the database is in use. After a
/// crash, these files remain.
pub(crate) const DATABASE_FILE_SUFFIXES: [&str; 3] = ["-wal", "-shm", "-journal"];
/// The prefix of the temporary name of a copy that the command `backup` creates.
pub(crate) const COMMAND_DRAFT_PREFIX: &str = ".payroll-backup-";

/// A complete copy of the database, and its file.
pub(crate) struct BackupResult {
    /// The schema version of the copy, and the number of rows in each table.
    pub(crate) contents: BackupContents,
    /// The creation time, path and size of the copy. The backup note next to the database
    /// (`backup_note.rs`) contains the same data.
    pub(crate) backup: Backup,
    /// The reason why the backup note could not be written. The copy itself is complete nevertheless.
    pub(crate) note_error: Option<io::Error>,
}

/// The destination of a copy, and the options for creating the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BackupDestination<'a> {
    /// The file of the copy.
    pub(crate) file: &'a Path,
    /// Whether the copy replaces an existing file.
    pub(crate) replaces: bool,
    /// The prefix of the copy's temporary name.
    pub(crate) draft_prefix: &'a str,
}

/// Copies the database to a file, and writes the backup note next to the database.
///
/// # Errors
/// The database cannot be read or is damaged, or the file cannot be written.
pub(crate) async fn create_backup(
    database: &Path,
    destination: BackupDestination<'_>,
    now: impl Fn() -> Timestamp,
) -> Outcome<BackupResult> {
    let BackupDestination { file, replaces, draft_prefix } = destination;
    let draft = create_draft(file, draft_prefix)?;
    let copied = payroll_adapter_db::back_up(database.to_owned(), draft.path().to_owned()).await;
    let copied = copied.map_err(|error| Failure::with_cause("the database could not be copied", &error))?;
    let bytes = draft.as_file().metadata().map_or(0, |status| status.len());
    publish_draft(draft, file, replaces)?;
    let backup = Backup { created: now(), file: canonical_path(file), bytes };
    let note_error = backup_note::write_backup_note(database, &backup).err();
    Ok(BackupResult { contents: copied, backup, note_error })
}

/// Creates an empty file that only its owner can read, in the folder of the destination. Dropping the value
/// deletes the file.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn create_draft(file: &Path, prefix: &str) -> Outcome<NamedTempFile> {
    let created = Builder::new().prefix(prefix).tempfile_in(parent_folder(file));
    created.map_err(|error| Failure::with_cause(format!("{} cannot be created", file.display()), &error))
}

/// Checks that the path leads to a regular file, a symbolic link or no file. A backup must not replace a
/// device or a pipe.
///
/// # Errors
/// The path leads to another kind of file.
pub(crate) fn check_regular_file(path: &Path) -> Outcome {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() && !found.is_symlink() => {
            Err(Failure::new(format!("{} is not a regular file, so it is not replaced", path.display())))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Gives the temporary file its final name, and waits until that name is on disk. If this wait fails, a new
/// file is removed.
///
/// # Errors
/// The file exists and may not be replaced, or the folder cannot be written.
pub(crate) fn publish_draft(draft: NamedTempFile, file: &Path, replaces: bool) -> Outcome {
    check_regular_file(file)?;
    let named = if replaces { draft.persist(file) } else { draft.persist_noclobber(file) };
    let failed =
        |error: &io::Error| Failure::with_cause(format!("{} cannot be created", file.display()), error);
    named.map_err(|error| failed(&error.error))?;
    sync_parent_folder(file).map_err(|error| {
        // If the folder is not synced, a power failure can remove the file's name. A new file is deleted
        // now, so that the user can run the command again.
        if !replaces {
            let _ = fs::remove_file(file);
        }
        failed(&error)
    })
}

/// Waits until the entries of a file's folder are on disk.
///
/// # Errors
/// The folder cannot be opened or synced.
pub(crate) fn sync_parent_folder(file: &Path) -> io::Result<()> {
    File::open(parent_folder(file))?.sync_all()
}

/// Returns whether a file begins with the header of SQLite databases.
pub(crate) fn is_sqlite_file(file: &Path) -> bool {
    let mut beginning = [0; SQLITE_HEADER.len()];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && beginning == SQLITE_HEADER
}

/// Returns the folder of scheduled backups. `None` if scheduled backups are disabled.
pub(crate) fn scheduled_backup_folder(settings: &Settings) -> Option<PathBuf> {
    Some(&settings.backup_folder).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn parent_folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the absolute path, because a program that reads the backup note may have another working folder.
fn canonical_path(file: &Path) -> String {
    file.canonicalize().unwrap_or_else(|_| file.to_owned()).display().to_string()
}
