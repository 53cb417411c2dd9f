//! Requests that are noted when they are answered (specification §9.8): now those that an
//! application has made because of a notification.
//!
//! No request waits for it: what ended goes into a queue of limited length, and one task writes it in
//! batches. Where the queue is full the note is dropped, and how many were is told to the log. So a
//! note may be lost with the process, which harms nobody: the requests themselves are in the log.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderMap, HeaderName};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, Id};
use payroll_ports::Store;
use payroll_ports::deliveries::NotedRequest;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Notes that wait to be written, at about 300 bytes each: what a busy server takes in a second, and
/// no more than 3 MB.
const QUEUE: usize = 10_000;
/// Notes that are written in one transaction.
const BATCH: usize = 200;
/// The longest that a note waits for others to be written with it.
const GATHERING: Duration = Duration::from_secs(1);

/// A request that was answered, of an application whose token was good.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndedRequest<'a> {
    pub(crate) application_id: &'a ApplicationId,
    /// The notification that made the application ask, as it named it.
    pub(crate) notification_id: Option<&'a str>,
    /// When it came.
    pub(crate) at: Timestamp,
    pub(crate) method: &'a str,
    /// Its route, with names in braces where ids stood.
    pub(crate) route: &'a str,
    pub(crate) status: StatusCode,
    pub(crate) request_id: &'a str,
}

/// Takes notes of requests that have ended.
#[derive(Debug, Clone)]
pub struct RequestLog {
    queue: Sender<NotedRequest>,
    dropped: Arc<AtomicU64>,
}

/// Writes what was noted.
pub struct RequestLogWriter {
    queue: Receiver<NotedRequest>,
    dropped: Arc<AtomicU64>,
    store: Arc<dyn Store>,
}

/// A log of requests, and what has to run so that it is written.
#[must_use]
pub fn request_log(store: Arc<dyn Store>) -> (RequestLog, RequestLogWriter) {
    let (sender, queue) = channel(QUEUE);
    let dropped = Arc::new(AtomicU64::new(0));
    (RequestLog { queue: sender, dropped: Arc::clone(&dropped) }, RequestLogWriter { queue, dropped, store })
}

/// The notification that a request names: one value, in the form of an id.
pub(crate) fn named(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let mut values = headers.get_all(name);
    let value = values.next().filter(|_| values.next().is_none())?;
    value.to_str().ok()?.parse().ok().map(|id: Id<()>| id.to_string())
}

impl RequestLog {
    /// Notes a request, if it names a notification. What was refused unheard is not noted: it costs
    /// the server nothing, and shall not begin to.
    pub(crate) fn note(&self, request: EndedRequest<'_>) {
        let Some(notification_id) = request.notification_id else { return };
        if matches!(request.status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS) {
            return;
        }
        let note = NotedRequest {
            notification_id: notification_id.to_owned(),
            application_id: request.application_id.clone(),
            at: request.at,
            method: request.method.to_owned(),
            route: request.route.to_owned(),
            status: request.status.as_u16(),
            request_id: request.request_id.to_owned(),
        };
        if self.queue.try_send(note).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl RequestLogWriter {
    /// Writes notes until it is told to stop; then what is left, as long as it can be written.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            tokio::select! {
                () = &mut stop => break,
                first = self.queue.recv() => match first {
                    Some(first) => batch.push(first),
                    None => break,
                },
            }
            let stopped = tokio::select! {
                () = &mut stop => true,
                _ = tokio::time::timeout(GATHERING, fill(&mut self.queue, &mut batch)) => false,
            };
            self.write(&mut batch).await;
            if stopped {
                break;
            }
        }
        self.queue.close();
        while self.queue.recv_many(&mut batch, BATCH).await > 0 {
            if !self.write(&mut batch).await {
                return;
            }
        }
    }

    /// Writes a batch and empties it, whether or not that went well: a store that is away for long
    /// shall not fill the memory.
    async fn write(&self, batch: &mut Vec<NotedRequest>) -> bool {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(dropped, "requests because of notifications came faster than they are noted");
        }
        let written = self.store.note_requests(batch).await;
        if let Err(error) = &written {
            tracing::warn!(%error, lost = batch.len(), "requests because of notifications were not noted");
        }
        batch.clear();
        written.is_ok()
    }
}

/// Fills the batch; ends when it is full or nobody notes any more.
async fn fill(queue: &mut Receiver<NotedRequest>, batch: &mut Vec<NotedRequest>) {
    while batch.len() < BATCH {
        if queue.recv_many(batch, BATCH - batch.len()).await == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn name() -> HeaderName {
        HeaderName::from_static("x-vendor-sid")
    }

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name(), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_notification_is_named_once_and_by_an_id() {
        let id = "31a271e5-b970-49e6-ac8f-d46f73c061af";
        assert_eq!(named(&headers(&[id]), &name()).as_deref(), Some(id));
        for none in [&[][..], &[""], &["a b"], &[id, id], &[&"x".repeat(65)]] {
            assert_eq!(named(&headers(none), &name()), None, "{none:?}");
        }
    }

    #[test]
    fn a_full_queue_drops_notes_and_counts_them() {
        let (queue, _waiting) = channel(1);
        let log = RequestLog { queue, dropped: Arc::default() };
        let application_id = "app".parse().unwrap();
        let request = |notification_id, status| EndedRequest {
            application_id: &application_id,
            notification_id,
            at: Timestamp::from_micros(0),
            method: "GET",
            route: "/companies",
            status,
            request_id: "r",
        };
        log.note(request(None, StatusCode::OK));
        log.note(request(Some("n"), StatusCode::UNAUTHORIZED));
        log.note(request(Some("n"), StatusCode::TOO_MANY_REQUESTS));
        assert_eq!(log.queue.capacity(), 1, "nothing of these is noted");
        log.note(request(Some("n"), StatusCode::NOT_FOUND));
        log.note(request(Some("n"), StatusCode::OK));
        assert_eq!((log.queue.capacity(), log.dropped.load(Ordering::Relaxed)), (0, 1));
    }
}
