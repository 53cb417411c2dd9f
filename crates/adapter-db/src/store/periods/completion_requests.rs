//! Requests to complete pay periods: the port, and the update of a request when the state of its period
//! changes.
//!
//! Each transaction first locks the company's row exclusively, as a change of a period's state does.

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_domain::audit::AuditedKind;
use payroll_domain::check::Totals;
use payroll_domain::document;
use payroll_domain::id::{CompanyId, PayPeriodId};
use payroll_ports::completion_requests::{
    Approval, CompletionRequest, CompletionRequestOutcome, CompletionRequestStore, NewCompletionRequest,
    StoredCompletionRequest,
};
use payroll_ports::periods::{StateChange, StateChangeOutcome};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, StoreError, Window};

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::lists::to_unsigned_count;
use super::super::windows;
use super::super::windows::{LimitAndOffset, ListSize, OffsetCollection};
use super::super::{Conn, Store, dialect, filters, idempotency};
use super::locked::{NewPeriodState, find_state_change_refusal, read_locked_period};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::completion_requests::CompletionRequestRow;
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql, window};
use crate::table::{OnConflict, TableDefinition};

/// The condition that a request is pending: it is not approved, and it was sent for the current version of
/// its period.
const IS_PENDING: &str = " approved IS NULL AND EXISTS (SELECT 1 FROM pay_periods p \
        WHERE p.company_id = completion_requests.company_id \
            AND p.pay_period_id = completion_requests.pay_period_id \
            AND p.status = 'PROCESSING' AND p.version = completion_requests.period_version)";

#[async_trait]
impl CompletionRequestStore for Store {
    async fn completion_request(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<StoredCompletionRequest>, StoreError> {
        let row = run_on_connection!(self.query_once, |conn, company_id, pay_period_id| read_request_row(
            conn,
            &company_id,
            &pay_period_id
        ));
        Ok(row?.map(CompletionRequestRow::into_stored).transpose()?)
    }

    async fn completion_requests(
        &self,
        visible_companies: Option<&[CompanyId]>,
        window: Window,
    ) -> Result<Listing<Versioned<CompletionRequest>>, StoreError> {
        let waiting = PendingRequests { visible_companies: visible_companies.map(<[_]>::to_vec) };
        let listing = windows::read_listing(&self.db, waiting, window).await?;
        Ok(listing.ok_or_else(|| Failure::Bug("there is always a list of requests".to_owned()))?)
    }

    async fn request_completion(
        &self,
        new: &NewCompletionRequest,
        audit: &AuditContext,
    ) -> Result<CompletionRequestOutcome, StoreError> {
        let sealer = &self.sealer;
        to_port_result(run_on_connection!(self.write, |conn, new, audit, sealer| store_request(
            conn,
            &new,
            (&audit, &sealer)
        )))
    }

    async fn withdraw_completion_request(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> Result<CompletionRequestOutcome, StoreError> {
        let (sealer, company_id, pay_period_id) = (&self.sealer, company_id.clone(), pay_period_id.clone());
        let moved =
            StateChange { company_id, pay_period_id, version: None, expected_period: None, request: version };
        to_port_result(run_on_connection!(self.write, |conn, moved, audit, sealer| withdraw_request(
            conn,
            &moved,
            (&audit, &sealer)
        )))
    }
}

/// Converts the failure for a lost idempotency record to a refusal, which the caller can handle.
fn to_port_result(
    written: Outcome<CompletionRequestOutcome>,
) -> Result<CompletionRequestOutcome, StoreError> {
    match written {
        Err(Failure::RecordLost) => Ok(CompletionRequestOutcome::Refused(StateChangeOutcome::RecordLost)),
        outcome => Ok(outcome?),
    }
}

/// Reads the request for a period, whether it is pending or not.
async fn read_request_row(
    conn: &Conn,
    company_id: &CompanyId,
    pay_period_id: &PayPeriodId,
) -> Outcome<Option<CompletionRequestRow>> {
    const SELECT_REQUEST: &str = sql![
        "SELECT ",
        CompletionRequestRow::COLUMNS,
        " FROM completion_requests WHERE company_id = $1 AND pay_period_id = $2"
    ];
    conn.query_row(query!(SELECT_REQUEST, binds![company_id.as_str(), pay_period_id.as_str()])).await
}

async fn store_request(
    conn: &Conn,
    new: &NewCompletionRequest,
    (audit, sealer): (&AuditContext, &Sealer),
) -> Outcome<CompletionRequestOutcome> {
    let moved = &new.state_change;
    let (held, found) = match read_locked_period(conn, moved).await? {
        Ok(rows) => rows,
        Err(unknown) => return Ok(CompletionRequestOutcome::Refused(unknown)),
    };
    // A completion request is rejected for the same reasons as a completion.
    let to = NewPeriodState::Completed { attempt: String::new(), totals: Totals::default() };
    if let Some(refused) = find_state_change_refusal(moved, audit, &to, (&held, &found))? {
        return Ok(CompletionRequestOutcome::Refused(refused));
    }
    let before = found.request.as_ref();
    if before.is_some_and(|request| request.is_pending_for_version(found.version())) {
        return Ok(CompletionRequestOutcome::AlreadyPending);
    }
    let mut audit_log = AuditLog::new(audit, sealer);
    if let Some(before) = before {
        audit_request(&mut audit_log, &before.to_request()?, None);
        delete_request_of_period(conn, moved).await?;
    }
    let row = CompletionRequestRow::new(new, found.version(), audit)?;
    let request = row.to_request()?;
    audit_log.record_change(
        audited_request(&request),
        None,
        Some(document::write_completion_request(&request)),
    );
    try_join!(
        dialect::bulk_insert(conn, OnConflict::Fail, std::slice::from_ref(&row)),
        idempotency::store_response(conn, audit.response_record.as_ref()),
        audit_log.store_records(conn),
    )?;
    Ok(CompletionRequestOutcome::Done)
}

async fn withdraw_request(
    conn: &Conn,
    moved: &StateChange,
    (audit, sealer): (&AuditContext, &Sealer),
) -> Outcome<CompletionRequestOutcome> {
    let (_, found) = match read_locked_period(conn, moved).await? {
        Ok(rows) => rows,
        Err(unknown) => return Ok(CompletionRequestOutcome::Refused(unknown)),
    };
    let Some(row) = found.request.filter(|row| row.approved.is_none()) else {
        return Ok(CompletionRequestOutcome::NotRequested);
    };
    if moved.request.is_some_and(|version| version != row.version) {
        return Ok(CompletionRequestOutcome::Refused(StateChangeOutcome::Stale));
    }
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_request(&mut audit_log, &row.to_request()?, None);
    try_join!(
        delete_request_of_period(conn, moved),
        idempotency::store_response(conn, audit.response_record.as_ref()),
        audit_log.store_records(conn)
    )?;
    Ok(CompletionRequestOutcome::Done)
}

/// Updates the request of a period whose state changes. If the change approves the request, the approval is
/// stored. Otherwise the request is deleted.
pub(in super::super) async fn close_request(
    conn: &Conn,
    (moved, audit): (&StateChange, &AuditContext),
    row: Option<&CompletionRequestRow>,
    audit_log: &mut AuditLog<'_>,
) -> Outcome<()> {
    const APPROVE_REQUEST: &str = "UPDATE completion_requests SET version = version + 1, document = '', approved = $1, \
            approved_by_kind = $2, approved_by_name = $3 \
        WHERE company_id = $4 AND pay_period_id = $5";
    let Some(row) = row else { return Ok(()) };
    let before = row.to_request()?;
    if moved.request.is_none() {
        audit_request(audit_log, &before, None);
        return delete_request_of_period(conn, moved).await;
    }
    let approval = Approval { approved_by: audit.actor.clone(), approved_at: audit.now };
    let after = CompletionRequest { approval: Some(approval), ..before.clone() };
    audit_request(audit_log, &before, Some(&after));
    let values = binds![
        audit.now.as_micros(),
        audit.actor.kind.as_str(),
        audit.actor.name.as_str(),
        moved.company_id.as_str(),
        moved.pay_period_id.as_str(),
    ];
    conn.execute(command!(APPROVE_REQUEST, values)).await?;
    Ok(())
}

async fn delete_request_of_period(conn: &Conn, moved: &StateChange) -> Outcome<()> {
    const DELETE_REQUEST: &str =
        "DELETE FROM completion_requests WHERE company_id = $1 AND pay_period_id = $2";
    let values = binds![moved.company_id.as_str(), moved.pay_period_id.as_str()];
    conn.execute(command!(DELETE_REQUEST, values)).await?;
    Ok(())
}

fn audited_request(request: &CompletionRequest) -> AuditedObject<'_> {
    AuditedObject {
        company_id: Some(request.company_id.as_str()),
        kind: AuditedKind::CompletionRequest,
        id: request.pay_period_id.as_str(),
    }
}

/// Records in the audit log that a request was changed or deleted.
fn audit_request(
    audit_log: &mut AuditLog<'_>,
    before: &CompletionRequest,
    after: Option<&CompletionRequest>,
) {
    let written = document::write_completion_request(before);
    audit_log.record_change(
        audited_request(before),
        Some(written),
        after.map(document::write_completion_request),
    );
}

/// The list of pending completion requests.
#[derive(Clone)]
struct PendingRequests {
    visible_companies: Option<Vec<CompanyId>>,
}

impl OffsetCollection for PendingRequests {
    type Item = Versioned<CompletionRequest>;

