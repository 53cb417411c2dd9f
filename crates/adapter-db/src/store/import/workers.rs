//! The workers of an import, each with everything that belongs to them: one object.

use std::collections::{HashMap, HashSet};

use payroll_domain::worker::Worker;
use payroll_ports::import::ImportCounts;

use super::diff::{Owned, replace_owned, stored, write_objects};
use super::{Conn, Import};
use crate::error::Outcome;
use crate::rows::company::CommunicationRow;
use crate::rows::workers::{FederalTaxRow, PayRateRow, RecurringRow, StateTaxRow, WorkerRow};

/// Stores the workers.
pub(super) async fn store(conn: &Conn, import: &Import) -> Outcome<ImportCounts> {
    let (id, workers) = (import.company_id(), &import.whole.workers);
    if workers.is_empty() {
        return Ok(ImportCounts::default());
    }
    let changed = owned(conn, id, workers).await?;
    let known: Vec<WorkerRow> = stored(conn, id).await?;
    let by_id: HashMap<&str, &WorkerRow> = known.iter().map(|row| (row.worker_id.as_str(), row)).collect();
    let mut rows = Vec::with_capacity(workers.len());
    for (created, from) in import.numbered(workers) {
        let mut row = WorkerRow::new(id, created, from, &import.sealer);
        if let Some(found) = by_id.get(row.worker_id.as_str())
            && found.same_legal_id(&row, &import.sealer)
        {
            row.legal_id.clone_from(&found.legal_id);
        }
        rows.push(row);
    }
    write_objects(conn, &known, rows, |row| changed.contains(&row.worker_id)).await
}

/// Stores what workers own; returns the workers of a difference.
async fn owned(conn: &Conn, id: &str, workers: &[Worker]) -> Outcome<HashSet<String>> {
    let mut changed = HashSet::new();
    macro_rules! replace {
        ($row:ty, $column:literal, $owner:expr, $wanted:expr) => {
            let wanted = workers.iter().map($wanted).collect::<Outcome<Vec<Vec<$row>>>>()?;
            let rows = (stored(conn, id).await?, wanted.into_iter().flatten().collect());
            let owners = workers.iter().map(|worker| worker.worker_id.as_str());
            let owned = Owned { column: $column, owner: $owner };
            changed.extend(replace_owned::<$row>(conn, id, owners, rows, owned).await?);
        };
    }
    replace!(CommunicationRow, "owner_id", |row: &CommunicationRow| &row.owner_id, |worker: &Worker| {
        let own = (0..).zip(&worker.communications);
        Ok(own.map(|(at, from)| CommunicationRow::new(id, worker.worker_id.as_str(), at, from)).collect())
    });
    replace!(PayRateRow, "worker_id", |row: &PayRateRow| &row.worker_id, |worker: &Worker| {
        let own = (0..).zip(&worker.pay_rates);
        own.map(|(at, from)| PayRateRow::new(id, worker.worker_id.as_str(), at, from)).collect()
    });
    replace!(RecurringRow, "worker_id", |row: &RecurringRow| &row.worker_id, |worker: &Worker| {
        let own = (0..).zip(&worker.recurring_components);
        own.map(|(at, from)| RecurringRow::new(id, worker.worker_id.as_str(), at, from)).collect()
    });
    replace!(FederalTaxRow, "worker_id", |row: &FederalTaxRow| &row.worker_id, |worker: &Worker| {
        let own = worker.taxes.iter().filter_map(|taxes| taxes.federal.as_ref());
        own.map(|from| FederalTaxRow::new(id, worker.worker_id.as_str(), from)).collect()
    });
    replace!(StateTaxRow, "worker_id", |row: &StateTaxRow| &row.worker_id, |worker: &Worker| {
        let own = (0..).zip(worker.taxes.iter().flat_map(|taxes| &taxes.states));
        own.map(|(at, from)| StateTaxRow::new(id, worker.worker_id.as_str(), at, from)).collect()
    });
    Ok(changed)
}
