//! Direct deposits that operators have to decide about, of all companies.

use payroll_domain::worker::DirectDeposit;
use payroll_ports::workers::PendingDeposit;

use super::super::Conn;
use crate::error::Outcome;
use crate::fixed::{binds, query, sql};
use crate::rows::At;
use crate::rows::cells::RowSeal;
use crate::rows::parts::PartRow;
use crate::rows::workers::seal_of_deposit;
use crate::seal::Sealer;
use crate::table::Table;

/// The first of them, in the order of their companies and workers.
pub(super) async fn read(conn: &Conn, limit: i64, sealer: &Sealer) -> Outcome<Vec<PendingDeposit>> {
    const PENDING: &str = sql![
        "SELECT ",
        PartRow::<DirectDeposit>::COLUMNS,
        " FROM direct_deposits WHERE status = 'PENDING' OR pending_payment_type IS NOT NULL \
            ORDER BY company_id, worker_id, direct_deposit_id LIMIT CAST($1 AS BIGINT)"
    ];
    let rows: Vec<PartRow<DirectDeposit>> = conn.rows(query!(PENDING, binds![limit])).await?;
    let pending = rows.into_iter().map(|row| {
        let (company_id, worker_id) = (row.company_id.clone(), row.owner.clone());
        let row_id = seal_of_deposit(&worker_id, row.id());
        let at = At { table: "direct_deposits", key: &row_id };
        Ok(PendingDeposit {
            deposit: row.opened(&RowSeal { sealer, company_id: &company_id, row_id: &row_id })?,
            company_id: at.id(&company_id)?,
            worker_id: at.id(&worker_id)?,
        })
    });
    pending.collect()
}
