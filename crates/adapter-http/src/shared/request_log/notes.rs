//! Notes between those who take them and the one who writes them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use actix_web::http::StatusCode;
use payroll_ports::deliveries::NotedRequest;
use payroll_ports::requests::AnsweredRequest;
use tokio::sync::Notify;

use super::gathered::{Gathered, MAX_WAITING};

/// Notes between those who take them and the one who writes them.
#[derive(Debug, Default)]
pub(super) struct Notes {
    waiting: Mutex<Waiting>,
    /// Something waits where nothing did.
    pub(super) news: Notify,
    /// Notes that were dropped since the last batch, because too many waited.
    pub(super) dropped: AtomicU64,
    /// Notes that were not written since the start, for any reason.
    pub(super) lost: AtomicU64,
}

/// Notes that are not written.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) gathered: Gathered,
    /// Requests that named a notification.
    pub(super) named: Vec<NotedRequest>,
}

impl Notes {
    /// Takes all pending requests.
    pub(super) fn take(&self) -> Waiting {
        std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&self, request: AnsweredRequest, notification_id: Option<&str>, kept: bool) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = waiting.is_empty();
        let admitted = request.status != StatusCode::TOO_MANY_REQUESTS.as_u16();
        let mut fits = true;
        if let Some(notification_id) = notification_id.filter(|_| admitted) {
            fits &= waiting.named.len() < MAX_WAITING;
            if fits {
                waiting.named.push(noted(&request, notification_id));
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

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && self.gathered.is_empty()
    }
}

/// What is noted under a notification.
fn noted(request: &AnsweredRequest, notification_id: &str) -> NotedRequest {
    NotedRequest {
        notification_id: notification_id.to_owned(),
        application_id: request.application_id.clone(),
        at: request.at,
        method: request.method.to_string(),
        route: request.route.to_string(),
        status: request.status,
        request_id: request.request_id.clone(),
    }
}
