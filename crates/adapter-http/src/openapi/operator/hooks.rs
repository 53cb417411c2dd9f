//! The hooks of all applications and their deliveries (specification §10.15).

use serde_json::json;

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, SuccessResponse, success};
use super::super::operations::webhooks::log_parameters;
use super::super::parameters::query_parameter;
use super::super::schema::{id_schema, schema_reference};
use super::objects::DOCUMENT_REASONS;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> Vec<OperationDescription> {
    let mut operations = hook_operations();
    operations.extend(action_operations());
    operations.extend(delivery_log_operations());
    operations
}

fn single_hook_response(status: u16, description: &'static str, schema: &'static str) -> SuccessResponse {
    success(status, description, &[JSON], BodySchema::Resource(schema))
}

fn hook_operations() -> Vec<OperationDescription> {
    let application =
        id_schema("The id of an application. The list is empty if there is no such application.");
    vec![
        OperationDescription::new(
            "GET",
            "/operator/v1/hooks",
            "listHooks",
            "List the hooks of all applications",
        )
        .with_description(
            "Returns the hooks in the order of their registration, each with the state of \
            its queue.",
        )
        .with_parameters([query_parameter(
            "applicationid",
            "Return only hooks of this application.",
            application,
        )])
        .with_paging()
        .with_success(success(200, "A page of the list.", &[JSON], BodySchema::Collection("Hook"))),
        OperationDescription::new(
            "GET",
            "/operator/v1/hooks/summary",
            "getHooksSummary",
            "Read a summary of the delivery queue",
        )
        .with_success(single_hook_response(
            200,
            "The numbers of hooks and pending deliveries.",
            "QueueSummary",
        )),
        OperationDescription::new(
            "GET",
            "/operator/v1/applications/{applicationId}/hooks/{hookId}",
            "getHook",
            "Read one hook with its state",
        )
        .with_success(single_hook_response(200, "The hook.", "Hook")),
    ]
}

fn action_operations() -> [OperationDescription; 4] {
    let post = |path, id, summary| {
        OperationDescription::new("POST", path, id, summary).with_reasons(DOCUMENT_REASONS)
    };
    [
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/enable",
            "enableHook",
            "Resume a hook",
        )
        .with_description("Resets the failure count of the hook. Its queued deliveries are sent immediately.")
        .with_ignored_body()
        .with_success(single_hook_response(200, "The updated hook.", "Hook")),
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/disable",
            "disableHook",
            "Pause a hook",
        )
        .with_ignored_body()
        .with_success(single_hook_response(200, "The updated hook.", "Hook")),
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/test",
            "sendTestCall",
            "Send a test call to a hook",
        )
        .with_ignored_body()
        .with_success(single_hook_response(202, "The delivery of the test call.", "Delivery")),
        post(
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/replay",
            "replayDeliveries",
            "Resend many deliveries",
        )
        .with_description("The server resends the oldest deliveries first.")
        .with_required_body(&[JSON], &schema_reference("ReplayRequest"), &json!({"failed": true}))
        .with_success(single_hook_response(
            202,
            "The number of deliveries that the server resends.",
            "Replay",
        )),
    ]
}

fn delivery_log_operations() -> [OperationDescription; 3] {
    let path = "/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries";
    [
        OperationDescription::new("GET", path, "listDeliveries", "List the deliveries of a hook")
            .with_description("With a filter, a page can be empty although older rows match. In that case, follow the link `next`.")
            .with_parameters(log_parameters())
            .with_success(success(200, "The deliveries of the hook, the newest first.", &[JSON], BodySchema::Collection("Delivery"))),
        OperationDescription::new(
            "GET",
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}",
            "getDelivery",
            "Read one delivery with its attempts",
        )
        .with_success(single_hook_response(200, "The delivery.", "Delivery")),
        OperationDescription::new(
            "POST",
            "/operator/v1/applications/{applicationId}/hooks/{hookId}/deliveries/{deliveryId}/replay",
            "replayDelivery",
            "Resend one delivery",
        )
        .with_ignored_body()
        .with_success(single_hook_response(202, "The delivery, which is queued.", "Delivery"))
        .with_reasons(DOCUMENT_REASONS),
    ]
}
