//! The workers port of an unavailable store.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::company::Communication;
use payroll_domain::date::Date;
use payroll_domain::id::CompanyId;
use payroll_domain::worker::{PayRate, Worker};
use payroll_ports::resources::Versioned;
use payroll_ports::workers::{
    CheckDates, Compensation, DueStatus, PendingDeposit, WorkerDetail, WorkerKey, WorkerListKind,
    WorkerStore, WorkerView, WorkersQuery,
};
use payroll_ports::{Listing, StoreError};

use crate::store::{UnavailableStore, unavailable};

type Stored<T> = Result<T, StoreError>;

#[async_trait]
impl WorkerStore for UnavailableStore {
    async fn index_tax_ids(&self, _: u32) -> Stored<u64> {
        unavailable()
    }
    async fn due_statuses(&self, _: Date, _: Option<&DueStatus>, _: u32) -> Stored<Vec<DueStatus>> {
        unavailable()
    }
    async fn workers(&self, _: &Caller, _: &WorkersQuery) -> Stored<Guarded<Listing<WorkerView>>> {
        unavailable()
    }
    async fn worker_with_list(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: Option<WorkerListKind>,
    ) -> Stored<Guarded<Option<Versioned<Worker>>>> {
        unavailable()
    }
    async fn worker(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: WorkerDetail,
    ) -> Stored<Guarded<Option<Versioned<WorkerView>>>> {
        unavailable()
    }
    async fn communications(
        &self,
        _: &Caller,
        _: &WorkerKey,
    ) -> Stored<Guarded<Option<Versioned<Vec<Communication>>>>> {
        unavailable()
    }
    async fn pay_rates(&self, _: &Caller, _: &WorkerKey) -> Stored<Guarded<Option<Versioned<Vec<PayRate>>>>> {
        unavailable()
    }
    async fn pending_deposits(&self, _: Option<&[CompanyId]>, _: u32) -> Stored<Vec<PendingDeposit>> {
        unavailable()
    }
    async fn compensation(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: CheckDates,
    ) -> Stored<Guarded<Option<Versioned<Compensation>>>> {
        unavailable()
    }
}
