//! Changes the state of pay periods: the port, and the single transaction of each change.
//!
//! A change first locks the company's row exclusively. A transaction that adds checks locks the company's row
//! in shared mode before it locks the period's row. The two kinds of transactions therefore cannot deadlock.
//! Of two concurrent transactions, the one that gets the lock later sees the result of the other.

pub(super) mod archive;
pub(super) mod archive_blocks;
pub(super) mod completion;
pub(super) mod completion_requests;
pub(super) mod locked;
pub(super) mod pay_runs;
pub(super) mod totals;
pub(super) mod view;

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::check::Totals;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::document::{self, TaxIdMasking};
use payroll_domain::event;
use payroll_domain::id::{CompanyId, ComponentId, PayPeriodId};
use payroll_domain::pay_period::{IntervalCode, PayPeriod};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::checks::{ChecksQuery, PeriodChecks};
use payroll_ports::filters::{PayRunFilter, PeriodFilter};
use payroll_ports::periods::{
    PayRun, PayRunTotals, PeriodRegister, PeriodStore, PeriodSummary, PeriodView, PositionedCheck,
    StagedCheck, StateChange, StateChangeOutcome,
};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, StoreError, Window};

use self::locked::{NewPeriodState, find_state_change_refusal, read_locked_period};
use self::pay_runs::PayRuns;
use self::totals::PeriodSummaries;
use super::audit_log::{AuditLog, AuditedObject};
use super::checks::{pages, register};
use super::{Conn, Store, idempotency, windows};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::period_totals::PeriodTotalsRow;
use crate::seal::Sealer;
use crate::statement::{binds, command, query};

