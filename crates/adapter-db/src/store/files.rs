//! Files of workers, without their bytes.

mod write;

use std::sync::Arc;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::date::Timestamp;
use payroll_domain::file::{FileKind, WorkerFile};
use payroll_domain::id::FileId;
use payroll_ports::StoreError;
use payroll_ports::files::{BlobKey, FileStore};
use payroll_ports::resources::{Versioned, WriteOutcome, WriteRefusal};
use payroll_ports::workers::WorkerKey;
use payroll_ports::write::AuditContext;

use self::write::FileWrite;
use super::{Conn, Store};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::rows::files::{FileRow, UnusedBlobRow};
use crate::statement::{binds, command, query, sql};
use crate::table::TableDefinition;

#[async_trait]
impl FileStore for Store {
    async fn files(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        kind: FileKind,
    ) -> Result<Guarded<Option<Versioned<Vec<WorkerFile>>>>, StoreError> {
        let read = self.read_worker_data(caller, worker, move |conn, of| {
            Box::pin(read_files_of_kind(conn, (of.company_id(), of.worker_id()), kind))
        });
        Ok(read.await?)
    }

    async fn files_for_operator(
        &self,
        worker: &WorkerKey,
        kind: FileKind,
    ) -> Result<Option<Versioned<Vec<WorkerFile>>>, StoreError> {
        let store = self;
        Ok(run_on_connection!(store.read, |conn, worker| read_versioned_files(conn, &worker, kind))?)
    }

    async fn add_blob_entry(&self, key: &BlobKey, now: Timestamp) -> Result<(), StoreError> {
        const INSERT_UNUSED_BLOB: &str =
            "INSERT INTO unused_blobs (company_id, blob_id, since) VALUES ($1, $2, $3)";
        let store = self;
        run_on_connection!(store.write, |conn, key| conn.execute(command!(
            INSERT_UNUSED_BLOB,
            binds![key.company_id.as_str(), key.file_id.as_str(), now.as_micros()]
        )))?;
        Ok(())
    }

    async fn add_file(
        &self,
        worker: &WorkerKey,
        file: &WorkerFile,
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        let file = file.clone();
        Ok(self
            .write_file(worker, audit, |write| Box::pin(async move { write.add_file(&file).await }))
            .await?)
    }

    async fn remove_file(
        &self,
        worker: &WorkerKey,
        (kind, id): (FileKind, Option<&FileId>),
        audit: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        let id = id.cloned();
        Ok(self
            .write_file(worker, audit, move |write| {
                Box::pin(async move { write.remove_file(kind, id.as_ref()).await })
            })
            .await?)
    }

    async fn unused_blobs(&self, before: Timestamp, limit: u32) -> Result<Vec<BlobKey>, StoreError> {
        let store = self;
        Ok(run_on_connection!(store.read, |conn| read_unused_blobs(conn, before, i64::from(limit)))?)
    }

    async fn delete_blob_entry(&self, key: &BlobKey) -> Result<(), StoreError> {
        let store = self;
        run_on_connection!(store.write, |conn, key| write::delete_unused_blob(
            conn,
            key.company_id.as_str(),
            key.file_id.as_str()
        ))?;
        Ok(())
    }
}

impl Store {
    async fn write_file<F>(&self, worker: &WorkerKey, audit: &AuditContext, write: F) -> Outcome<WriteOutcome>
    where
        F: for<'c> FnOnce(FileWrite<'c>) -> futures_util::future::BoxFuture<'c, Outcome<WriteOutcome>>
            + Send
            + 'static,
    {
        let (worker, audit, sealer) = (worker.clone(), audit.clone(), Arc::clone(&self.sealer));
        let written = self.db.write(move |conn| {
            Box::pin(async move {
                match write(FileWrite { conn, worker: &worker, audit: &audit, sealer: &sealer }).await? {
                    WriteOutcome::Refused(refusal) => Err(Failure::NotWritten(Box::new(refusal))),
                    stored => Ok(stored),
                }
            })
        });
        match written.await {
            Err(Failure::NotWritten(refusal)) => Ok(WriteOutcome::Refused(*refusal)),
            Err(Failure::Unchanged(version)) => Ok(WriteOutcome::Stored(version)),
            Err(Failure::RecordLost) => Ok(WriteOutcome::Refused(WriteRefusal::RecordLost)),
            other => other,
        }
    }
}

/// Reads the files of one kind that a worker has, in the order in which they were added. `None` if the worker
/// does not exist in the company.
async fn read_files_of_kind(
    conn: &Conn,
    (company_id, worker_id): (&str, &str),
    kind: FileKind,
) -> Outcome<Option<Vec<WorkerFile>>> {
    const SELECT_FILES: &str = sql![
        "SELECT ",
        FileRow::COLUMNS,
        " FROM documents WHERE company_id = $1 AND worker_id = $2 AND kind = $3 ORDER BY created, document_id"
    ];
    if !write::has_worker(conn, company_id, worker_id).await? {
        return Ok(None);
    }
    let rows: Vec<FileRow> =
        conn.query_rows(query!(SELECT_FILES, binds![company_id, worker_id, kind.as_str()])).await?;
    rows.into_iter().map(FileRow::into_file).collect::<Outcome<Vec<_>>>().map(Some)
}

/// Reads the files of a kind with the version of the company's lists.
async fn read_versioned_files(
    conn: &Conn,
    worker: &WorkerKey,
    kind: FileKind,
) -> Outcome<Option<Versioned<Vec<WorkerFile>>>> {
    const SELECT_VERSION: &str = "SELECT version FROM companies WHERE company_id = $1";
    let (company_id, worker_id) = (worker.company_id.as_str(), worker.worker_id.as_str());
    let files = read_files_of_kind(conn, (company_id, worker_id), kind).await?;
    let version: Option<(i64,)> = conn.query_row(query!(SELECT_VERSION, binds![company_id])).await?;
    Ok(files.zip(version).map(|(value, (version,))| Versioned { value, version }))
}

async fn read_unused_blobs(conn: &Conn, before: Timestamp, limit: i64) -> Outcome<Vec<BlobKey>> {
    const SELECT_UNUSED_BLOBS: &str = sql![
        "SELECT ",
        UnusedBlobRow::COLUMNS,
        " FROM unused_blobs WHERE since < $1 ORDER BY since LIMIT CAST($2 AS BIGINT)"
    ];
    let rows: Vec<UnusedBlobRow> =
        conn.query_rows(query!(SELECT_UNUSED_BLOBS, binds![before.as_micros(), limit])).await?;
    let keys = rows.into_iter().map(|row| {
        let at = RowLocation { table: "unused_blobs", key: &row.blob_id };
        Ok(BlobKey { company_id: at.parse_id(&row.company_id)?, file_id: at.parse_id(&row.blob_id)? })
    });
    keys.collect()
}
