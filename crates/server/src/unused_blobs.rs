//! Deleting the bytes of files that no worker has: of deleted ones, and of uploads that have failed.

use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::files::{BlobStore, FileStore};

/// Seconds for which bytes may wait for the file that they belong to: far more than an upload takes.
const GRACE_SECONDS: i64 = 60 * 60;
/// Blobs that are deleted in a turn, each in transactions of its own.
const BATCH: u32 = 500;

/// Deletes what has been unused for long enough.
pub(crate) async fn delete(files: &dyn FileStore, blobs: &dyn BlobStore, now: Timestamp) {
    if let Err(error) = delete_batch(files, blobs, now).await {
        // The next turn tries again.
        tracing::warn!(%error, "bytes of deleted files could not be deleted");
    }
}

async fn delete_batch(
    files: &dyn FileStore,
    blobs: &dyn BlobStore,
    now: Timestamp,
) -> Result<(), StoreError> {
    for key in files.unused_blobs(now.plus_seconds(-GRACE_SECONDS), BATCH).await? {
        blobs.delete(&key).await?;
        files.forget_blob(&key).await?;
    }
    Ok(())
}
