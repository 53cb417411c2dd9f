//! The hooks of all applications and their deliveries (specification §10.15).

use serde_json::json;

use super::super::envelope::Content;
use super::super::operation::{Operation, Success, success};
use super::super::operations::webhooks::log_parameters;
use super::super::parameters::query;
use super::super::schema::{id, reference};
use super::objects::FAULTS;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = hooks();
    operations.extend(actions());
    operations.extend(log());
    operations
}

fn one(status: u16, words: &'static str, schema: &'static str) -> Success {
    success(status, words, &[JSON], Content::Resource(schema))
}

fn hooks() -> Vec<Operation> {
    let application = id("The id of an application. For an unknown application, the list is empty.");
    vec![
        Operation::new("GET", "/operator/v1/hooks", "listHooks", "List the hooks of all applications")
            .with_description("The hooks in the order of their registration, each with its state.")
            .with_parameters([query("applicationid", "Only hooks of this application.", application)])
            .with_paging()
            .with_success(success(200, "A page of the list.", &[JSON], Content::Collection("Hook"))),
        Operation::new(
            "GET",
            "/operator/v1/hooks/summary",
            "getHooksSummary",
            "Read a summary of the delivery queue",
        )
        .with_success(one(200, "The summary.", "QueueSummary")),
        Operation::new(
            "GET",
            "/operator/v1/applications/{applicationId}/hooks/{hookId}",
            "getHook",
            "Read one hook with its state",
        )
        .with_success(one(200, "The hook.", "Hook")),
    ]
}

fn actions() -> [Operation; 4] {
    let post = |path, id, summary| Operation::new("POST", path, id, summary).with_reasons(FAULTS);
    [
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/enable",
            "enableHook",
            "Resume a hook",
        )
        .with_description("Resets the failure count of the hook. Queued deliveries are due immediately.")
        .ignores_body()
        .with_success(one(200, "The updated hook.", "Hook")),
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/disable",
            "disableHook",
            "Pause a hook",
        )
        .ignores_body()
        .with_success(one(200, "The updated hook.", "Hook")),
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/test",
            "sendTestCall",
            "Send a test call to a hook",
        )
        .ignores_body()
        .with_success(one(202, "The delivery of the test call.", "Delivery")),
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/replay",
            "replayDeliveries",
            "Resend many deliveries",
        )
        .with_description("The oldest deliveries are sent first.")
        .needs_body(&[JSON], &reference("ReplayRequest"), &json!({"failed": true}))
        .with_success(one(202, "Number of deliveries to resend.", "Replay")),
    ]
}

fn log() -> [Operation; 3] {
    let path = "/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries";
    [
        Operation::new("GET", path, "listDeliveries", "List the deliveries of a hook")
            .with_description("With a filter, a page can be empty although older rows match. In that case, follow the link `next`.")
            .with_parameters(log_parameters())
            .with_success(success(200, "Deliveries, the newest first.", &[JSON], Content::Collection("Delivery"))),
        Operation::new(
            "GET",
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}",
            "getDelivery",
            "Read one delivery with its attempts",
        )
        .with_success(one(200, "The delivery.", "Delivery")),
        Operation::new(
            "POST",
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}/replay",
            "replayDelivery",
            "Resend one delivery",
        )
        .ignores_body()
        .with_success(one(202, "The delivery, which is queued.", "Delivery"))
        .with_reasons(FAULTS),
    ]
}
