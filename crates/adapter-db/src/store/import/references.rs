//! Verifies the conditions for storing an import. The file must not use ids of other companies, refer to
//! missing objects, or change the state of a pay period that has checks.

use std::collections::{BTreeSet, HashSet};

use payroll_domain::company::Company;
use payroll_domain::date::Date;
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::MAX_FAULTS;

use super::super::companies::lineage;
use super::super::resources::{DefinitionIds, read_stored_ids};
use super::order::CompanyToImport;
use super::{CompanyContext, Conn, dialect};
use crate::error::{Failure, Outcome};
use crate::statement::{BindValue, binds, query};

/// The number of ids that one statement looks up.
pub(super) const MAX_IDS_PER_STATEMENT: usize = 1_000;

/// Verifies all conditions. If some are violated, the import is rejected with the texts of all faults.
pub(super) async fn check_references(conn: &Conn, import: &CompanyToImport) -> Outcome<()> {
    let mut problems = find_period_problems(conn, import).await?;
    problems.extend(find_reference_problems(conn, import).await?);
    problems.extend(find_definition_mismatches(conn, import).await?);
    if problems.is_empty() { Ok(()) } else { Err(Failure::Refused(problems)) }
}

/// Returns error texts for the ids of workers and checks that another company already uses. These ids must be
/// unique on the server.
pub(super) async fn find_foreign_ids(conn: &Conn, import: &CompanyToImport) -> Outcome<Vec<String>> {
    let mut problems = find_foreign_workers(conn, import).await?;
    problems.extend(find_foreign_checks(conn, import).await?);
    Ok(problems)
}

/// Returns the worker ids that belong to another company.
pub(super) async fn find_worker_ids_of_other_companies<'i>(
    conn: &Conn,
    company_id: &str,
    worker_ids: impl Iterator<Item = &'i str>,
) -> Outcome<HashSet<String>> {
    const SELECT_FOREIGN_WORKERS: &str = concat!(
        "SELECT worker_id FROM worker_ids WHERE company_id <> $1 AND worker_id",
        dialect::equals_any!("$2")
    );
    read_ids(conn, SELECT_FOREIGN_WORKERS, [BindValue::from(company_id), dialect::bind_list(worker_ids)])
        .await
}

async fn find_foreign_workers(conn: &Conn, import: &CompanyToImport) -> Outcome<Vec<String>> {
    let mut workers = import.source.workers().map(|worker| worker.worker_id).enumerate();
    let mut problems = Vec::new();
    loop {
        let chunk: Vec<_> = workers.by_ref().take(MAX_IDS_PER_STATEMENT).collect();
        if chunk.is_empty() {
            return Ok(problems);
        }
        let foreign_ids = find_worker_ids_of_other_companies(
            conn,
            import.company_id(),
            chunk.iter().map(|(_, id)| id.as_str()),
        )
        .await?;
        for (at, id) in chunk.iter().filter(|(_, id)| foreign_ids.contains(id.as_str())) {
            problems.push(format!("worker {id} belongs to another company (/workers/{at}/workerId)"));
        }
    }
}

async fn find_foreign_checks(conn: &Conn, import: &CompanyToImport) -> Outcome<Vec<String>> {
    const SELECT_FOREIGN_CHECKS: &str = concat!(
        "SELECT paycheck_id FROM checks WHERE (company_id <> $1 OR pay_period_id <> $2) AND paycheck_id",
        dialect::equals_any!("$3")
    );
    let mut problems = Vec::new();
    for (at, imported) in import.source.company().pay_periods.iter().enumerate() {
        let checks = || imported.processed_checks.iter().map(|check| check.paycheck_id.as_str());
        let period_id = imported.period.pay_period_id.as_str();
        let values =
            [BindValue::from(import.company_id()), BindValue::from(period_id), dialect::bind_list(checks())];
        let foreign_ids = read_ids(conn, SELECT_FOREIGN_CHECKS, values).await?;
        for (check_at, id) in checks().enumerate().filter(|(_, id)| foreign_ids.contains(*id)) {
            let pointer = format!("/payPeriods/{at}/checks/{check_at}/paycheckId");
            problems.push(format!("check {id} belongs to another pay period ({pointer})"));
        }
    }
    Ok(problems)
}

