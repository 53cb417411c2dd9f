//! Changes many workers of a company in one transaction. The transaction reads the workers and calls the
//! function that changes them. The transaction then writes the workers that differ from the stored ones, as
//! an import does.

use std::collections::HashSet;
use std::sync::Arc;

use payroll_domain::document::{DefinitionMismatch, collect_references};
use payroll_domain::id::WorkerId;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::MAX_FAULTS;
use payroll_domain::worker::Worker;
use payroll_ports::import::{ImportCounts, WorkerChangeOutcome, WorkersToChange};
use payroll_ports::resources::{MissingReference, WriteRefusal};
use payroll_ports::write::AuditContext;

use super::super::objects::{
    CompanyContext, CompanyLockMode, ObjectKind, Workers, increment_company_version, load_objects,
    lock_company,
};
use super::super::resources::DefinitionIds;
use super::super::{Conn, Store, remove_nul};
use super::MAX_WORKERS_PER_TRANSACTION;
use super::company_import::{CompanyImport, StoredById};
use super::references::{MAX_IDS_PER_STATEMENT, find_missing_ids, find_worker_ids_of_other_companies};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::seal::Sealer;

impl Store {
    pub(super) async fn change_many_workers(
        &self,
        workers: WorkersToChange,
        audit: &AuditContext,
    ) -> Outcome<WorkerChangeOutcome> {
        let (company_id, ids) = (workers.company_id.clone(), workers.worker_ids.clone());
        let changing = WorkersChange { workers, audit: audit.clone(), sealer: Arc::clone(&self.sealer) };
        let changed =
            self.db.write_in_series(move |conn| Box::pin(async move { changing.execute(conn).await })).await;
        match changed {
            Ok(counts) | Err(Failure::DryRun(counts)) => Ok(WorkerChangeOutcome::Stored(counts)),
            Err(Failure::NotWritten(why)) => Ok(WorkerChangeOutcome::Refused(*why)),
            // The companies that own the ids are only looked up after a failure. An earlier lookup would cost
            // a query for a rare case.
            Err(Failure::Taken(name)) => {
                let others = run_on_connection!(self.read, |conn, ids| find_ids_of_other_companies(
                    conn,
                    company_id.as_str(),
                    &ids
                ))?;
                match others.is_empty() {
                    true => Err(Failure::Taken(name)),
                    false => Ok(WorkerChangeOutcome::OfOthers(others)),
                }
            }
            Err(failure) => Err(failure),
        }
    }
}

/// The input of a transaction that changes workers.
struct WorkersChange {
    workers: WorkersToChange,
    audit: AuditContext,
    sealer: Arc<Sealer>,
}

impl WorkersChange {
    async fn execute(self, conn: &Conn) -> Outcome<ImportCounts> {
        let Self { workers, audit, sealer } = self;
        let WorkersToChange { company_id, worker_ids, change, is_dry } = workers;
        let company_id = remove_nul(company_id.as_str());
        let context = CompanyContext { conn, company_id: company_id.as_str(), sealer: &sealer };
        let Some(holders) = lock_company(conn, context.company_id, CompanyLockMode::ToWrite).await? else {
            return reject_import(WriteRefusal::UnknownCompany);
        };
        let stored = read_stored_workers(context, &worker_ids).await?;
        let before = stored.values().map(|found| found.object.clone()).collect();
        let Some(changed) = change(before).await else { return reject_import(WriteRefusal::Declined) };
        let missing = find_missing_references(context, &changed, &stored).await?;
        if !missing.is_empty() {
            return reject_import(WriteRefusal::Missing(missing));
        }
        let mismatches = find_definition_mismatches(context, &changed, &stored).await?;
        if !mismatches.is_empty() {
            return reject_import(WriteRefusal::Unfit(mismatches));
        }
        let mut storing = CompanyImport::new(context, &audit, Some(&holders));
        for chunk in changed.chunks(MAX_WORKERS_PER_TRANSACTION) {
            match (storing.write_objects::<Workers>(chunk, &stored).await, holders.active_lock(audit.now)) {
                (Err(Failure::Locked), Some(lock)) => return reject_import(WriteRefusal::Locked(lock)),
                (written, _) => written?,
            }
            storing.flush_audit_log().await?;
        }
        let counts = storing.finish_import().await?;
        if counts.created + counts.changed > 0 {
            increment_company_version(context).await?;
        }
        // A dry run also writes everything, so that the database enforces its constraints. The transaction of
        // a dry run is then rolled back.
        if is_dry { Err(Failure::DryRun(counts)) } else { Ok(counts) }
    }
}

