//! Deletes the files of removed workers.

use futures_util::join;
use payroll_domain::date::Timestamp;
use payroll_domain::worker::Worker;

use super::{Change, CompanyContext, Kind, dialect};
use crate::error::Outcome;
use crate::statement::{Bind, command};

/// Deletes the rows of removed workers' files. Housekeeping deletes the bytes of the files.
pub(super) async fn erase<K: Kind<Object = Worker>>(
    context: CompanyContext<'_>,
    changes: &[Change<'_, K>],
    now: Timestamp,
) -> Outcome<()> {
    const UNUSED: &str = concat!(
        "INSERT INTO unused_blobs (company_id, blob_id, since) \
            SELECT company_id, document_id, CAST($1 AS BIGINT) FROM documents WHERE company_id = $2 AND worker_id",
        dialect::any!("$3")
    );
    const ERASE: &str =
        concat!("DELETE FROM documents WHERE company_id = $1 AND worker_id", dialect::any!("$2"));
    let removed_worker_ids: Vec<&str> = changes.iter().filter_map(removed_worker_id).collect();
    if removed_worker_ids.is_empty() {
        return Ok(());
    }
    let workers = || dialect::list(removed_worker_ids.iter().copied());
    let unused = vec![Bind::from(now.as_micros()), Bind::from(context.company_id), workers()];
    let erased = vec![Bind::from(context.company_id), workers()];
    // Both statements are sent together in this order. If one waited for a response, it could be sent after
    // the commit.
    let (unused, erased) =
        join!(context.conn.execute(command!(UNUSED, unused)), context.conn.execute(command!(ERASE, erased)));
    unused?;
    erased?;
    Ok(())
}

/// Returns the id of a worker who is removed.
fn removed_worker_id<'c, K: Kind<Object = Worker>>(change: &'c Change<'_, K>) -> Option<&'c str> {
    match change {
        Change::Delete(found) => Some(found.object.worker_id.as_str()),
        Change::Create(..) | Change::Replace(..) => None,
    }
}
