//! Pending direct deposits of all companies, which operators have to approve or reject.

use payroll_domain::id::CompanyId;
use payroll_domain::worker::DirectDeposit;
use payroll_ports::workers::PendingDeposit;

use super::super::{Conn, dialect, filters};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::cells::RowSeal;
use crate::rows::parts::OwnedObjectRow;
use crate::rows::workers::deposit_associated_data;
use crate::seal::Sealer;
use crate::statement::{binds, query, sql};
use crate::table::TableDefinition;

/// Reads the first pending deposits, ordered by company and worker.
pub(super) async fn read_deposits_awaiting_approval(
    conn: &Conn,
    visible_companies: Option<&[CompanyId]>,
    limit: i64,
    sealer: &Sealer,
) -> Outcome<Vec<PendingDeposit>> {
    const SELECT_PENDING_DEPOSITS: &str = sql![
        "SELECT ",
        OwnedObjectRow::<DirectDeposit>::COLUMNS,
        " FROM direct_deposits WHERE (status = 'PENDING' OR pending_payment_type IS NOT NULL)",
        filters::is_selected_company!("company_id", "$1", "$2"),
        " ORDER BY company_id, worker_id, direct_deposit_id LIMIT CAST($3 AS BIGINT)"
    ];
    let values = filters::company_id_binds(visible_companies).into_iter().chain(binds![limit]);
    let rows: Vec<OwnedObjectRow<DirectDeposit>> =
        conn.query_rows(query!(SELECT_PENDING_DEPOSITS, values)).await?;
    let pending = rows.into_iter().map(|row| {
        let (company_id, worker_id) = (row.company_id.clone(), row.owner.clone());
        let row_id = deposit_associated_data(&worker_id, row.id());
        let at = RowLocation { table: "direct_deposits", key: &row_id };
        Ok(PendingDeposit {
            deposit: row.decrypt(&RowSeal { sealer, company_id: &company_id, row_id: &row_id })?,
            company_id: at.parse_id(&company_id)?,
            worker_id: at.parse_id(&worker_id)?,
        })
    });
    pending.collect()
}
