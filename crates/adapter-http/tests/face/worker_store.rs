//! The test store that is always unavailable: its implementation of the port for workers.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::company::Communication;
use payroll_domain::date::Date;
use payroll_domain::id::CompanyId;
use payroll_domain::worker::{PayRate, Worker};
use payroll_ports::resources::Versioned;
use payroll_ports::workers::{
    CheckDateRange, Compensation, DueStatus, PendingDeposit, WorkerDetail, WorkerKey, WorkerListKind,
    WorkerStore, WorkerView, WorkersQuery,
};
use payroll_ports::{Listing, StoreError};

use crate::store::{UnavailableStore, unavailable_error};

type StoreResult<T> = Result<T, StoreError>;

#[async_trait]
impl WorkerStore for UnavailableStore {
    async fn index_tax_ids(&self, _: u32) -> StoreResult<u64> {
        unavailable_error()
    }
    async fn due_statuses(&self, _: Date, _: Option<&DueStatus>, _: u32) -> StoreResult<Vec<DueStatus>> {
        unavailable_error()
    }
    async fn workers(&self, _: &Caller, _: &WorkersQuery) -> StoreResult<Guarded<Listing<WorkerView>>> {
        unavailable_error()
    }
    async fn worker_with_list(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: Option<WorkerListKind>,
    ) -> StoreResult<Guarded<Option<Versioned<Worker>>>> {
        unavailable_error()
    }
    async fn worker(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: WorkerDetail,
    ) -> StoreResult<Guarded<Option<Versioned<WorkerView>>>> {
        unavailable_error()
    }
    async fn communications(
        &self,
        _: &Caller,
        _: &WorkerKey,
    ) -> StoreResult<Guarded<Option<Versioned<Vec<Communication>>>>> {
        unavailable_error()
    }
    async fn pay_rates(
        &self,
        _: &Caller,
        _: &WorkerKey,
    ) -> StoreResult<Guarded<Option<Versioned<Vec<PayRate>>>>> {
        unavailable_error()
    }
    async fn deposits_awaiting_approval(
        &self,
        _: Option<&[CompanyId]>,
        _: u32,
    ) -> StoreResult<Vec<PendingDeposit>> {
        unavailable_error()
    }
    async fn compensation(
        &self,
        _: &Caller,
        _: &WorkerKey,
        _: CheckDateRange,
    ) -> StoreResult<Guarded<Option<Versioned<Compensation>>>> {
        unavailable_error()
    }
}
