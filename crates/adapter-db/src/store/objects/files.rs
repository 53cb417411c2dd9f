//! Deletes the files of removed workers.

use futures_util::join;
use payroll_domain::date::Timestamp;
use payroll_domain::worker::Worker;

use super::{CompanyContext, ObjectChange, ObjectKind, dialect};
use crate::error::Outcome;
use crate::statement::{BindValue, command};

/// Deletes the rows of removed workers' files. Housekeeping deletes the bytes of the files.
pub(super) async fn erase_files_of_removed_workers<K: ObjectKind<Object = Worker>>(
    context: CompanyContext<'_>,
    changes: &[ObjectChange<'_, K>],
    now: Timestamp,
) -> Outcome<()> {
    const INSERT_UNUSED_BLOBS: &str = concat!(
        "INSERT INTO unused_blobs (company_id, blob_id, since) \
            SELECT company_id, document_id, CAST($1 AS BIGINT) FROM documents WHERE company_id = $2 AND worker_id",
        dialect::equals_any!("$3")
    );
    const DELETE_DOCUMENTS: &str =
        concat!("DELETE FROM documents WHERE company_id = $1 AND worker_id", dialect::equals_any!("$2"));
    let removed_worker_ids: Vec<&str> = changes.iter().filter_map(removed_worker_id).collect();
    if removed_worker_ids.is_empty() {
        return Ok(());
    }
    let workers = || dialect::bind_list(removed_worker_ids.iter().copied());
    let unused = vec![BindValue::from(now.as_micros()), BindValue::from(context.company_id), workers()];
    let erased = vec![BindValue::from(context.company_id), workers()];
    // Both statements are sent together in this order. If the second statement waited for the response to the
    // first, the second statement might be sent after the commit.
    let (unused, erased) = join!(
        context.conn.execute(command!(INSERT_UNUSED_BLOBS, unused)),
        context.conn.execute(command!(DELETE_DOCUMENTS, erased))
    );
    unused?;
    erased?;
    Ok(())
}

/// Returns the id of a worker who is removed.
fn removed_worker_id<'c, K: ObjectKind<Object = Worker>>(change: &'c ObjectChange<'_, K>) -> Option<&'c str> {
    match change {
        ObjectChange::Delete(found) => Some(found.object.worker_id.as_str()),
        ObjectChange::Create(..) | ObjectChange::Replace(..) => None,
    }
}
