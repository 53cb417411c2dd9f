//! Archives the checks of processed pay periods: the port and its transactions.
//!
//! Each transaction that decides about an archive first locks the company's row exclusively, as a change of
//! the period's state does. A concurrent import or reversal of checks therefore runs completely before or
//! completely after this transaction.

use async_trait::async_trait;
use payroll_domain::audit::AuditedKind;
use payroll_domain::date::{Date, Timestamp};
use payroll_ports::StoreError;
use payroll_ports::archive::{
    ArchiveClaim, ArchiveCriteria, ArchiveFile, ArchiveOutcome, ArchiveStore, ArchivedPeriod, ClaimedPeriod,
    DuePeriod, PackChecksOutcome, PeriodKey,
};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::lists::to_unsigned_count;
use super::super::objects::{CompanyLockMode, lock_company};
use super::super::{Conn, Store, dialect};
use super::archive_blocks;
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::archived_checks::CheckArchiveRow;
use crate::rows::pay_period::PayPeriodRow;
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition};

#[async_trait]
impl ArchiveStore for Store {
    async fn periods_to_archive(
        &self,
        criteria: &ArchiveCriteria,
        after: Option<&DuePeriod>,
        limit: u32,
    ) -> Result<Vec<DuePeriod>, StoreError> {
        let (due, after) = (*criteria, after.cloned());
        Ok(run_on_connection!(self.query_once, |conn| read_periods_to_archive(
            conn,
            due,
            after.as_ref(),
            limit
        ))?)
    }

    async fn begin_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
    ) -> Result<Option<ClaimedPeriod>, StoreError> {
        Ok(run_on_connection!(self.write, |conn, period, claim| begin_archiving(conn, &period, &claim))?)
    }

    async fn pack_next_checks(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
    ) -> Result<PackChecksOutcome, StoreError> {
        Ok(run_on_connection!(self.write, |conn, period, claim| archive_blocks::pack_next_block(
            conn, &period, &claim
        ))?)
    }

    async fn end_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
        file: &ArchiveFile,
        audit: &AuditContext,
    ) -> Result<ArchiveOutcome, StoreError> {
        let sealer = &self.sealer;
        Ok(run_on_connection!(self.write, |conn, period, claim, file, audit, sealer| finish_archive(
            conn,
            (&period, &claim),
            &file,
            (&audit, &sealer)
        ))?)
    }

    async fn abandon_archive(&self, period: &PeriodKey, attempt: &str) -> Result<(), StoreError> {
        Ok(run_on_connection!(self.write, |conn, period, attempt| abandon_claim(conn, &period, &attempt))?)
    }

    async fn periods_to_erase(
        &self,
        after: Option<&ArchivedPeriod>,
        limit: u32,
    ) -> Result<Vec<ArchivedPeriod>, StoreError> {
        let after = after.cloned();
        Ok(run_on_connection!(self.query_once, |conn| read_periods_to_erase(conn, after.as_ref(), limit))?)
    }

    async fn erase_archived_checks(
        &self,
        period: &PeriodKey,
        now: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError> {
        Ok(run_on_connection!(self.write, |conn, period| erase_archived_checks(conn, &period, now, limit))?)
    }
}

async fn read_periods_to_archive(
    conn: &Conn,
    criteria: ArchiveCriteria,
    after: Option<&DuePeriod>,
    limit: u32,
) -> Outcome<Vec<DuePeriod>> {
    // The condition repeats the states of the partial index, so that the index can be used.
    const SELECT_PERIODS_TO_ARCHIVE: &str = "SELECT company_id, pay_period_id, check_date FROM pay_periods \
        WHERE checks_archived IS NULL AND check_count > removed_checks \
            AND status IN ('RELEASED', 'COMPLETED', 'COMPLETED_BY_MEC', 'REISSUED', 'REVERSED') \
            AND check_date < $1 AND modified < $2 \
            AND (CAST($3 AS DATE) IS NULL OR (check_date, company_id, pay_period_id) > ($3, $4, $5)) \
        ORDER BY check_date, company_id, pay_period_id LIMIT CAST($6 AS BIGINT)";
    let key = after.map(|after| (after.period.company_id.as_str(), after.period.pay_period_id.as_str()));
    let (company_id, pay_period_id) = key.unwrap_or_default();
    let values = binds![
        criteria.paid_before,
        criteria.unchanged_since.as_micros(),
        after.map(|after| after.check_date),
        company_id,
        pay_period_id,
        i64::from(limit)
    ];
    let rows: Vec<(String, String, Date)> =
        conn.query_rows(query!(SELECT_PERIODS_TO_ARCHIVE, values)).await?;
    let due = |(company_id, pay_period_id, check_date): (String, String, Date)| {
        Ok(DuePeriod { period: to_period_key(&company_id, &pay_period_id)?, check_date })
    };
    rows.into_iter().map(due).collect()
}

