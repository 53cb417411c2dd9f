//! Adds and removes files of workers in one transaction that locks the company, validates and writes.

use futures_util::join;
use payroll_domain::audit::AuditedKind;
use payroll_domain::file::{
    FileKind, MAX_DOCUMENT_BYTES_OF_COMPANY, MAX_DOCUMENT_BYTES_OF_WORKER, MAX_DOCUMENTS_OF_COMPANY,
    MAX_DOCUMENTS_OF_WORKER, WorkerFile,
};
use payroll_domain::id::FileId;
use payroll_domain::lookup::LookupKind;
use payroll_domain::resource::ResourceKind;
use payroll_ports::resources::{MissingReference, WriteOutcome, WriteRefusal};
use payroll_ports::workers::WorkerKey;
use payroll_ports::write::AuditContext;
use serde_json::json;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::objects;
use super::super::objects::CompanyLockMode;
use super::super::resources::{find_blocking_lock, is_write_granted};
use super::super::{Conn, dialect, idempotency};
use crate::error::{Failure, Outcome};
use crate::rows::files::FileRow;
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition};

/// The input for adding or removing a file of a worker in a transaction.
pub(super) struct FileWrite<'c> {
    pub(super) conn: &'c Conn,
    pub(super) worker: &'c WorkerKey,
    pub(super) audit: &'c AuditContext,
    pub(super) sealer: &'c Sealer,
}