#[async_trait]
impl PeriodStore for Store {
    async fn period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        components: &[ComponentId],
        now: Timestamp,
    ) -> Result<Option<PeriodView>, StoreError> {
        let query = view::PeriodQuery {
            company_id: company_id.clone(),
            pay_period_id: pay_period_id.clone(),
            components: components.to_vec(),
            now,
        };
        Ok(self
            .db
            .read(move |conn| Box::pin(async move { view::read_period_view(conn, &query).await }))
            .await?)
    }

    async fn period_summary(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Option<Versioned<PeriodSummary>>, StoreError> {
        Ok(run_on_connection!(self.query_by_key, |conn, company_id, pay_period_id| {
            totals::read_period_summary(conn, &company_id, &pay_period_id)
        })?)
    }

    async fn period_summaries(
        &self,
        company_id: &CompanyId,
        filter: &PeriodFilter,
        window: Window,
    ) -> Result<Option<Listing<Versioned<PeriodSummary>>>, StoreError> {
        let summaries = PeriodSummaries { company_id: company_id.clone(), filter: filter.clone() };
        Ok(windows::read_listing(&self.db, summaries, window).await?)
    }

    async fn pay_runs(&self, filter: &PayRunFilter, window: Window) -> Result<Listing<PayRun>, StoreError> {
        let found = windows::read_listing(&self.db, PayRuns { filter: filter.clone() }, window).await?;
        Ok(found.unwrap_or(Listing { total: 0, version: 0, rows: payroll_ports::Rows::All(Vec::new()) }))
    }

    async fn pay_run_totals(&self, filter: &PayRunFilter) -> Result<PayRunTotals, StoreError> {
        Ok(run_on_connection!(self.query_once, |conn, filter| PayRuns { filter }.read_totals(conn))?)
    }

    async fn checks_of_period(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodChecks>, StoreError> {
        let (_, checks) =
            pages::read_checks(&self.db, pages_of_all_checks(company_id, pay_period_id, window)).await?;
        Ok(checks)
    }

    async fn read_register(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        window: Window,
    ) -> Result<Option<PeriodRegister>, StoreError> {
        let checks = pages_of_all_checks(company_id, pay_period_id, window);
        Ok(register::read_register_page(&self.db, register::RegisterPages(checks), window).await?)
    }

    async fn last_paid_period_before(
        &self,
        company_id: &CompanyId,
        interval: IntervalCode,
        check_date: Date,
    ) -> Result<Option<PayPeriodId>, StoreError> {
        Ok(run_on_connection!(self.query_once, |conn, company_id| view::last_paid_period_before(
            conn,
            &company_id,
            interval,
            check_date
        ))?)
    }

    async fn process_period(
        &self,
        state_change: &StateChange,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        self.change_period_state(state_change, audit, NewPeriodState::Processing).await
    }

    async fn reopen_period(
        &self,
        state_change: &StateChange,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        self.change_period_state(state_change, audit, NewPeriodState::Entry).await
    }

    async fn begin_completion(
        &self,
        state_change: &StateChange,
        attempt: &str,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        Ok(run_on_connection!(
            self.write,
            |conn, state_change, attempt, audit| completion::begin_completion(
                conn,
                &state_change,
                &attempt,
                &audit
            )
        )?)
    }

    async fn checks_to_complete(
        &self,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
        after_ordinal: i64,
        limit: u32,
    ) -> Result<Vec<PositionedCheck>, StoreError> {
        let checks = pages_of_all_checks(company_id, pay_period_id, Window::default());
        Ok(run_on_connection!(self.read, |conn| pages::read_checks_after(
            conn,
            checks,
            after_ordinal,
            limit
        ))?)
    }

    async fn stage_checks(
        &self,
        state_change: &StateChange,
        attempt: &str,
        checks: &[StagedCheck],
    ) -> Result<bool, StoreError> {
        let rows = completion::StagedRows::from_checks(state_change, attempt, checks)?;
        Ok(self
            .db
            .write_in_series(move |conn| Box::pin(async move { rows.stage_checks(conn).await }))
            .await?)
    }

    async fn complete_period(
        &self,
        state_change: &StateChange,
        attempt: &str,
        totals: &Totals,
        audit: &AuditContext,
    ) -> Result<StateChangeOutcome, StoreError> {
        self.change_period_state(
            state_change,
            audit,
            NewPeriodState::Completed { attempt: attempt.to_owned(), totals: *totals },
        )
        .await
    }
}

fn pages_of_all_checks(
    company_id: &CompanyId,
    pay_period_id: &PayPeriodId,
    window: Window,
) -> pages::CheckPages {
    let query = ChecksQuery {
        company_id: company_id.clone(),
        pay_period_id: pay_period_id.clone(),
        only_own: false,
        worker_id: None,
        window,
    };
    pages::CheckPages::new(None, query)
}

impl Store {
    async fn change_period_state(
        &self,
        state_change: &StateChange,
        audit: &AuditContext,
        new_state: NewPeriodState,
    ) -> Result<StateChangeOutcome, StoreError> {
        let change = PeriodTransition {
            state_change: state_change.clone(),
            audit: audit.clone(),
            new_state,
            sealer: self.sealer.clone(),
        };
        match self.db.write(move |conn| Box::pin(async move { change.execute(conn).await })).await {
            Err(Failure::RecordLost) => Ok(StateChangeOutcome::RecordLost),
            outcome => Ok(outcome?),
        }
    }
}

/// The context of a change of a pay period's state.
struct PeriodTransition {
    state_change: StateChange,
    audit: AuditContext,
    new_state: NewPeriodState,
    sealer: std::sync::Arc<Sealer>,
}

impl PeriodTransition {
    async fn execute(&self, conn: &Conn) -> Outcome<StateChangeOutcome> {
        let (held, found) = match read_locked_period(conn, &self.state_change).await? {
            Ok(rows) => rows,
            Err(unknown) => return Ok(unknown),
        };
        if let Some(refusal) =
            find_state_change_refusal(&self.state_change, &self.audit, &self.new_state, (&held, &found))?
        {
            return Ok(refusal);
        }
        if let NewPeriodState::Completed { attempt, .. } = &self.new_state
            && !found.is_fully_staged_by(attempt)
        {
            return Ok(StateChangeOutcome::Overtaken);
        }
        let mut audit_log = self.create_audit_log(found.row.decode_value()?)?;
        completion_requests::close_request(
            conn,
            (&self.state_change, &self.audit),
            found.request.as_ref(),
            &mut audit_log,
        )
        .await?;
        let (version, (), (), ()) = try_join!(
            self.update_period(conn),
            self.lock_or_unlock_company(conn),
            idempotency::store_response(conn, self.audit.response_record.as_ref()),
            audit_log.store_records(conn),
        )?;
        Ok(StateChangeOutcome::Done(version))
    }

    async fn update_period(&self, conn: &Conn) -> Outcome<i64> {
        const UPDATE_PERIOD: &str = "UPDATE pay_periods \
            SET status = $1, version = version + 1, completion_attempt = NULL, staged_through = 0, \
                total_gross_earnings = coalesce($2, total_gross_earnings), \
                total_net_pay = coalesce($3, total_net_pay), \
                total_employee_taxes = coalesce($4, total_employee_taxes), \
                total_employer_taxes = coalesce($5, total_employer_taxes), \
                total_deductions = coalesce($6, total_deductions), modified = $7 \
            WHERE company_id = $8 AND pay_period_id = $9 RETURNING version";
        let StateChange { company_id, pay_period_id, .. } = &self.state_change;
        // Only a completion provides new totals. The numbers of checks and workers are already stored in the
        // period's row.
        let totals = match &self.new_state {
            NewPeriodState::Completed { totals, .. } => Some(PeriodTotalsRow::new(totals)?),
            NewPeriodState::Processing | NewPeriodState::Entry => None,
        };
        let sum = |of: fn(&PeriodTotalsRow) -> i64| totals.as_ref().map(of);
        let values = binds![
            self.new_state.status().as_str(),
            sum(|totals| totals.total_gross_earnings),
            sum(|totals| totals.total_net_pay),
            sum(|totals| totals.total_employee_taxes),
            sum(|totals| totals.total_employer_taxes),
            sum(|totals| totals.total_deductions),
            self.audit.now.as_micros(),
            company_id.as_str(),
            pay_period_id.as_str(),
        ];
        let row: Option<(i64,)> = conn.query_row(query!(UPDATE_PERIOD, values)).await?;
        row.map(|(version,)| version).ok_or_else(|| Failure::Bug("a locked period is gone".to_owned()))
    }

    /// Stores or removes, in the company's row, the id of the period in processing that locks the company.
    async fn lock_or_unlock_company(&self, conn: &Conn) -> Outcome<()> {
        const UPDATE_COMPANY: &str = "UPDATE companies SET processing_pay_period_id = $1, version = version + 1 \
            WHERE company_id = $2";
        let holds = matches!(self.new_state, NewPeriodState::Processing);
        let processing = holds.then(|| self.state_change.pay_period_id.as_str());
        conn.execute(command!(UPDATE_COMPANY, binds![processing, self.state_change.company_id.as_str()]))
            .await?;
        Ok(())
    }

    fn create_audit_log(&self, before: PayPeriod) -> Outcome<AuditLog<'_>> {
        let after = PayPeriod { status: self.new_state.status(), ..before.clone() };
        let [before, after] = [before, after].map(|period| Resource::PayPeriod(Box::new(period)));
        let mut audit_log = AuditLog::new(&self.audit, &self.sealer);
        let company_id = self.state_change.company_id.as_str();
        let about = AuditedObject {
            company_id: Some(company_id),
            kind: ResourceKind::PayPeriod.into(),
            id: self.state_change.pay_period_id.as_str(),
        };
        let document = |period| Some(document::write_resource(period, TaxIdMasking::Masked));
        audit_log.record_change(about, document(&before), document(&after));
        for fired in event::find_events_of_change(Some(&before), Some(&after)) {
            audit_log.add_event(company_id, None, &fired);
        }
        Ok(audit_log)
    }
}
