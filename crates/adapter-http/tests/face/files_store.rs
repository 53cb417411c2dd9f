//! The files port of an unavailable store.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::FileId;
use payroll_ports::StoreError;
use payroll_ports::files::{BlobKey, BlobStore, FileStore};
use payroll_ports::resources::{Versioned, WriteOutcome};
use payroll_ports::workers::WorkerKey;
use payroll_ports::write::AuditContext;

use crate::store::{AwayStore, away};

type Stored<T> = Result<T, StoreError>;

#[async_trait]
impl BlobStore for AwayStore {
    async fn put(&self, _: &BlobKey, _: Vec<u8>) -> Stored<()> {
        away()
    }
    async fn get(&self, _: &BlobKey) -> Stored<Option<Vec<u8>>> {
        away()
    }
    async fn delete(&self, _: &BlobKey) -> Stored<()> {
        away()
    }
}

#[async_trait]
impl FileStore for AwayStore {
    async fn files(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: FileKind,
    ) -> Stored<Guarded<Option<Versioned<Vec<WorkerFile>>>>> {
        away()
    }
    async fn files_of(&self, _: &WorkerKey, _: FileKind) -> Stored<Option<Versioned<Vec<WorkerFile>>>> {
        away()
    }
    async fn add_blob_entry(&self, _: &BlobKey, _: Timestamp) -> Stored<()> {
        away()
    }
    async fn add_file(&self, _: &WorkerKey, _: &WorkerFile, _: &AuditContext) -> Stored<WriteOutcome> {
        away()
    }
    async fn remove_file(
        &self,
        _: &WorkerKey,
        _: (FileKind, Option<&FileId>),
        _: &AuditContext,
    ) -> Stored<WriteOutcome> {
        away()
    }
    async fn unused_blobs(&self, _: Timestamp, _: u32) -> Stored<Vec<BlobKey>> {
        away()
    }
    async fn delete_blob_entry(&self, _: &BlobKey) -> Stored<()> {
        away()
    }
}
