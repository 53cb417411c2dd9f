//! The delivery log (specification §11.22) and replays (§9.7).

use payroll_domain::delivery::{AttemptCause, DeliveryState, ErrorClass, MAX_STORED_RESPONSE_BYTES};
use serde_json::{Value, json};

use super::super::schema::{
    ObjectMember, boolean_schema, cursor_schema, enumeration_schema, id_schema, instant_schema,
    integer_schema, list_schema, object_schema, optional, request_instant_schema, required, schema_reference,
    text_schema, with_keyword,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("Delivery", delivery_schema()),
        ("DeliveryState", enumeration_schema("The state of a delivery.", DeliveryState::ALL)),
        ("DeliveryAttempt", attempt_schema()),
        ("NotedRequest", request_schema()),
        ("ReplayRequest", replay_request_schema()),
        ("Replay", replay_schema()),
    ]
}

/// Returns an example of a replay. The replay is valid with the demo data.
pub(in super::super) fn example() -> Value {
    json!({"failed": true})
}

fn delivery_schema() -> Value {
    object_schema(
        "A notification for one hook, with its state and its attempts.",
        [
            required("deliveryId", id_schema("The id.")),
            required("notificationId", text_schema("The notification's id, a UUID.")),
            required("state", schema_reference("DeliveryState")),
            optional("companyId", id_schema("The company.")),
            optional("workerId", id_schema("The worker. Present if the event domain concerns a worker.")),
            optional(
                "payperiodId",
                id_schema(
                    "The pay period. Only present in the domain CLT_PYRN. The name is \
                `payperiodId`, not `payPeriodId`.",
                ),
            ),
            required("domain", schema_reference("EventDomain")),
            required("action", schema_reference("EventAction")),
            required("test", boolean_schema("Whether the delivery is a test call.")),
            required(
                "replayed",
                boolean_schema("Whether an operator or the partner has resent the delivery."),
            ),
            required("queuedDate", instant_schema("The time at which the change was stored.")),
            optional("dueDate", instant_schema("The time of the next attempt of a pending delivery.")),
            optional(
                "endedDate",
                instant_schema("The time at which the delivery was delivered, cancelled or expired."),
            ),
            required("attemptCount", integer_schema("The number of attempts so far.")),
            required(
                "attempts",
                list_schema("The last 20 attempts, the oldest first.", schema_reference("DeliveryAttempt")),
            ),
            required(
                "requests",
                list_schema(
                    "The requests of the receiver that refer to this notification.",
                    schema_reference("NotedRequest"),
                ),
            ),
            optional("body", text_schema("The exact body of the notification. Absent in lists.")),
        ],
    )
}

fn attempt_schema() -> Value {
    let response = format!("The first {MAX_STORED_RESPONSE_BYTES} bytes of the response body.");
    object_schema(
        "An attempt to deliver.",
        [
            required("number", integer_schema("The number of the attempt, counted from 1.")),
            required("date", instant_schema("The start time.")),
            required("durationMilliseconds", integer_schema("The duration of the attempt in milliseconds.")),
            required("cause", enumeration_schema("The reason for the attempt.", AttemptCause::ALL)),
            optional("status", integer_schema("The status of the response.")),
            optional("error", enumeration_schema("The error.", ErrorClass::ALL)),
            optional("answer", text_schema(&response)),
            required(
                "answerCut",
                boolean_schema("Whether the response body was longer than the stored part."),
            ),
            optional(
                "retryAfterSeconds",
                integer_schema("The seconds that the receiver asked to wait, in `Retry-After`."),
            ),
        ],
    )
}

fn request_schema() -> Value {
    object_schema(
        "A request that named the notification.",
        [
            required("date", instant_schema("The time at which the request was received.")),
            required("method", text_schema("The method of the request.")),
            required("route", text_schema("The path of the request, with names in place of the ids.")),
            required("status", integer_schema("The response.")),
            required("requestId", text_schema("The id.")),
        ],
    )
}

fn replay_request_schema() -> Value {
    let members = [
        optional(
            "failed",
            boolean_schema("Resend only deliveries that have not arrived: RETRYING and EXPIRED."),
        ),
        optional(
            "from",
            request_instant_schema("Resend only deliveries that were queued at this instant or later."),
        ),
        optional(
            "to",
            request_instant_schema("Resend only deliveries that were queued before this instant."),
        ),
        optional("after", cursor_schema("The cursor from the link `next` of an earlier response.")),
    ];
    let limits = object_schema(
        "The deliveries to resend. At least one of `failed`, `from` and `to` is required.",
        members.into_iter().map(ObjectMember::or_null),
    );
    // The schema forbids unknown members. Without this rule, a request with a misspelled limit would replay
    // more deliveries than intended.
    let closed = with_keyword(limits, "additionalProperties", false);
    with_keyword(closed, "anyOf", json!(["failed", "from", "to"].map(|name| json!({"required": [name]}))))
}

fn replay_schema() -> Value {
    object_schema(
        "Number of deliveries to resend.",
        [
            required("replayed", integer_schema("Deliveries to resend.")),
            optional("next", text_schema("The position to continue from. Send it as `after`.")),
        ],
    )
}