/// Reads the ids that a query returns.
async fn read_ids<const N: usize>(
    conn: &Conn,
    text: &'static str,
    values: [BindValue<'_>; N],
) -> Outcome<HashSet<String>> {
    let found: Vec<(String,)> = conn.query_rows(query(text, values)).await?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

async fn find_period_problems(conn: &Conn, import: &CompanyToImport) -> Outcome<Vec<String>> {
    const SELECT_PERIODS: &str = "SELECT pay_period_id, status, check_count - removed_checks, check_date, \
            checks_archived FROM pay_periods WHERE company_id = $1";
    type StoredPeriod = (String, String, i64, Date, Option<i64>);
    let mut problems = Vec::new();
    let stored: Vec<StoredPeriod> =
        conn.query_rows(query!(SELECT_PERIODS, binds![import.company_id()])).await?;
    for (at, imported) in import.source.company().pay_periods.iter().enumerate() {
        let (id, status) = (&imported.period.pay_period_id, imported.period.status);
        let moved = |(stored_id, stored_status, checks, ..): &StoredPeriod| {
            let opened = status == PeriodStatus::Initial && stored_status == PeriodStatus::Entry.as_str();
            stored_id == id.as_str() && stored_status != status.as_str() && !opened && *checks > 0
        };
        let redated = |(stored_id, _, _, check_date, archived): &StoredPeriod| {
            stored_id == id.as_str() && archived.is_some() && *check_date != imported.period.check_date
        };
        let opened_here = |(stored_id, stored_status, ..): &StoredPeriod| {
            stored_id == id.as_str()
                && !PeriodStatus::parse(stored_status).is_some_and(PeriodStatus::is_processed)
        };
        let takes_two = import.rules.two_person_completion && status.is_processed();
        if takes_two && stored.iter().any(opened_here) {
            let rule =
                format!("pay period {id} is open on this server, where two operators complete a pay period");
            problems.push(format!("{rule} (/payPeriods/{at}/status)"));
        } else if stored.iter().any(moved) {
            let rule = format!("pay period {id} has checks, so its status cannot be changed");
            problems.push(format!("{rule} (/payPeriods/{at}/status)"));
        }
        if stored.iter().any(redated) {
            let rule = format!("pay period {id} was archived, so its check date cannot be changed");
            problems.push(format!("{rule} (/payPeriods/{at}/checkDate)"));
        }
        if !imported.processed_checks.is_empty() && !status.is_processed() {
            let rule = format!("pay period {id} has processed checks but is not processed");
            problems.push(format!("{rule} (/payPeriods/{at}/checks)"));
        }
    }
    Ok(problems)
}

/// Returns the faults of references. An object to which the file refers must be stored or must be in the
/// file.
async fn find_reference_problems(conn: &Conn, import: &CompanyToImport) -> Outcome<Vec<String>> {
    let mut missing = find_missing_ids(conn, import.company_id(), &import.source.external_ids()).await?;
    missing.retain(|(target, _)| !(import.parent_comes && *target == ResourceKind::Company));
    let mut problems = Vec::new();
    if !missing.is_empty() {
        import.source.for_each_reference(|at| {
            if missing.contains(&(at.target, at.id.to_owned())) && problems.len() < MAX_FAULTS {
                problems.push(format!(
                    "{} {} does not exist ({})",
                    at.target.display_name(),
                    at.id,
                    at.pointer
                ));
            }
        });
    }
    Ok(problems)
}

/// Returns faults for values of workers that do not fit stored definitions, such as custom fields, that are
/// not in the file.
async fn find_definition_mismatches(conn: &Conn, import: &CompanyToImport) -> Outcome<Vec<String>> {
    let open = import.source.external_ids();
    let of = |kind: ResourceKind| {
        open.iter().filter(move |(target, _)| *target == kind).map(|(_, id)| id.as_str()).collect()
    };
    let (custom_fields, contact_types): (BTreeSet<&str>, BTreeSet<&str>) =
        (of(ResourceKind::CustomField), of(ResourceKind::ContactType));
    if custom_fields.is_empty() && contact_types.is_empty() {
        return Ok(Vec::new());
    }
    let context = CompanyContext { conn, company_id: import.company_id(), sealer: &import.sealer };
    let definitions = DefinitionIds { custom_fields, contact_types }.read_definitions(context).await?;
    let of_worker = |(at, worker)| definitions.find_worker_mismatches(&worker, &format!("/workers/{at}"));
    let mismatches = import.source.workers().enumerate().flat_map(of_worker).take(MAX_FAULTS);
    Ok(mismatches.map(|it| format!("{} ({})", it.sentence, it.pointer)).collect())
}

/// Returns the ids for which the company has no object.
pub(super) async fn find_missing_ids(
    conn: &Conn,
    company_id: &str,
    all: &[(ResourceKind, String)],
) -> Outcome<HashSet<(ResourceKind, String)>> {
    let mut missing = HashSet::new();
    for target in ResourceKind::ALL {
        let of_target = all.iter().filter(|(open, _)| open == target);
        let open: HashSet<&str> = of_target.map(|(_, id)| id.as_str()).collect();
        for open in open.into_iter().collect::<Vec<_>>().chunks(MAX_IDS_PER_STATEMENT) {
            let stored = read_stored_ids(conn, company_id, *target, open).await?;
            let absent = open.iter().filter(|id| !stored.contains(**id));
            missing.extend(absent.map(|id| (*target, (*id).to_owned())));
        }
    }
    Ok(missing)
}

/// Verifies that a company is not an ancestor of its own parent. Imports that change parents run one after
/// the other, so that two imports cannot create a cycle together.
pub(super) async fn check_parent(context: CompanyContext<'_>, company: &Company) -> Outcome<()> {
    let Some(parent) = &company.parent_company_id else { return Ok(()) };
    dialect::lock_company_parents(context.conn).await?;
    if !lineage::is_same_or_ancestor(context.conn, context.company_id, parent.as_str()).await? {
        return Ok(());
    }
    let problem = format!("company {parent} is a descendant of this company (/parentCompanyId)");
    Err(Failure::Refused(vec![problem]))
}
