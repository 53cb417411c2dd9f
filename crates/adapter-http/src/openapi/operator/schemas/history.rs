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
    boolean, enumeration, id, instant, integer, list, object, optional, plain_text, reference,
    request_instant, required, text, with_keyword,
};
use super::super::super::schemas::hook::delivery_option_members;
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn hook_schemas() -> NamedSchemas {
    let queue = object(
        "The state of the queue of a hook.",
        [
            required("waiting", integer("The number of pending deliveries, including retries.")),
            optional("oldestWaiting", instant("The time at which the oldest pending delivery was queued.")),
            optional("failingSince", instant("The time of the first failed attempt since the last success.")),
            required("failures", integer("The number of failed attempts since the last success.")),
            optional("disabledDate", instant("The time at which the hook was disabled.")),
            required(
                "expired",
                integer(
                    "The number of deliveries that ended without success: after the \
                maximum number of attempts, or because they waited too long.",
                ),
            ),
        ],
    );
    let members = [
        required("applicationId", id("The application.")),
        required("hookId", id("The id of the hook.")),
        optional("companyId", id("The hook receives only notifications about this company.")),
        required("uri", text("The address of the receiver, without the query.")),
        required(
            "domains",
            list("The event domains of the notifications that the hook receives.", reference("EventDomain")),
        ),
        required("authType", reference("AuthType")),
        required("active", boolean("Whether the hook is enabled.")),
        required("createdDate", instant("The time of registration.")),
        required("queue", queue),
    ];
    let hook = object(
        "A hook of an application, with the state of its queue.",
        members.into_iter().chain(delivery_option_members()),
    );
    let summary = object(
        "The summary.",
        [
            required("waiting", integer("The number of pending deliveries of enabled hooks.")),
            required("retrying", integer("The number of pending deliveries that failed at least once.")),
            optional("oldestWaiting", instant("The time at which the oldest pending delivery was queued.")),
            required("held", integer("The number of deliveries that wait for disabled hooks.")),
            required("activeHooks", integer("The number of enabled hooks.")),
            required("inactiveHooks", integer("The number of disabled hooks.")),
            required("failingHooks", integer("The number of hooks whose last attempt failed.")),
        ],
    );
    vec![("Hook", hook), ("QueueSummary", summary)]
}

