//! Finds all values that were encrypted with other keys, and re-encrypts them with the active key.
//!
//! Each table is processed once in the order of its primary key, with one transaction for each batch. A row
//! is only written if it still contains the value that was read, so a concurrent change is not overwritten.
//! The decrypted values do not change, so no version increases.
//!
//! `transfer/sealed.rs` lists the encrypted columns and their associated data. If you add an encrypted column
//! there, add it to this module as well.

use std::sync::Arc;

use payroll_domain::tax_id::LegalIdType;

use super::{Conn, Store};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::keys::ResealProgress;
use crate::rows::RowLocation;
use crate::rows::hooks::EncryptedColumn;
use crate::rows::requests::details_associated_data;
use crate::rows::workers::deposit_associated_data;
use crate::seal::Sealer;
use crate::statement::{binds, command, query};

/// The number of rows in one transaction. Such a transaction takes a few milliseconds, so no request waits
/// for long.
const MAX_ROWS_PER_BATCH: i64 = 200;

/// The kinds of encrypted values, in the order in which they are processed.
#[derive(Debug, Clone, Copy)]
enum SealedTable {
    Companies,
    Workers,
    Deposits,
    Hooks,
    Details,
}

impl SealedTable {
    const ALL: [Self; 5] = [Self::Companies, Self::Workers, Self::Deposits, Self::Hooks, Self::Details];
}

/// The key of the row after which the next batch starts.
type ResealCursor = (String, String);

impl Store {
    /// Re-encrypts all values that the active key has not encrypted.
    pub(crate) async fn reseal(&self, progress: &mut impl FnMut(ResealProgress)) -> Outcome<ResealProgress> {
        let mut all = ResealProgress::default();
        for place in SealedTable::ALL {
            let mut after = ResealCursor::default();
            loop {
                let sealer = Arc::clone(&self.sealer);
                let from = after.clone();
                let (done, last) =
                    run_on_connection!(self.write, |conn| reseal_batch(conn, place, &from, &sealer))?;
                all.rows += done.rows;
                all.resealed_rows += done.resealed_rows;
                progress(all);
                match last {
                    Some(last) => after = last,
                    None => break,
                }
            }
        }
        Ok(all)
    }
}

/// Processes one batch. Returns the key of the last row if there may be more rows.
async fn reseal_batch(
    conn: &Conn,
    table: SealedTable,
    after: &ResealCursor,
    sealer: &Sealer,
) -> Outcome<(ResealProgress, Option<ResealCursor>)> {
    match table {
        SealedTable::Companies => reseal_companies(conn, after, sealer).await,
        SealedTable::Workers => reseal_workers(conn, after, sealer).await,
        SealedTable::Deposits => reseal_deposits(conn, after, sealer).await,
        SealedTable::Hooks => reseal_hooks(conn, after, sealer).await,
        SealedTable::Details => reseal_request_details(conn, after, sealer).await,
    }
}

async fn reseal_companies(
    conn: &Conn,
    (after, _): &ResealCursor,
    sealer: &Sealer,
) -> Outcome<(ResealProgress, Option<ResealCursor>)> {
    const SELECT_COMPANIES: &str = "SELECT company_id, legal_id FROM companies \
        WHERE company_id > $1 AND legal_id_type = 'SSN' AND legal_id IS NOT NULL \
        ORDER BY company_id LIMIT CAST($2 AS BIGINT)";
    const UPDATE_COMPANY: &str = "UPDATE companies SET legal_id = $1 WHERE company_id = $2 AND legal_id = $3";
    let rows: Vec<(String, String)> =
        conn.query_rows(query!(SELECT_COMPANIES, binds![after, MAX_ROWS_PER_BATCH])).await?;
    let mut done = ResealProgress::default();
    for (company_id, sealed) in &rows {
        if let Some(anew) = sealer.reencrypt(sealed, company_id) {
            done.resealed_rows +=
                to_u64(conn.execute(command!(UPDATE_COMPANY, binds![anew, company_id, sealed])).await?);
        }
    }
    Ok(to_batch_result(done, rows.len(), rows.last().map(|(id, _)| (id.clone(), String::new()))))
}

