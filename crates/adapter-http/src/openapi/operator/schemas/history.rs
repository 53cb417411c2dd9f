//! Hooks with their state, events, the audit log, imports, and the lock of a company (specification §10.8,
//! §10.9, §10.15, §11.20, §11.21).

use payroll_domain::audit::{ActorKind, AuditAction, AuditedKind};
use payroll_domain::event::EventDomain;
use payroll_ports::oversight::FindingSeverity;
use serde_json::{Value, json};

use super::super::super::documents::{
    MAX_NOTE_LENGTH, OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema,
};
use super::super::super::schema::{
    boolean, enumeration, id, instant, list, non_negative_integer, object, optional_member, plain_text,
    reference, request_instant, required_member, text, with_keyword,
};
use super::super::super::schemas::hook::delivery_option_members;
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn hook_schemas() -> NamedSchemas {
    let queue = object(
        "The state of the queue of a hook.",
        [
            required_member(
                "waiting",
                non_negative_integer("The number of pending deliveries, including retries."),
            ),
            optional_member(
                "oldestWaiting",
                instant("The time at which the oldest pending delivery was queued."),
            ),
            optional_member("failingSince", instant("The first failure since the last success.")),
            required_member("failures", non_negative_integer("Attempts that have failed since then.")),
            optional_member("disabledDate", instant("The time at which the hook was disabled.")),
            required_member(
                "expired",
                non_negative_integer("The number of deliveries that were given up or waited too long."),
            ),
        ],
    );
    let members = [
        required_member("applicationId", id("The application.")),
        required_member("hookId", id("The id of the hook.")),
        optional_member("companyId", id("The hook receives only notifications about this company.")),
        required_member("uri", text("The address of the receiver, without the query.")),
        required_member("domains", list("The kinds of changes that are sent.", reference("EventDomain"))),
        required_member("authType", reference("AuthType")),
        required_member("active", boolean("Whether the hook is enabled.")),
        required_member("createdDate", instant("The time of registration.")),
        required_member("queue", queue),
    ];
    let hook = object(
        "A hook of an application, and how it is doing.",
        members.into_iter().chain(delivery_option_members()),
    );
    let summary = object(
        "The summary.",
        [
            required_member(
                "waiting",
                non_negative_integer("The number of pending deliveries of enabled hooks."),
            ),
            required_member(
                "retrying",
                non_negative_integer("The number of pending deliveries that failed at least once."),
            ),
            optional_member(
                "oldestWaiting",
                instant("The time at which the oldest pending delivery was queued."),
            ),
            required_member(
                "held",
                non_negative_integer("The number of deliveries that are held for disabled hooks."),
            ),
            required_member("activeHooks", non_negative_integer("Hooks that send.")),
            required_member("inactiveHooks", non_negative_integer("Hooks that do not.")),
            required_member(
                "failingHooks",
                non_negative_integer("The number of hooks whose last attempt failed."),
            ),
        ],
    );
    vec![("Hook", hook), ("QueueSummary", summary)]
}

pub(super) fn history_schemas() -> NamedSchemas {
    let mut types: Vec<&str> = EventDomain::ALL.iter().map(|domain| domain.notification_type()).collect();
    types.sort_unstable();
    types.dedup();
    let event = object(
        "Something that has changed.",
        [
            required_member("eventId", text("The UUID of the event. Its notification has the same id.")),
            required_member("position", non_negative_integer("The position of the event in the feed.")),
            required_member("companyId", id("The company.")),
            optional_member("applicationId", id("The only application that receives the event.")),
            optional_member("workerId", id("The worker, in the domains of workers.")),
            optional_member(
                "payperiodId",
                id("The pay period, in CLT_PYRN. With a small p, as in notifications."),
            ),
            required_member("domain", reference("EventDomain")),
            required_member("action", reference("EventAction")),
            required_member("asOfDate", instant("The time at which the event was stored.")),
            required_member("notificationType", enumeration("The kind of notification.", types)),
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
            required_member("position", non_negative_integer("The position in the audit log.")),
            required_member("at", instant("The time of the change.")),
            required_member(
                "actor",
                object(
                    "The author of the change.",
                    [
                        required_member(
                            "kind",
                            enumeration(
                                "How the change was made: by an operator, an application, a command or the server.",
                                ActorKind::ALL,
                            ),
                        ),
                        required_member(
                            "name",
                            text(
                                "The name of the key, the application, the command or the part of the server.",
                            ),
                        ),
                    ],
                ),
            ),
            optional_member("companyId", id("The company of the object.")),
            required_member("action", enumeration("The action.", AuditAction::ALL)),
            required_member(
                "resource",
                object(
                    "The object that was changed.",
                    [
                        required_member("kind", enumeration("The kind of object.", AuditedKind::ALL)),
                        required_member("id", text("The id.")),
                    ],
                ),
            ),
            optional_member("before", document("The object before the change. Absent if it is new.")),
            optional_member("after", document("The object after the change. Absent if it was deleted.")),
        ],
    )
}

