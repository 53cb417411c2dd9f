//! Direct deposits of workers, with encrypted account numbers.

use payroll_domain::worker::{DirectDeposit, Worker};

use super::children;
use super::children::RowsByOwner;
use super::{CompanyContext, ObjectChange, ObjectKind};
use crate::error::Outcome;
use crate::rows::cells::RowSeal;
use crate::rows::parts::OwnedObjectRow;
use crate::rows::workers::deposit_associated_data;
use crate::seal::Sealer;

/// Removes the direct deposits of a worker from the map and decrypts them.
pub(super) fn decrypt_deposits(
    all: &mut RowsByOwner<OwnedObjectRow<DirectDeposit>>,
    worker_id: &str,
    sealer: &Sealer,
) -> Outcome<Vec<DirectDeposit>> {
    let open = |row: OwnedObjectRow<DirectDeposit>| {
        let (company_id, row_id) = (row.company_id.clone(), deposit_associated_data(worker_id, row.id()));
        row.decrypt(&RowSeal { sealer, company_id: &company_id, row_id: &row_id })
    };
    all.remove(worker_id).unwrap_or_default().into_iter().map(open).collect()
}

/// Writes the changed deposits. An unchanged deposit is not encrypted again.
pub(super) async fn write_deposits<K: ObjectKind<Object = Worker>>(
    context: CompanyContext<'_>,
    changes: &[ObjectChange<'_, K>],
) -> Outcome<()> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for change in changes {
        old.extend(find_changed_deposit_rows(context, change.before(), change.after())?);
        new.extend(find_changed_deposit_rows(context, change.after(), change.before())?);
    }
    children::replace_child_rows(context, &old, &new).await
}

/// Compares each deposit of `worker` with the deposit of `other` at the same index, and returns the rows of
/// those that differ. `other` is the same worker before or after the change.
fn find_changed_deposit_rows(
    context: CompanyContext<'_>,
    worker: Option<&Worker>,
    other: Option<&Worker>,
) -> Outcome<Vec<OwnedObjectRow<DirectDeposit>>> {
    let CompanyContext { company_id, sealer, .. } = context;
    let Some(worker) = worker else { return Ok(Vec::new()) };
    let others = other.map_or(&[][..], |other| &other.direct_deposits);
    let owner = worker.worker_id.as_str();
    let places = (0..).zip(&worker.direct_deposits);
    let rows = places.enumerate().filter(|(at, (_, deposit))| others.get(*at) != Some(*deposit));
    let rows = rows.map(|(_, (position, deposit))| {
        let row_id = deposit_associated_data(owner, deposit.direct_deposit_id.as_str());
        let seal = RowSeal { sealer, company_id, row_id: &row_id };
        OwnedObjectRow::encrypt_object((company_id, owner), position, deposit, &seal)
    });
    rows.collect()
}
