//! What can be done with a sandbox (specification §10.19).

use payroll_domain::code::Reason;
use serde_json::json;

use super::super::envelope::Content;
use super::super::operation::{Operation, success};
use super::super::schema::reference;
use super::objects::FAULTS;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> Vec<Operation> {
    let path = "/operator/v1/sandbox/clock";
    let shown = || success(200, "The time of the sandbox.", &[JSON], Content::Resource("SandboxClock"));
    let gone = |words| success(204, words, &[], Content::Nothing);
    vec![
        Operation::new("GET", path, "getSandboxClock", "Read the clock of the sandbox").untagged().answers(shown()),
        Operation::new("PUT", path, "setSandboxClock", "Set the clock of the sandbox forward")
            .says("Whatever is due before the new instant happens on the way, each at its own moment and in its order: retries of notifications, hooks that are disabled, what ends. 503 where that takes longer than a request may: asked again, it goes on from there.")
            .needs_body(&[JSON], &reference("SandboxClockInput"), &json!({"advance": "PT5M"}))
            .answers(shown())
            .refuses(FAULTS),
        Operation::new("DELETE", path, "releaseSandboxClock", "Let the clock go by the machine's again")
            .says("The one way back. What was stored under a later time stays as it is.")
            .answers(gone("It is the machine's again.")),
        Operation::new("POST", "/operator/v1/sandbox/reset", "resetSandbox", "Reset the sandbox")
            .says("Companies, and all that has happened, are removed, and what the sandbox began with is stored again. Applications, secrets, hooks and operator keys stay. The body names the database, so that no other one is emptied by mistake.")
            .needs_body(&[JSON], &reference("SandboxResetInput"), &json!({"database": "demo.db"}))
            .answers(gone("It holds what it began with."))
            .refuses(FAULTS)
            .never(&[Reason::Conflict, Reason::IdempotencyKeyReused]),
        Operation::new("POST", "/operator/v1/sandbox/triggers", "triggerEvent", "Trigger an event though nothing has changed")
            .says("It is in the feed and is sent to the hooks like any other event. With `duplicate` each delivery is sent twice. With `outOfOrder` an older event of the same kind arrives after it.")
            .needs_body(
                &[JSON],
                &reference("TriggerInput"),
                &json!({"companyId": "00DEMO0001COMPANY001", "domain": "WRKR_DEM", "workerId": "00DEMO0001WORKER0001"}),
            )
            .answers(success(202, "The event is stored.", &[JSON], Content::Resource("Triggered")))
            .refuses(FAULTS)
            .never(&[Reason::Conflict, Reason::IdempotencyKeyReused]),
    ]
}
