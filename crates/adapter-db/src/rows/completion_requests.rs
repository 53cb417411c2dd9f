//! Rows of requests to complete pay periods.

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::check::Totals;
use payroll_domain::date::Timestamp;
use payroll_ports::completion_requests::{
    Approval, CompletionRequest, NewCompletionRequest, StoredCompletionRequest,
};
use payroll_ports::write::AuditContext;

use crate::error::Outcome;
use crate::rows::{RowLocation, require_ten_thousandths};
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
    /// Creates the row of a new request to complete a period. The row contains the current version of the
    /// period.
    pub(crate) fn new(
        new: &NewCompletionRequest,
        period_version: i64,
        audit: &AuditContext,
    ) -> Outcome<Self> {
        let totals = &new.totals;
        Ok(Self {
            company_id: new.state_change.company_id.to_string(),
            pay_period_id: new.state_change.pay_period_id.to_string(),
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
            gross_earnings: require_ten_thousandths(totals.gross_earnings.to_ten_thousandths())?,
            net_pay: require_ten_thousandths(totals.net_pay.to_ten_thousandths())?,
            employee_taxes: require_ten_thousandths(totals.employee_taxes.to_ten_thousandths())?,
            employer_taxes: require_ten_thousandths(totals.employer_taxes.to_ten_thousandths())?,
            deductions: require_ten_thousandths(totals.deductions.to_ten_thousandths())?,
        })
    }

    /// Returns whether the request is pending and was sent for this version of the period.
    pub(crate) const fn is_pending_for_version(&self, period_version: i64) -> bool {
        self.approved.is_none() && self.period_version == period_version
    }

    /// Returns whether the completion request is pending and has this version. This is the version of the
    /// request and not of the period.
    pub(crate) fn is_pending_with_version(&self, version: i64) -> bool {
        self.approved.is_none() && self.version == version
    }

    /// Converts the row to a stored request, with the version and the document of the request.
    pub(crate) fn into_stored(self) -> Outcome<StoredCompletionRequest> {
        let request = self.to_request()?;
        Ok(StoredCompletionRequest { request, version: self.version, document: self.document })
    }

    /// Returns the completion request in this row.
    pub(crate) fn to_request(&self) -> Outcome<CompletionRequest> {
        let at = RowLocation { table: "completion_requests", key: &self.pay_period_id };
        Ok(CompletionRequest {
            company_id: at.parse_id(&self.company_id)?,
            pay_period_id: at.parse_id(&self.pay_period_id)?,
            period_version: self.period_version,
            totals: self.read_totals(at)?,
            requested_by: Actor {
                kind: at.parse_text(&self.requested_by_kind, ActorKind::parse)?,
                name: self.requested_by_name.clone(),
            },
            requested_at: Timestamp::from_micros(self.requested),
            approval: self.read_approval(at)?,
        })
    }

    fn read_totals(&self, at: RowLocation<'_>) -> Outcome<Totals> {
        let (gross_earnings, employer_taxes) =
            (at.read_amount(self.gross_earnings)?, at.read_amount(self.employer_taxes)?);
        let employer_cost = gross_earnings.checked_add(employer_taxes);
        Ok(Totals {
            checks: at.read_number(self.checks)?,
            workers: at.read_number(self.workers)?,
            gross_earnings,
            net_pay: at.read_amount(self.net_pay)?,
            employee_taxes: at.read_amount(self.employee_taxes)?,
            employer_taxes,
            deductions: at.read_amount(self.deductions)?,
            employer_cost: employer_cost
                .ok_or_else(|| at.corruption_failure("the totals are beyond any amount"))?,
        })
    }

    fn read_approval(&self, at: RowLocation<'_>) -> Outcome<Option<Approval>> {
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
