//! The company of an import: itself, its addresses, products and lock.

use payroll_domain::date::Timestamp;
use payroll_domain::pay_period::PeriodStatus;
use payroll_ports::import::ImportCounts;

use super::super::check_facts::lock_facts;
use super::diff::{Owned, replace_owned, stored, write_objects};
use super::{Conn, Import, dialect};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, query, sql};
use crate::rows::company::{CommunicationRow, CompanyRow, ProductRow};
use crate::table::Table;

/// The stored row, locked against every other writer of the company.
pub(super) async fn lock(conn: &Conn, import: &Import) -> Outcome<Option<CompanyRow>> {
    const COMPANY: &str = sql![
        "SELECT ",
        CompanyRow::COLUMNS,
        " FROM companies WHERE company_id = $1",
        dialect::lock_rows!("FOR UPDATE")
    ];
    conn.row(query::<<CompanyRow as Table>::Sql>(COMPANY, binds![import.company_id()])).await
}

/// Whether the company is locked at that instant.
pub(super) fn is_locked(row: &CompanyRow, now: Timestamp) -> bool {
    let lock = (row.lock_holder.clone(), row.lock_expires, row.processing_pay_period_id.clone());
    lock_facts(&lock, now).is_some()
}

/// Stores the company with what is its own; it counts as one object.
pub(super) async fn store(
    conn: &Conn,
    import: &Import,
    stored_row: Option<CompanyRow>,
) -> Outcome<ImportCounts> {
    let row = row(import, stored_row.as_ref())?;
    let changed = communications(conn, import).await? | products(conn, import).await?;
    write_objects(conn, stored_row.as_slice(), vec![row], |_| changed).await
}

fn row(import: &Import, stored: Option<&CompanyRow>) -> Outcome<CompanyRow> {
    let mut row = CompanyRow::new(&import.whole.company, import.now, &import.sealer);
    if let Some(stored) = stored {
        row.lock_holder.clone_from(&stored.lock_holder);
        row.lock_reason.clone_from(&stored.lock_reason);
        row.lock_expires = stored.lock_expires;
        if stored.same_legal_id(&row, &import.sealer) {
            row.legal_id.clone_from(&stored.legal_id);
        }
    }
    if let Some(lock) = &import.whole.lock {
        row.set_lock(lock);
    }
    let periods = import.whole.pay_periods.iter().map(|imported| &imported.period);
    let mut processing = periods.filter(|period| period.status == PeriodStatus::Processing);
    row.processing_pay_period_id = processing.next().map(|period| period.pay_period_id.to_string());
    match processing.next() {
        None => Ok(row),
        Some(second) => Err(Failure::Refused(vec![format!(
            "Pay period {} is in processing beside another one.",
            second.pay_period_id
        )])),
    }
}

async fn communications(conn: &Conn, import: &Import) -> Outcome<bool> {
    let id = import.company_id();
    let own: Vec<CommunicationRow> = stored(conn, id).await?;
    let own: Vec<_> = own.into_iter().filter(|row| row.owner_id == id).collect();
    let wanted = (0..).zip(&import.whole.company.communications);
    let wanted = wanted.map(|(place, from)| CommunicationRow::new(id, id, place, from)).collect();
    let owned = Owned { column: "owner_id", owner: |row: &CommunicationRow| &row.owner_id };
    Ok(!replace_owned(conn, id, [id], (own, wanted), owned).await?.is_empty())
}

async fn products(conn: &Conn, import: &Import) -> Outcome<bool> {
    let Some(products) = &import.whole.products else { return Ok(false) };
    let id = import.company_id();
    let wanted = products.iter().map(|product| ProductRow::new(id, product)).collect();
    let owned = Owned { column: "company_id", owner: |row: &ProductRow| &row.company_id };
    Ok(!replace_owned(conn, id, [id], (stored(conn, id).await?, wanted), owned).await?.is_empty())
}
