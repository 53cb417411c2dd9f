//! Hooks with their state, events, the audit log, imports, search results, the health of the server, and the
//! lock of a company (specification §10.8, §10.9, §10.15, §11.20, §11.21, §11.28 to §11.30).

use payroll_domain::audit::{ActorKind, AuditAction, AuditedKind};
use payroll_domain::event::EventDomain;
use payroll_ports::oversight::FindingSeverity;
use serde_json::{Value, json};

use super::super::super::documents::{
    MAX_NOTE_LENGTH, OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema,
};
use super::super::super::schema::{
    boolean_schema, enumeration_schema, id_schema, instant_schema, integer_schema, list_schema,
    object_schema, optional, plain_text_schema, request_instant_schema, required, schema_reference,
    text_schema, with_keyword,
};
use super::super::super::schemas::hook::delivery_option_members;
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn hook_schemas() -> NamedSchemas {
    let queue = object_schema(
        "The state of the queue of a hook.",
        [
            required("waiting", integer_schema("The number of pending deliveries, including retries.")),
            optional(
                "oldestWaiting",
                instant_schema("The time at which the oldest pending delivery was queued."),
            ),
            optional(
                "failingSince",
                instant_schema("The time of the first failed attempt since the last success."),
            ),
            required("failures", integer_schema("The number of failed attempts since the last success.")),
            optional("disabledDate", instant_schema("The time at which the hook was disabled.")),
            required(
                "expired",
                integer_schema(
                    "The number of deliveries that ended without success: after the \
                maximum number of attempts, or because they waited too long.",
                ),
            ),
        ],
    );
    let members = [
        required("applicationId", id_schema("The application.")),
        required("hookId", id_schema("The id of the hook.")),
        optional("companyId", id_schema("The only company that the hook is for, if there is one.")),
        required("uri", text_schema("The address of the receiver, without the query.")),
        required(
            "domains",
            list_schema(
                "The event domains of the notifications that the hook receives.",
                schema_reference("EventDomain"),
            ),
        ),
        required("authType", schema_reference("AuthType")),
        required("active", boolean_schema("Whether the hook is enabled.")),
        required("createdDate", instant_schema("The time at which the hook was registered.")),
        required("queue", queue),
    ];
    let hook = object_schema(
        "A hook of an application, with the state of its queue.",
        members.into_iter().chain(delivery_option_members()),
    );
    let summary = object_schema(
        "The numbers of hooks and pending deliveries on the server.",
        [
            required("waiting", integer_schema("The number of pending deliveries of enabled hooks.")),
            required(
                "retrying",
                integer_schema("The number of pending deliveries that failed at least once."),
            ),
            optional(
                "oldestWaiting",
                instant_schema("The time at which the oldest pending delivery was queued."),
            ),
            required("held", integer_schema("The number of deliveries that wait for disabled hooks.")),
            required("activeHooks", integer_schema("The number of enabled hooks.")),
            required("inactiveHooks", integer_schema("The number of disabled hooks.")),
            required("failingHooks", integer_schema("The number of hooks whose last attempt failed.")),
        ],
    );
    vec![("Hook", hook), ("QueueSummary", summary)]
}

