//! Applications with their secrets, grants and requests, access requests, operator keys, sessions, health and
//! diagnosis, events and the audit log (specification §9.4, §10.10 to §10.13, §10.16, §10.17, §10.23, §10.27,
//! §10.28).

use payroll_domain::audit::AuditedKind;
use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::operations::management::{feed_parameters, limit_parameter, log_parameters};
use super::super::parameters::{parameter_reference, query_parameter};
use super::super::schema::{
    enumeration_schema, id_schema, request_instant_schema, schema_reference, text_schema,
};
use super::objects::{DOCUMENT_REASONS, ObjectEndpoints};
use crate::shared::feed;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> Vec<OperationDescription> {
    let mut operations = application_operations();
    operations.extend(secret_operations());
    operations.extend(grant_operations());
    operations.extend(request_log_operations());
    operations.extend(access_request_operations());
    operations.extend(key_operations());
    operations.extend(session_operations());
    operations.push(health_operation());
    operations.push(diagnosis_operation());
    operations
}

fn application_operations() -> Vec<OperationDescription> {
    let objects = ObjectEndpoints {
        list: "/operator/v1/applications",
        object_path: "/operator/v1/applications/{applicationId}",
        ids: [
            "listApplications",
            "createApplication",
            "getApplication",
            "replaceApplication",
            "changeApplication",
            "deleteApplication",
        ],
        summaries: [
            "List the applications",
            "Add an application and return its first secret",
            "Read one application",
            "Replace an application's settings",
            "Change an application's settings",
            "Delete an application with its secrets and grants",
        ],
        schemas: ["Application", "ApplicationInput", "ApplicationPatch"],
        example: json!({"name": "Example time clock"}),
        patch: json!({"rateLimitPerMinute": 600}),
        is_held_by_lock: false,
    };
    let mut operations = objects.operations();
    // Deleting an application also deletes its secrets and grants, so references never prevent the deletion.
    let removal = OperationDescription::new(
        "DELETE",
        objects.object_path,
        objects.ids[5],
        objects.summaries[5],
    )
    .with_description(
        "The audit log gets a row for each deleted secret and grant. The checks that the application has \
         added are not deleted.",
    )
    .with_parameters([parameter_reference("If-Match")])
    .with_success(success(204, "The object was deleted.", &[], BodySchema::Nothing))
    .with_reasons(&[Reason::PreconditionFailed, Reason::PreconditionRequired]);
    operations.pop();
    operations.push(removal);
    operations
}

