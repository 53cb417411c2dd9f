//! Files of workers: documents and profile images.
//!
//! A file has two parts. The name and the type of the file are a row of the database ([`FileStore`]). The
//! bytes of the file are a blob ([`BlobStore`]), which can be stored elsewhere, such as in an object storage.
//! No transaction covers both parts. Therefore call [`FileStore::add_blob_entry`] first, then
//! [`BlobStore::put_blob`], then [`FileStore::add_file`]. [`FileStore::unused_blobs`] returns blobs without a
//! file, which a background task deletes.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::{CompanyId, FileId};

use crate::StoreError;
use crate::resources::{Versioned, WriteOutcome};
use crate::workers::WorkerKey;
use crate::write::AuditContext;

/// The key under which a file's bytes are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobKey {
    /// The company to which the file belongs.
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
    /// Stores bytes durably. Replaces any bytes with the same key.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn put_blob(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// Reads the bytes of a file. `None` if nothing is stored under the key.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn get_blob(&self, key: &BlobKey) -> Result<Option<Vec<u8>>, StoreError>;

    /// Deletes the bytes under the key, if any bytes are stored.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_blob(&self, key: &BlobKey) -> Result<(), StoreError>;
}

/// Stores the rows of files. A row does not contain the bytes of the file.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer of the company takes too
/// long.
#[async_trait]
pub trait FileStore: Send + Sync {
    /// Returns a worker's files of the given kind, in the order in which they were added, with the caller's
    /// access from the same snapshot. The data is `None` if the worker does not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn files(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        kind: FileKind,
    ) -> Result<Guarded<Option<Versioned<Vec<WorkerFile>>>>, StoreError>;

    /// Returns a worker's files of the given kind, for an operator. `None` if the worker does not exist in
    /// the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn files_for_operator(
        &self,
        worker: &WorkerKey,
        kind: FileKind,
    ) -> Result<Option<Versioned<Vec<WorkerFile>>>, StoreError>;

    /// Records that a blob will be stored. Call this method before [`BlobStore::put_blob`]. The blob is then
    /// deleted later if no file is added.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn add_blob_entry(&self, key: &BlobKey, now: Timestamp) -> Result<(), StoreError>;

    /// Adds a file whose blob entry was added before, in one transaction with its audit row. A profile image
    /// replaces the previous one. A dry run needs no blob entry.
    ///
    /// The file is only added if the worker and the category exist at the commit, and no other actor has
    /// locked the company. The number and the size of documents must be within the limits of
    /// `payroll_domain::file`.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn add_file(
        &self,
        worker: &WorkerKey,
        file: &WorkerFile,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError>;

    /// Removes a file of the given kind in one transaction with its audit row. If no id is given, the method
    /// removes the worker's only file of the kind. The blob of the file is then unused.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn remove_file(
        &self,
        worker: &WorkerKey,
        file: (FileKind, Option<&FileId>),
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError>;

    /// Returns at most `limit` blobs that have been without a file since an instant before `before`.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn unused_blobs(&self, before: Timestamp, limit: u32) -> Result<Vec<BlobKey>, StoreError>;

    /// Deletes the entry of a blob. The caller has already deleted the blob's bytes.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_blob_entry(&self, key: &BlobKey) -> Result<(), StoreError>;
}
