//! `copy`: from the embedded database to PostgreSQL, whole.

use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use payroll_adapter_db::{Move, MoveError, Moved, transfer};
use payroll_ports::keys::{Key, KeySet};

use super::context::Context;
use crate::cli::CopyArguments;
use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};
use crate::keys;
use crate::lock::ServeLock;

/// Connections to the target; the move itself has one beside them.
const CONNECTIONS: usize = 2;

pub(super) async fn run(context: Context<'_>, arguments: CopyArguments) -> Outcome {
    let CopyArguments { from, to, from_key_file } = arguments;
    let mut settings = context.settings;
    settings.database_url = to.unwrap_or(settings.database_url);
    let Some(source) = from.embedded_path() else {
        return Err(Failure::new(
            "--from must be the file of an embedded database; a PostgreSQL database is copied by pg_dump",
        ));
    };
    if settings.database_url.embedded_path().is_some() {
        return Err(Failure::new(
            "--to must be a PostgreSQL database, postgres://…; `payroll-server backup` copies an embedded one",
        ));
    }
    if !source.is_file() {
        return Err(Failure::new(format!("there is no database {}", source.display())));
    }
    let to_keys = keys::load(&settings, &*context.randomness)?;
    let from_keys = source_keys(&source, from_key_file.as_deref(), &to_keys)?;
    let _nobody_serves_it = ServeLock::take(&source)?;
    let begun = context.clock.monotonic();
    let bar = bar();
    let ended = ended_tokens(&from_keys, &to_keys);
    let wanted = Move {
        from: source,
        from_keys,
        to: payroll_adapter_db::Settings {
            url: settings.database_url.expose().to_owned(),
            connections: CONNECTIONS,
            streams: 1,
            keys: to_keys.into(),
            randomness: context.randomness,
        },
    };
    let moved = transfer(wanted, |progress| {
        bar.set_length(progress.all);
        bar.set_position(progress.written);
        bar.set_message(progress.table.to_owned());
    });
    let moved = moved.await;
    bar.finish_and_clear();
    let moved = moved.map_err(|error| refusal(&error))?;
    let took = context.clock.monotonic().saturating_sub(begun);
    writeln!(context.out, "{}", summary(&moved, took, &settings))?;
    Ok(writeln!(context.out, "{ended}")?)
}

/// The keys that open what is encrypted in the source.
fn source_keys(source: &Path, named: Option<&Path>, of_settings: &KeySet) -> Outcome<KeySet> {
    let beside = keys::beside(source);
    match named.or_else(|| beside.exists().then_some(&*beside)) {
        Some(file) => keys::read_file(file),
        None => Ok(of_settings.clone()),
    }
}

fn refusal(error: &MoveError) -> Failure {
    let what = match error {
        MoveError::SourceKeys => "nothing is copied; --from-key-file names the keys of the source",
        MoveError::Differs { .. } | MoveError::Store(_) => {
            "nothing is copied; the target is as empty as before, so that the copy can be begun again"
        }
        MoveError::SourceSchema { .. }
        | MoveError::Target(_)
        | MoveError::TargetHolds { .. }
        | MoveError::TargetKind
        | MoveError::Tables(_)
        | MoveError::Value { .. } => "nothing is copied",
    };
    Failure::caused(what, error)
}

fn bar() -> ProgressBar {
    // The template is fixed; if it ever were wrong, the plain bar would do.
    let style = ProgressStyle::with_template("{bar:40} {human_pos}/{human_len} rows, {eta} left, {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    // indicatif draws on standard error, and only where that is a terminal.
    ProgressBar::new(0).with_style(style)
}

fn summary(moved: &Moved, took: Duration, settings: &Settings) -> String {
    let mut lines: Vec<String> =
        moved.rows.iter().map(|(table, rows)| format!("  {table:<26} {rows:>12}")).collect();
    let rows: u64 = moved.rows.iter().map(|(_, rows)| rows).sum();
    lines.push(format!(
        "{} holds all of it: {rows} rows in {} tables, in {:.1} s. {} counts and sums of both sides agree.",
        settings.database_url.show(),
        moved.rows.len(),
        took.as_secs_f64(),
        moved.compared
    ));
    lines.join("\n")
}

/// What the change of keys means for those who hold tokens.
fn ended_tokens(from: &KeySet, to: &KeySet) -> String {
    let same = |key: &Key| to.get(key.id()).is_some_and(|other| key.is(other));
    if same(from.active()) {
        return "The keys are the same, so tokens stay good.".to_owned();
    }
    "What is encrypted is encrypted with the keys of the target. Tokens that the old keys have signed are no \
     longer good: applications get new ones by themselves, when theirs are refused."
        .to_owned()
}
