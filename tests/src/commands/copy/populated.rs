//! An embedded database in which each table has rows: the test data, and data that a server creates.

use payroll_ports::archive::{ArchiveClaim, ArchiveFile, ArchiveOutcome, PackChecksOutcome, PeriodKey};
use payroll_ports::write::AuditContext;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::files::base64;
use crate::support::receiver::{RECEIVER_HOSTS, wait_until_async};
use crate::support::world::{company, component, period, rate, worker};
use crate::support::{
    Database, OPEN, OPERATOR_KEY, Process, Receiver, Reply, Request, Response, check_with_correlation_id,
    run, token_form, with_member,
};

/// A company whose worker has every kind of data.
pub(super) const FULL_COMPANY: &str = "FULL";
/// The tax identity of the worker.
pub(super) const WORKER_SSN: &str = "000001234";

/// The partner's hook: its id and its signing secret.
pub(super) struct PopulatedDatabase {
    pub(super) hook_id: String,
    pub(super) signing_secret: String,
}

/// Returns the settings of all servers in these tests. All servers have the same settings, so that their
/// responses are equal.
pub(super) fn settings(receiver: &Receiver) -> Vec<String> {
    let hosts = receiver.host_mappings();
    let settings = [
        "--public-base-url",
        "https://api.test",
        "--webhook-hosts",
        &hosts,
        "--two-person-completion",
        "true",
    ];
    let others = ["--webhook-allow-http", "true", "--webhook-retry-seconds", "1"];
    settings.iter().chain(&others).map(|text| (*text).to_owned()).collect()
}

/// Creates data through a server: checks, a completed period, a hook with a successful and a pending
/// delivery, and a request for access.
pub(super) async fn populate(database: &Database, receiver: &Receiver) -> PopulatedDatabase {
    let imported = run(database, &["import", "-"], &full_company().to_string());
    assert!(imported.status.success(), "{imported:?}");
    let settings = settings(receiver);
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let server = Process::serve_with(database, &settings);
    let granted = Request::operator(Method::PUT, &format!("/applications/partner/grants/{FULL_COMPANY}")).json(
        &json!({"scopes": ["read:companies", "read:workers", "read:taxids", "read:payroll", "write:payroll",
            "write:documents"]}),
    );
    assert!(send_as_operator(&server, &granted).await.is_success());
    let token = server.client.request_token(token_form()).await;
    let partner = async |request: Request| {
        let response = server.client.send(&request, Some(&token)).await.expect("an answer");
        assert!(response.is_success(), "{request:?}: {response:?}");
        response
    };
    let hook = partner(Request::post("/management/hooks", &hook_registration())).await;
    let hook_id = first_member(&hook, "hookId");
    let rotated = Request::post(format!("/management/hooks/{hook_id}/rotate-secret"), &json!({}));
    let rotated = partner(rotated).await;
    add_documents(&partner).await;
    for number in 0..5 {
        let checks = json!([
            check_with_correlation_id(&format!("{number}-a")),
            check_with_correlation_id(&format!("{number}-b"))
        ]);
        partner(Request::post_checks(OPEN, &checks).idempotency_key(&format!("key-{number}"))).await;
    }
    complete_period(&server, &partner).await;
    change_clock_id(&server, "first").await;
    let arrived = receiver.wait_for_requests("/in", 1).await[0].notification_id();
    wait_until_async(async || count_delivered(database).await == 1, "a delivery that has arrived").await;
    partner(Request::get("/companies").header("x-vendor-sid", arrived)).await;
    receiver.reply_with(|_| Reply::Status(500));
    change_clock_id(&server, "second").await;
    receiver.wait_for_requests("/in", 2).await;
    let noted = "SELECT count(*) FROM noted_requests";
    wait_until_async(async || database.query_number(noted).await > 0, "a noted request").await;
    partner(Request::post("/management/requestclientaccess", &json!({"displayId": "00030001"}))).await;
    send_rejected_request(&server, &token, database).await;
    let signed_in = send_as_operator(&server, &Request::operator(Method::POST, "/sessions")).await;
    assert!(signed_in.is_success(), "{signed_in:?}");
    archive_period(database).await;
    assert_eq!(list_empty_tables(database).await, [""; 0], "a table that would be copied without a row");
    PopulatedDatabase { hook_id, signing_secret: first_member(&rotated, "signingSecret") }
}

