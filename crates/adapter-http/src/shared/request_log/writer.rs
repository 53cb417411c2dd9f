//! Writes what was noted: what has ended within a second together, in transactions of limited size.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix_web::http::StatusCode;
use payroll_ports::deliveries::NotedRequest;
use payroll_ports::{Store, StoreError};
use tokio::sync::mpsc::Receiver;

use super::gathered::Gathered;
use super::{Lost, Note};

/// Notes that are taken out of the queue, or written in one transaction, at once: on SQLite other
/// writers wait for a few milliseconds behind so many.
const BATCH: usize = 200;
/// The time that is written together, and so the longest that a note waits for others.
const GATHERING: Duration = Duration::from_secs(1);

/// Writes what was noted.
pub struct RequestLogWriter {
    queue: Receiver<Note>,
    lost: Lost,
    store: Arc<dyn Store>,
    kept: bool,
    gathered: Gathered,
    /// Requests that named a notification.
    named: Vec<NotedRequest>,
}

impl RequestLogWriter {
    pub(super) fn new(queue: Receiver<Note>, lost: Lost, store: Arc<dyn Store>, kept: bool) -> Self {
        Self { queue, lost, store, kept, gathered: Gathered::default(), named: Vec::new() }
    }

    /// Writes notes until it is told to stop; then what is left, as long as it can be written.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            let first = tokio::select! {
                () = &mut stop => break,
                first = self.queue.recv() => first,
            };
            let Some(first) = first else { return };
            self.add(first);
            let stopped = tokio::select! {
                () = &mut stop => true,
                _ = tokio::time::timeout(GATHERING, self.gather()) => false,
            };
            if stopped {
                break;
            }
            self.write().await;
        }
        self.queue.close();
        while let Ok(note) = self.queue.try_recv() {
            self.add(note);
        }
        self.write().await;
    }

    /// Takes notes out of the queue until nobody makes any more.
    async fn gather(&mut self) {
        let mut notes = Vec::with_capacity(BATCH);
        while self.queue.recv_many(&mut notes, BATCH).await > 0 {
            notes.drain(..).for_each(|note| self.add(note));
        }
    }

    fn add(&mut self, Note { request, notification_id }: Note) {
        if let Some(notification_id) = notification_id
            && self.named.len() < super::QUEUE
            && request.status != StatusCode::TOO_MANY_REQUESTS.as_u16()
        {
            self.named.push(NotedRequest {
                notification_id,
                application_id: request.application_id.clone(),
                at: request.at,
                method: request.method.to_string(),
                route: request.route.to_string(),
                status: request.status,
                request_id: request.request_id.clone(),
            });
        }
        if self.kept {
            self.gathered.add(request);
        }
    }

    /// Writes what there is and empties it, whether or not that went well: a store that is away for
    /// long shall not fill the memory.
    async fn write(&mut self) {
        let dropped = self.lost.dropped.swap(0, Ordering::Relaxed);
        self.lost.lost.fetch_add(dropped, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(dropped, "requests came faster than they are noted");
        }
        let requests = self.gathered.take();
        let named = std::mem::take(&mut self.named);
        // Each is tried once more, since a connection that has broken is replaced. Should the first
        // try have been stored after all, a few stand there twice.
        let written = async {
            for batch in named.chunks(BATCH) {
                if self.store.note_requests(batch).await.is_err() {
                    self.store.note_requests(batch).await?;
                }
            }
            for batch in requests.chunks(BATCH) {
                if self.store.log_requests(batch).await.is_err() {
                    self.store.log_requests(batch).await?;
                }
            }
            Ok::<_, StoreError>(())
        };
        if let Err(error) = written.await {
            let most = requests.len() + named.len();
            self.lost.lost.fetch_add(u64::try_from(most).unwrap_or_default(), Ordering::Relaxed);
            crate::shared::outage_log::not_noted(most, &error);
        }
    }
}
