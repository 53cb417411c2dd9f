//! Bank accounts that await an operator's approval (specification §6.28).

use payroll_domain::code::Reason;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::parameter_reference;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> [OperationDescription; 3] {
    let list = OperationDescription::new(
        "GET",
        "/operator/v1/depositrequests",
        "listDepositRequests",
        "List the bank accounts that need an approval",
    )
    .with_description(
        "Returns the direct deposits of all companies that partners have added or changed \
        and that need an approval. The oldest come first, and account numbers are masked.",
    )
    .with_paging()
    .with_success(success(
        200,
        "A page of the list.",
        &[JSON],
        BodySchema::Collection("PendingDirectDeposit"),
    ));
    [
        list,
        deposit_decision_operation("approve", "approveDirectDeposit", "Approve the bank account of a worker")
            .with_description(
                "The approval makes a new direct deposit ACTIVE, or lets a pending change take effect. \
                The response is 409 API-409 if nothing is pending, or if the direct deposits of the \
                worker would exceed their limits.",
            ),
        deposit_decision_operation("refuse", "refuseDirectDeposit", "Reject the bank account of a worker")
            .with_description(
                "The rejection makes a new direct deposit REFUSED, or removes a pending change. The \
                response is 409 API-409 if nothing is pending.",
            ),
    ]
}

fn deposit_decision_operation(verb: &str, id: &'static str, summary: &'static str) -> OperationDescription {
    let path = match verb {
        "approve" => {
            "/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}/approve"
        }
        _ => "/operator/v1/companies/{companyId}/workers/{workerId}/directdeposits/{directDepositId}/refuse",
    };
    let decided = success(200, "The direct deposit.", &[JSON], BodySchema::Resource("DirectDeposit"));
    OperationDescription::new("POST", path, id, summary)
        .with_parameters([parameter_reference("If-Match")])
        .with_success(decided.with_header("ETag"))
        .with_reasons(&[Reason::Conflict, Reason::PreconditionFailed, Reason::CompanyLocked])
}