fn secret_operations() -> [OperationDescription; 4] {
    let (all, one) = (
        "/operator/v1/applications/{applicationId}/secrets",
        "/operator/v1/applications/{applicationId}/secrets/{secretId}",
    );
    [
        OperationDescription::new("GET", all, "listSecrets", "List an application's secrets")
            .with_description("Returns the secrets, without their values, and the public keys.")
            .with_paging()
            .with_success(success(200, "A page of the list.", &[JSON], BodySchema::Collection("Secret"))),
        OperationDescription::new("POST", all, "createSecret", "Create a secret for an application, or register its public key")
            .with_description("Without a body, the server creates a secret and shows its value only in \
                this response. If you send a public key, the application signs its token requests with the \
                matching private key. Two secrets or keys are valid at a time. A third one replaces the \
                oldest.")
            .with_optional_body(&[JSON], &schema_reference("SecretInput"), &json!({"publicKey": {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}))
            .with_success(success(201, "The new secret, with its value.", &[JSON], BodySchema::Resource("Secret")).with_new_resource_headers())
            .with_reasons(DOCUMENT_REASONS),
        OperationDescription::new("GET", one, "getSecret", "Read a secret without its value, or a public key").with_success(success(
            200,
            "The secret, without its value.",
            &[JSON],
            BodySchema::Resource("Secret"),
        )),
        OperationDescription::new("DELETE", one, "deleteSecret", "Delete a secret").with_success(success(
            204,
            "The object was deleted.",
            &[],
            BodySchema::Nothing,
        )),
    ]
}

fn grant_operations() -> [OperationDescription; 4] {
    let (all, one) = (
        "/operator/v1/applications/{applicationId}/grants",
        "/operator/v1/applications/{applicationId}/grants/{companyId}",
    );
    let stored = |status, words| success(status, words, &[JSON], BodySchema::Resource("Grant"));
    [
        OperationDescription::new("GET", all, "listGrants", "List the grants of an application")
            .with_paging()
            .with_success(success(200, "A page of the list.", &[JSON], BodySchema::Collection("Grant"))),
        OperationDescription::new("GET", one, "getGrant", "Read the grant of an application for a company")
            .with_success(stored(200, "The grant.")),
        OperationDescription::new("PUT", one, "putGrant", "Set the grant of an application for a company")
            .with_description(
                "With `If-Match`, the request replaces the existing grant. Without \
                `If-Match`, it creates a grant, and is rejected if the grant already exists.",
            )
            .with_parameters([parameter_reference("If-Match")])
            .with_required_body(
                &[JSON],
                &schema_reference("GrantInput"),
                &json!({"scopes": ["read:companies", "read:payroll"]}),
            )
            .with_success(stored(200, "The updated grant.").with_header("ETag"))
            .with_success(stored(201, "The new grant.").with_header("ETag"))
            .with_reasons(DOCUMENT_REASONS)
            .with_reasons(&[Reason::PreconditionFailed, Reason::PreconditionRequired]),
        OperationDescription::new("DELETE", one, "deleteGrant", "Revoke a grant")
            .with_parameters([parameter_reference("If-Match")])
            .with_success(success(204, "The object was deleted.", &[], BodySchema::Nothing))
            .with_reasons(&[Reason::PreconditionFailed, Reason::PreconditionRequired]),
    ]
}

/// Returns the operation that checks the configuration and the environment.
fn diagnosis_operation() -> OperationDescription {
    OperationDescription::new(
        "GET",
        "/operator/v1/diagnosis",
        "getDiagnosis",
        "Check the configuration and the environment",
    )
    .with_description(
        "Runs the checks of the command `doctor` in the process that responds. They \
            cover settings, keys, storage, backups, clocks, listeners, and the host names of hooks. The \
            checks change nothing and take a few seconds at most. Requests that arrive within a few \
            seconds share one run.",
    )
    .without_etag()
    .with_success(success(
        200,
        "The findings of the diagnosis.",
        &[JSON],
        BodySchema::Collection("Finding"),
    ))
}

/// Returns the operation that reads the health of the server.
fn health_operation() -> OperationDescription {
    OperationDescription::new("GET", "/operator/v1/health", "getHealth", "Read the health of the server")
        .with_description(
            "Returns whether the server accepts requests, the state of its dependencies, the \
            expiry of certificates, and the requests of the last hour by the minute. The values are those \
            of the process that responds, since that process started.",
        )
        .without_etag()
        .with_success(success(
            200,
            "The health of the server.",
            &[JSON],
            BodySchema::Resource("ServerHealth"),
        ))
}

fn request_log_operations() -> [OperationDescription; 2] {
    let list = OperationDescription::new(
        "GET",
        "/operator/v1/applications/{applicationId}/requests",
        "listRequests",
        "List recent requests of an application",
    )
    .with_description("Returns the same requests that the application itself can read, the newest first.")
    .with_parameters(log_parameters())
    .with_success(success(
        200,
        "The requests of the application, the newest first.",
        &[JSON],
        BodySchema::Collection("AnsweredRequest"),
    ));
    let one = OperationDescription::new(
        "GET",
        "/operator/v1/applications/{applicationId}/requests/{requestId}",
        "getRequestDetails",
        "Read the errors of a request",
    )
    .with_description(
        "Returns the same details that the application itself can read. The role `support` \
        gets neither the query nor the body.",
    )
    .with_success(success(
        200,
        "The details of the request.",
        &[JSON],
        BodySchema::Resource("RequestDetails"),
    ));
    [list, one]
}

fn access_request_operations() -> [OperationDescription; 4] {
    let one = "/operator/v1/accessrequests/{accessRequest}";
    let shown = |words| success(200, words, &[JSON], BodySchema::Resource("AccessRequest"));
    let decided = "The response is 404 API-7 if an operator has already decided about the request, or if \
        it was replaced or has expired.";
    [
        OperationDescription::new(
            "GET",
            "/operator/v1/accessrequests",
            "listAccessRequests",
            "List requests for access",
        )
        .with_description("Returns the pending requests for access, the oldest first.")
        .with_paging()
        .with_success(success(
            200,
            "A page of the list.",
            &[JSON],
            BodySchema::Collection("AccessRequest"),
        )),
        OperationDescription::new("GET", one, "getAccessRequest", "Read one request for access")
            .with_success(shown("The request for access.")),
        OperationDescription::new(
            "POST",
            "/operator/v1/accessrequests/{accessRequest}/approve",
            "approveAccessRequest",
            "Approve a request for access, completely or in part",
        )
        .with_description(decided)
        .with_optional_body(&[JSON], &schema_reference("Approval"), &json!({"scopes": ["read:companies"]}))
        .with_success(shown("The request, with the scopes that were granted."))
        .with_reasons(DOCUMENT_REASONS),
        OperationDescription::new(
            "POST",
            "/operator/v1/accessrequests/{accessRequest}/refuse",
            "refuseAccessRequest",
            "Reject a request for access",
        )
        .with_description(decided)
        .with_ignored_body()
        .with_success(shown("The request for access."))
        .with_reasons(DOCUMENT_REASONS),
    ]
}

fn key_operations() -> [OperationDescription; 4] {
    let one = "/operator/v1/keys/{keyId}";
    [
        OperationDescription::new("GET", "/operator/v1/keys", "listOperatorKeys", "List the operator keys")
            .with_paging()
            .with_success(success(200, "A page of the list.", &[JSON], BodySchema::Collection("OperatorKey"))),
        OperationDescription::new("POST", "/operator/v1/keys", "createOperatorKey", "Create an operator key")
            .with_description("Only this response contains the value of the key.")
            .with_required_body(
                &[JSON],
                &schema_reference("OperatorKeyInput"),
                &json!({"name": "Ann, laptop", "operatorName": "Ann", "role": "payroll", "companyIds": ["acme"], "expiresDate": "2027-06-30"}),
            )
            .with_success(success(201, "The new operator key, with its value.", &[JSON], BodySchema::Resource("OperatorKey")).with_new_resource_headers())
            .with_reasons(DOCUMENT_REASONS),
        OperationDescription::new("GET", one, "getOperatorKey", "Read one operator key").with_success(success(
            200,
            "The key, without its value.",
            &[JSON],
            BodySchema::Resource("OperatorKey"),
        )),
        OperationDescription::new("DELETE", one, "deleteOperatorKey", "Revoke an operator key")
            .with_description("You can also revoke your own key. The server rejects the next request that \
                uses the key.")
            .with_success(success(204, "The key was revoked.", &[], BodySchema::Nothing)),
    ]
}

fn session_operations() -> [OperationDescription; 6] {
    let (all, current, one) =
        ("/operator/v1/sessions", "/operator/v1/sessions/current", "/operator/v1/sessions/{sessionId}");
    let shown = |words| success(200, words, &[JSON], BodySchema::Resource("OperatorSession"));
    [
        OperationDescription::new("GET", all, "listOperatorSessions", "List the browser sessions")
            .with_description("Returns the browser sessions that have not expired, the newest first.")
            .with_paging()
            .with_success(success(
                200,
                "A page of the list.",
                &[JSON],
                BodySchema::Collection("OperatorSession"),
            )),
        OperationDescription::new("POST", all, "signIn", "Sign in: exchange an operator key for a session")
            .with_description(
                "The response sets a session cookie with the permissions of the key. \
                Requests that use the session and change data need the header `X-CSRF-Token`. A response \
                that is repeated for an idempotency key sets no cookie.",
            )
            .with_ignored_body()
            .with_success(
                success(201, "The session.", &[JSON], BodySchema::Resource("OperatorSession"))
                    .with_new_resource_headers(),
            )
            .with_reasons(&[Reason::NotAuthorized]),
        OperationDescription::new("GET", current, "getCurrentSession", "Read the session of the cookie")
            .with_success(shown("The session, with its CSRF token."))
            .with_reasons(&[Reason::UnknownResource]),
        OperationDescription::new("DELETE", current, "signOut", "End the session of the cookie")
            .with_success(success(204, "The session was ended.", &[], BodySchema::Nothing))
            .with_reasons(&[Reason::NotAuthorized, Reason::UnknownResource]),
        OperationDescription::new("GET", one, "getOperatorSession", "Read one session")
            .with_success(shown("The session.")),
        OperationDescription::new("DELETE", one, "deleteOperatorSession", "End a session")
            .with_description("The server rejects the next request that uses the session.")
            .with_success(success(204, "The session was ended.", &[], BodySchema::Nothing)),
    ]
}

/// Returns the operations of the event feed and the audit log.
pub(super) fn history_operations() -> Vec<OperationDescription> {
    vec![events_operation(), audit_operation()]
}

fn events_operation() -> OperationDescription {
    OperationDescription::new("GET", "/operator/v1/events", "listEvents", "Read the event feed")
        .with_description(
            "The feed has no gaps and no duplicates. Follow the link `next`, and store this link to \
             continue later.",
        )
        .with_parameters(feed_parameters())
        .with_success(success(200, "The events, the oldest first.", &[JSON], BodySchema::Collection("Event")))
        .with_reasons(&[Reason::CursorTooOld])
}

fn audit_operation() -> OperationDescription {
    OperationDescription::new("GET", "/operator/v1/audit", "listAudit", "Read the audit log")
        .with_description(
            "The newest rows come first. Each row contains the object before and after the change. A \
            request reads a limited number of rows. With a filter, a page can be empty although older \
            rows match. In that case, follow the link `next`.",
        )
        .without_etag()
        .with_parameters([
            query_parameter("companyid", "Return only rows about this company.", id_schema("A company.")),
            query_parameter(
                "kind",
                "Return only rows about this kind of object.",
                enumeration_schema("The kind of the changed object.", AuditedKind::ALL),
            ),
            query_parameter(
                "resourceid",
                "Return only rows about the object with this id.",
                text_schema("The id of the changed object."),
            ),
            query_parameter(
                "from",
                "Return only rows that were written at this instant or later.",
                request_instant_schema("A date or an instant."),
            ),
            query_parameter(
                "until",
                "Return only rows that were written before this instant.",
                request_instant_schema("A date or an instant."),
            ),
            query_parameter(
                "before",
                "Return only rows that are older than the row with this number. The link `next` contains it.",
                json!({"type": "integer", "format": "int64", "minimum": 0}),
            ),
            limit_parameter(
                "The maximum number of rows in the response.",
                feed::MAX_LIMIT,
                feed::DEFAULT_LIMIT,
            ),
        ])
        .with_success(success(
            200,
            "The rows of the audit log, the newest first.",
            &[JSON],
            BodySchema::Collection("AuditRow"),
        ))
}
