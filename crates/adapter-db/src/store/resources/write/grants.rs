//! The grant of the application that changes an object.

use super::super::super::{Conn, dialect};
use crate::error::Outcome;
use crate::statement::{binds, query};
use payroll_domain::access::Scopes;
use payroll_ports::write::AuditContext;

/// Returns whether the application still has the scope that this write requires. The grant is locked until
/// the transaction ends, so that no write commits after a revocation.
pub(in super::super::super) async fn is_write_granted(
    conn: &Conn,
    company: &str,
    audit: &AuditContext,
) -> Outcome<bool> {
    const SELECT_GRANTED_SCOPES: &str = concat!(
        "SELECT scopes FROM grants WHERE application_id = $1 AND company_id = $2",
        dialect::lock_rows!("FOR SHARE")
    );
    let Some(scope) = audit.scope else { return Ok(true) };
    let row: Option<(String,)> =
        conn.query_row(query!(SELECT_GRANTED_SCOPES, binds![audit.actor.name.as_str(), company])).await?;
    let scopes = row.and_then(|(scopes,)| Scopes::parse(&scopes).ok()).unwrap_or(Scopes::NONE);
    Ok(scopes.contains(scope))
}
