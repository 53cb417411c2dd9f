//! The status history of workers, and the days on which future statuses begin.

use futures_util::join;
use payroll_domain::date::Timestamp;
use payroll_domain::worker::{StatusEntry, Worker};

use super::{CompanyContext, ObjectChange, ObjectKind, dialect};
use crate::error::Outcome;
use crate::rows::parts::OwnedObjectRow;
use crate::rows::workers::DueStatusRow;
use crate::table::OnConflict;

/// Writes the changed histories. If any entry has changed, all entries of the history are written.
///
/// An older release does not know the history and may have changed only the current status. When the worker
/// is read, this status is added to the history in memory, so the stored entries may be outdated.
pub(super) async fn write_status_histories<K: ObjectKind<Object = Worker>>(
    context: CompanyContext<'_>,
    changes: &[ObjectChange<'_, K>],
    now: Timestamp,
) -> Outcome<()> {
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    let (mut not_due, mut due) = (Vec::new(), Vec::new());
    for change in changes {
        let (before, after) = (change.before(), change.after());
        if let (Some(before), Some(after)) = (before, after)
            && (&before.statuses, &before.current_status) == (&after.statuses, &after.current_status)
        {
            continue;
        }
        let old = before.map(|worker| to_status_rows(context, worker)).transpose()?.unwrap_or_default();
        let rows = after.map(|worker| to_status_rows(context, worker)).transpose()?.unwrap_or_default();
        let next = after.and_then(|worker| to_due_status_row(context, worker, now));
        // A single entry is the current status. A history can contain a future status only if the history has
        // several entries.
        let may_be_due = before.filter(|worker| next.is_none() && worker.statuses.len() > 1);
        not_due.extend(may_be_due.map(|worker| to_due_status_key_row(context, worker, now)));
        due.extend(next);
        gone.extend(old.into_iter().skip(rows.len()));
        new.extend(rows);
    }
    // The deleted and the written rows have different keys, so the order of the statements does not matter.
    let (erased, written, ended, started) = join!(
        dialect::bulk_delete(context.conn, &gone),
        dialect::bulk_insert(context.conn, OnConflict::Replace, &new),
        dialect::bulk_delete(context.conn, &not_due),
        dialect::bulk_insert(context.conn, OnConflict::Replace, &due),
    );
    erased?;
    written?;
    ended?;
    started?;
    Ok(())
}

/// Returns the rows of the entries with their positions, from 0.
fn to_status_rows(context: CompanyContext<'_>, worker: &Worker) -> Outcome<Vec<OwnedObjectRow<StatusEntry>>> {
    OwnedObjectRow::create_rows(context.company_id, worker.worker_id.as_str(), &worker.statuses)
}

/// Returns the row with the day on which the worker's next future status begins. `None` if the worker has no
/// future status.
fn to_due_status_row(context: CompanyContext<'_>, worker: &Worker, now: Timestamp) -> Option<DueStatusRow> {
    let due_date = worker.next_status_day(now.date())?;
    Some(DueStatusRow { due_date, ..to_due_status_key_row(context, worker, now) })
}

/// Returns a row with the key of this worker, for deleting the stored row. The due date in this row is a
/// placeholder.
fn to_due_status_key_row(context: CompanyContext<'_>, worker: &Worker, now: Timestamp) -> DueStatusRow {
    DueStatusRow {
        company_id: context.company_id.to_owned(),
        worker_id: worker.worker_id.to_string(),
        due_date: now.date(),
    }
}
