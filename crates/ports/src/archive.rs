//! Archives the checks of processed pay periods. The checks are deleted from the tables for current checks,
//! but the register remains available.
//!
//! A period is archived in steps, so that no transaction is long and a crash between two steps loses nothing.
//!
//! 1. [`ArchiveStore::begin_archive`] claims the period for an attempt.
//! 2. [`ArchiveStore::pack_next_checks`] copies the checks of the period into compressed blocks.
//! 3. [`ArchiveStore::end_archive`] makes all readers use the blocks.
//! 4. [`ArchiveStore::erase_archived_checks`] deletes the original checks.
//!
//! Between the first and the third step, the caller also writes the period's checks to a file.

use async_trait::async_trait;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::{CompanyId, PayPeriodId};

use crate::StoreError;
use crate::write::AuditContext;

/// Identifies a pay period on the server by its company and its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodKey {
    /// The company to which the pay period belongs.
    pub company_id: CompanyId,
    /// The id of the pay period, unique in the company.
    pub pay_period_id: PayPeriodId,
}

/// The conditions that a pay period must meet to be archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveCriteria {
    /// The check date of the period must be before the given day.
    pub paid_before: Date,
    /// The period and its checks must be unchanged since the given instant.
    pub unchanged_since: Timestamp,
}

/// A period that meets the conditions and is due to be archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuePeriod {
    /// The pay period to archive.
    pub period: PeriodKey,
    /// The check date of the period.
    pub check_date: Date,
}

/// The claim that an attempt to archive a period has on the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveClaim {
    /// The id of the attempt, which is unique.
    pub attempt: String,
    /// The current instant of the clock.
    pub now: Timestamp,
    /// The instant at which the claim expires. Another attempt can only start after this instant.
    pub expires_at: Timestamp,
}

/// The state of a period at the time when an attempt claimed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimedPeriod {
    /// The version of the row that stores the pay period.
    pub version: i64,
    /// The number of checks in the period.
    pub checks: u64,
}

/// The result of packing checks into a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum PackChecksOutcome {
    /// A block was added, and there may be more checks.
    More,
    /// All checks of the period are in blocks.
    All,
    /// The attempt no longer has the claim on the period: another attempt has begun, or the period has
    /// changed.
    Lost,
}

/// The result of ending an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum ArchiveOutcome {
    /// The period is archived.
    Done,
    /// The period has changed since the attempt began, or some of its checks are missing in the blocks or in
    /// the file.
    Changed,
    /// The attempt no longer has the claim on the period: another attempt has begun, or the claim has
    /// expired.
    Lost,
}

/// The file that contains the checks of a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFile {
    /// The number of checks in the file.
    pub checks: u64,
    /// The SHA-256 hash of the file's content, in hexadecimal digits.
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
    /// Returns processed periods that have checks, meet the criteria and are not archived. The order is check
    /// date, company and id. Returns at most `limit` periods that follow the given period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn periods_to_archive(
        &self,
        criteria: &ArchiveCriteria,
        after: Option<&DuePeriod>,
        limit: u32,
    ) -> Result<Vec<DuePeriod>, StoreError>;

    /// Claims a period for an attempt, and deletes the blocks of an earlier, unfinished attempt. Returns
    /// `None` if another attempt has a valid claim, or if the period is not processed, has no checks, or is
    /// already archived. The result is also `None` if one of the period's checks reverses a check that is not
    /// archived yet. Such a reversal must not be archived first, because it prevents a second reversal of
    /// that check.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn begin_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
    ) -> Result<Option<ClaimedPeriod>, StoreError>;

    /// Copies the next checks of the period into a block, and extends the claim. From then on, the ids of
    /// these checks remain reserved.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pack_next_checks(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
    ) -> Result<PackChecksOutcome, StoreError>;

    /// Archives the period and writes an audit row, in one short transaction. The claim must be valid, and
    /// the period must be unchanged since the attempt began. The blocks and the file must contain all of its
    /// checks.
    ///
    /// From then on, partners and operators see that the checks are archived. The register, the journal and
    /// the export read the blocks. The version of the period and the instant of its last change remain the
    /// same.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn end_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
        file: &ArchiveFile,
        audit: &AuditContext,
    ) -> Result<ArchiveOutcome, StoreError>;

    /// Abandons an attempt that has not archived its period, and deletes its claim and its blocks. If the
    /// attempt has lost its claim, the method does nothing.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn abandon_archive(&self, period: &PeriodKey, attempt: &str) -> Result<(), StoreError>;

    /// Returns archived periods that may still have original checks, in the order in which they were
    /// archived. Returns at most `limit` periods that follow the given period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn periods_to_erase(
        &self,
        after: Option<&ArchivedPeriod>,
        limit: u32,
    ) -> Result<Vec<ArchivedPeriod>, StoreError>;

    /// Deletes at most `limit` original checks of an archived period and returns their number. 0 means that
    /// no checks are left. [`Self::periods_to_erase`] then no longer returns the period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn erase_archived_checks(
        &self,
        period: &PeriodKey,
        now: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError>;
}
