//! Reads a page of checks from the blocks of an archive, and packs checks into blocks.

use std::collections::BTreeSet;

use payroll_ports::archive::{ArchiveClaim, PackChecksOutcome, PeriodKey};

use super::super::streams::CHUNK_ROWS;
use super::super::{Conn, dialect};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::archived_checks::{ArchivedChecksRow, ArchivedWorkerRow, CheckArchiveRow};
use crate::rows::checks::CheckRow;
use crate::rows::ids::PaycheckIdRow;
use crate::statement::{binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition};

/// The maximum number of checks in a block. This is the chunk size of a stream. A stream therefore unpacks
/// each block only once.
const MAX_CHECKS_PER_BLOCK: i64 = CHUNK_ROWS as i64;
/// The maximum number of bytes of lines and taxes in a block. Large checks are packed in smaller blocks to
/// limit memory. A block contains at least one check, regardless of its size.
const MAX_BYTES_PER_BLOCK: usize = 4 * 1024 * 1024;

/// The progress of reading the checks of an archived period.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct ArchivePages {
    /// The number of checks that precede the next check to read.
    pub(in super::super) offset: i64,
    /// The number of checks in the period.
    pub(in super::super) checks: i64,
}

impl ArchivePages {
    /// Reads the next checks of the archive, at most `limit` of them.
    pub(in super::super) async fn read_next_rows(
        &mut self,
        conn: &Conn,
        company_id: &str,
        pay_period_id: &str,
        limit: i64,
    ) -> Outcome<Vec<CheckRow>> {
        const SELECT_BLOCKS: &str = sql![
            "SELECT ",
            ArchivedChecksRow::COLUMNS,
            " FROM archived_checks WHERE company_id = $1 AND pay_period_id = $2 \
                AND position >= coalesce((SELECT max(position) FROM archived_checks \
                    WHERE company_id = $1 AND pay_period_id = $2 AND position <= $3), 0) \
                AND position < $4 ORDER BY position"
        ];
        let until = self.offset.saturating_add(limit).min(self.checks);
        if until <= self.offset {
            return Ok(Vec::new());
        }
        let values = binds![company_id, pay_period_id, self.offset, until];
        let blocks: Vec<ArchivedChecksRow> = conn.query_rows(query!(SELECT_BLOCKS, values)).await?;
        let mut rows = Vec::new();
        for block in blocks {
            let numbered = (block.position..).zip(block.unpack_rows()?);
            for (position, row) in numbered.filter(|(position, _)| (self.offset..until).contains(position)) {
                if position != self.offset + i64::try_from(rows.len()).unwrap_or(i64::MAX) {
                    return Err(missing_block_failure(pay_period_id));
                }
                rows.push(row);
            }
        }
        if i64::try_from(rows.len()).ok() != Some(until - self.offset) {
            return Err(missing_block_failure(pay_period_id));
        }
        self.offset = until;
        Ok(rows)
    }
}

fn missing_block_failure(pay_period_id: &str) -> crate::error::Failure {
    RowLocation { table: "archived_checks", key: pay_period_id }
        .corruption_failure("a block of its checks is missing")
}

/// Returns whether the checks of the period are archived, according to the row of the period.
pub(in super::super) async fn is_archived(
    conn: &Conn,
    company_id: &str,
    pay_period_id: &str,
) -> Outcome<bool> {
    const SELECT_IS_ARCHIVED: &str = "SELECT TRUE FROM pay_periods \
        WHERE company_id = $1 AND pay_period_id = $2 AND checks_archived IS NOT NULL";
    let row: Option<(bool,)> =
        conn.query_row(query!(SELECT_IS_ARCHIVED, binds![company_id, pay_period_id])).await?;
    Ok(row.is_some())
}

/// Reads all checks of an archived period.
pub(in super::super) async fn read_all_checks(
    conn: &Conn,
    company_id: &str,
    pay_period_id: &str,
) -> Outcome<Vec<CheckRow>> {
    const SELECT_BLOCKS: &str = sql![
        "SELECT ",
        ArchivedChecksRow::COLUMNS,
        " FROM archived_checks WHERE company_id = $1 AND pay_period_id = $2 ORDER BY position"
    ];
    let blocks: Vec<ArchivedChecksRow> =
        conn.query_rows(query!(SELECT_BLOCKS, binds![company_id, pay_period_id])).await?;
    let mut rows = Vec::new();
    for block in blocks {
        rows.extend(block.unpack_rows()?);
    }
    Ok(rows)
}

