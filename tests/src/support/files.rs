//! Files of workers for the tests.

use serde_json::{Value, json};

use super::database::Database;

/// The id of the document that is stored for a worker of each company with workers.
pub(crate) const DOCUMENT_ID: &str = "DIPLOMA";
/// The content of [`DOCUMENT_ID`], a CSV table with two lines.
pub(crate) const CSV_FILE: &str = "name,day\nFirst aid,2026-05-04\n";
/// The header of a PNG image of 32 by 16 pixels.
pub(crate) const PNG_FILE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x20\0\0\0\x10\x08\x02\0\0\0";

/// Stores a document and a profile image of workers.
pub(crate) async fn store_files(database: &Database) {
    for worker in ["EMPLOYEE", "LOCKED-WORKER", "FOREIGN-WORKER", "ENDED-WORKER"] {
        store_file(database, worker, (DOCUMENT_ID, "DOCUMENT", "text/csv"), CSV_FILE.as_bytes()).await;
        store_file(database, worker, ("PORTRAIT", "PROFILE_IMAGE", "image/png"), PNG_FILE).await;
    }
}

async fn store_file(
    database: &Database,
    worker: &str,
    (id, kind, content_type): (&str, &str, &str),
    bytes: &[u8],
) {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let literal = match database {
        Database::Sqlite(_) => format!("X'{hex}'"),
        Database::Postgres(_) => format!("decode('{hex}', 'hex')"),
    };
    let name = if kind == "DOCUMENT" { "'Training.csv'" } else { "NULL" };
    let size = bytes.len();
    let hash = "0".repeat(64);
    let insert = format!(
        "INSERT INTO documents (company_id, worker_id, document_id, kind, name, content_type, size, sha256, created) \
         SELECT company_id, worker_id, '{id}', '{kind}', {name}, '{content_type}', {size}, '{hash}', 1778544000000000 \
         FROM workers WHERE worker_id = '{worker}'"
    );
    database.execute(&insert).await;
    let insert = format!(
        "INSERT INTO blobs (company_id, blob_id, chunk, bytes) \
         SELECT company_id, '{id}', 0, {literal} FROM workers WHERE worker_id = '{worker}'"
    );
    database.execute(&insert).await;
}

/// Encodes bytes as base64 for a request.
pub(crate) fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Returns a valid document to add.
pub(crate) fn new_document() -> Value {
    json!({"name": "Note.txt", "categoryId": "CERTIFICATES", "content": base64(b"Dear Ann,\n")})
}

/// Returns a valid profile image to set.
pub(crate) fn new_image() -> Value {
    json!({"image": base64(PNG_FILE)})
}