/// The company, worker, kind and stored form of a tax ID, and the hash of its last digits.
type WorkerRow = (String, String, Option<String>, String, Option<String>);

/// Re-encrypts tax IDs of workers and renews the hash of the last digits. A FEIN is hashed but not encrypted,
/// so only its hash is renewed. Workers can only be found by hashes that a key of the current key set has
/// computed.
async fn reseal_workers(
    conn: &Conn,
    (company, worker): &ResealCursor,
    sealer: &Sealer,
) -> Outcome<(ResealProgress, Option<ResealCursor>)> {
    const SELECT_WORKERS: &str = "SELECT company_id, worker_id, legal_id_type, legal_id, last_four_hash FROM workers \
        WHERE (company_id, worker_id) > ($1, $2) AND legal_id IS NOT NULL \
        ORDER BY company_id, worker_id LIMIT CAST($3 AS BIGINT)";
    const UPDATE_WORKER: &str = "UPDATE workers SET legal_id = $1, last_four_hash = $2, last_four_of = $1 \
        WHERE company_id = $3 AND worker_id = $4 AND legal_id = $5";
    let rows: Vec<WorkerRow> =
        conn.query_rows(query!(SELECT_WORKERS, binds![company, worker, MAX_ROWS_PER_BATCH])).await?;
    let mut done = ResealProgress::default();
    for (company_id, worker_id, kind, stored, old_hash) in &rows {
        let is_sealed = kind.as_deref() == Some(LegalIdType::Ssn.as_str());
        let anew = if is_sealed { sealer.reencrypt(stored, worker_id) } else { None };
        let written = anew.as_ref().unwrap_or(stored);
        let at = RowLocation { table: "workers", key: worker_id };
        // A value that no key can decrypt is not changed. An error is reported when the worker is read.
        let Ok(Some(legal_id)) = at.decrypt_legal_id(kind.as_deref(), Some(written.as_str()), sealer) else {
            continue;
        };
        let hash = sealer.hash_last_four(company_id, &legal_id.last_four());
        if anew.is_none() && old_hash.as_ref() == Some(&hash) {
            continue;
        }
        let values = binds![written, hash, company_id, worker_id, stored];
        done.resealed_rows += to_u64(conn.execute(command!(UPDATE_WORKER, values)).await?);
    }
    Ok(to_batch_result(done, rows.len(), rows.last().map(|row| (row.0.clone(), row.1.clone()))))
}

/// Re-encrypts all direct deposits of the next worker. A batch always includes all deposits of a worker,
/// because the cursor is the id of the worker.
async fn reseal_deposits(
    conn: &Conn,
    (company, worker): &ResealCursor,
    sealer: &Sealer,
) -> Outcome<(ResealProgress, Option<ResealCursor>)> {
    const SELECT_NEXT_WORKER: &str = "SELECT company_id, worker_id FROM direct_deposits \
        WHERE (company_id, worker_id) > ($1, $2) ORDER BY company_id, worker_id LIMIT 1";
    const SELECT_DEPOSITS: &str = "SELECT direct_deposit_id, account_number FROM direct_deposits \
        WHERE company_id = $1 AND worker_id = $2 ORDER BY direct_deposit_id";
    const UPDATE_DEPOSIT: &str = "UPDATE direct_deposits SET account_number = $1 \
        WHERE company_id = $2 AND worker_id = $3 AND direct_deposit_id = $4 AND account_number = $5";
    let next: Option<(String, String)> =
        conn.query_row(query!(SELECT_NEXT_WORKER, binds![company, worker])).await?;
    let Some((company_id, worker_id)) = next else { return Ok((ResealProgress::default(), None)) };
    let rows: Vec<(String, String)> =
        conn.query_rows(query!(SELECT_DEPOSITS, binds![&company_id, &worker_id])).await?;
    let mut done =
        ResealProgress { rows: u64::try_from(rows.len()).unwrap_or_default(), ..ResealProgress::default() };
    for (id, sealed) in &rows {
        let Some(anew) = sealer.reencrypt(sealed, &deposit_associated_data(&worker_id, id)) else { continue };
        let values = binds![anew, &company_id, &worker_id, id, sealed];
        done.resealed_rows += to_u64(conn.execute(command!(UPDATE_DEPOSIT, values)).await?);
    }
    Ok((done, Some((company_id, worker_id))))
}

