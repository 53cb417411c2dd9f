//! The clock of a sandbox, and the events that it triggers (specification §10.19).

use serde_json::{Value, json};

use super::super::super::documents::{SchemaUse, request_object_schema};
use super::super::super::schema::{
    boolean_schema, id_schema, instant_schema, list_schema, object_schema, optional, request_instant_schema,
    required, schema_reference, text_schema,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let clock = object_schema(
        "The clock of a sandbox.",
        [
            required("now", instant_schema("The current time of the sandbox.")),
            required(
                "secondsAhead",
                json!({"type": "integer", "description": "The number of seconds by which the sandbox's clock is ahead of the machine's clock."}),
            ),
        ],
    );
    let duration = json!({
        "type": "string", "pattern": "^P([0-9]{1,3}D)?(T([0-9]{1,4}H)?([0-9]{1,6}M)?([0-9]{1,8}S)?)?$",
        "description": "The duration by which to advance the sandbox's clock, in ISO 8601. At most \
         P366D.", "examples": ["PT5M", "P1DT12H"],
    });
    let change = request_object_schema(
        "The new time of the sandbox's clock. Send either `now` or `advance`.",
        SchemaUse::Request,
        [
            optional(
                "now",
                allow_empty_text(request_instant_schema(
                    "The new time of the sandbox's clock, at most a year after its current time.",
                )),
            ),
            optional("advance", allow_empty_text(duration)),
        ],
    );
    let reset = request_object_schema(
        "The database to reset.",
        SchemaUse::Request,
        [required("database", text_schema("The name of the database file or of the PostgreSQL database."))],
    );
    let trigger = request_object_schema(
        "An event to trigger.",
        SchemaUse::Request,
        [
            required("companyId", id_schema("The company that the event is about.")),
            required("domain", schema_reference("EventDomain")),
            optional("action", schema_reference("EventAction")),
            optional(
                "workerId",
                allow_empty_text(id_schema(
                    "The worker that the event is about. Only for event domains that concern a worker.",
                )),
            ),
            optional(
                "payPeriodId",
                allow_empty_text(id_schema(
                    "The pay period that the event is about. Only for the event domain CLT_PYRN.",
                )),
            ),
            optional("duplicate", boolean_schema("Whether each delivery of the event is sent twice.")),
            optional(
                "outOfOrder",
                boolean_schema("Whether an older event of the same kind arrives after this one."),
            ),
        ],
    );
    vec![
        ("SandboxClock", clock),
        ("SandboxClockInput", change),
        ("SandboxResetInput", reset),
        ("TriggerInput", trigger),
        ("Triggered", triggered_schema()),
    ]
}

fn triggered_schema() -> Value {
    object_schema(
        "The result of a trigger.",
        [
            required("companyId", id_schema("The company that the event is about.")),
            required(
                "notificationIds",
                list_schema(
                    "The ids of the notifications, in the order in which they arrive.",
                    text_schema("The UUID of a notification."),
                ),
            ),
        ],
    )
}

/// Extends a schema so that it also allows the empty text, which counts as absent.
fn allow_empty_text(mut schema: Value) -> Value {
    if let Some(Value::String(pattern)) = schema.get_mut("pattern") {
        pattern.push_str("|^$");
    }
    if let Some(length) = schema.get_mut("minLength") {
        *length = 0.into();
    }
    schema
}
