//! What must fit before an import is stored: ids that others have, references to nothing, pay
//! periods whose state the file would change under their checks.

use std::collections::HashSet;

use diesel::sql_types::{BigInt, Text};
use payroll_domain::id::Id;
use payroll_domain::pay_period::PeriodStatus;

use super::{Conn, Import, dialect};
use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, binds, query};

/// Refuses the import with every misfit at once.
pub(super) async fn check(conn: &Conn, import: &Import) -> Outcome<()> {
    let mut problems = foreign_ids(conn, import).await?;
    problems.extend(periods(conn, import).await?);
    problems.extend(parent(conn, import).await?);
    problems.extend(within(conn, import).await?);
    if problems.is_empty() { Ok(()) } else { Err(Failure::Refused(problems)) }
}

/// Workers and checks have ids that are unique in the server.
async fn foreign_ids(conn: &Conn, import: &Import) -> Outcome<Vec<String>> {
    const WORKERS: &str =
        concat!("SELECT worker_id FROM workers WHERE company_id <> $1 AND worker_id", dialect::any!("$2"));
    const CHECKS: &str = concat!(
        "SELECT paycheck_id FROM checks WHERE (company_id <> $1 OR pay_period_id <> $2) AND paycheck_id",
        dialect::any!("$3")
    );
    let mut problems = Vec::new();
    let workers = import.whole.workers.iter().map(|worker| worker.worker_id.as_str());
    let values = [Bind::from(import.company_id()), dialect::list(workers)];
    let taken: Vec<(String,)> = conn.rows(query::<(Text,)>(WORKERS, values)).await?;
    problems.extend(taken.iter().map(|(id,)| format!("Worker {id} belongs to another company.")));
    for imported in &import.whole.pay_periods {
        let checks = imported.processed_checks.iter().map(|check| check.paycheck_id.as_str());
        let period_id = imported.period.pay_period_id.as_str();
        let values = [Bind::from(import.company_id()), Bind::from(period_id), dialect::list(checks)];
        let taken: Vec<(String,)> = conn.rows(query::<(Text,)>(CHECKS, values)).await?;
        problems.extend(taken.iter().map(|(id,)| format!("Check {id} belongs to another pay period.")));
    }
    Ok(problems)
}

async fn periods(conn: &Conn, import: &Import) -> Outcome<Vec<String>> {
    const PERIODS: &str = "SELECT pay_period_id, status, check_count FROM pay_periods WHERE company_id = $1";
    let mut problems = Vec::new();
    let stored: Vec<(String, String, i64)> =
        conn.rows(query::<(Text, Text, BigInt)>(PERIODS, binds![import.company_id()])).await?;
    for imported in &import.whole.pay_periods {
        let (id, status) = (&imported.period.pay_period_id, imported.period.status);
        let moved = |(stored_id, stored_status, checks): &(String, String, i64)| {
            let opened = status == PeriodStatus::Initial && stored_status == PeriodStatus::Entry.as_str();
            stored_id == id.as_str() && stored_status != status.as_str() && !opened && *checks > 0
        };
        if stored.iter().any(moved) {
            problems.push(format!("Pay period {id} has checks, so its status cannot be changed."));
        }
        if !imported.processed_checks.is_empty() && !status.is_processed() {
            problems.push(format!("Pay period {id} has processed checks but is not processed."));
        }
    }
    Ok(problems)
}

async fn parent(conn: &Conn, import: &Import) -> Outcome<Option<String>> {
    const PARENT: &str = "SELECT company_id FROM companies WHERE company_id = $1";
    let Some(parent) = &import.whole.company.parent_company_id else { return Ok(None) };
    if parent == &import.whole.company.company_id {
        return Ok(Some("The company is its own parent.".to_owned()));
    }
    let found: Option<(String,)> = conn.row(query::<(Text,)>(PARENT, binds![parent.as_str()])).await?;
    Ok(found.is_none().then(|| format!("Parent company {parent} is not there.")))
}

/// The ids of one kind that a company has, in the file or in the store.
struct Known(HashSet<String>);

impl Known {
    async fn read<'a, K: 'a>(
        conn: &Conn,
        company_id: &str,
        text: &'static str,
        in_file: impl Iterator<Item = &'a Id<K>>,
    ) -> Outcome<Self> {
        let stored: Vec<(String,)> = conn.rows(query::<(Text,)>(text, binds![company_id])).await?;
        let in_file: Vec<String> = in_file.map(ToString::to_string).collect();
        Ok(Self(stored.into_iter().map(|(id,)| id).chain(in_file).collect()))
    }

    /// The sentence for a reference that leads nowhere.
    fn missing<K>(&self, from: String, kind: &str, to: Option<&Id<K>>) -> Option<String> {
        let to = to?;
        (!self.0.contains(to.as_str())).then(|| format!("{from} refers to {kind} {to}, which is not there."))
    }
}

/// References from one object of the company to another.
async fn within(conn: &Conn, import: &Import) -> Outcome<Vec<String>> {
    let (id, whole) = (import.company_id(), &import.whole);
    macro_rules! known {
        ($table:literal, $column:ident, $list:ident) => {
            Known::read(
                conn,
                id,
                concat!("SELECT ", stringify!($column), " FROM ", $table, " WHERE company_id = $1"),
                whole.$list.iter().map(|object| &object.$column),
            )
            .await?
        };
    }
    let organizations = known!("organizations", organization_id, organizations);
    let types = known!("custom_employment_types", custom_employment_type_id, custom_employment_types);
    let categories = known!("custom_field_categories", category_id, custom_field_categories);
    let bases = known!("calculation_bases", calculation_base_id, calculation_bases);
    let components = known!("pay_components", component_id, pay_components);
    let workers = known!("workers", worker_id, workers);
    let mut problems: Vec<Option<String>> = Vec::new();
    for unit in &whole.organizations {
        let from = format!("Organization {}", unit.organization_id);
        problems.push(organizations.missing(from, "organization", unit.parent_organization_id.as_ref()));
    }
    for field in &whole.custom_fields {
        let from = format!("Custom field {}", field.custom_field_id);
        problems.push(categories.missing(from, "category", field.definition.category_id.as_ref()));
    }
    for worker in &whole.workers {
        let from = || format!("Worker {}", worker.worker_id);
        problems.push(organizations.missing(from(), "organization", worker.organization_id.as_ref()));
        problems.push(workers.missing(from(), "worker", worker.supervisor_id.as_ref()));
        let kind = worker.custom_employment_type_id.as_ref();
        problems.push(types.missing(from(), "custom employment type", kind));
        for recurring in &worker.recurring_components {
            problems.push(components.missing(from(), "pay component", Some(&recurring.component_id)));
            let base = recurring.calculation_base_id.as_ref();
            problems.push(bases.missing(from(), "calculation base", base));
        }
    }
    for check in whole.pay_periods.iter().flat_map(|imported| &imported.processed_checks) {
        let from = format!("Check {}", check.paycheck_id);
        problems.push(workers.missing(from, "worker", Some(&check.worker_id)));
    }
    Ok(problems.into_iter().flatten().collect())
}