pub(super) fn history_schemas() -> NamedSchemas {
    let mut types: Vec<&str> = EventDomain::ALL.iter().map(|domain| domain.notification_type()).collect();
    types.sort_unstable();
    types.dedup();
    let event = object_schema(
        "An event: the record of one change.",
        [
            required("eventId", text_schema("The UUID of the event. Its notification has the same id.")),
            required("position", integer_schema("The position of the event in the feed.")),
            required("companyId", id_schema("The company.")),
            optional("applicationId", id_schema("The only application that receives the event.")),
            optional(
                "workerId",
                id_schema(
                    "The worker whose data changed. Only present in event domains \
                that concern a worker.",
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
            required("asOfDate", instant_schema("The time at which the event was stored.")),
            required("notificationType", enumeration_schema("The kind of notification.", types)),
        ],
    );
    vec![
        ("Event", event),
        ("AuditRow", audit_row_schema()),
        ("ImportedLine", imported_line_schema()),
        ("SearchHit", search_hit_schema()),
        ("Finding", finding_schema()),
        ("ServerHealth", server_health_schema()),
    ]
}

fn audit_row_schema() -> Value {
    let document = |words: &str| json!({"type": "object", "description": words});
    object_schema(
        "A row of the audit log.",
        [
            required("position", integer_schema("The position of the row in the audit log.")),
            required("at", instant_schema("The time at which the change was made.")),
            required(
                "actor",
                object_schema(
                    "The operator, application, command or server part that made the change.",
                    [
                        required(
                            "kind",
                            enumeration_schema(
                                "How the change was made: by an operator, an application, a command or the server.",
                                ActorKind::ALL,
                            ),
                        ),
                        required(
                            "name",
                            text_schema(
                                "The name of the operator key, the application, the command or the part of \
                                 the server.",
                            ),
                        ),
                    ],
                ),
            ),
            optional("companyId", id_schema("The company to which the changed object belongs.")),
            required("action", enumeration_schema("The kind of change.", AuditAction::ALL)),
            required(
                "resource",
                object_schema(
                    "The kind and the id of the changed object.",
                    [
                        required("kind", enumeration_schema("The kind of the object.", AuditedKind::ALL)),
                        required("id", text_schema("The id of the changed object.")),
                    ],
                ),
            ),
            optional("before", document("The object before the change. Absent if it is new.")),
            optional("after", document("The object after the change. Absent if it was deleted.")),
        ],
    )
}

fn server_health_schema() -> Value {
    let check = object_schema(
        "A dependency of the server.",
        [
            required(
                "name",
                enumeration_schema(
                    "The name of the dependency.",
                    ["serving", "storage", "migrations", "dispatcher"],
                ),
            ),
            required("ready", boolean_schema("Whether the dependency works.")),
            optional("problem", text_schema("The reason why the dependency does not work.")),
        ],
    );
    let certificate = object_schema(
        "The certificate of a listener.",
        [
            required(
                "listener",
                enumeration_schema("The listener that uses the certificate.", ["partner", "operator"]),
            ),
            optional("endDate", instant_schema("The time at which the certificate expires, if it is known.")),
        ],
    );
    let minute = object_schema(
        "The numbers of one minute. Minutes without activity are absent.",
        [
            required("date", instant_schema("The start of the minute.")),
            required("requests", integer_schema("The number of requests to both APIs in this minute.")),
            required("refused", integer_schema("The number of requests with a 4xx response.")),
            required("failed", integer_schema("The number of requests with a 5xx response.")),
            required("attempts", integer_schema("The number of delivery attempts.")),
            required("failedAttempts", integer_schema("The number of failed delivery attempts.")),
        ],
    );
    let backup = object_schema(
        "A backup of the embedded database.",
        [
            required("date", instant_schema("The time at which the backup was created.")),
            required("file", with_example(text_schema("The path of the backup."), "/var/backups/payroll.db")),
            required("bytes", integer_schema("The size of the backup in bytes.")),
        ],
    );
    object_schema(
        "The state of the server process that responds.",
        [
            required("date", instant_schema("The current time of the server.")),
            required("version", text_schema("The release of the server, as a version number.")),
            required("ready", boolean_schema("Whether the server accepts requests.")),
            required("checks", list_schema("The dependencies of the server, each with its state.", check)),
            required(
                "certificates",
                list_schema("The certificates of the listeners that use TLS.", certificate),
            ),
            optional("lastBackup", backup),
            required("minutes", list_schema("The last hour by the minute, oldest first.", minute)),
            required(
                "unreadableCompanies",
                list_schema(
                    "The ids of companies that this process omits from lists because it cannot read them, \
                     at most 100.",
                    id_schema("The id of a company."),
                ),
            ),
        ],
    )
}

/// Adds an example to the schema of a text.
fn with_example(text: Value, example: &str) -> Value {
    with_keyword(text, "examples", json!([example]))
}

fn finding_schema() -> Value {
    object_schema(
        "A finding of the diagnosis.",
        [
            required("area", with_example(text_schema("The area that was checked, in one word."), "storage")),
            required(
                "state",
                enumeration_schema(
                    "The state of the checked area: ok, warning or problem.",
                    FindingSeverity::ALL.map(FindingSeverity::as_str),
                ),
            ),
            required(
                "message",
                with_example(text_schema("The result of the check."), "the schema is at 20261123000000"),
            ),
            optional(
                "advice",
                with_example(
                    text_schema("The action that the operator should take. Absent if no action is needed."),
                    "let both machines keep their time by NTP",
                ),
            ),
        ],
    )
}

fn search_hit_schema() -> Value {
    object_schema(
        "An object that the search found.",
        [
            required(
                "kind",
                enumeration_schema(
                    "The kind of the object.",
                    ["company", "worker", "payPeriod", "check", "application"],
                ),
            ),
            required("id", id_schema("The id of the found object.")),
            optional(
                "name",
                text_schema(
                    "The name of the object, or the description of a pay period. Absent for a check.",
                ),
            ),
            optional(
                "number",
                text_schema("The account number of a company, or the employee id of a worker."),
            ),
            optional("companyId", id_schema("The company of the found object. Absent for an application.")),
            optional("companyName", text_schema("The company's name.")),
            optional("payPeriodId", id_schema("The pay period of the found check.")),
            optional("workerId", id_schema("The worker of the found check.")),
        ],
    )
}

fn imported_line_schema() -> Value {
    let counts = object_schema(
        "The numbers of new, changed and unchanged objects of the company.",
        [
            required("created", integer_schema("The number of new objects.")),
            required("changed", integer_schema("The number of changed objects.")),
            required("unchanged", integer_schema("The number of unchanged objects.")),
        ],
    );
    object_schema(
        "The result of one line of an import.",
        [
            required("line", integer_schema("The number of the line in the import, counted from 1.")),
            optional("companyId", id_schema("The company in the line, if it is known.")),
            required(
                "result",
                enumeration_schema(
                    "The result of importing the line.",
                    ["stored", "valid", "refused", "locked", "failed"],
                ),
            ),
            optional("counts", counts),
            optional(
                "errors",
                list_schema("The faults because of which the line is not stored.", schema_reference("Error")),
            ),
        ],
    )
}

pub(super) fn lock_schemas() -> NamedSchemas {
    let shown = object_schema(
        "The lock of a company.",
        [
            optional("holder", text_schema("The name of the operator key that set the lock.")),
            optional("reason", text_schema("The reason for the lock.")),
            optional("expiresDate", instant_schema("The time at which the lock expires.")),
            optional(
                "payPeriodId",
                id_schema(
                    "The pay period that locks the company while it is in processing. If present, the \
                     other members are absent.",
                ),
            ),
        ],
    );
    let sent = request_object_schema(
        "The lock to set.",
        SchemaUse::Request,
        [
            optional(
                "holder",
                plain_text_schema(
                    "The name of the operator key that sets the lock. The server determines this name.",
                    OPERATOR_NAME_LENGTH,
                ),
            ),
            optional("reason", plain_text_schema("The reason for the lock.", MAX_NOTE_LENGTH)),
            optional("expiresDate", request_instant_schema("The time at which the lock expires.")),
        ],
    );
    vec![("CompanyLock", shown), ("LockInput", sent)]
}