/// Packs the next checks of a period. The attempt must have claimed the period.
pub(in super::super) async fn pack_next_block(
    conn: &Conn,
    period: &PeriodKey,
    claim: &ArchiveClaim,
) -> Outcome<PackChecksOutcome> {
    let (company_id, pay_period_id) = (period.company_id.as_str(), period.pay_period_id.as_str());
    let Some(started) = extend_claim(conn, period, claim).await? else { return Ok(PackChecksOutcome::Lost) };
    if read_period_version(conn, company_id, pay_period_id).await? != Some(started.period_version) {
        return Ok(PackChecksOutcome::Lost);
    }
    let mut rows = read_unpacked_rows(conn, &started).await?;
    rows.truncate(count_checks_for_block(&rows));
    let Some(last) = rows.last().map(|row| row.ordinal) else { return Ok(PackChecksOutcome::All) };
    let ids: Vec<_> = rows
        .iter()
        .map(|row| PaycheckIdRow { paycheck_id: row.paycheck_id.clone(), company_id: company_id.to_owned() })
        .collect();
    // The ids of imported checks are already stored, so existing rows must not cause an error.
    dialect::bulk_insert(conn, OnConflict::Replace, &ids).await?;
    let workers: BTreeSet<&str> = rows.iter().map(|row| row.worker_id.as_str()).collect();
    let worker = |id: &str| ArchivedWorkerRow { company_id: company_id.to_owned(), worker_id: id.to_owned() };
    let workers: Vec<_> = workers.into_iter().map(worker).collect();
    dialect::bulk_insert(conn, OnConflict::Replace, &workers).await?;
    if let Some(block) = ArchivedChecksRow::pack_rows(started.checks, rows)? {
        let checks = started.checks + block.checks;
        dialect::bulk_insert(conn, OnConflict::Fail, &[block]).await?;
        record_progress(conn, period, last, checks).await?;
    }
    Ok(PackChecksOutcome::More)
}

/// Extends the claim of this attempt. `None` if the attempt no longer has the claim.
async fn extend_claim(
    conn: &Conn,
    period: &PeriodKey,
    claim: &ArchiveClaim,
) -> Outcome<Option<CheckArchiveRow>> {
    const EXTEND_CLAIM: &str = sql![
        "UPDATE check_archives SET claimed_until = $1 WHERE company_id = $2 AND pay_period_id = $3 \
            AND attempt = $4 AND archived IS NULL RETURNING ",
        CheckArchiveRow::COLUMNS
    ];
    let values = binds![
        claim.expires_at.as_micros(),
        period.company_id.as_str(),
        period.pay_period_id.as_str(),
        &claim.attempt
    ];
    conn.query_row(query!(EXTEND_CLAIM, values)).await
}

async fn read_period_version(conn: &Conn, company_id: &str, pay_period_id: &str) -> Outcome<Option<i64>> {
    const SELECT_VERSION: &str =
        "SELECT version FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2";
    let row: Option<(i64,)> =
        conn.query_row(query!(SELECT_VERSION, binds![company_id, pay_period_id])).await?;
    Ok(row.map(|(version,)| version))
}

/// Reads the checks that follow the last packed check.
async fn read_unpacked_rows(conn: &Conn, archive: &CheckArchiveRow) -> Outcome<Vec<CheckRow>> {
    const SELECT_NEXT_CHECKS: &str = sql![
        "SELECT ",
        CheckRow::COLUMNS,
        " FROM checks WHERE company_id = $1 AND pay_period_id = $2 AND ordinal > $3 \
            ORDER BY ordinal LIMIT CAST($4 AS BIGINT)"
    ];
    let values =
        binds![&archive.company_id, &archive.pay_period_id, archive.packed_through, MAX_CHECKS_PER_BLOCK];
    conn.query_rows(query!(SELECT_NEXT_CHECKS, values)).await
}

fn count_checks_for_block(rows: &[CheckRow]) -> usize {
    let mut bytes = 0_usize;
    let fit = rows.iter().take_while(|row| {
        bytes = bytes.saturating_add(row.lines.len() + row.completion.as_ref().map_or(0, String::len));
        bytes <= MAX_BYTES_PER_BLOCK
    });
    fit.count().max(1)
}

async fn record_progress(conn: &Conn, period: &PeriodKey, ordinal: i64, checks: i64) -> Outcome<()> {
    const UPDATE_PROGRESS: &str = "UPDATE check_archives SET packed_through = $1, checks = $2 \
        WHERE company_id = $3 AND pay_period_id = $4";
    let values = binds![ordinal, checks, period.company_id.as_str(), period.pay_period_id.as_str()];
    conn.execute(command!(UPDATE_PROGRESS, values)).await?;
    Ok(())
}
