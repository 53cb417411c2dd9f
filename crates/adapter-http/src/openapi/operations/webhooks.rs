//! Webhooks: hooks and their deliveries (specification §9.1, §9.5 to §9.9).

use payroll_domain::code::Reason;
use serde_json::{Value, json};

use super::super::envelope::BodySchema;
use super::super::operation::{OperationDescription, SuccessResponse, success};
use super::super::parameters::{parameter_reference, query_parameter};
use super::super::schema::{cursor_schema, list_schema, request_instant_schema, schema_reference};
use super::super::schemas::{delivery, hook};
use crate::shared::deliveries;
use crate::shared::media_type::JSON;

pub(super) fn operations() -> Vec<OperationDescription> {
    let mut operations = vec![list_domains_operation(), list_source_addresses_operation()];
    operations.extend(hook_list_operations());
    operations.extend(hook_operations());
    operations.extend(action_operations());
    operations.extend(delivery_log_operations());
    operations
}

fn list_domains_operation() -> OperationDescription {
    let domains = BodySchema::Bare(list_schema("The event domains.", schema_reference("EventDomain")));
    OperationDescription::new(
        "GET",
        "/management/domains",
        "listDomains",
        "List the event domains that a hook can be registered for",
    )
    .with_success(success(200, "An array of event domains, without an envelope.", &[JSON], domains))
}

fn list_source_addresses_operation() -> OperationDescription {
    OperationDescription::new(
        "GET",
        "/management/sourceaddresses",
        "getSourceAddresses",
        "Read the source addresses of notifications",
    )
    .with_description(
        "Returns the IP addresses from which the server sends notifications, for the allowlist of your \
         firewall.",
    )
    .with_success(success(
        200,
        "The source addresses of notifications.",
        &[JSON],
        BodySchema::Bare(schema_reference("SourceAddresses")),
    ))
}

fn hook_list_operations() -> [OperationDescription; 2] {
    let all = BodySchema::Bare(list_schema("The hooks of the application.", schema_reference("Hook")));
    let registered =
        hook_response(201, "The hook with its signing secret. Only this response contains the secret.")
            .with_new_resource_headers();
    [
        OperationDescription::new("GET", "/management/hooks", "listHooks", "List the application's hooks")
            .with_description("The hooks are in the order of their registration. The list has no pages.")
            .with_success(success(200, "An array of hooks, without an envelope.", &[JSON], all)),
        OperationDescription::new("POST", "/management/hooks", "registerHook", "Register a hook")
            .with_description("The `signingSecret` is only present in this response. Store it.")
            .with_required_body(&[JSON], &schema_reference("HookInput"), &hook::example())
            .with_success(
                registered
                    .with_link("getHook", "hookId", "/hookId")
                    .with_link("changeHook", "hookId", "/hookId")
                    .with_link("sendTestCall", "hookId", "/hookId")
                    .with_link("removeHook", "hookId", "/hookId"),
            )
            .with_reasons(&document_fault_reasons()),
    ]
}

fn hook_operations() -> [OperationDescription; 3] {
    let path = "/management/hooks/{hookId}";
    [
        OperationDescription::new("GET", path, "getHook", "Read one hook").with_success(hook_response(200, "The hook.")),
        OperationDescription::new("PATCH", path, "changeHook", "Change a hook")
            .with_description(
                "Replaces the address, the event domains, the authentication, or the order and the limits of notifications. Absent members keep their values.",
            )
            .with_parameters([parameter_reference("If-Match")])
            .with_required_body(&[JSON], &schema_reference("HookChange"), &hook::change_example())
            .with_success(hook_response(200, "The hook.").with_header("ETag"))
            .with_reasons(&document_fault_reasons())
            .with_reasons(&[Reason::PreconditionFailed, Reason::Conflict]),
        OperationDescription::new("DELETE", path, "removeHook", "Remove a hook")
            .with_description("Deletes the hook with its pending deliveries and its delivery log.")
            .with_parameters([parameter_reference("If-Match")])
            .with_reasons(&[Reason::InvalidParameter, Reason::PreconditionFailed])
            .with_success(success(204, "The object was deleted.", &[], BodySchema::Nothing)),
    ]
}

