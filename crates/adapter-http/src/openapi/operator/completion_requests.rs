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
    .with_description("Returns the pending completion requests of all companies, the oldest first.")
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
        "Returns the pending completion request or, for a completed pay period, the approved completion \
         request.",
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
        "Accepts the same request body as the completion itself, and validates it in the same way. If \
            the same operator sends the same body again, the response is the pending completion request.",
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
        "You can also withdraw a completion request that another operator has sent. The pay period stays \
         in the state PROCESSING.",
    )
    .with_parameters([parameter_reference("If-Match")])
    .with_success(success(204, "The completion request was withdrawn.", &[], BodySchema::Nothing))
    .with_reasons(&[Reason::PreconditionFailed, Reason::Conflict])
}

fn approve_operation() -> OperationDescription {
    let dry_run = query_parameter(
        "dryrun",
        "Return the result of the approval, and store nothing.",
        boolean_schema("`true` for a preview."),
    );
    let completed = success(
        200,
        "The completed pay period with its totals, or a preview of them.",
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
        "Completes the pay period with the body of the completion request. The response is 403 API-2 for \
        the operator who sent the completion request. The response is 409 API-409 if the totals of the \
        checks have changed since that request. Send the version of the completion request in `If-Match`.",
    )
    .with_parameters([dry_run, parameter_reference("If-Match")])
    .with_ignored_body()
    .with_success(completed)
    .with_reasons(&[Reason::PreconditionFailed, Reason::CompanyLocked])
    .with_reasons(DOCUMENT_REASONS)
}
