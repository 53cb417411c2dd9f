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
            required("deliveryId", id_schema("The delivery.")),
            required("notificationId", text_schema("The UUID of the notification.")),
            required("state", schema_reference("DeliveryState")),
            optional("companyId", id_schema("The company in which the change happened.")),
            optional(
                "workerId",
                id_schema(
                    "The worker whose data changed. Only present in event domains that concern a worker.",
                ),
            ),
            optional(
                "payperiodId",
                id_schema(
                    "The pay period that was completed. Only present in the domain CLT_PYRN. The name is \
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
            required(
                "attemptCount",
                integer_schema("The number of attempts to send the notification so far."),
            ),
            required(
                "attempts",
                list_schema(
                    "The last 20 attempts to send the notification, the oldest first.",
                    schema_reference("DeliveryAttempt"),
                ),
            ),
            required(
                "requests",
                list_schema(
                    "The API requests of the application that named this notification in a header.",
                    schema_reference("NotedRequest"),
                ),
            ),
            optional(
                "body",
                text_schema("The exact body of the notification. Absent in lists of deliveries."),
            ),
        ],
    )
}

fn attempt_schema() -> Value {
    let response = format!("The first {MAX_STORED_RESPONSE_BYTES} bytes of the receiver's response body.");
    object_schema(
        "An attempt to send a notification to the address of the hook.",
        [
            required(
                "number",
                integer_schema("The number of the attempt within the delivery, counted from 1."),
            ),
            required("date", instant_schema("The time at which the attempt started.")),
            required("durationMilliseconds", integer_schema("The duration of the attempt in milliseconds.")),
            required(
                "cause",
                enumeration_schema("The reason why the server made the attempt.", AttemptCause::ALL),
            ),
            optional("status", integer_schema("The HTTP status of the receiver's response.")),
            optional(
                "error",
                enumeration_schema("The kind of error because of which the attempt failed.", ErrorClass::ALL),
            ),
            optional("answer", text_schema(&response)),
            required(
                "answerCut",
                boolean_schema("Whether the log contains only the beginning of the response body."),
            ),
            optional(
                "retryAfterSeconds",
                integer_schema(
                    "The number of seconds in the header `Retry-After` of the receiver's response.",
                ),
            ),
        ],
    )
}

fn request_schema() -> Value {
    object_schema(
        "An API request of the application that named the notification in a header.",
        [
            required("date", instant_schema("The time at which the request was received.")),
            required("method", text_schema("The HTTP method of the request.")),
            required(
                "route",
                text_schema("The path of the request, with names such as `{workerId}` in place of the ids."),
            ),
            required("status", integer_schema("The HTTP status of the response to the request.")),
            required("requestId", text_schema("The id of the request.")),
        ],
    )
}

fn replay_request_schema() -> Value {
    let members = [
        optional(
            "failed",
            boolean_schema(
                "Resend only deliveries in the states RETRYING and EXPIRED, which have not arrived.",
            ),
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
        "The number of deliveries that the server resends.",
        [
            required("replayed", integer_schema("The number of deliveries that the server resends.")),
            optional(
                "next",
                text_schema("The position to continue from. Send it as `after` in the next request."),
            ),
        ],
    )
}
