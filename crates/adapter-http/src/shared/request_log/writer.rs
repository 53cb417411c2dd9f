//! Writes what was noted: what has ended within a second together, in transactions of limited size.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use payroll_ports::{Store, StoreError};

use super::notes::{Notes, Waiting};

/// Notes that are written in one transaction: on SQLite this number keeps other writers waiting for a
/// few milliseconds.
const BATCH: usize = 200;
/// The time that is written together, and so the longest that a note waits for others.
const GATHERING: Duration = Duration::from_secs(1);

/// Writes what was noted.
pub struct RequestLogWriter {
    notes: Arc<Notes>,
    store: Arc<dyn Store>,
}

impl RequestLogWriter {
    pub(super) fn new(notes: Arc<Notes>, store: Arc<dyn Store>) -> Self {
        Self { notes, store }
    }

    /// Writes notes until it has to stop; then what is left, as long as it can be written.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                () = self.notes.news.notified() => {}
            }
            tokio::select! {
                () = &mut stop => break,
                () = tokio::time::sleep(GATHERING) => {}
            }
            self.write().await;
        }
        self.write().await;
    }

    /// Writes what there is and empties it, whether or not that went well: a store that is away for
    /// long shall not fill the memory.
    async fn write(&self) {
        let dropped = self.notes.dropped.swap(0, Ordering::Relaxed);
        self.notes.lost.fetch_add(dropped, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(dropped, "requests came faster than they are noted");
        }
        let Waiting { mut gathered, named } = self.notes.take();
        let requests = gathered.take();
        // Each is tried once more, since a connection that has broken is replaced. Should the first try have
        // been stored after all, a few are there twice.
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
            self.notes.lost.fetch_add(u64::try_from(most).unwrap_or_default(), Ordering::Relaxed);
            crate::shared::outage_log::not_noted(most, &error);
        }
    }
}
