//! Management: the event feed (specification §9.4), the application's own requests (§9.10), and requests for
//! access to a company (§5.8).

use payroll_domain::code::Reason;
use serde_json::{Value, json};

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::parameters::query_parameter;
use super::super::schema::{cursor_schema, id_schema, request_instant_schema, schema_reference};
use super::super::schemas::access;
use crate::shared::feed;
use crate::shared::media_type::JSON;
use crate::shared::requests;

pub(super) fn operations() -> Vec<OperationDescription> {
    vec![
        OperationDescription::new("GET", "/management/events", "listEvents", "List events in order")
            .with_description(
                "Returns every event that the application can see, without gaps or duplicates. Follow \
                the link `next`, and store it to continue later. The operation requires no scope. The \
                events depend on the current permissions of the application.",
            )
            .with_parameters(feed_parameters())
            .with_success(success(
                200,
                "The events, the oldest first.",
                &[JSON],
                BodySchema::Collection("Event"),
            ))
            .with_reasons(&[Reason::CompanyEndDated, Reason::UnknownResource, Reason::CursorTooOld]),
        request_access_operation(),
        OperationDescription::new(
            "GET",
            "/management/requests",
            "listRequests",
            "List recent requests of the application",
        )
        .with_description(
            "Returns the requests of this application, the newest first. A request appears one or two \
                seconds after its response. If there are many requests in a second, only some are \
                stored, and `skipped` counts the others. The operation requires no scope.",
        )
        .with_parameters(log_parameters())
        .with_success(success(
            200,
            "The requests of the application, the newest first.",
            &[JSON],
            BodySchema::Collection("AnsweredRequest"),
        ))
        .without_reasons(&[Reason::NotAuthorized]),
        OperationDescription::new(
            "GET",
            "/management/requests/{requestId}",
            "getRequestDetails",
            "Read the errors of a request",
        )
        .with_description(
            "Returns the query, the errors and the first 8 KiB of the body of a rejected or failed \
                request of this application. These details appear one or two seconds after the response. Tax \
                identities, account numbers, birth dates, uploaded files and secrets are masked. Without \
                access to the company of the request, the query and the body are omitted. The operation \
                requires no scope. The response is 404 if the request succeeded or its details were deleted.",
        )
        .with_success(success(
            200,
            "The details of the request.",
            &[JSON],
            BodySchema::Resource("RequestDetails"),
        ))
        .without_reasons(&[Reason::NotAuthorized]),
    ]
}

fn request_access_operation() -> OperationDescription {
    OperationDescription::new(
        "POST",
        "/management/requestclientaccess",
        "requestClientAccess",
        "Request access to a company",
    )
    .with_description(
        "The response contains a link to the request. Send the link to the operator of the server. The \
                link works once and expires. When the operator approves the request, the application \
                gets a CLT_ACCESS notification. A new request for the same company replaces the previous \
                one. The \
                operation requires no scope.",
    )
    .with_required_body(&[JSON], &schema_reference("AccessRequest"), &access::example())
    .with_success(success(
        201,
        "The access request, which is pending until an operator decides about it.",
        &[JSON],
        BodySchema::Bare(schema_reference("RequestedAccess")),
    ))
    .with_reasons(&[
        Reason::CompanyEndDated,
        Reason::UnknownResource,
        Reason::FieldMissing,
        Reason::FieldAmbiguous,
        Reason::FieldInvalid,
        Reason::EmptyRequest,
    ])
    .without_reasons(&[Reason::NotAuthorized])
}

/// Returns the parameters of the event feed, for both APIs.
pub(in super::super) fn feed_parameters() -> [Value; 4] {
    [
        query_parameter(
            "after",
            "Return only events after this cursor, which the link `next` contains.",
            cursor_schema("A cursor from the link `next` of an earlier response."),
        ),
        query_parameter(
            "companyid",
            "Return only events of this company.",
            id_schema("A company that the application has access to."),
        ),
        query_parameter(
            "domain",
            "Return only events of this event domain.",
            schema_reference("EventDomain"),
        ),
        limit_parameter(
            "The maximum number of events in the response.",
            feed::MAX_LIMIT,
            feed::DEFAULT_LIMIT,
        ),
    ]
}

/// Returns the parameters of a request log, for both APIs.
pub(in super::super) fn log_parameters() -> [Value; 5] {
    let instant = || request_instant_schema("A date or an instant.");
    let status = json!({"type": "string", "pattern": "^[1-5](\\d\\d|xx)$", "examples": ["404", "4xx"]});
    [
        query_parameter(
            "before",
            "Return only requests older than this cursor, which the link `next` contains.",
            cursor_schema("A cursor from the link `next` of an earlier response."),
        ),
        query_parameter(
            "status",
            "Return only requests with this response status, such as 404, or a status of this class, such \
             as 4xx.",
            status,
        ),
        query_parameter(
            "from",
            "Return only requests that were received at this instant or later.",
            instant(),
        ),
        query_parameter("to", "Return only requests that were received before this instant.", instant()),
        limit_parameter(
            "The maximum number of requests in the response.",
            requests::MAX_LIMIT,
            requests::DEFAULT_LIMIT,
        ),
    ]
}

/// Returns the parameter with the maximum number of elements in a response.
pub(in super::super) fn limit_parameter(description: &str, maximum: u32, default: u32) -> Value {
    query_parameter(
        "limit",
        description,
        json!({"type": "integer", "minimum": 1, "maximum": maximum, "default": default}),
    )
}
