//! Stores the bytes of files in chunks, so that no row is large. Backups copy the chunks like other rows.

use async_trait::async_trait;
use payroll_ports::StoreError;
use payroll_ports::files::{BlobKey, BlobStore};

use super::{Conn, Store};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::statement::{binds, command, query};

/// The size of a chunk in bytes. The largest file takes 40 rows.
const CHUNK_BYTES: usize = 256 * 1024;

const DELETE_BLOB: &str = "DELETE FROM blobs WHERE company_id = $1 AND blob_id = $2";

#[async_trait]
impl BlobStore for Store {
    async fn put_blob(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError> {
        let key = key.clone();
        let put = self.db.write(move |conn| Box::pin(async move { insert_blob(conn, &key, &bytes).await }));
        Ok(put.await?)
    }

    async fn get_blob(&self, key: &BlobKey) -> Result<Option<Vec<u8>>, StoreError> {
        let store = self;
        Ok(run_on_connection!(store.read, |conn, key| read_blob(conn, &key))?)
    }

    async fn delete_blob(&self, key: &BlobKey) -> Result<(), StoreError> {
        let store = self;
        run_on_connection!(store.write, |conn, key| conn.execute(command!(DELETE_BLOB, key_binds(&key))))?;
        Ok(())
    }
}

fn key_binds(key: &BlobKey) -> [crate::statement::BindValue<'_>; 2] {
    binds![key.company_id.as_str(), key.file_id.as_str()]
}

async fn insert_blob(conn: &Conn, key: &BlobKey, bytes: &[u8]) -> Outcome<()> {
    const INSERT_CHUNK: &str =
        "INSERT INTO blobs (company_id, blob_id, chunk, bytes) VALUES ($1, $2, $3, $4)";
    conn.execute(command!(DELETE_BLOB, key_binds(key))).await?;
    for (chunk, bytes) in (0_i64..).zip(bytes.chunks(CHUNK_BYTES)) {
        let values = binds![key.company_id.as_str(), key.file_id.as_str(), chunk, bytes];
        conn.execute(command!(INSERT_CHUNK, values)).await?;
    }
    Ok(())
}

/// Reads the chunks one after the other. The file is then never in memory twice, as chunks and as a complete
/// file.
async fn read_blob(conn: &Conn, key: &BlobKey) -> Outcome<Option<Vec<u8>>> {
    const SELECT_CHUNK: &str =
        "SELECT bytes FROM blobs WHERE company_id = $1 AND blob_id = $2 AND chunk = $3";
    let mut all: Option<Vec<u8>> = None;
    for chunk in 0_i64.. {
        let values = binds![key.company_id.as_str(), key.file_id.as_str(), chunk];
        let row: Option<(Vec<u8>,)> = conn.query_row(query!(SELECT_CHUNK, values)).await?;
        let Some((bytes,)) = row else { break };
        let is_last = bytes.len() < CHUNK_BYTES;
        all.get_or_insert_default().extend(bytes);
        if is_last {
            break;
        }
    }
    Ok(all)
}
