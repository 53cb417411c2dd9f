//! Archiving the checks of processed pay periods: they leave the tables that grow, and the register stays.
//!
//! One period is archived in steps, so that no transaction is long and a crash between any two of them loses
//! nothing: [`ArchiveStore::begin_archive`] claims the period for an attempt, [`ArchiveStore::pack_checks`]
//! copies its checks into compressed blocks, [`ArchiveStore::end_archive`] has everything be read from the blocks
//! from then on, and [`ArchiveStore::erase_archived`] removes the checks themselves. The file of the checks is
//! written between the claim and the end, by the caller of these methods.

use async_trait::async_trait;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::{CompanyId, PayPeriodId};

use crate::StoreError;
use crate::write::By;

/// A pay period of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodKey {
    /// Id of the company.
    pub company_id: CompanyId,
    /// Id of the pay period.
    pub pay_period_id: PayPeriodId,
}

/// Which periods are old enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Their check date is before this day.
    pub paid_before: Date,
    /// Neither they nor their checks have been changed since that instant, nor at it.
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
    /// The attempt; no two have the same.
    pub attempt: String,
    /// The present instant of the clock.
    pub now: Timestamp,
    /// Until then no other attempt begins.
    pub until: Timestamp,
}

/// What an attempt has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimedPeriod {
    /// The version of the period's row.
    pub version: i64,
    /// How many checks it has.
    pub checks: u64,
}

/// What became of packing some checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Packing {
    /// A block more; there may be more checks.
    More,
    /// All checks are in blocks.
    All,
    /// Another attempt has begun, or the period has changed.
    Lost,
}

/// What became of the end of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Archiving {
    /// The period is archived.
    Done,
    /// The period has changed since the attempt began, or not all of its checks were written.
    Changed,
    /// Another attempt has begun, or the claim has ended.
    Lost,
}

/// The file that the checks of a period were written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFile {
    /// How many checks it holds.
    pub checks: u64,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
}

/// An archived period whose checks are still to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedPeriod {
    /// The archived pay period.
    pub period: PeriodKey,
    /// When it was archived.
    pub archived: Timestamp,
    /// The file with its checks.
    pub file: ArchiveFile,
}

/// Archiving the checks of processed pay periods.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those that write
/// also [`StoreError::CompanyBusy`] when another writer of the company takes too long.
#[async_trait]
pub trait ArchiveStore: Send + Sync {
    /// Processed periods with checks that are old enough and not archived, by check date, company and id: at
    /// most `limit` of those that come after one.
    ///
    /// # Errors
    /// Those of the trait.
    async fn periods_to_archive(
        &self,
        due: &Due,
        after: Option<&DuePeriod>,
        limit: u32,
    ) -> Result<Vec<DuePeriod>, StoreError>;

    /// Claims a period for an attempt, and removes the blocks of an earlier one that has not ended. `None`: the
    /// claim of another attempt holds, or the period is not processed, has no checks, or is archived already, or
    /// one of its checks takes back a check that is not archived yet: that shows that it is taken back.
    ///
    /// # Errors
    /// Those of the trait.
    async fn begin_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
    ) -> Result<Option<ClaimedPeriod>, StoreError>;

    /// Copies the next checks of the period into a block, and prolongs the claim. Their ids are taken from then
    /// on, whatever becomes of the checks.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pack_checks(&self, period: &PeriodKey, claim: &ArchiveClaim) -> Result<Packing, StoreError>;

    /// Archives the period, with a row of the audit trail, in one short transaction: if the claim holds, the
    /// period is unchanged since the attempt began, and blocks and file hold as many checks as it has.
    ///
    /// From then on its checks are reported as archived to partners and operators; register, journal and export
    /// are read from the blocks. Its version and the instant of its last change stay.
    ///
    /// # Errors
    /// Those of the trait.
    async fn end_archive(
        &self,
        period: &PeriodKey,
        claim: &ArchiveClaim,
        file: &ArchiveFile,
        by: &By,
    ) -> Result<Archiving, StoreError>;

    /// Gives an attempt up that has not archived its period: its claim and its blocks are gone. An attempt whose
    /// claim was lost has nothing to give up.
    ///
    /// # Errors
    /// Those of the trait.
    async fn abandon_archive(&self, period: &PeriodKey, attempt: &str) -> Result<(), StoreError>;

    /// Archived periods that are not known to have no checks in addition to their blocks, the first archived
    /// first: at most `limit` of those that come after one.
    ///
    /// # Errors
    /// Those of the trait.
    async fn archived_to_erase(
        &self,
        after: Option<&ArchivedPeriod>,
        limit: u32,
    ) -> Result<Vec<ArchivedPeriod>, StoreError>;

    /// Removes at most `limit` checks of an archived period, and of no other; says how many. 0: there are none
    /// left, and the period is no longer among [`Self::archived_to_erase`].
    ///
    /// # Errors
    /// Those of the trait.
    async fn erase_archived(&self, period: &PeriodKey, now: Timestamp, limit: u32)
    -> Result<u64, StoreError>;
}
