//! Requests to complete a pay period, as operators see them (specification §11.27).

use crate::audit::Actor;
use crate::check::Totals;
use crate::completion_request::CompletionRequest;
use crate::object::writer::{ObjectWriter, TaxIds};

/// Writes a request as operators see it, without the supplied data of the checks.
#[must_use]
pub fn completion_request(request: &CompletionRequest) -> String {
    // The document contains no tax ID.
    ObjectWriter::document(TaxIds::Masked, |object| {
        object.text("companyId", &request.company_id);
        object.text("payPeriodId", &request.pay_period_id);
        object.text("payPeriodETag", format_args!("\"{}\"", request.period_version));
        object.object("requestedBy", Some(&request.requested_by), actor);
        object.text("requestedDate", request.requested_at);
        if let Some(approval) = &request.approval {
            object.object("approvedBy", Some(&approval.approved_by), actor);
            object.text("approvedDate", approval.approved_at);
        }
        object.object("totals", Some(&request.totals), totals);
    })
}

fn actor(actor: &Actor, object: &mut ObjectWriter<'_>) {
    object.text("kind", actor.kind);
    object.text("name", &actor.name);
}

fn totals(totals: &Totals, object: &mut ObjectWriter<'_>) {
    object.unquoted("checks", Some(totals.checks));
    object.unquoted("workers", Some(totals.workers));
    object.text("grossEarnings", totals.gross_earnings);
    object.text("netPay", totals.net_pay);
    object.text("employeeTaxes", totals.employee_taxes);
    object.text("employerTaxes", totals.employer_taxes);
    object.text("deductions", totals.deductions);
    object.text("employerCost", totals.employer_cost);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::ActorKind;
    use crate::completion_request::Approval;
    use crate::date::Timestamp;

    #[test]
    fn writes_a_request_with_its_totals_and_operators() {
        let by = |name: &str| Actor { kind: ActorKind::Operator, name: name.to_owned() };
        let requested = Timestamp::from_micros(1_785_199_045_000_000);
        let mut request = CompletionRequest {
            company_id: "EXAMPLE-1".parse().unwrap(),
            pay_period_id: "2027-01".parse().unwrap(),
            period_version: 7,
            totals: Totals { checks: 2, workers: 1, ..Totals::default() },
            requested_by: by("ann"),
            requested_at: requested,
            approval: None,
        };
        let waiting = completion_request(&request);
        let head = r#"{"companyId":"EXAMPLE-1","payPeriodId":"2027-01","payPeriodETag":"\"7\"","requestedBy":{"kind":"operator","name":"ann"},"requestedDate":""#;
        assert!(waiting.starts_with(head), "{waiting}");
        assert!(waiting.contains(r#""totals":{"checks":2,"workers":1,"grossEarnings":"0.00","#), "{waiting}");
        assert!(!waiting.contains("approved"), "{waiting}");
        request.approval = Some(Approval { approved_by: by("ben"), approved_at: requested });
        let approved = completion_request(&request);
        assert!(approved.contains(r#""approvedBy":{"kind":"operator","name":"ben"},"approvedDate":""#));
    }
}