fn to_period_key(company_id: &str, pay_period_id: &str) -> Outcome<PeriodKey> {
    let at = RowLocation { table: "pay_periods", key: pay_period_id };
    Ok(PeriodKey { company_id: at.parse_id(company_id)?, pay_period_id: at.parse_id(pay_period_id)? })
}

/// Reads the period and the progress of its archiving, and locks both rows for this transaction. `None` if
/// the period does not exist.
async fn lock_period_and_archive(
    conn: &Conn,
    period: &PeriodKey,
) -> Outcome<Option<(PayPeriodRow, Option<CheckArchiveRow>)>> {
    const SELECT_PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2",
        dialect::lock_rows!("FOR UPDATE")
    ];
    const SELECT_ARCHIVE: &str = sql![
        "SELECT ",
        CheckArchiveRow::COLUMNS,
        " FROM check_archives WHERE company_id = $1 AND pay_period_id = $2",
        dialect::lock_rows!("FOR UPDATE")
    ];
    let (company_id, pay_period_id) = (period.company_id.as_str(), period.pay_period_id.as_str());
    if lock_company(conn, company_id, CompanyLockMode::ToWrite).await?.is_none() {
        return Ok(None);
    }
    let row: Option<PayPeriodRow> =
        conn.query_row(query!(SELECT_PERIOD, binds![company_id, pay_period_id])).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some((row, conn.query_row(query!(SELECT_ARCHIVE, binds![company_id, pay_period_id])).await?)))
}

async fn begin_archiving(
    conn: &Conn,
    period: &PeriodKey,
    claim: &ArchiveClaim,
) -> Outcome<Option<ClaimedPeriod>> {
    let Some((row, archive)) = lock_period_and_archive(conn, period).await? else { return Ok(None) };
    let is_claimed = archive.is_some_and(|archive| archive.claimed_until > claim.now.as_micros());
    let may_be = row.decode_value()?.status.is_processed() && !row.is_archived() && row.checks() > 0;
    if is_claimed || !may_be || has_reversal_of_unarchived_check(conn, period).await? {
        return Ok(None);
    }
    remove_blocks(conn, period).await?;
    let claimed = CheckArchiveRow {
        company_id: period.company_id.to_string(),
        pay_period_id: period.pay_period_id.to_string(),
        attempt: claim.attempt.clone(),
        claimed_until: claim.expires_at.as_micros(),
        period_version: row.version(),
        packed_through: 0,
        checks: 0,
        sha256: None,
        archived: None,
        erased: None,
    };
    dialect::bulk_insert(conn, OnConflict::Replace, &[claimed]).await?;
    Ok(Some(ClaimedPeriod { version: row.version(), checks: to_unsigned_count(row.checks())? }))
}

/// Returns whether a check of the period reverses a check that is not archived. If such a reversal were
/// archived, its original would no longer be known as reversed. The original could then be reversed a second
/// time.
async fn has_reversal_of_unarchived_check(conn: &Conn, period: &PeriodKey) -> Outcome<bool> {
    const SELECT_OPEN_REVERSAL: &str = "SELECT TRUE FROM checks r \
        JOIN checks o ON o.company_id = r.company_id AND o.paycheck_id = r.reversal_of \
        JOIN pay_periods p ON p.company_id = o.company_id AND p.pay_period_id = o.pay_period_id \
        WHERE r.company_id = $1 AND r.pay_period_id = $2 AND r.reversal_of IS NOT NULL \
            AND o.pay_period_id <> $2 AND p.checks_archived IS NULL LIMIT 1";
    let values = binds![period.company_id.as_str(), period.pay_period_id.as_str()];
    let row: Option<(bool,)> = conn.query_row(query!(SELECT_OPEN_REVERSAL, values)).await?;
    Ok(row.is_some())
}

async fn remove_blocks(conn: &Conn, period: &PeriodKey) -> Outcome<()> {
    const DELETE_BLOCKS: &str = "DELETE FROM archived_checks WHERE company_id = $1 AND pay_period_id = $2";
    let values = binds![period.company_id.as_str(), period.pay_period_id.as_str()];
    conn.execute(command!(DELETE_BLOCKS, values)).await?;
    Ok(())
}

