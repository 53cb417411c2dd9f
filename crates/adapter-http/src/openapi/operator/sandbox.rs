//! The operations of a sandbox (specification §10.19).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, success};
use super::super::schema::schema_reference;
use super::objects::DOCUMENT_REASONS;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> Vec<OperationDescription> {
    let path = "/operator/v1/sandbox/clock";
    let shown =
        || success(200, "The current time in the sandbox.", &[JSON], BodySchema::Resource("SandboxClock"));
    let gone = |words| success(204, words, &[], BodySchema::Nothing);
    vec![
        OperationDescription::new("GET", path, "getSandboxClock", "Read the clock of the sandbox").without_etag().with_success(shown()),
        OperationDescription::new("PUT", path, "setSandboxClock", "Advance the clock of the sandbox")
            .with_description("The server runs everything that is due before the new time, in the order \
                in which it is due: retries of notifications, the disabling of hooks, and expiries. The \
                response is 503 if these tasks take longer than the time limit of a request. In that \
                case, repeat the request to continue.")
            .with_required_body(&[JSON], &schema_reference("SandboxClockInput"), &json!({"advance": "PT5M"}))
            .with_success(shown())
            .with_reasons(DOCUMENT_REASONS),
        OperationDescription::new("DELETE", path, "releaseSandboxClock", "Reset the sandbox clock to the real time")
            .with_description("This is the only way to set the clock of the sandbox back. Data that was \
                stored with a later time does not change.")
            .with_success(gone("The sandbox uses the clock of the machine.")),
        OperationDescription::new("POST", "/operator/v1/sandbox/reset", "resetSandbox", "Reset the sandbox")
            .with_description("Removes all companies and events, and stores the initial data again. The \
                server keeps applications, secrets, hooks and operator keys. The body must contain the \
                name of the \
                database, so that no other database is emptied by mistake.")
            .with_required_body(&[JSON], &schema_reference("SandboxResetInput"), &json!({"database": "demo.db"}))
            .with_success(gone("The sandbox has its initial data."))
            .with_reasons(DOCUMENT_REASONS)
            .without_reasons(&[Reason::Conflict, Reason::IdempotencyKeyReused]),
        OperationDescription::new("POST", "/operator/v1/sandbox/triggers", "triggerEvent", "Trigger an event without a change")
            .with_description("The event is added to the feed and sent to the hooks like any other event. \
                With `duplicate`, each delivery is sent twice. With `outOfOrder`, an older event of the \
                same kind arrives after this event.")
            .with_required_body(
                &[JSON],
                &schema_reference("TriggerInput"),
                &json!({"companyId": "00DEMO0001COMPANY001", "domain": "WRKR_DEM", "workerId": "00DEMO0001WORKER0001"}),
            )
            .with_success(success(202, "The event is stored.", &[JSON], BodySchema::Resource("Triggered")))
            .with_reasons(DOCUMENT_REASONS)
            .without_reasons(&[Reason::Conflict, Reason::IdempotencyKeyReused]),
    ]
}