/// Sends a request that is rejected, and waits until its details are stored.
async fn send_rejected_request(server: &Process, token: &str, database: &Database) {
    let request = Request::post_checks(FULL_COMPANY, &json!({"workerId": "FULL-WORKER"}));
    let rejected = server.client.send(&request, Some(token)).await.expect("an answer");
    assert_eq!(rejected.status, 400, "{rejected:?}");
    let logged = "SELECT count(*) FROM request_details";
    wait_until_async(async || database.query_number(logged).await > 0, "a rejected request in the log").await;
}

/// Adds a document, and another one that is deleted again.
async fn add_documents(partner: &impl AsyncFn(Request) -> Response) {
    let document = json!({"name": "Full-document.txt", "content": base64(b"Full-document of a person\n")});
    let added = Request::post("/workers/FULL-WORKER/documents", &document);
    partner(added.clone()).await;
    let removed = partner(added).await.members("documentId")[0].clone();
    partner(Request::new(Method::DELETE, format!("/workers/FULL-WORKER/documents/{removed}"))).await;
}

/// Archives the checks of a completed period, as the housekeeping task does. Also marks the database as a
/// sandbox.
async fn archive_period(database: &Database) {
    let store = crate::support::open(database).await;
    store.mark_as_sandbox().await.expect("a store");
    let period = PeriodKey {
        company_id: OPEN.parse().expect("an id"),
        pay_period_id: "COMPLETED".parse().expect("an id"),
    };
    let now = crate::support::START_TIME;
    let claim = ArchiveClaim { attempt: "archive".to_owned(), now, expires_at: now.plus_seconds(60) };
    let claimed = store.begin_archive(&period, &claim).await.expect("a store").expect("a claim");
    while store.pack_next_checks(&period, &claim).await.expect("a store") == PackChecksOutcome::More {}
    let file = ArchiveFile { checks: claimed.checks, sha256: "00".repeat(32) };
    let ended = store
        .end_archive(&period, &claim, &file, &AuditContext::for_server_component("housekeeping", now))
        .await;
    assert_eq!(ended.expect("a store"), ArchiveOutcome::Done);
    while store.erase_archived_checks(&period, now, 500).await.expect("a store") > 0 {}
}

/// Returns the tables of an embedded database that have no rows.
async fn list_empty_tables(database: &Database) -> Vec<String> {
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let mut empty = Vec::new();
    for table in database.query_texts(tables).await {
        if database.query_number(&format!("SELECT count(*) FROM {table}")).await == 0 {
            empty.push(table);
        }
    }
    empty
}

/// Returns a text member of a response without envelope.
fn first_member(response: &Response, name: &str) -> String {
    response.json()[name].as_str().expect("a text").to_owned()
}

/// Adds a check to the period of the full company. Two operators then complete the period.
async fn complete_period(server: &Process, partner: &impl AsyncFn(Request) -> Response) {
    let full = with_member(
        with_member(check_with_correlation_id("full"), "payPeriodId", "FULL-PERIOD"),
        "workerId",
        "FULL-WORKER",
    );
    let line = json!([{"componentId": "FULL-PAY", "payAmount": "1234.56"}]);
    let checks =
        partner(Request::post_checks(FULL_COMPANY, &json!([with_member(full, "earnings", line)]))).await;
    let path = format!("/companies/{FULL_COMPANY}/payperiods/FULL-PERIOD");
    assert!(
        send_as_operator(server, &Request::operator(Method::POST, &format!("{path}/process")))
            .await
            .is_success()
    );
    let handed_in = json!({"checks": [{"paycheckId": checks.members("paycheckId")[0], "checkNumber": "17",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}]}]});
    let request = format!("{path}/completionrequest");
    let requested = send_as_operator(server, &Request::operator_post(&request, &handed_in)).await;
    assert!(requested.is_success(), "{requested:?}");
    let second = send_as_operator(server, &Request::operator_post("/keys", &json!({"name": "second"}))).await;
    let second = format!("Bearer {}", second.members("value")[0]);
    let approval = Request::operator(Method::POST, &format!("{request}/approve"));
    let approved = server.operator.send(&approval, Some(&second)).await.expect("an answer");
    assert!(approved.is_success(), "{approved:?}");
}

