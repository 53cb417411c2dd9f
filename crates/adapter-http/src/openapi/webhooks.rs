//! Describes the notifications that the server sends to hooks, one for each event domain (specification §9.2,
//! §9.3).

use payroll_domain::delivery::TEST_NOTIFICATION_TYPE;
use payroll_domain::event::{EventAction, EventDomain};
use serde_json::{Map, Value, json};

use super::schema::{
    boolean_schema, enumeration_schema, id_schema, instant_schema, list_schema, object_schema, optional,
    required, schema_reference, text_schema,
};

/// Returns the OpenAPI webhooks by the names of their event domains. Webhooks have no OpenAPI tag. With a
/// tag, client generators would add webhooks to the operations with this tag, as if a client called the
/// webhooks.
pub(super) fn webhooks() -> Map<String, Value> {
    EventDomain::ALL.iter().map(|domain| (domain.as_str().to_owned(), describe_webhook(*domain))).collect()
}

fn describe_webhook(domain: EventDomain) -> Value {
    let (id, summary) = id_and_summary(domain);
    json!({"post": {
        "operationId": id,
        "summary": summary,
        "description": format!("{summary} The server sends a POST to the hook's address, with the hook's \
         credentials and a signature, as in the Standard Webhooks specification. The notification reports \
         that something changed, but does not contain the data. After any response except 2XX, the server \
         retries, by default every 5 minutes. A notification can arrive more than once, with the same \
         `notificationId`."),
        "parameters": header_parameters(),
        "requestBody": {
            "required": true,
            "content": {crate::shared::media_type::JSON: {"schema": schema_reference("Notification"), "examples": {"example": {"value": notification_example(domain)}}}},
        },
        "responses": {
            "2XX": {"description": "The notification was delivered. The server ignores the body of your response."},
            "default": {"description": "The delivery failed and is retried."},
        },
        "security": [],
    }})
}

fn header_parameters() -> Value {
    let header = |name: &str, description: &str| json!({"name": name, "in": "header", "required": true, "description": description, "schema": {"type": "string"}});
    json!([
        header("webhook-id", "The id of the notification, which is the same in every attempt."),
        header("webhook-timestamp", "The time of this attempt, in seconds since 1970."),
        header(
            "webhook-signature",
            "`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by dots. For 24 hours after a rotation of the secret, a second such signature follows. The last signatures are `v1a,` and the base64 of the Ed25519 signature of the same text, with each key in `/.well-known/webhook-keys`. Spaces separate the signatures."
        ),
    ])
}

/// Returns the operation id and the summary of the webhook for an event domain.
const fn id_and_summary(domain: EventDomain) -> (&'static str, &'static str) {
    match domain {
        EventDomain::WorkerAdded => ("workerAdded", "A worker was added."),
        EventDomain::WorkerDemographics => ("workerDemographicsChanged", "A worker's personal data changed."),
        EventDomain::WorkerEmployment => {
            ("workerEmploymentChanged", "A worker's employment changed, or the worker was deleted.")
        }
        EventDomain::WorkerTaxes => ("workerTaxesChanged", "A worker's tax settings changed."),
        EventDomain::WorkerAssignment => {
            ("workerAssignmentChanged", "The work assignment of a worker changed.")
        }
        EventDomain::WorkerCompensation => {
            ("workerCompensationChanged", "A worker's pay rates or recurring pay components changed.")
        }
        EventDomain::CompanyDemographics => ("companyDemographicsChanged", "A company's own data changed."),
        EventDomain::CompanyOrganizations => {
            ("companyOrganizationsChanged", "A company's organizational units changed.")
        }
        EventDomain::CompanyProducts => (
            "companyProductsChanged",
            "A company no longer has a product, or the end date of a product changed.",
        ),
        EventDomain::CompanyAccess => {
            ("companyAccessChanged", "The application's own access to a company changed.")
        }
        EventDomain::PayrunCompleted => {
            ("payrunCompleted", "A company finished a payroll and paid its workers.")
        }
    }
}

fn notification_example(domain: EventDomain) -> Value {
    let mut notification = json!({
        "companyId": "00DEMO0001COMPANY001",
        "asOfDate": "2026-06-07T10:10:24.000+00:00",
        "domains": [domain.as_str()],
        "action": example_action(domain).as_str(),
        "notificationType": domain.notification_type(),
        "notificationId": "31a271e5-b970-49e6-ac8f-d46f73c061af",
    });
    let about = match domain {
        EventDomain::PayrunCompleted => Some(("payperiodId", "851000000002007")),
        worker if worker.as_str().starts_with("WRKR_") => Some(("workerId", "00DEMO0001WORKER0001")),
        _ => None,
    };
    if let (Some(members), Some((name, value))) = (notification.as_object_mut(), about) {
        members.insert(name.to_owned(), value.into());
    }
    notification
}

const fn example_action(domain: EventDomain) -> EventAction {
    match domain {
        EventDomain::WorkerAdded => EventAction::Add,
        EventDomain::PayrunCompleted => EventAction::PayrunCompleted,
        _ => EventAction::Update,
    }
}

/// Returns the types of notifications, including the type of test notifications.
fn notification_types() -> Vec<&'static str> {
    let mut types = vec![TEST_NOTIFICATION_TYPE];
    for domain in EventDomain::ALL {
        if !types.contains(&domain.notification_type()) {
            types.push(domain.notification_type());
        }
    }
    types
}

/// Returns the schema of a notification.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let notification = object_schema(
        "The notification that a hook receives.",
        [
            optional(
                "companyId",
                id_schema(
                    "The company in which the change happened. Absent in a test call of a hook for \
                    all companies.",
                ),
            ),
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
            required("asOfDate", instant_schema("The time at which the change was stored.")),
            required(
                "domains",
                list_schema(
                    "The event domain of the change, as the only element.",
                    schema_reference("EventDomain"),
                ),
            ),
            required("action", schema_reference("EventAction")),
            required(
                "notificationType",
                enumeration_schema("The kind of notification.", notification_types()),
            ),
            required(
                "notificationId",
                text_schema(
                    "The UUID of the notification, which is the same in every attempt and for \
                    every hook.",
                ),
            ),
            optional(
                "test",
                boolean_schema(
                    "Whether the notification is a test call, which reports no change. Absent in other \
                     notifications.",
                ),
            ),
        ],
    );
    vec![
        ("EventDomain", enumeration_schema("The event domain of the change.", EventDomain::ALL)),
        ("EventAction", enumeration_schema("The kind of change.", EventAction::ALL)),
        ("Notification", notification),
    ]
}