fn server_health_schema() -> Value {
    let check = object(
        "A dependency of the server.",
        [
            required_member(
                "name",
                enumeration("The kind of object.", ["serving", "storage", "migrations", "dispatcher"]),
            ),
            required_member("ready", boolean("Whether the dependency works.")),
            optional_member("problem", text("The reason why the dependency does not work.")),
        ],
    );
    let certificate = object(
        "The certificate of a listener.",
        [
            required_member(
                "listener",
                enumeration("The listener that uses the certificate.", ["partner", "operator"]),
            ),
            optional_member("endDate", instant("The time at which the certificate expires, if it is known.")),
        ],
    );
    let minute = object(
        "The numbers of one minute. Minutes without activity are absent.",
        [
            required_member("date", instant("The start time.")),
            required_member(
                "requests",
                non_negative_integer("The requests to the partner API and the operator API."),
            ),
            required_member("refused", non_negative_integer("Requests with a 4xx response.")),
            required_member("failed", non_negative_integer("Requests with a 5xx response.")),
            required_member("attempts", non_negative_integer("Attempts to deliver a notification.")),
            required_member(
                "failedAttempts",
                non_negative_integer("The number of attempts that no receiver accepted."),
            ),
        ],
    );
    let backup = object(
        "A copy of the embedded database.",
        [
            required_member("date", instant("The time of creation.")),
            required_member("file", with_example(text("The path of the backup."), "/var/backups/payroll.db")),
            required_member("bytes", non_negative_integer("The size in bytes.")),
        ],
    );
    object(
        "State of the process that responds.",
        [
            required_member("date", instant("The time.")),
            required_member("version", text("The release of the server.")),
            required_member("ready", boolean("The server accepts requests.")),
            required_member("checks", list("The dependencies.", check)),
            required_member(
                "certificates",
                list("The certificates of the listeners that use TLS.", certificate),
            ),
            optional_member("lastBackup", backup),
            required_member("minutes", list("The last hour of this process, the oldest first.", minute)),
            required_member(
                "unreadableCompanies",
                list(
                    "Companies that lists of this process leave out because they cannot be read, at most 100.",
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
            required_member("area", with_example(text("The area of the finding, in one word."), "storage")),
            required_member(
                "state",
                enumeration(
                    "The state: ok, warning or problem.",
                    FindingSeverity::ALL.map(FindingSeverity::as_str),
                ),
            ),
            required_member("message", with_example(text("The results."), "the schema is at 20261123000000")),
            optional_member(
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
            required_member(
                "kind",
                enumeration(
                    "The kind of object.",
                    ["company", "worker", "payPeriod", "check", "application"],
                ),
            ),
            required_member("id", id("The id.")),
            optional_member(
                "name",
                text("The name of the object, or the description of a pay period. Absent for a check."),
            ),
            optional_member("number", text("A company's account number, or a worker's short number.")),
            optional_member("companyId", id("The company. Absent for an application.")),
            optional_member("companyName", text("The company's name.")),
            optional_member("payPeriodId", id("The pay period of a check.")),
            optional_member("workerId", id("The worker of a check.")),
        ],
    )
}

fn imported_line_schema() -> Value {
    let counts = object(
        "The numbers of stored objects.",
        [
            required_member("created", non_negative_integer("New objects.")),
            required_member("changed", non_negative_integer("Changed objects.")),
            required_member("unchanged", non_negative_integer("Unchanged objects.")),
        ],
    );
    object(
        "The result of a line of an import.",
        [
            required_member("line", non_negative_integer("The number of the line, counted from 1.")),
            optional_member("companyId", id("The company, if it is known.")),
            required_member(
                "result",
                enumeration("The result of the line.", ["stored", "valid", "refused", "locked", "failed"]),
            ),
            optional_member("counts", counts),
            optional_member("errors", list("The reasons why the line is not stored.", reference("Error"))),
        ],
    )
}

pub(super) fn lock_schemas() -> NamedSchemas {
    let shown = object(
        "The lock of a company.",
        [
            optional_member("holder", text("The name of the key that set the lock.")),
            optional_member("reason", text("The reason for the lock.")),
            optional_member("expiresDate", instant("The time of expiry.")),
            optional_member(
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
            optional_member(
                "holder",
                plain_text("The name of the key. The server determines it.", OPERATOR_NAME_LENGTH),
            ),
            optional_member("reason", plain_text("The reason for the lock.", MAX_NOTE_LENGTH)),
            optional_member("expiresDate", request_instant("The time of expiry.")),
        ],
    );
    vec![("CompanyLock", shown), ("LockInput", sent)]
}
