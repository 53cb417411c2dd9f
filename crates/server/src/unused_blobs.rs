//! Deletes the bytes of files that no worker has, because the file was deleted or its upload failed.

use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::files::{BlobStore, FileStore};

/// The seconds for which bytes may exist without their file. An upload takes much less.
const GRACE_SECONDS: i64 = 60 * 60;
/// The maximum number of blobs in a turn. Each is deleted in its own transactions.
const BATCH: u32 = 500;

/// Deletes the blobs that have been unused for long enough.
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
        files.delete_blob_entry(&key).await?;
    }
    Ok(())
}
