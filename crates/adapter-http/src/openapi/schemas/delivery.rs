//! The delivery log (specification §11.22) and replays (§9.7).

use payroll_domain::delivery::{AttemptCause, DeliveryState, ErrorClass, MAX_STORED_RESPONSE_BYTES};
use serde_json::{Value, json};

use super::super::schema::{
    ObjectMember, boolean, cursor, enumeration, id, instant, integer, list, object, optional, reference,
    request_instant, required, text, with_keyword,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("Delivery", delivery_schema()),
        ("DeliveryState", enumeration("The state of a delivery.", DeliveryState::ALL)),
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
    object(
        "A notification for one hook, with its state and its attempts.",
        [
            required("deliveryId", id("The id.")),
            required("notificationId", text("The notification's id, a UUID.")),
            required("state", reference("DeliveryState")),
            optional("companyId", id("The company.")),
            optional("workerId", id("The worker. Present if the event domain concerns a worker.")),
            optional(
                "payperiodId",
                id("The pay period. Only present in the domain CLT_PYRN. The name is \
                `payperiodId`, not `payPeriodId`."),
            ),
            required("domain", reference("EventDomain")),
            required("action", reference("EventAction")),
            required("test", boolean("Whether the delivery is a test call.")),
            required("replayed", boolean("Whether an operator or the partner has resent the delivery.")),
            required("queuedDate", instant("The time at which the change was stored.")),
            optional("dueDate", instant("The time of the next attempt of a pending delivery.")),
            optional(
                "endedDate",
                instant("The time at which the delivery was delivered, cancelled or expired."),
            ),
            required("attemptCount", integer("The number of attempts so far.")),
            required(
                "attempts",
                list("The last 20 attempts, the oldest first.", reference("DeliveryAttempt")),
            ),
            required(
                "requests",
                list(
                    "The requests of the receiver that refer to this notification.",
                    reference("NotedRequest"),
                ),
            ),
            optional("body", text("The exact body of the notification. Absent in lists.")),
        ],
    )
}

fn attempt_schema() -> Value {
    let response = format!("The first {MAX_STORED_RESPONSE_BYTES} bytes of the response body.");
    object(
        "An attempt to deliver.",
        [
            required("number", integer("The number of the attempt, counted from 1.")),
            required("date", instant("The start time.")),
            required("durationMilliseconds", integer("The duration of the attempt in milliseconds.")),
            required("cause", enumeration("The reason for the attempt.", AttemptCause::ALL)),
            optional("status", integer("The status of the response.")),
            optional("error", enumeration("The error.", ErrorClass::ALL)),
            optional("answer", text(&response)),
            required("answerCut", boolean("Whether the response body was longer than the stored part.")),
            optional(
                "retryAfterSeconds",
                integer("The seconds that the receiver asked to wait, in `Retry-After`."),
            ),
        ],
    )
}

fn request_schema() -> Value {
    object(
        "A request that named the notification.",
        [
            required("date", instant("The time at which the request was received.")),
            required("method", text("The method of the request.")),
            required("route", text("The path of the request, with names in place of the ids.")),
            required("status", integer("The response.")),
            required("requestId", text("The id.")),
        ],
    )
}

fn replay_request_schema() -> Value {
    let members = [
        optional("failed", boolean("Resend only deliveries that have not arrived: RETRYING and EXPIRED.")),
        optional(
            "from",
            request_instant("Resend only deliveries that were queued at this instant or later."),
        ),
        optional("to", request_instant("Resend only deliveries that were queued before this instant.")),
        optional("after", cursor("The cursor from the link `next` of an earlier response.")),
    ];
    let limits = object(
        "The deliveries to resend. One of `failed`, `from` and `to` is required.",
        members.into_iter().map(ObjectMember::or_null),
    );
    // The schema forbids unknown members. Without this rule, a request with a misspelled limit would replay
    // more deliveries than intended.
    let closed = with_keyword(limits, "additionalProperties", false);
    with_keyword(closed, "anyOf", json!(["failed", "from", "to"].map(|name| json!({"required": [name]}))))
}

fn replay_schema() -> Value {
    object(
        "Number of deliveries to resend.",
        [
            required("replayed", integer("Deliveries to resend.")),
            optional("next", text("The position to continue from. Send it as `after`.")),
        ],
    )
}
