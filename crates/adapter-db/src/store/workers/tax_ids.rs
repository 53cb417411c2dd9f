//! Adds missing hashes of the last digits of tax IDs. Workers are searched by these hashes. The hashes are
//! missing in rows that an older release has written. The rows are updated in batches.

use super::super::{Conn, Store};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::seal::Sealer;
use crate::statement::{BindValue, binds, command, query, sql};

/// The condition that a row has no hash of its tax ID. The text repeats the condition of the partial index.
const IS_UNHASHED: &str = "legal_id IS NOT NULL AND (last_four_of IS NULL OR last_four_of <> legal_id)";

/// The company, worker, kind and stored form of a tax ID.
type UnhashedRow = (String, String, Option<String>, Option<String>);

impl Store {
    /// Adds missing hashes to at most `limit` rows. Returns the number of rows.
    pub(super) async fn hash_tax_ids(&self, limit: u32) -> Outcome<u64> {
        let sealer = &self.sealer;
        run_on_connection!(self.write, |conn, sealer| hash_tax_id_batch(conn, &sealer, i64::from(limit)))
    }
}

async fn hash_tax_id_batch(conn: &Conn, sealer: &Sealer, limit: i64) -> Outcome<u64> {
    // The rows are processed in the order of the primary key, so that two processes cannot deadlock.
    const SELECT_UNHASHED_WORKERS: &str = sql![
        "SELECT company_id, worker_id, legal_id_type, legal_id FROM workers WHERE ",
        IS_UNHASHED,
        " ORDER BY company_id, worker_id LIMIT $1"
    ];
    const UPDATE_HASH: &str = "UPDATE workers SET last_four_hash = $1, last_four_of = $2 \
        WHERE company_id = $3 AND worker_id = $4 AND legal_id = $2";
    let rows: Vec<UnhashedRow> = conn.query_rows(query!(SELECT_UNHASHED_WORKERS, binds![limit])).await?;
    for row in &rows {
        let (company_id, worker_id, _, stored) = row;
        let hash = hash_last_four_digits(row, sealer);
        let values = [
            BindValue::from(hash.as_deref()),
            BindValue::from(stored.as_deref()),
            BindValue::from(company_id),
            BindValue::from(worker_id),
        ];
        conn.execute(command!(UPDATE_HASH, values)).await?;
    }
    Ok(rows.len() as u64)
}

/// Returns the hash for a row. `None` if the tax ID is invalid or no key decrypts it. In this case, an error
/// is reported when the worker is read.
fn hash_last_four_digits(
    (company_id, worker_id, kind, stored): &UnhashedRow,
    sealer: &Sealer,
) -> Option<String> {
    let at = RowLocation { table: "workers", key: worker_id };
    let legal_id = at.decrypt_legal_id(kind.as_deref(), stored.as_deref(), sealer).ok().flatten()?;
    Some(sealer.hash_last_four(company_id, &legal_id.last_four()))
}

/// Returns an error if some tax IDs of the company's workers are not hashed yet.
pub(in super::super) async fn require_hashed_tax_ids(conn: &Conn, company_id: &str) -> Outcome<()> {
    const SELECT_ANY_UNHASHED_WORKER: &str =
        sql!["SELECT worker_id FROM workers WHERE company_id = $1 AND ", IS_UNHASHED, " LIMIT 1"];
    let unhashed: Option<(String,)> =
        conn.query_row(query!(SELECT_ANY_UNHASHED_WORKER, binds![company_id])).await?;
    match unhashed {
        None => Ok(()),
        // A search by the hash would not find the workers without a hash.
        Some(_) => Err(Failure::Unavailable("tax identities are still being hashed".to_owned())),
    }
}
