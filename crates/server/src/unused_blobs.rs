//! Deletes blobs that belong to no file, because their file was deleted or its upload failed.

use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::files::{BlobStore, FileStore};

/// The number of seconds for which a blob may exist before its file is stored. An upload takes much less
/// time.
const GRACE_SECONDS: i64 = 60 * 60;
/// The maximum number of blobs that one turn deletes. Each blob is deleted in transactions of its own.
const MAX_BLOBS_PER_BATCH: u32 = 500;

/// Deletes the blobs that have been without a file for at least [`GRACE_SECONDS`].
pub(crate) async fn delete_unused_blobs(files: &dyn FileStore, blobs: &dyn BlobStore, now: Timestamp) {
    if let Err(error) = delete_blob_batch(files, blobs, now).await {
        // An error is only logged, because the next turn of housekeeping retries the deletion.
        tracing::warn!(%error, "the contents of deleted documents and images could not be deleted");
    }
}

async fn delete_blob_batch(
    files: &dyn FileStore,
    blobs: &dyn BlobStore,
    now: Timestamp,
) -> Result<(), StoreError> {
    for key in files.unused_blobs(now.plus_seconds(-GRACE_SECONDS), MAX_BLOBS_PER_BATCH).await? {
        blobs.delete_blob(&key).await?;
        files.delete_blob_entry(&key).await?;
    }
    Ok(())
}
