//! Keeps the current status of a worker consistent with the status history (specification §6.29).

use crate::code::Reason;
use crate::date::Date;
use crate::id::WorkerStatusId;
use crate::object::reader::ObjectReader;
use crate::object::values::MAX_STATUS_POSITION;
use crate::worker::{CurrentStatus, MAX_STATUSES, StatusEntry, Worker};

/// Completes the status history of a worker after reading the worker's document. Reports a fault if the
/// current status cannot be an entry of the history.
pub(crate) fn normalize_and_check_statuses(worker: &mut Worker, object: &mut ObjectReader<'_>) {
    if worker.current_status.is_none() && !worker.statuses.is_empty() {
        object.report_fault(
            Reason::FieldMissing,
            "currentStatus",
            "is missing: a worker with statuses must also have a current status",
        );
    }
    worker.normalize_statuses();
    let is_full = worker.statuses.len() > MAX_STATUSES;
    if is_full || worker.statuses.iter().any(|entry| entry.order > MAX_STATUS_POSITION) {
        let rule = format!(
            "cannot be added to statuses, which can have at most {MAX_STATUSES} entries, and at most {} of \
             one day",
            MAX_STATUS_POSITION + 1
        );
        object.report_fault(Reason::FieldInvalid, "currentStatus", &rule);
    }
}

impl Worker {
    /// Sorts the statuses by day and position, and makes the current status the last entry of its start day.
    /// If the last entry of the day already matches the current status, the entry gets the id of the current
    /// status. Otherwise an entry is added.
    pub fn normalize_statuses(&mut self) {
        self.statuses.sort_by_key(|entry| (entry.effective_date, entry.order));
        let Some(current) = &self.current_status else { return };
        let end = self.statuses.partition_point(|entry| entry.effective_date <= current.effective_date);
        let last = end.checked_sub(1).and_then(|at| self.statuses.get_mut(at));
        let last = last.filter(|entry| entry.effective_date == current.effective_date);
        let order = match last {
            Some(entry) if entry.matches_status(current) => {
                entry.worker_status_id = Some(current.worker_status_id.clone());
                return;
            }
            Some(entry) => entry.order.saturating_add(1),
            None => 0,
        };
        let CurrentStatus { worker_status_id, status_type, status_reason, effective_date } = current.clone();
        let worker_status_id = Some(worker_status_id);
        let entry = StatusEntry { worker_status_id, status_type, status_reason, effective_date, order };
        self.statuses.insert(end, entry);
    }

    /// Returns the first day after `today` on which a future status begins. `None` if there is no future
    /// status.
    #[must_use]
    pub fn next_status_day(&self, today: Date) -> Option<Date> {
        let current = self.current_status.as_ref()?.effective_date;
        let days = self.statuses.iter().map(|entry| entry.effective_date);
        days.filter(|day| *day > today && *day > current).min()
    }

    /// Makes a future status that is due the current status. A due status begins by `today` and after the
    /// current status. If several statuses are due, the newest one is used. A future status without an id
    /// gets `new_id`. Returns whether the current status changed.
    pub fn apply_due_status(&mut self, today: Date, new_id: WorkerStatusId) -> bool {
        self.normalize_statuses();
        let Some(current) = &self.current_status else { return false };
        let due = self.statuses.iter().rev().find(|entry| entry.effective_date <= today);
        let Some(due) = due.filter(|entry| entry.effective_date > current.effective_date) else {
            return false;
        };
        self.current_status = Some(CurrentStatus {
            worker_status_id: due.worker_status_id.clone().unwrap_or(new_id),
            status_type: due.status_type,
            status_reason: due.status_reason.clone(),
            effective_date: due.effective_date,
        });
        self.normalize_statuses();
        true
    }
}

impl StatusEntry {
    /// Returns whether the entry has the same type, reason and id as the given status. An entry without an id
    /// matches any id.
    fn matches_status(&self, status: &CurrentStatus) -> bool {
        let same_id = self.worker_status_id.as_ref().is_none_or(|id| *id == status.worker_status_id);
        same_id && self.status_type == status.status_type && self.status_reason == status.status_reason
    }
}

#[cfg(test)]
#[cfg(feature = "server")]
mod tests;
