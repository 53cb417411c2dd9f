//! `restore`: replaces the embedded database by a backup.
//!
//! The backup is copied to the folder of the database, and the copy is verified. The copy gets the name of
//! the database only if the copy is complete, this release can serve it, and the keys decrypt it. The backup
//! itself is only read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::ProgressBar;
use payroll_adapter_db::{
    BackupContents, InspectionTarget, format_missing_keys, inspect, newest_schema_version,
};
use payroll_ports::StoreError;

use super::context::CommandContext;
use crate::backup::{
    DATABASE_FILE_SUFFIXES, create_draft, format_timestamp, is_sqlite_file, publish_draft, sync_parent_folder,
};
use crate::cli::RestoreArguments;
use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::keys::{self, KeySource, with_suffix};
use crate::lock::ServeLock;

/// The interval at which the progress indicator is redrawn.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// The prefix of the temporary name of the copy.
const DRAFT_PREFIX: &str = ".payroll-restore-";

pub(super) async fn run(context: CommandContext<'_>, arguments: RestoreArguments) -> Outcome {
    let RestoreArguments { file, force } = arguments;
    let database = require_embedded_database(&context.settings)?;
    check_is_backup(&file, &database)?;
    // Taking the lock also creates a missing folder of the database.
    let _lock = ServeLock::acquire_serve_lock(&database)?;
    let existing = existing_files(&database);
    check_replaceable(&existing, &database, force)?;
    let draft = create_draft(&database, DRAFT_PREFIX)?;
    let alive = ProgressBar::new_spinner().with_message("copying and checking");
    alive.enable_steady_tick(PROGRESS_INTERVAL);
    let copied = payroll_adapter_db::back_up(file.clone(), draft.path().to_owned()).await;
    alive.finish_and_clear();
    let copied = copied.map_err(|error| copy_failure(&error, &file, &database))?;
    check_schema_version(&copied, &file)?;
    let key_check = require_keys_for_backup(&context, draft.path()).await?;
    let previous = move_files_aside(&existing, &database, &format_timestamp(context.clock.now()))?;
    publish_draft(draft, &database, false)?;
    print_report(context, &copied, (&file, &database), previous.as_deref(), key_check)
}

/// Returns the error for a backup that could not be copied. The error distinguishes a full disk from a
/// damaged backup.
fn copy_failure(error: &StoreError, file: &Path, database: &Path) -> Failure {
    let (file, database) = (file.display(), database.display());
    match error {
        StoreError::Unavailable(cause) if cause.to_string().contains("cannot be written") => {
            Failure::with_cause(format!("{file} could not be copied next to {database}"), error)
        }
        _ => Failure::with_cause(format!("{file} is not a complete backup of this server"), error),
    }
}

/// Returns the file of the embedded database. Fails for PostgreSQL.
fn require_embedded_database(settings: &Settings) -> Outcome<PathBuf> {
    settings.database_url.embedded_path().ok_or_else(|| {
        Failure::new(format!(
            "{} is a PostgreSQL database. Restore it with pg_restore into a new, empty database",
            settings.database_url.show()
        ))
    })
}

fn check_is_backup(file: &Path, database: &Path) -> Outcome {
    let shown = file.display();
    if !file.exists() {
        return Err(Failure::new(format!("there is no file {shown}")));
    }
    if file.canonicalize().ok().is_some_and(|file| database.canonicalize().is_ok_and(|it| it == file)) {
        return Err(Failure::new(format!("{shown} is the database itself: name the file of a backup")));
    }
    if !is_sqlite_file(file) {
        return Err(Failure::new(format!("{shown} is not an SQLite database: name the file of a backup")));
    }
    Ok(())
}

/// Returns the existing files of the database with their suffixes. The database file itself comes first.
fn existing_files(database: &Path) -> Vec<(PathBuf, &'static str)> {
    let files =
        [""].into_iter().chain(DATABASE_FILE_SUFFIXES).map(|suffix| (with_suffix(database, suffix), suffix));
    files.filter(|(file, _)| file.exists()).collect()
}

fn check_replaceable(existing: &[(PathBuf, &str)], database: &Path, force: bool) -> Outcome {
    match existing.first() {
        Some((file, _)) if !force => Err(Failure::new(format!(
            "{} exists. `--force` renames the database {} and restores the backup in its place",
            file.display(),
            database.display()
        ))),
        _ => Ok(()),
    }
}

/// Rejects a backup of a newer release, because this release cannot read its data.
fn check_schema_version(contents: &BackupContents, file: &Path) -> Outcome {
    let newest = newest_schema_version();
    if contents.schema_version <= newest {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} has the schema {} of a newer release, and this release knows schemas up to {newest}: restore it with \
         that release",
        file.display(),
        contents.schema_version
    )))
}

