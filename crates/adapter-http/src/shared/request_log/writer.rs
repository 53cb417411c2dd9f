//! Writes the request log. The writer collects entries for a second and writes them in transactions of
//! limited size.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use payroll_ports::{Store, StoreError};

use super::pending_entries::{PendingEntries, QueuedEntries};

/// The maximum number of entries per transaction. On SQLite, a transaction of this size blocks other writers
/// for a few milliseconds.
const BATCH_SIZE: usize = 200;
/// The time during which entries are collected before they are written.
const COLLECTION_INTERVAL: Duration = Duration::from_secs(1);

/// The task that writes the request log.
pub struct RequestLogWriter {
    pending_entries: Arc<PendingEntries>,
    store: Arc<dyn Store>,
}

impl RequestLogWriter {
    pub(super) fn new(pending_entries: Arc<PendingEntries>, store: Arc<dyn Store>) -> Self {
        Self { pending_entries, store }
    }

    /// Writes entries until `stop` completes, and then writes the remaining entries.
    pub async fn run_until(self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                () = self.pending_entries.first_entry_signal.notified() => {}
            }
            tokio::select! {
                () = &mut stop => break,
                () = tokio::time::sleep(COLLECTION_INTERVAL) => {}
            }
            self.write_pending().await;
        }
        self.write_pending().await;
    }

    /// Writes and removes all pending entries. Entries are removed even if writing fails, so that an
    /// unreachable store does not fill the memory.
    async fn write_pending(&self) {
        let dropped = self.pending_entries.dropped_count.swap(0, Ordering::Relaxed);
        self.pending_entries.lost_count.fetch_add(dropped, Ordering::Relaxed);
        if dropped > 0 {
            tracing::warn!(
                dropped,
                "requests arrived faster than the request log could store them; some are missing in the log"
            );
        }
        let _writing = self.pending_entries.write_lock.lock().await;
        let QueuedEntries { requests: mut gathered, notification_requests: named } =
            self.pending_entries.take_entries();
        let requests = gathered.take_due_requests();
        // Each batch is retried once, because the retry gets a new connection if the first connection was
        // broken. If the first attempt was committed although it returned an error, a few entries are
        // duplicates.
        let written = async {
            for batch in named.chunks(BATCH_SIZE) {
                if self.store.link_requests_to_notifications(batch).await.is_err() {
                    self.store.link_requests_to_notifications(batch).await?;
                }
            }
            for batch in requests.chunks(BATCH_SIZE) {
                if self.store.log_requests(batch).await.is_err() {
                    self.store.log_requests(batch).await?;
                }
            }
            Ok::<_, StoreError>(())
        };
        if let Err(error) = written.await {
            let most = requests.len() + named.len();
            self.pending_entries
                .lost_count
                .fetch_add(u64::try_from(most).unwrap_or_default(), Ordering::Relaxed);
            crate::shared::outage_log::log_unwritten_requests(most, &error);
        }
    }
}
