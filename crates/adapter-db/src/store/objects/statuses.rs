//! The status history of workers, and the days on which future statuses begin.

use futures_util::join;
use payroll_domain::date::Timestamp;
use payroll_domain::worker::{StatusEntry, Worker};

use super::{Change, Home, Kind, dialect};
use crate::error::Outcome;
use crate::rows::parts::PartRow;
use crate::rows::workers::DueStatusRow;
use crate::table::OnConflict;

/// Writes the histories that differ. Of such a history all entries are written: a release that does not know the
/// history may have changed the current status, which is an entry once it is read.
pub(super) async fn write<K: Kind<Object = Worker>>(
    home: Home<'_>,
    changes: &[Change<'_, K>],
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
        let old = before.map(|worker| rows(home, worker)).transpose()?.unwrap_or_default();
        let rows = after.map(|worker| rows(home, worker)).transpose()?.unwrap_or_default();
        let next = after.and_then(|worker| due_row(home, worker, now));
        // Only a history of several entries can have had a future one.
        let may_be_due = before.filter(|worker| next.is_none() && worker.statuses.len() > 1);
        not_due.extend(may_be_due.map(|worker| key(home, worker, now)));
        due.extend(next);
        gone.extend(old.into_iter().skip(rows.len()));
        new.extend(rows);
    }
    // They have different keys, so they may be done in any order.
    let (erased, written, ended, begun) = join!(
        dialect::erase(home.conn, &gone),
        dialect::bulk(home.conn, OnConflict::Replace, &new),
        dialect::erase(home.conn, &not_due),
        dialect::bulk(home.conn, OnConflict::Replace, &due),
    );
    erased?;
    written?;
    ended?;
    begun?;
    Ok(())
}

/// The entries by their positions, from 0.
fn rows(home: Home<'_>, worker: &Worker) -> Outcome<Vec<PartRow<StatusEntry>>> {
    PartRow::all(home.company_id, worker.worker_id.as_str(), &worker.statuses)
}

/// The day on which the next status begins, if there is one. What has begun by now is no future status.
fn due_row(home: Home<'_>, worker: &Worker, now: Timestamp) -> Option<DueStatusRow> {
    let due_date = worker.next_status_day(now.date())?;
    Some(DueStatusRow { due_date, ..key(home, worker, now) })
}

/// A row of that key.
fn key(home: Home<'_>, worker: &Worker, now: Timestamp) -> DueStatusRow {
    DueStatusRow {
        company_id: home.company_id.to_owned(),
        worker_id: worker.worker_id.to_string(),
        due_date: now.date(),
    }
}