pub(super) fn history_schemas() -> NamedSchemas {
    let mut types: Vec<&str> = EventDomain::ALL.iter().map(|domain| domain.notification_type()).collect();
    types.sort_unstable();
    types.dedup();
    let event = object(
        "An event: the record of one change.",
        [
            required("eventId", text("The UUID of the event. Its notification has the same id.")),
            required("position", integer("The position of the event in the feed.")),
            required("companyId", id("The company.")),
            optional("applicationId", id("The only application that receives the event.")),
            optional("workerId", id("The worker. Present if the event domain concerns a worker.")),
            optional(
                "payperiodId",
                id("The pay period. Only present in the domain CLT_PYRN. The name is \
                `payperiodId`, not `payPeriodId`."),
            ),
            required("domain", reference("EventDomain")),
            required("action", reference("EventAction")),
            required("asOfDate", instant("The time at which the event was stored.")),
            required("notificationType", enumeration("The kind of notification.", types)),
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
    object(
        "A row of the audit log.",
        [
            required("position", integer("The position in the audit log.")),
            required("at", instant("The time of the change.")),
            required(
                "actor",
                object(
                    "The author of the change.",
                    [
                        required(
                            "kind",
                            enumeration(
                                "How the change was made: by an operator, an application, a command or the server.",
                                ActorKind::ALL,
                            ),
                        ),
                        required(
                            "name",
                            text(
                                "The name of the key, the application, the command or the part of the server.",
                            ),
                        ),
                    ],
                ),
            ),
            optional("companyId", id("The company of the object.")),
            required("action", enumeration("The action.", AuditAction::ALL)),
            required(
                "resource",
                object(
                    "The object that was changed.",
                    [
                        required("kind", enumeration("The kind of object.", AuditedKind::ALL)),
                        required("id", text("The id.")),
                    ],
                ),
            ),
            optional("before", document("The object before the change. Absent if it is new.")),
            optional("after", document("The object after the change. Absent if it was deleted.")),
        ],
    )
}

fn server_health_schema() -> Value {
    let check = object(
        "A dependency of the server.",
        [
            required(
                "name",
                enumeration(
                    "The name of the dependency.",
                    ["serving", "storage", "migrations", "dispatcher"],
                ),
            ),
            required("ready", boolean("Whether the dependency works.")),
            optional("problem", text("The reason why the dependency does not work.")),
        ],
    );
    let certificate = object(
        "The certificate of a listener.",
        [
            required(
                "listener",
                enumeration("The listener that uses the certificate.", ["partner", "operator"]),
            ),
            optional("endDate", instant("The time at which the certificate expires, if it is known.")),
        ],
    );
    let minute = object(
        "The numbers of one minute. Minutes without activity are absent.",
        [
            required("date", instant("The start time.")),
            required("requests", integer("The requests to the partner API and the operator API.")),
            required("refused", integer("Requests with a 4xx response.")),
            required("failed", integer("Requests with a 5xx response.")),
            required("attempts", integer("Attempts to deliver a notification.")),
            required("failedAttempts", integer("The number of attempts that no receiver accepted.")),
        ],
    );
    let backup = object(
        "A copy of the embedded database.",
        [
            required("date", instant("The time of creation.")),
            required("file", with_example(text("The path of the backup."), "/var/backups/payroll.db")),
            required("bytes", integer("The size in bytes.")),
        ],
    );
    object(
        "The state of the server process that responds.",
        [
            required("date", instant("The time.")),
            required("version", text("The release of the server.")),
            required("ready", boolean("Whether the server accepts requests.")),
            required("checks", list("The dependencies.", check)),
            required("certificates", list("The certificates of the listeners that use TLS.", certificate)),
            optional("lastBackup", backup),
            required("minutes", list("The last hour of this process, the oldest first.", minute)),
            required(
                "unreadableCompanies",
                list(
                    "The ids of companies that this process omits from lists because it cannot read them, \
                     at most 100.",
                    id("The id of a company."),
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
    object(
        "The checks and their results.",
        [
            required("area", with_example(text("The area of the finding, in one word."), "storage")),
            required(
                "state",
                enumeration(
                    "The state: ok, warning or problem.",
                    FindingSeverity::ALL.map(FindingSeverity::as_str),
                ),
            ),
            required("message", with_example(text("The results."), "the schema is at 20261123000000")),
            optional(
                "advice",
                with_example(
                    text("The advice, if an action is needed."),
                    "let both machines keep their time by NTP",
                ),
            ),
        ],
    )
}

fn search_hit_schema() -> Value {
    object(
        "The results.",
        [
            required(
                "kind",
                enumeration(
                    "The kind of object.",
                    ["company", "worker", "payPeriod", "check", "application"],
                ),
            ),
            required("id", id("The id.")),
            optional(
                "name",
                text("The name of the object, or the description of a pay period. Absent for a check."),
            ),
            optional("number", text("The account number of a company, or the employee id of a worker.")),
            optional("companyId", id("The company. Absent for an application.")),
            optional("companyName", text("The company's name.")),
            optional("payPeriodId", id("The pay period of a check.")),
            optional("workerId", id("The worker of a check.")),
        ],
    )
}

fn imported_line_schema() -> Value {
    let counts = object(
        "The numbers of stored objects.",
        [
            required("created", integer("New objects.")),
            required("changed", integer("Changed objects.")),
            required("unchanged", integer("Unchanged objects.")),
        ],
    );
    object(
        "The result of one line of an import.",
        [
            required("line", integer("The number of the line, counted from 1.")),
            optional("companyId", id("The company, if it is known.")),
            required(
                "result",
                enumeration("The result of the line.", ["stored", "valid", "refused", "locked", "failed"]),
            ),
            optional("counts", counts),
            optional(
                "errors",
                list("The faults because of which the line is not stored.", reference("Error")),
            ),
        ],
    )
}

pub(super) fn lock_schemas() -> NamedSchemas {
    let shown = object(
        "The lock of a company.",
        [
            optional("holder", text("The name of the key that set the lock.")),
            optional("reason", text("The reason for the lock.")),
            optional("expiresDate", instant("The time of expiry.")),
            optional(
                "payPeriodId",
                id(
                    "The pay period in processing that locks the company. If present, the other members are absent.",
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
                plain_text("The name of the key. The server determines it.", OPERATOR_NAME_LENGTH),
            ),
            optional("reason", plain_text("The reason for the lock.", MAX_NOTE_LENGTH)),
            optional("expiresDate", request_instant("The time of expiry, in the future.")),
        ],
    );
    vec![("CompanyLock", shown), ("LockInput", sent)]
}
