//! Files of workers: documents and profile images.
//!
//! A file has two parts. What it is called and which type it has is a row of the database ([`FileStore`]). Its bytes
//! are a blob ([`BlobStore`]), which can be stored elsewhere, such as in an object storage. No transaction covers
//! both. Therefore [`FileStore::announce_blob`] comes first, then [`BlobStore::put`], then [`FileStore::add_file`]. A
//! blob that no file has is in the list of [`FileStore::unused_blobs`], from which housekeeping deletes it.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::{CompanyId, FileId};

use crate::StoreError;
use crate::resources::{Versioned, Written};
use crate::workers::WorkerOf;
use crate::write::By;

/// The bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobKey {
    /// The company of the file.
    pub company_id: CompanyId,
    /// Id of the file.
    pub file_id: FileId,
}

/// Stores the bytes of files.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Stores bytes durably. Bytes of the same key are replaced.
    ///
    /// # Errors
    /// Those of the trait.
    async fn put(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// The bytes; `None` if nothing is stored under the key.
    ///
    /// # Errors
    /// Those of the trait.
    async fn get(&self, key: &BlobKey) -> Result<Option<Vec<u8>>, StoreError>;

    /// Deletes the bytes, if there are any.
    ///
    /// # Errors
    /// Those of the trait.
    async fn delete(&self, key: &BlobKey) -> Result<(), StoreError>;
}

/// Stores what is known of files, without their bytes.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those that write also
/// [`StoreError::CompanyBusy`] when another writer of the company takes too long.
#[async_trait]
pub trait FileStore: Send + Sync {
    /// The files of a worker of that kind, in the order in which they were added, with the caller's access in the
    /// same snapshot; `None` inside when the company has no such worker.
    ///
    /// # Errors
    /// Those of the trait.
    async fn files(
        &self,
        caller: &Caller,
        worker: &WorkerOf,
        kind: FileKind,
    ) -> Result<Guarded<Option<Versioned<Vec<WorkerFile>>>>, StoreError>;

    /// The same for an operator.
    ///
    /// # Errors
    /// Those of the trait.
    async fn files_of(
        &self,
        worker: &WorkerOf,
        kind: FileKind,
    ) -> Result<Option<Versioned<Vec<WorkerFile>>>, StoreError>;

    /// Notes that a blob is about to be stored.
    ///
    /// # Errors
    /// Those of the trait.
    async fn announce_blob(&self, key: &BlobKey, now: Timestamp) -> Result<(), StoreError>;

    /// Adds a file whose blob was announced, in one transaction with its audit row. A profile image replaces the one
    /// before it. A dry run needs no blob.
    ///
    /// These hold at the commit: the worker and the category are there; the company is not locked by another actor;
    /// the number and the bytes of documents are within the limits of `payroll_domain::file`.
    ///
    /// # Errors
    /// Those of the trait.
    async fn add_file(&self, worker: &WorkerOf, file: &WorkerFile, by: &By) -> Result<Written, StoreError>;

    /// Removes a file of that kind in one transaction with its audit row. Without an id, it is the only one of its
    /// kind. Its blob is unused from then on.
    ///
    /// # Errors
    /// Those of the trait.
    async fn remove_file(
        &self,
        worker: &WorkerOf,
        file: (FileKind, Option<&FileId>),
        by: &By,
    ) -> Result<Written, StoreError>;

    /// Blobs that no file has, or none has yet, since before that instant, at most that many.
    ///
    /// # Errors
    /// Those of the trait.
    async fn unused_blobs(&self, before: Timestamp, limit: u32) -> Result<Vec<BlobKey>, StoreError>;

    /// Takes a blob that was deleted off the list of those that are unused.
    ///
    /// # Errors
    /// Those of the trait.
    async fn forget_blob(&self, key: &BlobKey) -> Result<(), StoreError>;
}
