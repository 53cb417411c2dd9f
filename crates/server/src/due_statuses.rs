//! Future statuses of workers that begin (specification §6.29).

use payroll_domain::date::Timestamp;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::{Edit, Edited, Refusal, Versioned, Written};
use payroll_ports::workers::DueStatus;
use payroll_ports::write::By;
use payroll_ports::{Store, StoreError};

/// Workers that are looked up at once. Each is changed in a transaction of its own, so that no request waits long.
const BATCH: u32 = 500;
/// Batches in one turn, so that other housekeeping does not wait longer: 100,000 workers.
const BATCHES: u32 = 200;

/// Makes each status that has begun by that instant the current one. A worker whose company is locked or busy is
/// tried again in the next turn.
pub(crate) async fn apply(store: &dyn Store, now: Timestamp, mut ids: IdSequence) {
    let mut after = None;
    for _ in 0..BATCHES {
        let due = match store.due_statuses(now.date(), after.as_ref(), BATCH).await {
            Ok(due) => due,
            Err(error) => {
                tracing::warn!(%error, "future statuses of workers could not be read");
                return;
            }
        };
        for status in &due {
            let applied = apply_to(store, status, now, &mut ids).await;
            note(status, &applied);
            // One unreadable worker does not stop the others. Without a database none of them can be changed.
            if matches!(applied, Err(StoreError::Unavailable(_))) {
                return;
            }
        }
        if due.len() < BATCH as usize {
            return;
        }
        after = due.last().cloned();
    }
}

/// Logs what kept a status from becoming the current one.
fn note(status: &DueStatus, applied: &Result<Written, StoreError>) {
    let (company, worker) = (&status.company_id, &status.worker_id);
    match applied {
        // A worker who has been deleted in the meantime has no status.
        Ok(Written::Stored(_) | Written::Refused(Refusal::Unknown | Refusal::UnknownCompany)) => {}
        Ok(Written::Refused(Refusal::Locked(_))) | Err(StoreError::CompanyBusy) => {
            tracing::debug!(%company, %worker, "a status waits until the company is no longer locked or busy");
        }
        Ok(Written::Refused(why)) => tracing::warn!(?why, %company, %worker, "a status was rejected"),
        Err(error) => tracing::warn!(%error, %company, %worker, "a status could not be applied"),
    }
}

/// Changes a worker as a request does: with a version, an audit row and an event in the same transaction.
async fn apply_to(
    store: &dyn Store,
    status: &DueStatus,
    now: Timestamp,
    ids: &mut IdSequence,
) -> Result<Written, StoreError> {
    let id = ids.next_id();
    let edit: Edit = Box::new(move |stored: Versioned<Resource>| {
        Box::pin(async move {
            let Resource::Worker(mut worker) = stored.value else { return None };
            // Unchanged, it is not written: another process was faster.
            worker.apply_due_status(now.date(), id);
            Some(Edited::from(Resource::Worker(worker)))
        })
    });
    let key = (ResourceKind::Worker, status.worker_id.as_str());
    store.edit(&status.company_id, key, edit, &By::server("housekeeping", now)).await
}
