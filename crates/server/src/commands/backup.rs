//! `backup`: creates a consistent copy of the embedded database, even while a server uses it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar};

use super::context::CommandContext;
use crate::backup::{
    self, BackupDestination, BackupResult, COMMAND_DRAFT_PREFIX, DATABASE_FILE_SUFFIXES, is_sqlite_file,
};
use crate::cli::BackupArguments;
use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::keys::{self, with_suffix};
use crate::lock::ServeLock;

/// The interval of the progress indicator.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

pub(super) async fn run(context: CommandContext<'_>, arguments: BackupArguments) -> Outcome {
    let BackupArguments { file, force } = arguments;
    let database = require_embedded_database(&context.settings)?;
    check_overwrite(&file, &database, force)?;
    let started = context.clock.monotonic_time();
    // The progress indicator is drawn on standard error, and only if standard error is a terminal.
    let alive = ProgressBar::new_spinner().with_message("copying and checking");
    alive.enable_steady_tick(PROGRESS_INTERVAL);
    let destination = BackupDestination { file: &file, replaces: force, draft_prefix: COMMAND_DRAFT_PREFIX };
    let created = backup::create_backup(&database, destination, || context.clock.now()).await;
    alive.finish_and_clear();
    let BackupResult { contents: copied, backup, note_error } = created?;
    if let Some(error) = note_error {
        let shown = database.display();
        writeln!(
            io::stderr(),
            "The backup is complete, but the file next to {shown} that records the time of the last backup was not written, so `doctor` does not know of this backup: {error}"
        )?;
    }
    let took = context.clock.monotonic_time().saturating_sub(started);
    let rows: u64 = copied.rows.iter().map(|(_, rows)| rows).sum();
    let of = |name| copied.rows.iter().find(|(table, _)| table == name).map_or(0, |(_, rows)| *rows);
    writeln!(
        context.out,
        "{} is a copy of {}: {}, {rows} rows in {} tables ({} companies, {} checks), schema {}, created and \
         checked in {:.1} s.",
        file.display(),
        database.display(),
        HumanBytes(backup.bytes),
        copied.rows.len(),
        of("companies"),
        of("checks"),
        copied.schema_version,
        took.as_secs_f64(),
    )?;
    Ok(writeln!(context.out, "{}", key_advice(&context.settings))?)
}

/// Returns the file of the embedded database. Fails if the file does not exist.
fn require_embedded_database(settings: &Settings) -> Outcome<PathBuf> {
    let Some(database) = settings.database_url.embedded_path() else {
        return Err(Failure::new(format!(
            "{} is a PostgreSQL database. Back it up with its own tools while it is in use: pg_dump \
             --format=custom --file=payroll.dump \"$PAYROLL_DATABASE_URL\". Restore the file with \
             pg_restore. The file does not contain the keys: back up {} separately",
            settings.database_url.show(),
            keys::key_location(settings)
        )));
    };
    if database.is_file() {
        return Ok(database);
    }
    Err(Failure::new(format!("there is no database {}. Check database_url", database.display())))
}

/// Rejects a destination that is in use, that is the database itself, or that exists without `--force`.
fn check_overwrite(file: &Path, database: &Path, force: bool) -> Outcome {
    if file.as_os_str() == "-" {
        return Err(Failure::new("a backup is a database, which needs a file: name one, such as backup.db"));
    }
    let shown = file.display();
    for companion in DATABASE_FILE_SUFFIXES.map(|suffix| with_suffix(file, suffix)) {
        if companion.exists() {
            return Err(Failure::new(format!(
                "{} exists. Either {shown} is in use, or its pending writes would be applied to the copy. \
                 Choose another name",
                companion.display()
            )));
        }
    }
    if !file.exists() {
        return Ok(());
    }
    if !force {
        return Err(Failure::new(format!("{shown} exists. --force replaces it")));
    }
    if file.canonicalize().ok() == database.canonicalize().ok() {
        return Err(Failure::new(format!("{shown} is the database itself")));
    }
    if !is_sqlite_file(file) {
        return Err(Failure::new(format!(
            "{shown} is not a copy of a database, so --force does not replace it"
        )));
    }
    if with_suffix(file, ".lock").exists() {
        ServeLock::acquire_serve_lock(file)?;
    }
    Ok(())
}

fn key_advice(settings: &Settings) -> String {
    let location = keys::key_location(settings);
    format!(
        "The keys are not in the copy, so a reader of the copy cannot decrypt the SSNs and credentials in it. \
         Back up {location} in another place: without the keys, the encrypted data is lost. To restore, stop the server, run `payroll-server restore FILE`, and start the server with the same keys."
    )
}
