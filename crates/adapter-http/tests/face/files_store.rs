//! The test store that is always unavailable: its implementation of the ports for files.

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

use crate::store::{UnavailableStore, unavailable_error};

type StoreResult<T> = Result<T, StoreError>;

#[async_trait]
impl BlobStore for UnavailableStore {
    async fn put_blob(&self, _: &BlobKey, _: Vec<u8>) -> StoreResult<()> {
        unavailable_error()
    }
    async fn get_blob(&self, _: &BlobKey) -> StoreResult<Option<Vec<u8>>> {
        unavailable_error()
    }
    async fn delete_blob(&self, _: &BlobKey) -> StoreResult<()> {
        unavailable_error()
    }
}

#[async_trait]
impl FileStore for UnavailableStore {
    async fn files(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: FileKind,
    ) -> StoreResult<Guarded<Option<Versioned<Vec<WorkerFile>>>>> {
        unavailable_error()
    }
    async fn files_for_operator(
        &self,
        _: &WorkerKey,
        _: FileKind,
    ) -> StoreResult<Option<Versioned<Vec<WorkerFile>>>> {
        unavailable_error()
    }
    async fn add_blob_entry(&self, _: &BlobKey, _: Timestamp) -> StoreResult<()> {
        unavailable_error()
    }
    async fn add_file(&self, _: &WorkerKey, _: &WorkerFile, _: &AuditContext) -> StoreResult<WriteOutcome> {
        unavailable_error()
    }
    async fn remove_file(
        &self,
        _: &WorkerKey,
        _: (FileKind, Option<&FileId>),
        _: &AuditContext,
    ) -> StoreResult<WriteOutcome> {
        unavailable_error()
    }
    async fn unused_blobs(&self, _: Timestamp, _: u32) -> StoreResult<Vec<BlobKey>> {
        unavailable_error()
    }
    async fn delete_blob_entry(&self, _: &BlobKey) -> StoreResult<()> {
        unavailable_error()
    }
}
