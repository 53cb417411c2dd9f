//! The delivery log (specification §11.22) and replays (§9.7).

use payroll_domain::delivery::{AttemptCause, DeliveryState, ErrorClass, MAX_STORED_RESPONSE_BYTES};
use serde_json::{Value, json};

use super::super::schema::{
    ObjectMember, boolean, cursor, enumeration, id, instant, list, non_negative_integer, object,
    optional_member, reference, request_instant, required_member, text, with_keyword,
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

/// Returns an example of a replay that is valid in the demo.
pub(in super::super) fn example() -> Value {
    json!({"failed": true})
}

fn delivery_schema() -> Value {
    object(
        "A notification on its way to a hook.",
        [
            required_member("deliveryId", id("The id.")),
            required_member("notificationId", text("The notification's id, a UUID.")),
            required_member("state", reference("DeliveryState")),
            optional_member("companyId", id("The company.")),
            optional_member("workerId", id("The worker, in the domains of workers.")),
            optional_member(
                "payperiodId",
                id("The pay period, in CLT_PYRN. With a small p, as in notifications."),
            ),
            required_member("domain", reference("EventDomain")),
            required_member("action", reference("EventAction")),
            required_member("test", boolean("Whether the delivery is a test call.")),
            required_member("replayed", boolean("An operator or partner resent it.")),
            required_member("queuedDate", instant("The time at which the change was stored.")),
            optional_member("dueDate", instant("The time of the next attempt of a pending delivery.")),
            optional_member(
                "endedDate",
                instant("The time at which the delivery was delivered, cancelled or expired."),
            ),
            required_member("attemptCount", non_negative_integer("The number of attempts so far.")),
            required_member("attempts", list("The last 20, the oldest first.", reference("DeliveryAttempt"))),
            required_member(
                "requests",
                list(
                    "The requests of the receiver that refer to this notification.",
                    reference("NotedRequest"),
                ),
            ),
            optional_member("body", text("The exact body of the notification. Absent in lists.")),
        ],
    )
}

fn attempt_schema() -> Value {
    let response = format!("The first {MAX_STORED_RESPONSE_BYTES} bytes of the response body.");
    object(
        "An attempt to deliver.",
        [
            required_member("number", non_negative_integer("The number of the attempt, counted from 1.")),
            required_member("date", instant("The start time.")),
            required_member(
                "durationMilliseconds",
                non_negative_integer("The duration of the attempt in milliseconds."),
            ),
            required_member("cause", enumeration("The reason for the attempt.", AttemptCause::ALL)),
            optional_member("status", non_negative_integer("The status of the response.")),
            optional_member("error", enumeration("The error.", ErrorClass::ALL)),
            optional_member("answer", text(&response)),
            required_member("answerCut", boolean("The body of the response was not read completely.")),
            optional_member(
                "retryAfterSeconds",
                non_negative_integer("The seconds that the receiver asked to wait, in `Retry-After`."),
            ),
        ],
    )
}

fn request_schema() -> Value {
    object(
        "A request that named the notification.",
        [
            required_member("date", instant("The time at which the request was received.")),
            required_member("method", text("The method of the request.")),
            required_member("route", text("The path of the request, with names in place of the ids.")),
            required_member("status", non_negative_integer("The response.")),
            required_member("requestId", text("The id.")),
        ],
    )
}

fn replay_request_schema() -> Value {
    let members = [
        optional_member(
            "failed",
            boolean("Resend only deliveries that have not arrived: RETRYING and EXPIRED."),
        ),
        optional_member(
            "from",
            request_instant("Resend only deliveries that were queued at this instant or later."),
        ),
        optional_member(
            "to",
            request_instant("Resend only deliveries that were queued before this instant."),
        ),
        optional_member("after", cursor("The cursor from the link `next` of an earlier response.")),
    ];
    let limits = object(
        "The deliveries to resend. One of `failed`, `from` and `to` is required.",
        members.into_iter().map(ObjectMember::or_null),
    );
    // The schema is closed, because a misspelled limit would replay more deliveries than intended.
    let closed = with_keyword(limits, "additionalProperties", false);
    with_keyword(closed, "anyOf", json!(["failed", "from", "to"].map(|name| json!({"required": [name]}))))
}

fn replay_schema() -> Value {
    object(
        "Number of deliveries to resend.",
        [
            required_member("replayed", non_negative_integer("Deliveries to resend.")),
            optional_member("next", text("The position to continue from. Send it as `after`.")),
        ],
    )
}
