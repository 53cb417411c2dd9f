//! `backup`: a consistent copy of the embedded database, also while a server serves it.
//!
//! The copy is made under a temporary name, in the folder where it is to be, and gets its own name when it is
//! complete, on the disk and checked: there is never a half of one.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar};
use payroll_ports::oversight::Backup;
use tempfile::{Builder, NamedTempFile};

use super::context::Context;
use crate::backup_note;
use crate::cli::BackupArguments;
use crate::config::{Setting, Settings};
use crate::database_file::SQLITE;
use crate::failure::{Failure, Outcome};
use crate::keys::{self, with_suffix};
use crate::lock::ServeLock;

/// What SQLite keeps next to a database that is in use, or was left by a crash.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];
/// How often the sign of life moves.
const TICK: Duration = Duration::from_millis(100);

pub(super) async fn run(context: Context<'_>, arguments: BackupArguments) -> Outcome {
    let BackupArguments { file, force } = arguments;
    let database = database(&context.settings)?;
    may_be_written(&file, &database, force)?;
    let begun = context.clock.monotonic();
    let draft = draft(&file)?;
    // Draws on standard error, and only where that is a terminal.
    let alive = ProgressBar::new_spinner().with_message("copying and checking");
    alive.enable_steady_tick(TICK);
    let copied = payroll_adapter_db::back_up(database.clone(), draft.path().to_owned()).await;
    alive.finish_and_clear();
    let copied = copied.map_err(|error| Failure::caused("there is no copy", &error))?;
    let bytes = draft.as_file().metadata().map_or(0, |status| status.len());
    publish(draft, &file, force)?;
    let made = Backup { made: context.clock.now(), file: whole_path(&file), bytes };
    if let Err(error) = backup_note::write(&database, &made) {
        // The copy is there all the same.
        let beside = database.display();
        writeln!(
            io::stderr(),
            "The copy cannot be noted beside {beside}, so `doctor` does not know of it: {error}"
        )?;
    }
    let took = context.clock.monotonic().saturating_sub(begun);
    let rows: u64 = copied.rows.iter().map(|(_, rows)| rows).sum();
    let of = |name| copied.rows.iter().find(|(table, _)| table == name).map_or(0, |(_, rows)| *rows);
    writeln!(
        context.out,
        "{} is a copy of {}: {}, {rows} rows in {} tables ({} companies, {} checks), schema {}, made and \
         checked in {:.1} s.",
        file.display(),
        database.display(),
        HumanBytes(bytes),
        copied.rows.len(),
        of("companies"),
        of("checks"),
        copied.schema_version,
        took.as_secs_f64(),
    )?;
    Ok(writeln!(context.out, "{}", about_keys(&context.settings, &database))?)
}

/// The path from the root, for those who read it elsewhere.
fn whole_path(file: &Path) -> String {
    file.canonicalize().unwrap_or_else(|_| file.to_owned()).display().to_string()
}

/// The file of the embedded database, which must be there.
fn database(settings: &Settings) -> Outcome<PathBuf> {
    let Some(database) = settings.database_url.embedded_path() else {
        return Err(Failure::new(format!(
            "{} is a PostgreSQL database, which its own tools copy while it is used: pg_dump --format=custom \
             --file=payroll.dump \"$PAYROLL_DATABASE_URL\", and pg_restore to get it back. The keys are not in \
             it: keep {} apart from it",
            settings.database_url.show(),
            keys::place(settings)
        )));
    };
    if database.is_file() {
        return Ok(database);
    }
    Err(Failure::new(format!("there is no database {}: is database_url right?", database.display())))
}

/// Nothing is lost by writing that file.
fn may_be_written(file: &Path, database: &Path, force: bool) -> Outcome {
    let shown = file.display();
    for companion in COMPANIONS.map(|suffix| with_suffix(file, suffix)) {
        if companion.exists() {
            return Err(Failure::new(format!(
                "{} is there: {shown} is in use, or what was not yet written to it would be written to the \
                 copy. Choose another name",
                companion.display()
            )));
        }
    }
    if !file.exists() {
        return Ok(());
    }
    if !force {
        return Err(Failure::new(format!("{shown} is there already; --force replaces it")));
    }
    if file.canonicalize().ok() == database.canonicalize().ok() {
        return Err(Failure::new(format!("{shown} is the database itself")));
    }
    if !is_copy(file) {
        return Err(Failure::new(format!("{shown} is no copy of a database: --force does not replace it")));
    }
    if with_suffix(file, ".lock").exists() {
        ServeLock::take(file)?;
    }
    Ok(())
}

fn is_copy(file: &Path) -> bool {
    let mut beginning = [0; SQLITE.len()];
    let read = File::open(file).and_then(|mut file| file.read_exact(&mut beginning));
    read.is_ok() && beginning == SQLITE
}

/// An empty file for its owner alone, next to the target; it goes with this value.
fn draft(file: &Path) -> Outcome<NamedTempFile> {
    let made = Builder::new().prefix(".payroll-backup-").tempfile_in(folder(file));
    made.map_err(|error| Failure::caused(format!("{} cannot be made", file.display()), &error))
}

/// Gives the copy its name, and has the name on the disk.
fn publish(draft: NamedTempFile, file: &Path, force: bool) -> Outcome {
    let named = match force {
        true => draft.persist(file),
        false => draft.persist_noclobber(file),
    };
    let failed =
        |error: &std::io::Error| Failure::caused(format!("{} cannot be made", file.display()), error);
    named.map_err(|error| failed(&error.error))?;
    File::open(folder(file)).and_then(|folder| folder.sync_all()).map_err(|error| failed(&error))
}

fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn about_keys(settings: &Settings, database: &Path) -> String {
    let place = keys::place(settings);
    format!(
        "The keys are not in it, so that nobody who gets hold of the copy can open the SSNs and credentials \
         that are encrypted in it. Keep {place} as well, in another place: without the keys they are lost. To \
         restore, stop the server, remove {0}-wal and {0}-shm, put the copy in the place of {0}, and start \
         again with the same keys.",
        database.display()
    )
}
