//! `copy`: copies the embedded database to PostgreSQL, or creates an anonymised copy of either kind of
//! database.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use payroll_adapter_db::{AnonymiseSettings, CopyError, CopyJob, CopySummary, transfer_database};
use payroll_ports::Randomness;
use payroll_ports::keys::{Key, KeySet};

use super::context::CommandContext;
use crate::cli::CopyArguments;
use crate::config::{DatabaseUrl, OptionalDatabaseUrl, Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::lock::ServeLock;
use crate::{app, database_file, keys};

/// The size of the connection pool of the target. The copying transaction uses one more connection outside
/// the pool.
const MAX_CONNECTIONS: usize = 2;

/// The message about the data that an anonymised copy does not contain.
const OMITTED_DATA_MESSAGE: &str = "The copy does not contain the audit log, deliveries, stored responses, request \
    logs, access requests, completion requests, application secrets and operator keys. Its hooks send \
    nothing. Create keys and secrets with `payroll-server operator-key create` and `payroll-server app \
    rotate`.";

pub(super) async fn run(context: CommandContext<'_>, arguments: CopyArguments) -> Outcome {
    let anonymise = anonymise_settings(&arguments, &*context.randomness);
    let CopyArguments { from, to, from_key_file, .. } = arguments;
    let mut settings = context.settings;
    if let Some(to) = to {
        (settings.database_url, settings.direct_database_url) = (to, OptionalDatabaseUrl::default());
    }
    check_databases(&from, &settings, anonymise.is_some())?;
    let to_keys = keys::load_keys(&settings, &*context.randomness)?;
    let from_keys = read_source_keys(&from, from_key_file.as_deref(), &to_keys)?;
    let _nobody_serves_them = acquire_locks(&from, &settings.database_url, anonymise.is_some())?;
    let started = context.clock.monotonic_time();
    let bar = progress_bar();
    let last_line = match &anonymise {
        Some(_) => anonymised_message(&from_keys, &to_keys)?,
        None => token_validity_message(&from_keys, &to_keys),
    };
    let is_anonymised = anonymise.is_some();
    let job = CopyJob {
        source_url: from.expose().to_owned(),
        source_keys: from_keys,
        target: payroll_adapter_db::DatabaseSettings {
            // The command copies the rows in one long transaction, so it connects directly and not through a
            // connection pooler.
            url: settings
                .direct_database_url
                .expose()
                .unwrap_or_else(|| settings.database_url.expose())
                .to_owned(),
            direct_url: None,
            connections: MAX_CONNECTIONS,
            node_connections: 0,
            streams: 1,
            is_exclusive: false,
            keys: to_keys.into(),
            randomness: Arc::clone(&context.randomness),
        },
        anonymise,
    };
    let moved = transfer_database(job, |progress| {
        bar.set_length(progress.total_rows);
        bar.set_position(progress.written_rows);
        bar.set_message(progress.table.to_owned());
    });
    let moved = moved.await;
    bar.finish_and_clear();
    let moved = moved.map_err(|error| copy_error_failure(&error))?;
    if is_anonymised {
        // The anonymised copy contains no real persons, so it is marked as a sandbox. A server may then serve
        // the copy as a sandbox.
        app::open_store(&settings, context.randomness).await?.mark_as_sandbox().await?;
    }
    let took = context.clock.monotonic_time().saturating_sub(started);
    writeln!(context.out, "{}", summary_message(&moved, took, &settings))?;
    Ok(writeln!(context.out, "{last_line}")?)
}

/// Returns the settings for anonymising, or `None` if no anonymised copy was requested. The key is derived
/// from the seed. Without a seed, the key is random and not stored.
fn anonymise_settings(arguments: &CopyArguments, randomness: &dyn Randomness) -> Option<AnonymiseSettings> {
    let amounts = arguments.amounts.map(Into::into).unwrap_or_default();
    arguments.anonymise.then(|| match &arguments.anonymise_seed {
        Some(seed) => AnonymiseSettings::from_seed(seed.expose(), amounts),
        None => {
            let mut key = [0; AnonymiseSettings::KEY_LENGTH];
            randomness.fill_with_random_bytes(&mut key);
            AnonymiseSettings { key, amounts }
        }
    })
}

/// Checks that the kinds of both databases are allowed, and that the source exists.
fn check_databases(from: &DatabaseUrl, settings: &Settings, anonymise: bool) -> Outcome {
    let source = from.embedded_path();
    if source.is_none() && !anonymise {
        return Err(Failure::new(
            "--from must be the file of an embedded database. Copy a PostgreSQL database with pg_dump",
        ));
    }
    if settings.database_url.embedded_path().is_some() && !anonymise {
        return Err(Failure::new(
            "--to must be a PostgreSQL database, postgres://…. To copy to an embedded database, use \
             `payroll-server backup`",
        ));
    }
    if let Some(missing) = source.filter(|source| !source.is_file()) {
        return Err(Failure::new(format!("there is no database {}", missing.display())));
    }
    database_file::check_database_creatable(settings)
}

/// Takes the locks of the embedded databases, so that no server uses them during the copy. An anonymised copy
/// reads one snapshot of its source, so it needs no lock on the source.
fn acquire_locks(from: &DatabaseUrl, to: &DatabaseUrl, anonymise: bool) -> Outcome<Vec<ServeLock>> {
    let source = from.embedded_path().filter(|_| !anonymise);
    source.into_iter().chain(to.embedded_path()).map(|file| ServeLock::acquire_serve_lock(&file)).collect()
}

/// Returns the keys that decrypt the values of the source: from `key_file`, from the file next to the source,
/// or from the settings.
fn read_source_keys(
    source: &DatabaseUrl,
    key_file: Option<&Path>,
    keys_of_settings: &KeySet,
) -> Outcome<KeySet> {
    let key_file_of_source = source.embedded_path().map(|source| keys::default_key_file(&source));
    match key_file.or_else(|| key_file_of_source.as_deref().filter(|file| file.exists())) {
        Some(file) => keys::read_file(file),
        None => Ok(keys_of_settings.clone()),
    }
}

fn copy_error_failure(error: &CopyError) -> Failure {
    let what = match error {
        CopyError::SourceKeys => "nothing was copied. Name the keys of the source with --from-key-file",
        CopyError::Differs { .. } | CopyError::Store(_) => {
            "nothing was copied. The target is still empty, so you can retry the copy"
        }
        CopyError::SourceSchema { .. }
        | CopyError::Target(_)
        | CopyError::TargetHolds { .. }
        | CopyError::TargetKind
        | CopyError::Tables(_)
        | CopyError::Value { .. } => "nothing was copied",
    };
    Failure::with_cause(what, error)
}

fn progress_bar() -> ProgressBar {
    // The template is a constant and always valid, so the default style is never used.
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} rows, {eta} left, {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    // The progress bar is drawn on standard error, and only if standard error is a terminal.
    ProgressBar::new(0).with_style(style)
}

fn summary_message(copied: &CopySummary, duration: Duration, settings: &Settings) -> String {
    let mut lines: Vec<String> =
        copied.rows.iter().map(|(table, rows)| format!("  {table:<26} {rows:>12}")).collect();
    let rows: u64 = copied.rows.iter().map(|(_, rows)| rows).sum();
    lines.push(format!(
        "{} contains the complete copy: {rows} rows in {} tables, in {:.1} s. {} counts and sums agree in \
         both databases.",
        settings.database_url.show(),
        copied.rows.len(),
        duration.as_secs_f64(),
        copied.compared_figures
    ));
    lines.join("\n")
}

/// Returns the message about an anonymised copy. Fails if the two databases share a key, because the copy
/// would then accept tokens of the original.
fn anonymised_message(from: &KeySet, to: &KeySet) -> Outcome<String> {
    if from.iter().any(|key| to.iter().any(|other| other.has_same_secret(key))) {
        return Err(Failure::new(
            "nothing was copied: the copy would have a key of the original, and would accept its tokens. \
             Give the copy its own keys (`payroll-server key`), and name the keys of the source with \
             --from-key-file",
        ));
    }
    Ok(OMITTED_DATA_MESSAGE.to_owned())
}

/// Returns the message that explains whether existing tokens stay valid.
fn token_validity_message(from: &KeySet, to: &KeySet) -> String {
    let same = |key: &Key| to.get(key.id()).is_some_and(|other| key.has_same_secret(other));
    if same(from.active()) {
        return "The keys are the same, so tokens stay valid.".to_owned();
    }
    "Encrypted values are now encrypted with the keys of the target. Tokens that the old keys signed are \
     invalid. Applications get new tokens when the old ones are rejected."
        .to_owned()
}
