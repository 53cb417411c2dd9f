//! Rejects a PostgreSQL server that can lose acknowledged changes in a power failure. The setting
//! `accept_unsafe_database` lists the weaknesses that the operator accepts.

use payroll_adapter_db::{DurabilityWeakness, find_weaknesses};

use crate::config::{Setting, Settings};
use crate::failure::{Failure, Outcome};

/// Returns whether the settings accept a weakness of the database.
pub(crate) fn is_weakness_accepted(settings: &Settings, weakness: DurabilityWeakness) -> bool {
    settings.accept_unsafe_database.split(',').any(|name| name.trim() == weakness.name())
}

/// Rejects a database that can lose acknowledged changes. Weaknesses that the settings accept are only
/// logged.
///
/// # Errors
/// Lists the weaknesses that the settings do not accept, each with its remedy. Also fails if the database
/// cannot be reached.
pub(crate) async fn reject_unsafe_durability(settings: &Settings) -> Outcome {
    let shown = settings.database_url.show();
    let found = find_weaknesses(settings.database_url.expose(), settings.direct_database_url.expose()).await;
    let found = found.map_err(|error| {
        Failure::with_cause(
            format!("the database {shown} cannot be checked for unsafe configurations"),
            &error,
        )
    })?;
    let (accepted, rejected): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|weakness| is_weakness_accepted(settings, *weakness));
    for weakness in accepted {
        tracing::warn!(name = weakness.name(), "the database is unsafe: {}", weakness.problem());
    }
    if rejected.is_empty() {
        return Ok(());
    }
    let each = rejected.iter().map(|weakness| format!("{} ({})", weakness.problem(), weakness.remedy()));
    let (each, names) = (each.collect::<Vec<_>>(), rejected.iter().map(|it| it.name()).collect::<Vec<_>>());
    Err(Failure::new(format!(
        "the database {shown} can lose acknowledged changes. {}. If that is acceptable, set \
         `accept_unsafe_database` to {}",
        each.join(". "),
        names.join(",")
    )))
}