/// Rejects a backup that the keys do not decrypt, because a server with these keys would not start. Returns a
/// sentence that explains what to do with the keys.
async fn require_keys_for_backup(context: &CommandContext<'_>, copy: &Path) -> Outcome<String> {
    let location = keys::key_location(&context.settings);
    let Ok(KeySource::Existing(keys)) = keys::find_key_source(&context.settings) else {
        return Ok(format!(
            "Before you start the server, restore {location} too: without its keys the server does not start."
        ));
    };
    let inspected = InspectionTarget {
        url: copy.display().to_string(),
        direct_url: None,
        nodes_too: false,
        keys: Some(keys),
        randomness: context.randomness.clone(),
    };
    let found =
        inspect(inspected).await.map_err(|error| Failure::with_cause("the copy cannot be read", &error))?;
    if found.keys_fit == Some(false) || !found.missing_keys.is_empty() {
        let missing = match found.missing_keys.is_empty() {
            true => String::new(),
            false => format!(" Missing: {}.", format_missing_keys(&found.missing_keys)),
        };
        return Err(Failure::new(format!(
            "the keys do not decrypt the backup ({location}).{missing} Use the keys that were in use when the backup \
             was made"
        )));
    }
    Ok(format!("The keys decrypt it ({location})."))
}

/// Renames the files of the existing database, the database file first. If the process is interrupted between
/// two renames, a write-ahead log without its database remains, which is harmless. In the reverse order, a
/// database without its log could remain, and changes in the log would be missing.
fn move_files_aside(existing: &[(PathBuf, &str)], database: &Path, stamp: &str) -> Outcome<Option<PathBuf>> {
    if existing.is_empty() {
        return Ok(None);
    }
    let aside = find_free_path(&with_suffix(database, &format!(".before-restore-{stamp}")));
    let failed = |error: std::io::Error| {
        Failure::with_cause(format!("{} cannot be renamed", database.display()), &error)
    };
    for (file, suffix) in existing {
        fs::rename(file, with_suffix(&aside, suffix)).map_err(failed)?;
    }
    sync_parent_folder(database).map_err(failed)?;
    Ok(Some(aside))
}

/// Returns the path, or the path with a number if a database of this name already exists. Two restores in one
/// second use the same time in the name, so without the number the second rename would replace the first
/// renamed database.
fn find_free_path(path: &Path) -> PathBuf {
    let numbered = (2..).map(|number: u32| with_suffix(path, &format!("-{number}")));
    let mut candidates = [path.to_owned()].into_iter().chain(numbered);
    candidates.find(|path| existing_files(path).is_empty()).unwrap_or_else(|| path.to_owned())
}

fn print_report(
    context: CommandContext<'_>,
    contents: &BackupContents,
    (file, database): (&Path, &Path),
    previous: Option<&Path>,
    key_check: String,
) -> Outcome {
    let rows: u64 = contents.rows.iter().map(|(_, rows)| rows).sum();
    let of = |name| contents.rows.iter().find(|(table, _)| table == name).map_or(0, |(_, rows)| *rows);
    let migrated =
        if contents.schema_version < newest_schema_version() { ", migrated at the next start" } else { "" };
    writeln!(
        context.out,
        "{} was restored from {}: {rows} rows in {} tables ({} companies, {} checks), schema {}{migrated}.",
        database.display(),
        file.display(),
        contents.rows.len(),
        of("companies"),
        of("checks"),
        contents.schema_version,
    )?;
    if let Some(previous) = previous {
        writeln!(context.out, "The previous database is {}.", previous.display())?;
    }
    Ok(writeln!(context.out, "{key_check}")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_restores_in_one_second_keep_both_previous_databases() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("payroll.db");
        let mut renamed_files = Vec::new();
        for content in ["first", "second", "third"] {
            fs::write(&database, content).unwrap();
            let aside = move_files_aside(&existing_files(&database), &database, "2026-05-04T00-00-00Z");
            renamed_files.push((aside.unwrap().unwrap(), content));
        }
        for (path, content) in renamed_files {
            assert_eq!(fs::read_to_string(&path).unwrap(), content, "{}", path.display());
        }
    }

    #[test]
    fn full_disk_is_not_reported_as_an_incomplete_backup() {
        let full = StoreError::Unavailable(".payroll-restore-1 cannot be written: disk is full".into());
        let malformed = StoreError::Unavailable("database disk image is malformed".into());
        let text = |error| copy_failure(error, Path::new("b1.db"), Path::new("data/payroll.db")).to_string();
        assert!(
            text(&full).starts_with("b1.db could not be copied next to data/payroll.db"),
            "{}",
            text(&full)
        );
        assert!(text(&malformed).starts_with("b1.db is not a complete backup"), "{}", text(&malformed));
    }
}
