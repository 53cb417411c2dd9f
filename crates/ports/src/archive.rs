//! Archives the checks of processed pay periods. The checks leave the growing tables, but the register
//! remains available.
//!
//! A period is archived in steps, so that no transaction is long and a crash between two steps loses nothing.
//! [`ArchiveStore::begin_archive`] claims the period for an attempt. [`ArchiveStore::pack_checks`] copies its
//! checks into compressed blocks. [`ArchiveStore::end_archive`] makes all readers use the blocks from then
//! on. [`ArchiveStore::erase_archived`] deletes the original checks. The caller of these methods writes the
//! file of the checks between the claim and the end.

use async_trait::async_trait;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::{CompanyId, PayPeriodId};

use crate::StoreError;
use crate::write::AuditContext;

/// A pay period of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodKey {
    /// The id of the company.
    pub company_id: CompanyId,
    /// The id of the pay period.
    pub pay_period_id: PayPeriodId,
}

/// The conditions for periods that are old enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveCriteria {
    /// The check date is before this day.
    pub paid_before: Date,
    /// Neither the period nor its checks were changed at that instant or later.
    pub unchanged_since: Timestamp,
}

/// A period that is old enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuePeriod {
    /// The pay period to archive.
    pub period: PeriodKey,
    /// The check date of the period.
    pub check_date: Date,
}

/// The claim of an attempt at archiving a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveClaim {
    /// The id of the attempt, which is unique.
    pub attempt: String,
    /// The present instant of the clock.
    pub now: Timestamp,
    /// The instant at which the claim expires. No other attempt starts before.
    pub expires_at: Timestamp,
}

/// The period that an attempt has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimedPeriod {
    /// The version of the period's row.
    pub version: i64,
    /// The number of checks in the period.
    pub checks: u64,
}

/// The result of packing checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum PackOutcome {
    /// A block was added, and there may be more checks.
    More,
    /// All checks are in blocks.
    All,
    /// Another attempt has begun, or the period has changed.
    Lost,
}

/// The result of ending an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum ArchiveOutcome {
    /// The period is archived.
    Done,
    /// The period has changed since the attempt began, or not all of its checks were written.
    Changed,
    /// Another attempt has begun, or the claim has expired.
    Lost,
}

/// The file that contains the checks of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFile {
    /// The number of checks in the file.
    pub checks: u64,
    /// The SHA-256 of the file's content, in hexadecimal digits.
    pub sha256: String,
}

/// An archived period whose original checks are not deleted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedPeriod {
    /// The archived pay period.
    pub period: PeriodKey,
    /// The instant at which the period was archived.
    pub archived: Timestamp,
    /// The file with the checks of the period.
    pub file: ArchiveFile,
}

/// Archives the checks of processed pay periods.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer of the company takes too
/// long.
#[async_trait]
pub trait ArchiveStore: Send + Sync {
    /// Processed periods with checks that are old enough and not archived, by check date, company and id.
    /// Returns at most `limit` of those after the given one.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn periods_to_archive(
        &self,
        criteria: &ArchiveCriteria,
        after: Option<&DuePeriod>,
        limit: u32,
    ) -> Result<Vec<DuePeriod>, StoreError>;

    /// Claims a period for an attempt, and deletes the blocks of an earlier, unfinished one. `None` if
    /// another attempt has a valid claim, or if the period is not processed, has no checks, or is already
    /// archived. Also `None` if one of its checks reverses a check that is not archived yet, because the
    /// reversal prevents a second one.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn begin_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
    ) -> Result<Option<ClaimedPeriod>, StoreError>;

    /// Copies the next checks of the period into a block, and extends the claim. The ids of these checks
    /// remain reserved from then on.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn pack_checks(&self, period: &PeriodKey, claim: &ArchiveClaim) -> Result<PackOutcome, StoreError>;

    /// Archives the period and writes an audit row, in one short transaction. The claim must be valid, the
    /// period unchanged since the attempt began, and the blocks and the file must contain all of its checks.
    ///
    /// From then on, partners and operators see that its checks are archived. The register, the journal and
    /// the export read the blocks. The version of the period and the instant of its last change do not
    /// change.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn end_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
        file: &ArchiveFile,
        audit: &AuditContext,
    ) -> Result<ArchiveOutcome, StoreError>;

    /// Abandons an attempt that has not archived its period, and deletes its claim and its blocks. If the
    /// attempt has lost its claim, this does nothing.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn abandon_archive(&self, period: &PeriodKey, attempt: &str) -> Result<(), StoreError>;

    /// Archived periods that may still have original checks, the first archived first. Returns at most
    /// `limit` of those after the given one.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn archived_to_erase(
        &self,
        after: Option<&ArchivedPeriod>,
        limit: u32,
    ) -> Result<Vec<ArchivedPeriod>, StoreError>;

    /// Deletes at most `limit` original checks of an archived period and returns their number. 0 means that
    /// none are left and that the period is no longer among [`Self::archived_to_erase`].
    ///
    /// # Errors
    /// The errors of the trait.
    async fn erase_archived(&self, period: &PeriodKey, now: Timestamp, limit: u32)
    -> Result<u64, StoreError>;
}