/// A hook with its encrypted values.
type HookSecrets = (String, String, String, String, Option<String>);

async fn reseal_hooks(
    conn: &Conn,
    (application, hook): &ResealCursor,
    sealer: &Sealer,
) -> Outcome<(ResealProgress, Option<ResealCursor>)> {
    const SELECT_HOOKS: &str = "SELECT application_id, hook_id, authentication, signing_secret, old_signing_secret \
        FROM hooks WHERE (application_id, hook_id) > ($1, $2) \
        ORDER BY application_id, hook_id LIMIT CAST($3 AS BIGINT)";
    const UPDATE_HOOK: &str = "UPDATE hooks SET authentication = $1, signing_secret = $2, old_signing_secret = $3 \
        WHERE application_id = $4 AND hook_id = $5 AND authentication = $6 AND signing_secret = $7 \
            AND coalesce(old_signing_secret, '') = $8";
    let rows: Vec<HookSecrets> =
        conn.query_rows(query!(SELECT_HOOKS, binds![application, hook, MAX_ROWS_PER_BATCH])).await?;
    let mut done = ResealProgress::default();
    for (application_id, hook_id, shown, secret, old) in &rows {
        let anew = |column: EncryptedColumn, sealed: &str| {
            sealer.reencrypt(sealed, &column.associated_data(application_id, hook_id))
        };
        let new_shown = anew(EncryptedColumn::Authentication, shown);
        let new_secret = anew(EncryptedColumn::SigningSecret, secret);
        let new_old = old.as_deref().and_then(|old| anew(EncryptedColumn::OldSigningSecret, old));
        if new_shown.is_none() && new_secret.is_none() && new_old.is_none() {
            continue;
        }
        let values = binds![
            new_shown.as_ref().unwrap_or(shown),
            new_secret.as_ref().unwrap_or(secret),
            new_old.as_deref().or(old.as_deref()),
            application_id,
            hook_id,
            shown,
            secret,
            old.as_deref().unwrap_or_default(),
        ];
        done.resealed_rows += to_u64(conn.execute(command!(UPDATE_HOOK, values)).await?);
    }
    Ok(to_batch_result(done, rows.len(), rows.last().map(|row| (row.0.clone(), row.1.clone()))))
}

async fn reseal_request_details(
    conn: &Conn,
    (request, application): &ResealCursor,
    sealer: &Sealer,
) -> Outcome<(ResealProgress, Option<ResealCursor>)> {
    const SELECT_DETAILS: &str = "SELECT request_id, application_id, sealed FROM request_details \
        WHERE (request_id, application_id) > ($1, $2) \
        ORDER BY request_id, application_id LIMIT CAST($3 AS BIGINT)";
    const UPDATE_DETAILS: &str = "UPDATE request_details SET sealed = $1 \
        WHERE request_id = $2 AND application_id = $3 AND sealed = $4";
    let rows: Vec<(String, String, String)> =
        conn.query_rows(query!(SELECT_DETAILS, binds![request, application, MAX_ROWS_PER_BATCH])).await?;
    let mut done = ResealProgress::default();
    for (request_id, application_id, sealed) in &rows {
        let bound = details_associated_data(application_id, request_id);
        if let Some(anew) = sealer.reencrypt(sealed, &bound) {
            let values = binds![anew, request_id, application_id, sealed];
            done.resealed_rows += to_u64(conn.execute(command!(UPDATE_DETAILS, values)).await?);
        }
    }
    Ok(to_batch_result(done, rows.len(), rows.last().map(|row| (row.0.clone(), row.1.clone()))))
}

/// Returns the result of a batch. If the batch was full, there may be more rows. In this case the last row of
/// the batch is the next cursor.
fn to_batch_result(
    resealed: ResealProgress,
    rows: usize,
    last: Option<ResealCursor>,
) -> (ResealProgress, Option<ResealCursor>) {
    let full = i64::try_from(rows).is_ok_and(|rows| rows >= MAX_ROWS_PER_BATCH);
    (ResealProgress { rows: u64::try_from(rows).unwrap_or_default(), ..resealed }, last.filter(|_| full))
}

fn to_u64(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or_default()
}
