//! What becomes of the files of workers who go.

use payroll_domain::date::Timestamp;
use payroll_domain::worker::Worker;

use super::{Change, Home, Kind};
use crate::error::Outcome;
use crate::fixed::{binds, command};

/// Erases the files of deleted workers. Housekeeping deletes their bytes.
pub(super) async fn erase<K: Kind<Object = Worker>>(
    home: Home<'_>,
    changes: &[Change<'_, K>],
    now: Timestamp,
) -> Outcome<()> {
    const UNUSED: &str = "INSERT INTO unused_blobs (company_id, blob_id, since) \
        SELECT company_id, document_id, CAST($1 AS BIGINT) FROM documents WHERE company_id = $2 AND worker_id = $3";
    const ERASE: &str = "DELETE FROM documents WHERE company_id = $1 AND worker_id = $2";
    for change in changes {
        let Change::Delete(found) = change else { continue };
        let worker_id = found.object.worker_id.as_str();
        home.conn.execute(command!(UNUSED, binds![now.as_micros(), home.company_id, worker_id])).await?;
        home.conn.execute(command!(ERASE, binds![home.company_id, worker_id])).await?;
    }
    Ok(())
}
