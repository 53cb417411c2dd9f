//! Requests to complete a pay period, as operators see them (specification §11.27).

use crate::audit::Actor;
use crate::check::Totals;
use crate::completion_request::CompletionRequest;
use crate::object::writer::{ObjectWriter, TaxIdMasking};

/// Writes a request as operators see it, without the supplied data of the checks.
#[must_use]
pub fn write_completion_request(request: &CompletionRequest) -> String {
    // `TaxIdMasking::Masked` has no effect here, because the document contains no tax ID.
    ObjectWriter::write_document(TaxIdMasking::Masked, |object| {
        object.write_text("companyId", &request.company_id);
        object.write_text("payPeriodId", &request.pay_period_id);
        object.write_text("payPeriodETag", format_args!("\"{}\"", request.period_version));
        object.write_object_member("requestedBy", Some(&request.requested_by), write_actor);
        object.write_text("requestedDate", request.requested_at);
        if let Some(approval) = &request.approval {
            object.write_object_member("approvedBy", Some(&approval.approved_by), write_actor);
            object.write_text("approvedDate", approval.approved_at);
        }
        object.write_object_member("totals", Some(&request.totals), write_totals);
    })
}

fn write_actor(actor: &Actor, object: &mut ObjectWriter<'_>) {
    object.write_text("kind", actor.kind);
    object.write_text("name", &actor.name);
}

fn write_totals(totals: &Totals, object: &mut ObjectWriter<'_>) {
    object.write_unquoted("checks", Some(totals.checks));
    object.write_unquoted("workers", Some(totals.workers));
    object.write_text("grossEarnings", totals.gross_earnings);
    object.write_text("netPay", totals.net_pay);
    object.write_text("employeeTaxes", totals.employee_taxes);
    object.write_text("employerTaxes", totals.employer_taxes);
    object.write_text("deductions", totals.deductions);
    object.write_text("employerCost", totals.employer_cost);
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
        let waiting = write_completion_request(&request);
        let head = r#"{"companyId":"EXAMPLE-1","payPeriodId":"2027-01","payPeriodETag":"\"7\"","requestedBy":{"kind":"operator","name":"ann"},"requestedDate":""#;
        assert!(waiting.starts_with(head), "{waiting}");
        assert!(waiting.contains(r#""totals":{"checks":2,"workers":1,"grossEarnings":"0.00","#), "{waiting}");
        assert!(!waiting.contains("approved"), "{waiting}");
        request.approval = Some(Approval { approved_by: by("ben"), approved_at: requested });
        let approved = write_completion_request(&request);
        assert!(approved.contains(r#""approvedBy":{"kind":"operator","name":"ben"},"approvedDate":""#));
    }
}