async fn finish_archive(
    conn: &Conn,
    (period, claim): (&PeriodKey, &ArchiveClaim),
    file: &ArchiveFile,
    (audit, sealer): (&AuditContext, &Sealer),
) -> Outcome<ArchiveOutcome> {
    const MARK_PERIOD_AS_ARCHIVED: &str = "UPDATE pay_periods SET checks_archived = $1 \
        WHERE company_id = $2 AND pay_period_id = $3";
    const FINISH_ARCHIVE: &str = "UPDATE check_archives SET archived = $1, sha256 = $2 \
        WHERE company_id = $3 AND pay_period_id = $4";
    let (company_id, pay_period_id) = (period.company_id.as_str(), period.pay_period_id.as_str());
    let Some((row, Some(archive))) = lock_period_and_archive(conn, period).await? else {
        return Ok(ArchiveOutcome::Lost);
    };
    let is_held = archive.attempt == claim.attempt && archive.claimed_until > claim.now.as_micros();
    if !is_held || archive.archived.is_some() {
        return Ok(ArchiveOutcome::Lost);
    }
    let checks = to_unsigned_count(row.checks())?;
    let is_whole = archive.period_version == row.version() && row.decode_value()?.status.is_processed();
    if !is_whole || to_unsigned_count(archive.checks)? != checks || file.checks != checks {
        return Ok(ArchiveOutcome::Changed);
    }
    let now = audit.now.as_micros();
    conn.execute(command!(MARK_PERIOD_AS_ARCHIVED, binds![now, company_id, pay_period_id])).await?;
    conn.execute(command!(FINISH_ARCHIVE, binds![now, &file.sha256, company_id, pay_period_id])).await?;
    let about = AuditedObject { company_id: Some(company_id), kind: AuditedKind::Checks, id: pay_period_id };
    let mut audit_log = AuditLog::new(audit, sealer);
    let before = format!("{{\"checks\":{checks}}}");
    let after =
        format!("{{\"checks\":{checks},\"archived\":\"{}\",\"sha256\":\"{}\"}}", audit.now, file.sha256);
    audit_log.record_change(about, Some(before), Some(after));
    audit_log.store_records(conn).await?;
    Ok(ArchiveOutcome::Done)
}

async fn abandon_claim(conn: &Conn, period: &PeriodKey, attempt: &str) -> Outcome<()> {
    const DELETE_CLAIM: &str = "DELETE FROM check_archives \
        WHERE company_id = $1 AND pay_period_id = $2 AND attempt = $3 AND archived IS NULL";
    let values = binds![period.company_id.as_str(), period.pay_period_id.as_str(), attempt];
    if conn.execute(command!(DELETE_CLAIM, values)).await? > 0 {
        remove_blocks(conn, period).await?;
    }
    Ok(())
}

async fn read_periods_to_erase(
    conn: &Conn,
    after: Option<&ArchivedPeriod>,
    limit: u32,
) -> Outcome<Vec<ArchivedPeriod>> {
    const SELECT_PERIODS_TO_ERASE: &str = sql![
        "SELECT ",
        CheckArchiveRow::COLUMNS,
        " FROM check_archives WHERE archived IS NOT NULL AND erased IS NULL \
            AND (archived, company_id, pay_period_id) > ($1, $2, $3) \
            ORDER BY archived, company_id, pay_period_id LIMIT CAST($4 AS BIGINT)"
    ];
    let values = match after {
        None => binds![i64::MIN, "", "", i64::from(limit)],
        Some(ArchivedPeriod { period, archived, .. }) => binds![
            archived.as_micros(),
            period.company_id.as_str(),
            period.pay_period_id.as_str(),
            i64::from(limit)
        ],
    };
    let rows: Vec<CheckArchiveRow> = conn.query_rows(query!(SELECT_PERIODS_TO_ERASE, values)).await?;
    let archived = |row: CheckArchiveRow| {
        let sha256 = row.sha256.unwrap_or_default();
        Ok(ArchivedPeriod {
            period: to_period_key(&row.company_id, &row.pay_period_id)?,
            archived: Timestamp::from_micros(row.archived.unwrap_or_default()),
            file: ArchiveFile { checks: to_unsigned_count(row.checks)?, sha256 },
        })
    };
    rows.into_iter().map(archived).collect()
}

async fn erase_archived_checks(conn: &Conn, period: &PeriodKey, now: Timestamp, limit: u32) -> Outcome<u64> {
    const SELECT_FIRST_ORDINAL: &str =
        "SELECT min(ordinal) FROM checks WHERE company_id = $1 AND pay_period_id = $2";
    const DELETE_CHECKS: &str = "DELETE FROM checks WHERE company_id = $1 AND pay_period_id = $2 \
        AND ordinal >= $3 AND ordinal < $4";
    const MARK_AS_ERASED: &str = "UPDATE check_archives SET erased = $1 \
        WHERE company_id = $2 AND pay_period_id = $3 AND archived IS NOT NULL AND erased IS NULL";
    let (company_id, pay_period_id) = (period.company_id.as_str(), period.pay_period_id.as_str());
    if !archive_blocks::is_archived(conn, company_id, pay_period_id).await? {
        return Ok(0);
    }
    let first: Option<(Option<i64>,)> =
        conn.query_row(query!(SELECT_FIRST_ORDINAL, binds![company_id, pay_period_id])).await?;
    let Some((Some(first),)) = first else {
        conn.execute(command!(MARK_AS_ERASED, binds![now.as_micros(), company_id, pay_period_id])).await?;
        return Ok(0);
    };
    let until = first.saturating_add(i64::from(limit));
    let values = binds![company_id, pay_period_id, first, until];
    let erased = conn.execute(command!(DELETE_CHECKS, values)).await?;
    Ok(u64::try_from(erased).unwrap_or(u64::MAX))
}