/// Changes a worker. The change creates an event of the domain WRKR_EMPL.
async fn change_clock_id(server: &Process, clock_id: &str) {
    let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
    let changed =
        send_as_operator(server, &Request::operator_patch(&path, &json!({"clockId": clock_id}))).await;
    assert!(changed.is_success(), "{changed:?}");
}

async fn send_as_operator(server: &Process, request: &Request) -> Response {
    let key = format!("Bearer {OPERATOR_KEY}");
    server.operator.send(request, Some(&key)).await.expect("an answer")
}

async fn count_delivered(database: &Database) -> i64 {
    database.query_number("SELECT count(*) FROM deliveries WHERE state = 'DELIVERED'").await
}

fn hook_registration() -> Value {
    json!({
        "uri": format!("http://{}/in", RECEIVER_HOSTS[0]),
        "domains": ["WRKR_EMPL"],
        "authentication": {"authType": "BASIC_AUTH", "username": "ann", "password": "open-sesame"},
    })
}

/// Returns a company with the kinds of data that the other test data do not contain.
fn full_company() -> Value {
    let pay = with_member(rate("FULL-RATE", 1, "HOURLY_RATE", "20.1234"), "default", true);
    let mut whole = with_member(worker("FULL-WORKER", "EMPLOYEE"), "payRates", vec![pay]);
    whole["legalId"] = json!({"legalIdType": "SSN", "legalIdValue": WORKER_SSN});
    whole["birthDate"] = json!("1969-07-20");
    whole["recurringComponents"] = json!([{"workerComponentId": "FULL-DUES", "componentId": "FULL-DUES",
        "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "12.34"}]);
    whole["directDeposits"] = json!([{"directDepositId": "FULL-ACCOUNT", "startDate": "2026-01-01",
        "paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING", "value": "12.34",
        "routingNumber": "122100024", "accountNumber": "1234567865", "priority": "1"}]);
    whole["contacts"] = json!([{"contactId": "FULL-CONTACT", "contactType": {"contactTypeId": "FULL-TYPE"},
        "relationship": {"person": {"name": {"familyName": "Fullcontact", "givenName": "Fullgiven"},
            "communication": {"telecom": [{"dialNumber": "5559876"}], "email": [{"uri": "full.contact@example.test"}]}}}}]);
    whole["customFields"] = json!([
        {"workerCustomFieldId": "FULL-NOTE", "customFieldId": "FULL-NOTE", "textValue": "Full-note of a person"},
        {"workerCustomFieldId": "FULL-DAY", "customFieldId": "FULL-DAY", "dateValue": "1969-07-20"},
    ]);
    whole["taxes"] =
        json!({"federal": {"otherIncome": "100.5"}, "states": [{"countrySubdivisionCode": "NY"}]});
    whole["communications"] = json!([{"communicationId": "FULL-MAIL", "type": "EMAIL", "usageType": "HOME",
        "uri": "full@example.test"}]);
    whole["currentStatus"] =
        json!({"workerStatusId": "FULL-STATUS", "statusType": "ACTIVE", "effectiveDate": "2026-01-01"});
    // The status starts in the far future, so the server does not apply it during the test.
    whole["statuses"] = json!([{"statusType": "TERMINATED", "effectiveDate": "2199-12-31"}]);
    let mut full = company(FULL_COMPANY, "00080001");
    full["legalName"] = json!("Full \\N \\t Bäckerei");
    full["payComponents"] = json!([component("FULL-PAY", "ADDITION"), component("FULL-DUES", "REDUCTION")]);
    full["contactTypes"] = json!([{"contactTypeId": "FULL-TYPE", "contactTypeName": "Full type"}]);
    full["customFields"] = json!([
        {"customFieldId": "FULL-NOTE", "customFieldName": "Full note", "type": "TEXT"},
        {"customFieldId": "FULL-DAY", "customFieldName": "Full day", "type": "DATE"},
    ]);
    full["payPeriods"] = json!([period("FULL-PERIOD", "ENTRY")]);
    full["workers"] = json!([whole]);
    full
}
