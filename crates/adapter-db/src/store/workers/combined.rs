//! Reads the caller's access, one worker and child rows of the worker in one statement. For a remote database,
//! this takes one round trip and no transaction.

use payroll_domain::access::Access;

use super::super::objects::select_by_one_owner;
use super::super::parts::{ChildrenQuery, ListStatements, SortedRows, page_statement};
use super::super::{Conn, access};
use super::query::WorkerQuery;
use crate::columns::FromColumns;
use crate::error::Outcome;
use crate::rows::access::AccessRow;
use crate::rows::parts::{OwnedObject, OwnedObjectRow};
use crate::statement::{BindValue, query};

/// The rows that the statement returns.
pub(super) struct CombinedRows<R, T> {
    pub(super) access: Access,
    /// The version of the company, or 0 if the company does not exist.
    pub(super) company_version: i64,
    /// The row of the worker, if the worker exists.
    pub(super) worker: Option<R>,
    /// The child rows in their order.
    pub(super) children: Vec<OwnedObjectRow<T>>,
}

/// Reads the worker that `select_worker` selects. Its parameters are the company and the worker.
pub(super) async fn read_combined_rows<R: FromColumns + Send + 'static, T: OwnedObject>(
    conn: &Conn,
    of: &WorkerQuery,
    select_worker: &'static str,
    with_children: bool,
) -> Outcome<CombinedRows<R, T>> {
    let children = || ChildrenQuery { id: "worker_id", text: select_by_one_owner::<OwnedObjectRow<T>>() };
    let texts = ListStatements {
        // The worker is not counted.
        size: "SELECT CAST(1 AS BIGINT) AS total, CAST(NULL AS BIGINT) AS version",
        page: select_worker,
        children: with_children.then(children),
    };
    let text = page_statement::<(R, T), R, OwnedObjectRow<T>>(&texts, true);
    let company_id = of.company_id();
    let mut values = vec![BindValue::from(company_id), BindValue::from(&of.worker_id)];
    values.extend(access::values(&of.query.caller, Some(company_id)));
    let SortedRows { head, rows, mut children } =
        SortedRows::from_statement_rows(conn.query_rows(query(text, values)).await?);
    let head = head.as_ref().map(|(access, ..)| access);
    // The statement does not promise the order of children.
    children.sort_by_key(|row: &OwnedObjectRow<T>| row.position);
    Ok(CombinedRows {
        access: AccessRow::access(head, of.query.caller.application_id.as_str())?,
        company_version: head.and_then(|access| access.version).unwrap_or(0),
        worker: rows.into_iter().next(),
        children,
    })
}
