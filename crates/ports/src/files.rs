//! Files of workers: documents and profile images.
//!
//! A file has two parts. Its name and type are a row of the database ([`FileStore`]). Its bytes are a blob
//! ([`BlobStore`]), which can be stored elsewhere, such as in an object storage. No transaction covers both.
//! Therefore call [`FileStore::add_blob_entry`] first, then [`BlobStore::put`], then [`FileStore::add_file`].
//! [`FileStore::unused_blobs`] lists blobs without a file, and housekeeping deletes them.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::{CompanyId, FileId};

use crate::StoreError;
use crate::resources::{Versioned, WriteOutcome};
use crate::workers::WorkerKey;
use crate::write::AuditContext;

/// The key of a file's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobKey {
    /// The company of the file.
    pub company_id: CompanyId,
    /// The id of the file.
    pub file_id: FileId,
}

/// Stores the bytes of files.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Stores bytes durably, and replaces those with the same key.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn put(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// Reads the bytes. `None` if nothing is stored under the key.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn get(&self, key: &BlobKey) -> Result<Option<Vec<u8>>, StoreError>;

    /// Deletes the bytes, if there are any.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delete(&self, key: &BlobKey) -> Result<(), StoreError>;
}

/// Stores the data of files without their bytes.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer of the company takes too
/// long.
#[async_trait]
pub trait FileStore: Send + Sync {
    /// The files of a worker of that kind, in the order in which they were added, with the caller's access
    /// from the same snapshot. The data is `None` if the company has no such worker.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn files(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        kind: FileKind,
    ) -> Result<Guarded<Option<Versioned<Vec<WorkerFile>>>>, StoreError>;

    /// The files of a worker of that kind, for an operator.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn files_for_operator(
        &self,
        worker: &WorkerKey,
        kind: FileKind,
    ) -> Result<Option<Versioned<Vec<WorkerFile>>>, StoreError>;

    /// Records that a blob will be stored.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn add_blob_entry(&self, key: &BlobKey, now: Timestamp) -> Result<(), StoreError>;

    /// Adds a file whose blob was announced, in one transaction with its audit row. A profile image replaces
    /// the previous one. A dry run needs no blob.
    ///
    /// At the commit, the worker and the category exist, no other actor has locked the company, and documents
    /// are within the limits of `payroll_domain::file`.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn add_file(
        &self,
        worker: &WorkerKey,
        file: &WorkerFile,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError>;

    /// Removes a file of that kind in one transaction with its audit row. Without an id, it is the only one
    /// of its kind. Its blob is unused from then on.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn remove_file(
        &self,
        worker: &WorkerKey,
        file: (FileKind, Option<&FileId>),
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError>;

    /// Blobs without a file since before that instant, at most `limit`.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn unused_blobs(&self, before: Timestamp, limit: u32) -> Result<Vec<BlobKey>, StoreError>;

    /// Removes a deleted blob from the list of unused ones.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delete_blob_entry(&self, key: &BlobKey) -> Result<(), StoreError>;
}