fn action_operations() -> [OperationDescription; 4] {
    let post = |path, id, summary| OperationDescription::new("POST", path, id, summary);
    [
        post("/management/hooks/{hookId}/enable", "enableHook", "Resume a hook")
            .with_description(
                "Resets the failure count of the hook. Its queued notifications are sent \
                immediately.",
            )
            .with_ignored_body()
            .with_success(hook_response(200, "The hook.")),
        post("/management/hooks/{hookId}/rotate-secret", "rotateHookSecret", "Rotate the signing secret")
            .with_description(
                "Only this response contains the new secret. For 24 hours, notifications \
                have the signatures of both the old and the new secret.",
            )
            .with_ignored_body()
            .with_success(hook_response(200, "The hook with its new secret.")),
        post("/management/hooks/{hookId}/test", "sendTestCall", "Send a test call")
            .with_description("Sends a notification of the type TEST_MESSAGE, which reports no change.")
            .with_ignored_body()
            .with_success(
                accepted_response("The delivery of the test call.")
                    .with_link("getDelivery", "deliveryId", "/content/0/deliveryId")
                    .with_parameter_passed_to("getDelivery", "hookId"),
            ),
        post("/management/hooks/{hookId}/replay", "replayDeliveries", "Resend many deliveries")
            .with_description(
                "Resends the oldest deliveries first. The server rejects unknown members \
                of the body, because a misspelt limit would resend more than you intended.",
            )
            .with_required_body(&[JSON], &schema_reference("ReplayRequest"), &delivery::example())
            .with_success(success(
                202,
                "The number of deliveries that the server resends.",
                &[JSON],
                BodySchema::Bare(schema_reference("Replay")),
            ))
            .with_reasons(&document_fault_reasons()),
    ]
}

fn delivery_log_operations() -> [OperationDescription; 3] {
    let path = "/management/hooks/{hookId}/deliveries";
    let found = success(
        200,
        "The deliveries of the hook, the newest first.",
        &[JSON],
        BodySchema::Collection("Delivery"),
    )
    .with_link("getDelivery", "deliveryId", "/content/0/deliveryId")
    .with_parameter_passed_to("getDelivery", "hookId")
    .with_link("replayDelivery", "deliveryId", "/content/0/deliveryId")
    .with_parameter_passed_to("replayDelivery", "hookId");
    [
        OperationDescription::new("GET", path, "listDeliveries", "List the deliveries of a hook")
            .with_description("With a filter, a page can be empty although older rows match. In that case, follow the link `next`.")
            .with_parameters(log_parameters())
            .with_success(found),
        OperationDescription::new(
            "GET",
            "/management/hooks/{hookId}/deliveries/{deliveryId}",
            "getDelivery",
            "Read one delivery",
        )
        .with_success(success(200, "The delivery.", &[JSON], BodySchema::Resource("Delivery"))),
        OperationDescription::new(
            "POST",
            "/management/hooks/{hookId}/deliveries/{deliveryId}/replay",
            "replayDelivery",
            "Resend one delivery",
        )
        .with_description(
            "Resends the delivery in any state. The notification keeps its id, so that a receiver can detect a duplicate.",
        )
        .with_ignored_body()
        .with_success(accepted_response("The delivery.")),
    ]
}

/// Returns the parameters of a delivery log, for both APIs.
pub(in super::super) fn log_parameters() -> [Value; 6] {
    let instant = || request_instant_schema("A date or an instant.");
    let limit = json!({"type": "integer", "minimum": 1, "maximum": deliveries::MAX_LIMIT, "default": deliveries::DEFAULT_LIMIT});
    [
        query_parameter("state", "Return only deliveries in this state.", schema_reference("DeliveryState")),
        query_parameter(
            "domain",
            "Return only deliveries for events of this event domain.",
            schema_reference("EventDomain"),
        ),
        query_parameter(
            "from",
            "Return only deliveries that were queued at this instant or later.",
            instant(),
        ),
        query_parameter("to", "Return only deliveries that were queued before this instant.", instant()),
        query_parameter("limit", "The maximum number of deliveries in the response.", limit),
        query_parameter(
            "before",
            "Return only deliveries that are older than this cursor, which the link `next` contains.",
            cursor_schema("A cursor from the link `next` of an earlier response."),
        ),
    ]
}

fn hook_response(status: u16, description: &'static str) -> SuccessResponse {
    success(status, description, &[JSON], BodySchema::Bare(schema_reference("Hook")))
}

fn accepted_response(description: &'static str) -> SuccessResponse {
    success(202, description, &[JSON], BodySchema::Resource("Delivery"))
}

const fn document_fault_reasons() -> [Reason; 4] {
    [Reason::EmptyRequest, Reason::FieldMissing, Reason::FieldAmbiguous, Reason::FieldInvalid]
}
