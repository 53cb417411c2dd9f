//! The test store that is always unavailable: its implementation of the ports for archiving, reversals,
//! export and search.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{CompanyId, PayPeriodId, PaycheckId};
use payroll_ports::StoreError;
use payroll_ports::archive::{
    ArchiveClaim, ArchiveCriteria, ArchiveFile, ArchiveOutcome, ArchiveStore, ArchivedPeriod, ClaimedPeriod,
    DuePeriod, PackChecksOutcome, PeriodKey,
};
use payroll_ports::export::{ExportStore, ExportedCompany};
use payroll_ports::reversals::{NewReversal, OperatorRemoval, ReversalFacts, ReversalOutcome, ReversalStore};
use payroll_ports::search::{SearchHit, SearchStore};
use payroll_ports::write::AuditContext;

use crate::store::{UnavailableStore, unavailable_error};

#[async_trait]
impl ArchiveStore for UnavailableStore {
    async fn periods_to_archive(
        &self,
        _: &ArchiveCriteria,
        _: Option<&DuePeriod>,
        _: u32,
    ) -> Result<Vec<DuePeriod>, StoreError> {
        unavailable_error()
    }
    async fn begin_archive(
        &self,
        _: &PeriodKey,
        _: &ArchiveClaim,
    ) -> Result<Option<ClaimedPeriod>, StoreError> {
        unavailable_error()
    }
    async fn pack_next_checks(
        &self,
        _: &PeriodKey,
        _: &ArchiveClaim,
    ) -> Result<PackChecksOutcome, StoreError> {
        unavailable_error()
    }
    async fn end_archive(
        &self,
        _: &PeriodKey,
        _: &ArchiveClaim,
        _: &ArchiveFile,
        _: &AuditContext,
    ) -> Result<ArchiveOutcome, StoreError> {
        unavailable_error()
    }
    async fn abandon_archive(&self, _: &PeriodKey, _: &str) -> Result<(), StoreError> {
        unavailable_error()
    }
    async fn periods_to_erase(
        &self,
        _: Option<&ArchivedPeriod>,
        _: u32,
    ) -> Result<Vec<ArchivedPeriod>, StoreError> {
        unavailable_error()
    }
    async fn erase_archived_checks(&self, _: &PeriodKey, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl ReversalStore for UnavailableStore {
    async fn reversal_validation_data(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: &PaycheckId,
    ) -> Result<Option<ReversalFacts>, StoreError> {
        unavailable_error()
    }
    async fn add_reversal(&self, _: &NewReversal, _: &AuditContext) -> Result<ReversalOutcome, StoreError> {
        unavailable_error()
    }
    async fn remove_checks_as_operator(
        &self,
        _: &OperatorRemoval,
        _: &AuditContext,
    ) -> Result<ReversalOutcome, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl ExportStore for UnavailableStore {
    async fn export_company(
        &self,
        _: &CompanyId,
        _: Timestamp,
    ) -> Result<Option<ExportedCompany>, StoreError> {
        unavailable_error()
    }
}

#[async_trait]
impl SearchStore for UnavailableStore {
    async fn search(&self, _: &str, _: Option<&[CompanyId]>) -> Result<Vec<SearchHit>, StoreError> {
        unavailable_error()
    }
}
