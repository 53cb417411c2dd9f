//! The archiving port of an unavailable store.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::archive::{
    ArchiveClaim, ArchiveFile, ArchiveStore, ArchivedPeriod, Archiving, ClaimedPeriod, Due, DuePeriod,
    Packing, PeriodKey,
};
use payroll_ports::write::By;

use crate::store::{AwayStore, away};

#[async_trait]
impl ArchiveStore for AwayStore {
    async fn periods_to_archive(
        &self,
        _: &Due,
        _: Option<&DuePeriod>,
        _: u32,
    ) -> Result<Vec<DuePeriod>, StoreError> {
        away()
    }
    async fn begin_archive(
        &self,
        _: &PeriodKey,
        _: &ArchiveClaim,
    ) -> Result<Option<ClaimedPeriod>, StoreError> {
        away()
    }
    async fn pack_checks(&self, _: &PeriodKey, _: &ArchiveClaim) -> Result<Packing, StoreError> {
        away()
    }
    async fn end_archive(
        &self,
        _: &PeriodKey,
        _: &ArchiveClaim,
        _: &ArchiveFile,
        _: &By,
    ) -> Result<Archiving, StoreError> {
        away()
    }
    async fn abandon_archive(&self, _: &PeriodKey, _: &str) -> Result<(), StoreError> {
        away()
    }
    async fn archived_to_erase(
        &self,
        _: Option<&ArchivedPeriod>,
        _: u32,
    ) -> Result<Vec<ArchivedPeriod>, StoreError> {
        away()
    }
    async fn erase_archived(&self, _: &PeriodKey, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        away()
    }
}
