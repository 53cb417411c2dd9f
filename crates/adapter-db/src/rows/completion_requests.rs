//! Rows of requests to complete pay periods.

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::check::Totals;
use payroll_domain::date::Timestamp;
use payroll_ports::completion_requests::{
    Approval, CompletionRequest, NewCompletionRequest, StoredCompletionRequest,
};
use payroll_ports::write::AuditContext;

use crate::error::Outcome;
use crate::rows::{RowLocation, ten_thousandths};
use crate::table::table;

table! {
    /// A request to complete a pay period.
    struct CompletionRequestRow in "completion_requests" key "company_id, pay_period_id" {
        company_id: text,
        pay_period_id: text,
        version: int,
        period_version: int,
        requested: int,
        requested_by_kind: text,
        requested_by_name: text,
        approved: int_or_null,
        approved_by_kind: text_or_null,
        approved_by_name: text_or_null,
        document: text,
        checks: int,
        workers: int,
        gross_earnings: int,
        net_pay: int,
        employee_taxes: int,
        employer_taxes: int,
        deductions: int,
    }
}

impl CompletionRequestRow {
    /// Creates the row of a new request to complete a period that has this version.
    pub(crate) fn new(
        new: &NewCompletionRequest,
        period_version: i64,
        audit: &AuditContext,
    ) -> Outcome<Self> {
        let totals = &new.totals;
        Ok(Self {
            company_id: new.period_move.company_id.to_string(),
            pay_period_id: new.period_move.pay_period_id.to_string(),
            version: audit.now.as_micros(),
            period_version,
            requested: audit.now.as_micros(),
            requested_by_kind: audit.actor.kind.as_str().to_owned(),
            requested_by_name: audit.actor.name.clone(),
            approved: None,
            approved_by_kind: None,
            approved_by_name: None,
            document: new.document.clone(),
            checks: i64::try_from(totals.checks).unwrap_or(i64::MAX),
            workers: i64::try_from(totals.workers).unwrap_or(i64::MAX),
            gross_earnings: ten_thousandths(totals.gross_earnings.to_ten_thousandths())?,
            net_pay: ten_thousandths(totals.net_pay.to_ten_thousandths())?,
            employee_taxes: ten_thousandths(totals.employee_taxes.to_ten_thousandths())?,
            employer_taxes: ten_thousandths(totals.employer_taxes.to_ten_thousandths())?,
            deductions: ten_thousandths(totals.deductions.to_ten_thousandths())?,
        })
    }

    /// Returns whether the request is pending and the period still has the version that it was made for.
    pub(crate) const fn waits_for(&self, period_version: i64) -> bool {
        self.approved.is_none() && self.period_version == period_version
    }

    /// Returns whether the request is pending and has this version itself.
    pub(crate) fn is_pending_with_version(&self, version: i64) -> bool {
        self.approved.is_none() && self.version == version
    }

    /// Converts the row to the request with its version and document.
    pub(crate) fn into_stored(self) -> Outcome<StoredCompletionRequest> {
        let request = self.request()?;
        Ok(StoredCompletionRequest { request, version: self.version, document: self.document })
    }

    /// Returns the request in this row.
    pub(crate) fn request(&self) -> Outcome<CompletionRequest> {
        let at = RowLocation { table: "completion_requests", key: &self.pay_period_id };
        Ok(CompletionRequest {
            company_id: at.id(&self.company_id)?,
            pay_period_id: at.id(&self.pay_period_id)?,
            period_version: self.period_version,
            totals: self.totals(at)?,
            requested_by: Actor {
                kind: at.parsed_text(&self.requested_by_kind, ActorKind::parse)?,
                name: self.requested_by_name.clone(),
            },
            requested_at: Timestamp::from_micros(self.requested),
            approval: self.approval(at)?,
        })
    }

    fn totals(&self, at: RowLocation<'_>) -> Outcome<Totals> {
        let (gross_earnings, employer_taxes) =
            (at.amount(self.gross_earnings)?, at.amount(self.employer_taxes)?);
        let employer_cost = gross_earnings.checked_add(employer_taxes);
        Ok(Totals {
            checks: at.parsed_number(self.checks)?,
            workers: at.parsed_number(self.workers)?,
            gross_earnings,
            net_pay: at.amount(self.net_pay)?,
            employee_taxes: at.amount(self.employee_taxes)?,
            employer_taxes,
            deductions: at.amount(self.deductions)?,
            employer_cost: employer_cost
                .ok_or_else(|| at.corruption_failure("the totals are beyond any amount"))?,
        })
    }

    fn approval(&self, at: RowLocation<'_>) -> Outcome<Option<Approval>> {
        let Some(approved) = self.approved else { return Ok(None) };
        let kind = at.parse_optional_text(self.approved_by_kind.as_deref(), ActorKind::parse)?;
        match (kind, self.approved_by_name.clone()) {
            (Some(kind), Some(name)) => Ok(Some(Approval {
                approved_by: Actor { kind, name },
                approved_at: Timestamp::from_micros(approved),
            })),
            _ => Err(at.corruption_failure("an approval without the operator who approved")),
        }
    }
}