impl FileWrite<'_> {
    /// Adds a file whose bytes are already stored.
    pub(super) async fn add_file(self, file: &WorkerFile) -> Outcome<WriteOutcome> {
        let version = match self.lock_and_increment_version().await? {
            Ok(version) => version,
            Err(refusal) => return Ok(WriteOutcome::Refused(refusal)),
        };
        if let Some(refusal) = self.find_refusal(file).await? {
            return Ok(WriteOutcome::Refused(refusal));
        }
        if self.audit.dry_run {
            return Err(Failure::Unchanged(version));
        }
        let replaced = match file.kind {
            FileKind::Document => None,
            FileKind::ProfileImage => self.read_stored_file(file.kind, None).await?,
        };
        if let Some(row) = &replaced {
            self.erase_file(row).await?;
        }
        let (company_id, file_id) = (self.worker.company_id.as_str(), file.file_id.as_str());
        if delete_unused_blob(self.conn, company_id, file_id).await? != 1 {
            // The bytes were stored before this transaction. The request took so long that housekeeping has
            // deleted these bytes as unused.
            return Err(Failure::Unavailable("the content of the file was deleted".to_owned()));
        }
        let row = FileRow::new(company_id, &self.worker.worker_id, file);
        dialect::bulk_insert(self.conn, OnConflict::Fail, &[row]).await?;
        self.audit_and_store_response(
            version,
            replaced.as_ref().map(stored_file_to_document),
            Some(new_file_to_document(self.worker, file)),
            file,
        )
        .await
    }

    /// Removes the file of that kind and id. Without an id, the only file of the kind is removed.
    pub(super) async fn remove_file(self, kind: FileKind, id: Option<&FileId>) -> Outcome<WriteOutcome> {
        let version = match self.lock_and_increment_version().await? {
            Ok(version) => version,
            Err(refusal) => return Ok(WriteOutcome::Refused(refusal)),
        };
        let Some(row) = self.read_stored_file(kind, id).await? else {
            return Ok(WriteOutcome::Refused(WriteRefusal::Unknown));
        };
        if self.audit.dry_run {
            return Err(Failure::Unchanged(version));
        }
        self.erase_file(&row).await?;
        let before = stored_file_to_document(&row);
        self.audit_and_store_response(version, Some(before), None, &row.into_file()?).await
    }

    /// Locks the company, increases its version and returns the new version. Returns a refusal for a reason
    /// that does not depend on the file, such as a locked company.
    async fn lock_and_increment_version(&self) -> Outcome<Result<i64, WriteRefusal>> {
        const SELECT_VERSION: &str = "SELECT version FROM companies WHERE company_id = $1";
        let (conn, company_id) = (self.conn, self.worker.company_id.as_str());
        let (lock_holders, granted) = join!(
            objects::lock_company(conn, company_id, CompanyLockMode::IncrementVersion),
            is_write_granted(conn, company_id, self.audit)
        );
        let (lock_holders, granted) = (lock_holders?, granted?);
        if !granted {
            return Ok(Err(WriteRefusal::NotGranted));
        }
        let Some(lock_holders) = lock_holders else { return Ok(Err(WriteRefusal::UnknownCompany)) };
        if let Some(lock) = find_blocking_lock(ResourceKind::Worker, &lock_holders, self.audit) {
            return Ok(Err(WriteRefusal::Locked(lock)));
        }
        if !has_worker(conn, company_id, self.worker.worker_id.as_str()).await? {
            return Ok(Err(WriteRefusal::Unknown));
        }
        let version: Option<(i64,)> = conn.query_row(query!(SELECT_VERSION, binds![company_id])).await?;
        Ok(version.map(|(version,)| version).ok_or(WriteRefusal::UnknownCompany))
    }

    /// Returns the reason to reject a new file: an unknown category, or a limit that the file would exceed.
    async fn find_refusal(&self, file: &WorkerFile) -> Outcome<Option<WriteRefusal>> {
        const SELECT_CATEGORY: &str = "SELECT document_category_id FROM document_categories \
            WHERE company_id = $1 AND document_category_id = $2";
        const SUM_SIZES_OF_WORKER: &str = "SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM documents \
            WHERE company_id = $1 AND worker_id = $2 AND kind = 'DOCUMENT'";
        const SUM_SIZES_OF_COMPANY: &str = "SELECT count(*), CAST(coalesce(sum(size), 0) AS BIGINT) FROM documents \
            WHERE company_id = $1 AND kind = 'DOCUMENT'";
        if file.kind == FileKind::ProfileImage {
            return Ok(None);
        }
        let (company_id, worker_id) = (self.worker.company_id.as_str(), self.worker.worker_id.as_str());
        if let Some(category) = &file.category_id {
            let found: Option<(String,)> =
                self.conn.query_row(query!(SELECT_CATEGORY, binds![company_id, category.as_str()])).await?;
            if found.is_none() {
                let target = ResourceKind::Lookup(LookupKind::DocumentCategory);
                let missing =
                    MissingReference { target, id: category.to_string(), pointer: "/categoryId".to_owned() };
                return Ok(Some(WriteRefusal::Missing(vec![missing])));
            }
        }
        let of_worker: Option<(i64, i64)> =
            self.conn.query_row(query!(SUM_SIZES_OF_WORKER, binds![company_id, worker_id])).await?;
        let of_company: Option<(i64, i64)> =
            self.conn.query_row(query!(SUM_SIZES_OF_COMPANY, binds![company_id])).await?;
        let limits = [
            ("worker", of_worker, MAX_DOCUMENTS_OF_WORKER, MAX_DOCUMENT_BYTES_OF_WORKER),
            ("company", of_company, MAX_DOCUMENTS_OF_COMPANY, MAX_DOCUMENT_BYTES_OF_COMPANY),
        ];
        let exceeded = limits.into_iter().find_map(|(owner, stored, most, most_bytes)| {
            let (count, bytes) = stored.unwrap_or_default();
            let bytes = bytes.saturating_add(file.size.into());
            if count >= i64::from(most) {
                return Some(format!(
                    "the {owner} already has {count} documents, which is the maximum ({most})"
                ));
            }
            let most_bytes = i64::try_from(most_bytes).unwrap_or(i64::MAX);
            (bytes > most_bytes).then(|| {
                format!(
                    "with this document, the documents of the {owner} would have {bytes} bytes; the \
                    limit is {most_bytes}"
                )
            })
        });
        Ok(exceeded.map(WriteRefusal::NotAllowed))
    }

    async fn read_stored_file(&self, kind: FileKind, id: Option<&FileId>) -> Outcome<Option<FileRow>> {
        const SELECT_FILE: &str = sql![
            "SELECT ",
            FileRow::COLUMNS,
            " FROM documents WHERE company_id = $1 AND worker_id = $2 AND kind = $3 \
                AND (CAST($4 AS TEXT) IS NULL OR document_id = $4)"
        ];
        let (company_id, worker_id) = (self.worker.company_id.as_str(), self.worker.worker_id.as_str());
        let values = binds![company_id, worker_id, kind.as_str(), id.map(|id| id.as_str())];
        self.conn.query_row(query!(SELECT_FILE, values)).await
    }

    /// Deletes the row of a file. The bytes of the file are then unused, and housekeeping deletes them.
    async fn erase_file(&self, row: &FileRow) -> Outcome<()> {
        const DELETE_DOCUMENT: &str =
            "DELETE FROM documents WHERE company_id = $1 AND worker_id = $2 AND document_id = $3";
        const INSERT_UNUSED_BLOB: &str =
            "INSERT INTO unused_blobs (company_id, blob_id, since) VALUES ($1, $2, $3)";
        let values = binds![&row.company_id, &row.worker_id, &row.document_id];
        self.conn.execute(command!(DELETE_DOCUMENT, values)).await?;
        let values = binds![&row.company_id, &row.document_id, self.audit.now.as_micros()];
        self.conn.execute(command!(INSERT_UNUSED_BLOB, values)).await?;
        Ok(())
    }

    async fn audit_and_store_response(
        &self,
        version: i64,
        before: Option<String>,
        after: Option<String>,
        file: &WorkerFile,
    ) -> Outcome<WriteOutcome> {
        let kind = match file.kind {
            FileKind::Document => AuditedKind::Document,
            FileKind::ProfileImage => AuditedKind::ProfileImage,
        };
        let company_id = Some(self.worker.company_id.as_str());
        let mut audit_log = AuditLog::new(self.audit, self.sealer);
        audit_log.record_change(AuditedObject { company_id, kind, id: file.file_id.as_str() }, before, after);
        let (response_stored, noted) = join!(
            idempotency::store_response(self.conn, self.audit.response_record.as_ref()),
            audit_log.store_records(self.conn)
        );
        response_stored?;
        noted?;
        Ok(WriteOutcome::Stored(version))
    }
}

