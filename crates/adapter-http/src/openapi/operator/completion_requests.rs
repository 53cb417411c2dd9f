//! Completing a pay period with two operators (specification §10.22).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::{parameter_reference, query_parameter};
use super::super::schema::{boolean_schema, schema_reference};
use super::objects::DOCUMENT_REASONS;
use crate::shared::media_type::JSON;

const REQUEST_PATH: &str = "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest";

pub(super) fn operations() -> [OperationDescription; 5] {
    [list_operation(), read_operation(), create_operation(), withdraw_operation(), approve_operation()]
}

fn list_operation() -> OperationDescription {
    OperationDescription::new(
        "GET",
        "/operator/v1/completionrequests",
        "listCompletionRequests",
        "List the requests to complete pay periods",
    )
    .with_description("The pending requests of all companies, the oldest first.")
    .with_paging()
    .with_success(success(
        200,
        "A page of the list.",
        &[JSON],
        BodySchema::Collection("CompletionRequest"),
    ))
}

fn read_operation() -> OperationDescription {
    OperationDescription::new(
        "GET",
        REQUEST_PATH,
        "getCompletionRequest",
        "Read the request to complete a pay period",
    )
    .with_description(
        "The pending completion request. For a completed period, the approved completion request.",
    )
    .with_success(success(
        200,
        "The completion request.",
        &[JSON],
        BodySchema::Resource("CompletionRequest"),
    ))
}

fn create_operation() -> OperationDescription {
    let shown = |status, words| success(status, words, &[JSON], BodySchema::Resource("CompletionRequest"));
    OperationDescription::new(
        "POST",
        REQUEST_PATH,
        "requestCompletion",
        "Request the completion of a pay period",
    )
    .with_description(
        "Accepts the document of a completion, with the same validation. If the same \
            operator sends the same document again, the response is the pending completion request.",
    )
    .with_parameters([parameter_reference("If-Match")])
    .with_optional_body(&[JSON], &schema_reference("Completion"), &json!({"allowEmpty": true}))
    .with_success(shown(201, "The new completion request.").with_new_resource_headers())
    .with_success(shown(200, "The completion request that is already pending.").with_header("NewETag"))
    .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked])
    .with_reasons(DOCUMENT_REASONS)
    .with_reason_at_status(400, Reason::Conflict)
}

fn withdraw_operation() -> OperationDescription {
    OperationDescription::new(
        "DELETE",
        REQUEST_PATH,
        "withdrawCompletionRequest",
        "Withdraw the request to complete a pay period",
    )
    .with_description(
        "You can also withdraw the completion request of another operator. The pay period stays in PROCESSING.",
    )
    .with_parameters([parameter_reference("If-Match")])
    .with_success(success(204, "The completion request was withdrawn.", &[], BodySchema::Nothing))
    .with_reasons(&[Reason::PreconditionFailed, Reason::Conflict])
}

fn approve_operation() -> OperationDescription {
    let dry_run = query_parameter(
        "dryrun",
        "Return the result of the approval without approving.",
        boolean_schema("`true` for a preview."),
    );
    let completed = success(
        200,
        "The pay period with its totals, or with the totals that a preview has calculated.",
        &[JSON],
        BodySchema::Resource("CompletedPayPeriod"),
    );
    OperationDescription::new(
        "POST",
        "/operator/v1/companies/{companyId}/payperiods/{payPeriodId}/completionrequest/approve",
        "approveCompletionRequest",
        "Approve a completion request, which completes the pay period",
    )
    .with_description(
        "Completes the pay period with the document of the completion request. The response \
        is 403 API-2 for the operator who made the completion request, and 409 API-409 if the totals of the \
        checks have changed since then. Send the version of the completion request in `If-Match`.",
    )
    .with_parameters([dry_run, parameter_reference("If-Match")])
    .with_ignored_body()
    .with_success(completed)
    .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked])
    .with_reasons(DOCUMENT_REASONS)
}
