//! The files port of an unavailable store.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::FileId;
use payroll_ports::StoreError;
use payroll_ports::files::{BlobKey, BlobStore, FileStore};
use payroll_ports::resources::{Versioned, Written};
use payroll_ports::workers::WorkerOf;
use payroll_ports::write::By;

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
        _: &WorkerOf,
        _: FileKind,
    ) -> Stored<Guarded<Option<Versioned<Vec<WorkerFile>>>>> {
        away()
    }
    async fn files_of(&self, _: &WorkerOf, _: FileKind) -> Stored<Option<Versioned<Vec<WorkerFile>>>> {
        away()
    }
    async fn announce_blob(&self, _: &BlobKey, _: Timestamp) -> Stored<()> {
        away()
    }
    async fn add_file(&self, _: &WorkerOf, _: &WorkerFile, _: &By) -> Stored<Written> {
        away()
    }
    async fn remove_file(&self, _: &WorkerOf, _: (FileKind, Option<&FileId>), _: &By) -> Stored<Written> {
        away()
    }
    async fn unused_blobs(&self, _: Timestamp, _: u32) -> Stored<Vec<BlobKey>> {
        away()
    }
    async fn forget_blob(&self, _: &BlobKey) -> Stored<()> {
        away()
    }
}