/// Describes a stored file as a JSON document for the audit log.
fn stored_file_to_document(row: &FileRow) -> String {
    json!({
        "workerId": row.worker_id, "name": row.name, "categoryId": row.document_category_id,
        "contentType": row.content_type, "size": row.size, "sha256": row.sha256,
    })
    .to_string()
}

/// Describes a new file as a JSON document for the audit log.
fn new_file_to_document(worker: &WorkerKey, file: &WorkerFile) -> String {
    stored_file_to_document(&FileRow::new(worker.company_id.as_str(), &worker.worker_id, file))
}

/// Removes the entry of a file's bytes from the list of unused bytes. Returns the number of removed entries.
pub(super) async fn delete_unused_blob(conn: &Conn, company_id: &str, blob_id: &str) -> Outcome<usize> {
    const DELETE_UNUSED_BLOB: &str = "DELETE FROM unused_blobs WHERE company_id = $1 AND blob_id = $2";
    conn.execute(command!(DELETE_UNUSED_BLOB, binds![company_id, blob_id])).await
}

pub(super) async fn has_worker(conn: &Conn, company_id: &str, worker_id: &str) -> Outcome<bool> {
    const SELECT_WORKER: &str = "SELECT worker_id FROM workers WHERE company_id = $1 AND worker_id = $2";
    let found: Option<(String,)> =
        conn.query_row(query!(SELECT_WORKER, binds![company_id, worker_id])).await?;
    Ok(found.is_some())
}
