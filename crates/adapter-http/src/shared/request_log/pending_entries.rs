//! The queue of log entries. Requests add entries, and a background task writes them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use actix_web::http::StatusCode;
use payroll_ports::deliveries::NotificationRequest;
use payroll_ports::requests::LoggedRequest;
use tokio::sync::Notify;

use super::pending_requests::{MAX_PENDING, PendingRequests};

/// The queue of log entries. Requests add entries, and a background task writes them.
#[derive(Debug, Default)]
pub(super) struct PendingEntries {
    queued_entries: Mutex<QueuedEntries>,
    /// The lock that is held while entries are written.
    pub(super) write_lock: tokio::sync::Mutex<()>,
    /// Wakes the writer when the first entry is added to an empty queue.
    pub(super) first_entry_signal: Notify,
    /// The number of entries that were discarded since the last batch, because too many were pending.
    pub(super) dropped_count: AtomicU64,
    /// The number of entries that were lost since the start, for any reason.
    pub(super) lost_count: AtomicU64,
}

/// The entries that are not written yet.
#[derive(Debug, Default)]
pub(super) struct QueuedEntries {
    pub(super) requests: PendingRequests,
    /// The requests that contained the id of a notification.
    pub(super) notification_requests: Vec<NotificationRequest>,
}

impl PendingEntries {
    /// Removes and returns all pending entries.
    pub(super) fn take_entries(&self) -> QueuedEntries {
        std::mem::take(&mut *self.queued_entries.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add_entry(&self, request: LoggedRequest, notification_id: Option<&str>, is_enabled: bool) {
        let mut waiting = self.queued_entries.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = waiting.is_empty();
        let admitted = request.status != StatusCode::TOO_MANY_REQUESTS.as_u16();
        let mut fits = true;
        if let Some(notification_id) = notification_id.filter(|_| admitted) {
            fits &= waiting.notification_requests.len() < MAX_PENDING;
            if fits {
                waiting.notification_requests.push(notification_request(&request, notification_id));
            }
        }
        if is_enabled {
            fits &= waiting.requests.add(request);
        }
        drop(waiting);
        if !fits {
            self.dropped_count.fetch_add(1, Ordering::Relaxed);
        }
        if is_first {
            self.first_entry_signal.notify_one();
        }
    }
}

impl QueuedEntries {
    pub(super) fn is_empty(&self) -> bool {
        self.notification_requests.is_empty() && self.requests.is_empty()
    }
}

/// Returns the log entry of a request that names a notification.
fn notification_request(request: &LoggedRequest, notification_id: &str) -> NotificationRequest {
    NotificationRequest {
        notification_id: notification_id.to_owned(),
        application_id: request.application_id.clone(),
        requested_at: request.at,
        method: request.method.to_string(),
        route: request.route.to_string(),
        status: request.status,
        request_id: request.request_id.clone(),
    }
}