/// Fails with the reason of the refusal, so that the transaction is rolled back.
fn reject_import(refusal: WriteRefusal) -> Outcome<ImportCounts> {
    Err(Failure::NotWritten(Box::new(refusal)))
}

/// Reads the stored workers with these ids.
async fn read_stored_workers(
    context: CompanyContext<'_>,
    worker_ids: &[WorkerId],
) -> Outcome<StoredById<Workers>> {
    let mut stored = StoredById::new();
    for chunk in worker_ids.chunks(MAX_WORKERS_PER_TRANSACTION) {
        let ids: Vec<&str> = chunk.iter().map(WorkerId::as_str).collect();
        let found = load_objects::<Workers>(context, &ids).await?;
        stored.extend(found.into_iter().map(|found| (found.object.worker_id.to_string(), found)));
    }
    Ok(stored)
}

/// Returns the references of changed workers with a missing target. The target is neither stored nor one of
/// the changed workers.
async fn find_missing_references(
    context: CompanyContext<'_>,
    workers: &[Worker],
    stored: &StoredById<Workers>,
) -> Outcome<Vec<MissingReference>> {
    let among: HashSet<&str> = workers.iter().map(Workers::id).collect();
    let differs =
        |worker: &Worker| stored.get(Workers::id(worker)).is_none_or(|found| found.differs_from(worker));
    let mut open = Vec::new();
    for (at, worker) in workers.iter().enumerate().filter(|(_, worker)| differs(worker)) {
        let worker = Resource::Worker(Box::new(worker.clone()));
        for reference in collect_references(&worker) {
            if reference.target != ResourceKind::Worker || !among.contains(reference.id) {
                let pointer = format!("/workers/{at}{}", reference.pointer);
                open.push(MissingReference {
                    target: reference.target,
                    id: reference.id.to_owned(),
                    pointer,
                });
            }
        }
    }
    let ids: Vec<_> = open.iter().map(|it| (it.target, it.id.clone())).collect();
    let absent = find_missing_ids(context.conn, context.company_id, &ids).await?;
    open.retain(|it| absent.contains(&(it.target, it.id.clone())));
    // A response reports at most `MAX_FAULTS` faults. One more is collected, so that the response can report
    // that there are further faults.
    open.truncate(MAX_FAULTS + 1);
    Ok(open)
}

/// Returns the values of changed workers that do not fit the definitions of the company.
async fn find_definition_mismatches(
    context: CompanyContext<'_>,
    workers: &[Worker],
    stored: &StoredById<Workers>,
) -> Outcome<Vec<DefinitionMismatch>> {
    let differs =
        |worker: &Worker| stored.get(Workers::id(worker)).is_none_or(|found| found.differs_from(worker));
    let changed = || workers.iter().enumerate().filter(|(_, worker)| differs(worker));
    let mut named = DefinitionIds::default();
    changed().for_each(|(_, worker)| named.add(worker));
    let definitions = named.read_definitions(context).await?;
    let of_worker = |(at, worker)| definitions.find_worker_mismatches(worker, &format!("/workers/{at}"));
    // A response reports at most `MAX_FAULTS` faults. One more is collected, so that the response can report
    // that there are further faults.
    Ok(changed().flat_map(of_worker).take(MAX_FAULTS + 1).collect())
}

/// Returns the worker ids that belong to another company.
async fn find_ids_of_other_companies(
    conn: &Conn,
    company_id: &str,
    worker_ids: &[WorkerId],
) -> Outcome<Vec<WorkerId>> {
    let mut others = Vec::new();
    for chunk in worker_ids.chunks(MAX_IDS_PER_STATEMENT) {
        let foreign_ids =
            find_worker_ids_of_other_companies(conn, company_id, chunk.iter().map(WorkerId::as_str)).await?;
        others.extend(chunk.iter().filter(|id| foreign_ids.contains(id.as_str())).cloned());
    }
    Ok(others)
}
