//! Operations that only a sandbox supports: events that an operator triggers without a change, and the
//! deletion of all companies.

use async_trait::async_trait;
use payroll_domain::event::FiredEvent;
use payroll_domain::id::CompanyId;
use payroll_ports::StoreError;
use payroll_ports::sandbox::SandboxStore;
use payroll_ports::write::AuditContext;

use super::audit_log::AuditLog;
use super::{Conn, Store};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::declared;
use crate::seal::Sealer;
use crate::statement::{binds, command, query};

/// Selects the company $1 if it has the given worker and the given pay period.
const SELECT_MATCHING_COMPANY: &str = "SELECT c.company_id FROM companies c WHERE c.company_id = $1 \
    AND (CAST($2 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM workers w WHERE w.company_id = c.company_id AND w.worker_id = $2)) \
    AND (CAST($3 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM pay_periods p \
        WHERE p.company_id = c.company_id AND p.pay_period_id = $3))";

/// Resets the stored health of all hooks, such as failures. The registration and the settings of hooks do not
/// change.
const RESET_HOOKS: &str = "UPDATE hooks SET active = TRUE, disabled = NULL, failing_since = NULL, failures = 0, \
    warned = FALSE, expired = 0";

/// The marker in the database that permits a server to run as a sandbox on this database.
const SANDBOX_MARK: &str = "sandbox";

/// Resets the number of readable companies, because no companies exist.
const RESET_READABLE_COMPANIES: &str = "UPDATE applications SET readable_companies = 0";

/// The statements that empty the tables that are not declared in the module `rows`.
const DELETE_UNDECLARED_TABLES: &[&str] = &[
    "DELETE FROM access_requests",
    "DELETE FROM archived_checks",
    "DELETE FROM archived_workers",
    "DELETE FROM attempts",
    "DELETE FROM audit",
    "DELETE FROM check_archives",
    "DELETE FROM checks",
    "DELETE FROM companies",
    "DELETE FROM completion_requests",
    "DELETE FROM worker_ids",
    "DELETE FROM paycheck_ids",
    "DELETE FROM contact_types",
    "DELETE FROM custom_field_categories",
    "DELETE FROM custom_fields",
    "DELETE FROM blobs",
    "DELETE FROM deliveries",
    "DELETE FROM documents",
    "DELETE FROM unused_blobs",
    "DELETE FROM events",
    "DELETE FROM grants",
    "DELETE FROM idempotency_keys",
    "DELETE FROM noted_requests",
    "DELETE FROM organizations",
    "DELETE FROM pay_components",
    "DELETE FROM pay_periods",
    "DELETE FROM products",
    "DELETE FROM requests",
    "DELETE FROM request_details",
    "DELETE FROM due_statuses",
    "DELETE FROM workers",
];

#[async_trait]
impl SandboxStore for Store {
    async fn trigger_events(
        &self,
        company_id: &CompanyId,
        event: &FiredEvent,
        audit: &AuditContext,
    ) -> Result<Option<String>, StoreError> {
        let sealer = &self.sealer;
        Ok(run_on_connection!(self.write, |conn, company_id, event, audit, sealer| store_triggered_event(
            conn,
            &company_id,
            &event,
            (&audit, &sealer)
        ))?)
    }

    async fn is_sandbox(&self) -> Result<bool, StoreError> {
        const SELECT_MARK: &str = "SELECT mark FROM database_marks WHERE mark = $1";
        let found = run_on_connection!(self.query_once, |conn| conn
            .query_row::<(String,)>(query!(SELECT_MARK, binds![SANDBOX_MARK])));
        Ok(found?.is_some())
    }

    async fn mark_as_sandbox(&self) -> Result<(), StoreError> {
        const INSERT_MARK: &str =
            "INSERT INTO database_marks (mark) VALUES ($1) ON CONFLICT (mark) DO NOTHING";
        run_on_connection!(self.write, |conn| conn.execute(command!(INSERT_MARK, binds![SANDBOX_MARK])))?;
        Ok(())
    }

    async fn clear_database(&self) -> Result<(), StoreError> {
        let store = self;
        Ok(run_on_connection!(store.write, |conn| clear_tables(conn))?)
    }
}

async fn store_triggered_event(
    conn: &Conn,
    company_id: &CompanyId,
    fired: &FiredEvent,
    (audit, sealer): (&AuditContext, &Sealer),
) -> Outcome<Option<String>> {
    let worker = fired.worker_id.as_ref().map(|id| id.as_str());
    let period = fired.pay_period_id.as_ref().map(|id| id.as_str());
    let there: Vec<(String,)> =
        conn.query_rows(query!(SELECT_MATCHING_COMPANY, binds![company_id.as_str(), worker, period])).await?;
    if there.is_empty() {
        return Ok(None);
    }
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.add_event(company_id.as_str(), None, fired);
    let event_id = audit_log.last_event_id();
    audit_log.store_records(conn).await?;
    Ok(event_id)
}

async fn clear_tables(conn: &Conn) -> Outcome<()> {
    let declared = declared::all_tables().map(|table| table.delete_all_sql);
    for statement in DELETE_UNDECLARED_TABLES.iter().copied().chain(declared) {
        conn.execute(command(statement, [])).await?;
    }
    conn.execute(command!(RESET_HOOKS, binds![])).await?;
    conn.execute(command!(RESET_READABLE_COMPANIES, binds![])).await?;
    Ok(())
}
