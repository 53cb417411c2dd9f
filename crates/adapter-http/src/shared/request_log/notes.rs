//! The pending log entries, between the requests that add them and the task that writes them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use actix_web::http::StatusCode;
use payroll_ports::deliveries::NotificationRequest;
use payroll_ports::requests::LoggedRequest;
use tokio::sync::Notify;

use super::gathered::{MAX_WAITING, PendingRequests};

/// The pending log entries, between the requests that add them and the task that writes them.
#[derive(Debug, Default)]
pub(super) struct PendingEntries {
    waiting: Mutex<QueuedEntries>,
    /// The lock that is held while entries are written.
    pub(super) writing: tokio::sync::Mutex<()>,
    /// Signals the first entry after the queue was empty.
    pub(super) news: Notify,
    /// The number of entries that were discarded since the last batch, because too many were pending.
    pub(super) dropped: AtomicU64,
    /// The number of entries that were lost since the start, for any reason.
    pub(super) lost: AtomicU64,
}

/// The entries that are not written yet.
#[derive(Debug, Default)]
pub(super) struct QueuedEntries {
    pub(super) gathered: PendingRequests,
    /// The requests that name a notification.
    pub(super) named: Vec<NotificationRequest>,
}

impl PendingEntries {
    /// Takes all pending requests.
    pub(super) fn take(&self) -> QueuedEntries {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&self, request: LoggedRequest, notification_id: Option<&str>, kept: bool) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = waiting.is_empty();
        let admitted = request.status != StatusCode::TOO_MANY_REQUESTS.as_u16();
        let mut fits = true;
        if let Some(notification_id) = notification_id.filter(|_| admitted) {
            fits &= waiting.named.len() < MAX_WAITING;
            if fits {
                waiting.named.push(notification_request(&request, notification_id));
            }
        }
        if kept {
            fits &= waiting.gathered.add(request);
        }
        drop(waiting);
        if !fits {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        if is_first {
            self.news.notify_one();
        }
    }
}

impl QueuedEntries {
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.gathered.is_empty()
    }
}

/// The log entry of a request that names a notification.
fn notification_request(request: &LoggedRequest, notification_id: &str) -> NotificationRequest {
    NotificationRequest {
        notification_id: notification_id.to_owned(),
        application_id: request.application_id.clone(),
        at: request.at,
        method: request.method.to_string(),
        route: request.route.to_string(),
        status: request.status,
        request_id: request.request_id.clone(),
    }
}
