//! Applies future statuses of workers when their day begins (specification §6.29).

use payroll_domain::date::Timestamp;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::{EditFunction, EditResult, Versioned, WriteOutcome, WriteRefusal};
use payroll_ports::workers::DueStatus;
use payroll_ports::write::AuditContext;
use payroll_ports::{Store, StoreError};

/// The number of workers that one query returns. Each worker is changed in a transaction of its own, so that
/// no request waits for long.
const WORKERS_PER_BATCH: u32 = 500;
/// The maximum number of batches in one turn, which together contain up to 100,000 workers. The limit
/// prevents other housekeeping from waiting too long.
const MAX_BATCHES: u32 = 200;

/// Applies each future status that begins on the day of `now` or earlier. If the company is locked or busy,
/// the next turn retries the status.
pub(crate) async fn apply_due_statuses(store: &dyn Store, now: Timestamp, mut ids: IdSequence) {
    let mut after = None;
    for _ in 0..MAX_BATCHES {
        let due = match store.due_statuses(now.date(), after.as_ref(), WORKERS_PER_BATCH).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "future statuses of workers could not be read");
                return;
            }
        };
        for status in &due {
            let applied = apply_status_to_worker(store, status, now, &mut ids).await;
            log_applied_status(status, &applied);
            // An error for one worker does not prevent the changes of other workers. If the database is
            // unavailable, no worker can be changed, so the turn ends.
            if matches!(applied, Err(StoreError::Unavailable(_))) {
                return;
            }
        }
        if due.len() < WORKERS_PER_BATCH as usize {
            return;
        }
        after = due.last().cloned();
    }
}

/// Logs why a status could not become the worker's current status.
fn log_applied_status(status: &DueStatus, applied: &Result<WriteOutcome, StoreError>) {
    let (company, worker) = (&status.company_id, &status.worker_id);
    match applied {
        // The status was applied, or the worker or company was deleted in the meantime. Neither needs a log
        // message.
        Ok(
            WriteOutcome::Stored(_)
            | WriteOutcome::Refused(WriteRefusal::Unknown | WriteRefusal::UnknownCompany),
        ) => {}
        Ok(WriteOutcome::Refused(WriteRefusal::Locked(_))) | Err(StoreError::CompanyBusy) => {
            tracing::debug!(%company, %worker, "a worker's new status waits: the company is locked or busy");
        }
        Ok(WriteOutcome::Refused(why)) => {
            tracing::warn!(?why, %company, %worker, "a worker's new status was rejected");
        }
        Err(error) => tracing::warn!(%error, %company, %worker, "a worker's new status could not be applied"),
    }
}

/// Changes a worker like a request does: the same transaction writes a new version, an audit row and the
/// event.
async fn apply_status_to_worker(
    store: &dyn Store,
    status: &DueStatus,
    now: Timestamp,
    ids: &mut IdSequence,
) -> Result<WriteOutcome, StoreError> {
    let id = ids.next_id();
    let edit: EditFunction = Box::new(move |stored: Versioned<Resource>| {
        Box::pin(async move {
            let Resource::Worker(mut worker) = stored.value else { return None };
            // If another process has already applied the status, the worker does not change and nothing is
            // written.
            worker.apply_due_status(now.date(), id);
            Some(EditResult::from(Resource::Worker(worker)))
        })
    });
    let key = (ResourceKind::Worker, status.worker_id.as_str());
    store
        .edit_resource(
            &status.company_id,
            key,
            edit,
            &AuditContext::for_server_component("housekeeping", now),
        )
        .await
}