    fn read_size<'c>(&'c self, conn: &'c Conn) -> BoxFuture<'c, Outcome<Option<ListSize>>> {
        // The sum uses remainders of the versions, so that it fits into 64 bits. Each added or removed
        // request changes the sum.
        const SELECT_SIZE: &str = sql![
            "SELECT count(*), CAST(coalesce(sum(version % 2147483648), 0) AS BIGINT) \
                FROM completion_requests WHERE",
            IS_PENDING,
            filters::is_selected_company!("company_id", "$1", "$2")
        ];
        Box::pin(async move {
            let row: Option<(i64, i64)> = conn
                .query_row(query!(SELECT_SIZE, filters::company_id_binds(self.visible_companies.as_deref())))
                .await?;
            let size = |(total, version): (i64, i64)| {
                Ok(ListSize { total: to_unsigned_count(total)?, version: Some(version) })
            };
            row.map(size).transpose()
        })
    }

    fn read_page<'c>(
        &'c self,
        conn: &'c Conn,
        page: LimitAndOffset,
    ) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const SELECT_PAGE: &str = sql![
            "SELECT ",
            CompletionRequestRow::COLUMNS,
            " FROM completion_requests WHERE",
            IS_PENDING,
            filters::is_selected_company!("company_id", "$1", "$2"),
            " ORDER BY requested, company_id, pay_period_id",
            window!("$3", "$4")
        ];
        Box::pin(async move {
            let [flag, list] = filters::company_id_binds(self.visible_companies.as_deref());
            let values = [flag, list].into_iter().chain(binds![page.limit, page.offset]);
            let rows: Vec<CompletionRequestRow> = conn.query_rows(query!(SELECT_PAGE, values)).await?;
            let versioned =
                |row: CompletionRequestRow| Ok(Versioned { value: row.to_request()?, version: row.version });
            rows.into_iter().map(versioned).collect()
        })
    }
}
