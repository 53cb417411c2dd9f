//! The port for workers as partners read them: a list, one worker, and the data of one worker. The list has
//! its own submodule.

mod compensation;
mod due;
mod list;
mod named;
mod pending;
mod tax_ids;

use std::collections::HashMap;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use futures_util::try_join;
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

use super::lists;
use super::lists::{ListFilter, ListQuery, WorkerSelection};
use super::objects::{ChildRow, CompanyContext, load_with_list, read_rows_by_owner, take_children};
use super::{Conn, Store, access, filters, setup};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::company::CommunicationRow;
use crate::rows::parts::OwnedObjectRow;
use crate::rows::workers::WorkerRow;
use crate::statement::{binds, query, sql};
use crate::table::TableDefinition;
use named::{WorkerWithNamesRow, select_workers_with_names};

pub(super) use tax_ids::require_hashed_tax_ids;

#[cfg(test)]
pub(crate) use due::SELECT_DUE_STATUSES;
#[cfg(test)]
pub(crate) use list::{STATEMENTS_OF_CHANGED, STATEMENTS_OF_FAMILY_NAME, STATEMENTS_OF_LAST_FOUR};

#[async_trait]
impl WorkerStore for Store {
    async fn workers(
        &self,
        caller: &Caller,
        query: &WorkersQuery,
    ) -> Result<Guarded<Listing<WorkerView>>, StoreError> {
        let WorkersQuery { company_id, filter, detail, window } = query.clone();
        let last_four_hashes = filter
            .last_four
            .as_ref()
            .map(|digits| self.sealer.hash_last_four_with_all_keys(company_id.as_str(), digits))
            .unwrap_or_default();
        let selection = WorkerSelection {
            filter: filters::remove_nul_from_worker_filter(filter),
            last_four_hashes,
            detail,
        };
        let filter = ListFilter::Workers(selection);
        let query = ListQuery { filter, ..self.create_list_query(caller, &company_id) };
        Ok(lists::read_listing::<list::FilteredWorkers>(
            &self.route_to_node(&company_id).await.db,
            query,
            window,
        )
        .await?)
    }

    async fn worker(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        detail: WorkerDetail,
    ) -> Result<Guarded<Option<Versioned<WorkerView>>>, StoreError> {
        Ok(self
            .read_worker_data(caller, worker, move |conn, of| Box::pin(read_worker(conn, of, detail)))
            .await?)
    }

    async fn worker_with_list(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        list: Option<WorkerListKind>,
    ) -> Result<Guarded<Option<Versioned<Worker>>>, StoreError> {
        let of = self.worker_query(caller, worker);
        let db = self.route_to_node(&worker.company_id).await.db;
        let read = db.read_by_key(move |conn| {
            Box::pin(async move {
                let context = CompanyContext { conn, company_id: of.company_id(), sealer: &of.query.sealer };
                let access = access::read_access(conn, &of.query.caller, Some(of.company_id()));
                let found = load_with_list(context, &of.worker_id, list);
                let ((access, _), found) = try_join!(access, found)?;
                Ok(Guarded::new(access, found.map(setup::to_versioned_object)))
            })
        });
        Ok(read.await?)
    }

    async fn communications(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
    ) -> Result<Guarded<Option<Versioned<Vec<Communication>>>>, StoreError> {
        let read = self.read_worker_data(caller, worker, |conn, of| {
            Box::pin(read_child_rows(conn, of, CommunicationRow::decode_value))
        });
        Ok(read.await?)
    }

    async fn index_tax_ids(&self, limit: u32) -> Result<u64, StoreError> {
        Ok(self.hash_tax_ids(limit).await?)
    }

    async fn pay_rates(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
    ) -> Result<Guarded<Option<Versioned<Vec<PayRate>>>>, StoreError> {
        let read = self.read_worker_data(caller, worker, |conn, of| {
            Box::pin(read_child_rows(conn, of, OwnedObjectRow::decode_value))
        });
        Ok(read.await?)
    }

    async fn deposits_awaiting_approval(
        &self,
        visible_companies: Option<&[CompanyId]>,
        limit: u32,
    ) -> Result<Vec<PendingDeposit>, StoreError> {
        let (sealer, within) = (&self.sealer, visible_companies.map(<[_]>::to_vec));
        Ok(run_on_connection!(self.read, |conn, sealer| pending::read_deposits_awaiting_approval(
            conn,
            within.as_deref(),
            i64::from(limit),
            &sealer
        ))?)
    }

    async fn due_statuses(
        &self,
        day: Date,
        after: Option<&DueStatus>,
        limit: u32,
    ) -> Result<Vec<DueStatus>, StoreError> {
        let after = after.cloned();
        Ok(run_on_connection!(self.read, |conn, day, after| due::read_due_statuses(
            conn,
            day,
            after.as_ref(),
            i64::from(limit)
        ))?)
    }

