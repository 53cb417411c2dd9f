//! The steps with which every change of an application begins and ends.

use payroll_domain::id::ApplicationId;
use payroll_ports::applications::{Application, ApplicationRefusal};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::super::audit_log::AuditLog;
use super::super::{Conn, dialect, idempotency};
use crate::error::Outcome;
use crate::rows::access::ApplicationRow;
use crate::statement::{binds, query, sql};
use crate::table::TableDefinition;

/// The result of a change, or the reason for rejecting it.
pub(super) type RefusalResult<T> = Result<T, ApplicationRefusal>;

/// Locks an application's row for this transaction. `None` if the application does not exist.
pub(in super::super) async fn lock_application(
    conn: &Conn,
    id: &ApplicationId,
) -> Outcome<Option<Versioned<Application>>> {
    const LOCK_APPLICATION: &str = sql![
        "SELECT ",
        ApplicationRow::COLUMNS,
        " FROM applications WHERE application_id = $1",
        dialect::lock_rows!("FOR UPDATE")
    ];
    let held = query!(LOCK_APPLICATION, binds![id.as_str()]);
    let row: Option<ApplicationRow> = conn.query_row(held).await?;
    row.map(|row| row.into_application(Vec::new())).transpose()
}

/// Ends a change: stores its audit rows, and the response under the request's idempotency key.
pub(super) async fn write_audit_log(
    conn: &Conn,
    audit_log: AuditLog<'_>,
    audit: &AuditContext,
) -> Outcome<()> {
    audit_log.store_records(conn).await?;
    idempotency::store_response(conn, audit.response_record.as_ref()).await
}