    async fn compensation(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        days: CheckDateRange,
    ) -> Result<Guarded<Option<Versioned<Compensation>>>, StoreError> {
        let of = self.worker_query(caller, worker);
        let db = self.route_to_node(&worker.company_id).await.db;
        let read = db.read(move |conn| {
            Box::pin(async move {
                read_data_with_access(conn, &of, move |conn, of| Box::pin(read_compensation(conn, of, days)))
                    .await
            })
        });
        Ok(read.await?)
    }
}

/// The worker whose data is read.
pub(super) struct WorkerQuery {
    query: ListQuery,
    worker_id: String,
}

impl WorkerQuery {
    pub(super) fn company_id(&self) -> &str {
        self.query.company_id()
    }

    pub(super) fn worker_id(&self) -> &str {
        &self.worker_id
    }
}

impl Store {
    /// Reads the data of a worker, with the caller's access and the company's version in the same snapshot.
    pub(super) async fn read_worker_data<T, F>(
        &self,
        caller: &Caller,
        worker: &WorkerKey,
        read: F,
    ) -> Outcome<Guarded<Option<Versioned<T>>>>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn, &'c WorkerQuery) -> BoxFuture<'c, Outcome<Option<T>>> + Send + 'static,
    {
        let of = self.worker_query(caller, worker);
        let db = self.route_to_node(&worker.company_id).await.db;
        db.read_by_key(move |conn| Box::pin(async move { read_data_with_access(conn, &of, read).await }))
            .await
    }

    fn worker_query(&self, caller: &Caller, worker: &WorkerKey) -> WorkerQuery {
        let query = self.create_list_query(caller, &worker.company_id);
        WorkerQuery { query, worker_id: worker.worker_id.to_string() }
    }
}

/// Reads data of a worker with the caller's access and the company's version.
async fn read_data_with_access<T, F>(
    conn: &Conn,
    worker: &WorkerQuery,
    read: F,
) -> Outcome<Guarded<Option<Versioned<T>>>>
where
    F: for<'c> FnOnce(&'c Conn, &'c WorkerQuery) -> BoxFuture<'c, Outcome<Option<T>>>,
{
    let access = access::read_access(conn, &worker.query.caller, Some(worker.company_id()));
    let ((access, version), found) = try_join!(access, read(conn, worker))?;
    Ok(Guarded::new(access, found.map(|value| Versioned { value, version })))
}

async fn read_worker(conn: &Conn, worker: &WorkerQuery, detail: WorkerDetail) -> Outcome<Option<WorkerView>> {
    const SELECT_WORKER_WITH_NAMES: &str = select_workers_with_names![" AND worker_id = $2"];
    let (company_id, id) = (worker.company_id(), worker.worker_id.as_str());
    let context = CompanyContext { conn, company_id, sealer: &worker.query.sealer };
    let ids = [id];
    let communications = async {
        if !detail.has_communications() {
            return Ok(HashMap::new());
        }
        read_rows_by_owner::<CommunicationRow>(context, &ids).await
    };
    let (row, mut communications): (Option<WorkerWithNamesRow>, _) =
        try_join!(conn.query_row(query!(SELECT_WORKER_WITH_NAMES, binds![company_id, id])), communications)?;
    let Some(row) = row else { return Ok(None) };
    let mut view = row.into_worker_view(detail, &worker.query.sealer)?;
    view.worker.communications = take_children(&mut communications, id, CommunicationRow::decode_value)?;
    Ok(Some(view))
}

/// Reads the pay of a worker.
async fn read_compensation(
    conn: &Conn,
    worker: &WorkerQuery,
    days: CheckDateRange,
) -> Outcome<Option<Compensation>> {
    let (worker, pay_rates, (paid, version_of_paid)) = try_join!(
        read_worker(conn, worker, WorkerDetail::Outline),
        read_child_rows(conn, worker, OwnedObjectRow::decode_value),
        compensation::read_gross_earnings(conn, worker.company_id(), &worker.worker_id, days)
    )?;
    Ok(worker.zip(pay_rates).map(|(view, pay_rates)| {
        let pay_standards = view.worker.pay_standards;
        Compensation { pay_rates, pay_standards, paid, version_of_paid }
    }))
}

/// Reads the rows of a worker in one table. `None` if the worker does not exist in the company.
async fn read_child_rows<R: ChildRow + Send, T>(
    conn: &Conn,
    worker: &WorkerQuery,
    decode: fn(R) -> Outcome<T>,
) -> Outcome<Option<Vec<T>>> {
    const SELECT_WORKER: &str = "SELECT worker_id FROM workers WHERE company_id = $1 AND worker_id = $2";
    let (company_id, id) = (worker.company_id(), worker.worker_id.as_str());
    let context = CompanyContext { conn, company_id, sealer: &worker.query.sealer };
    let ids = [id];
    let worker = conn.query_row(query!(SELECT_WORKER, binds![company_id, id]));
    let (worker, mut rows): (Option<(String,)>, _) =
        try_join!(worker, read_rows_by_owner::<R>(context, &ids))?;
    worker.map(|_| take_children(&mut rows, id, decode)).transpose()
}
