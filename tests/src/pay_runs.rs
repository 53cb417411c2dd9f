//! Tests of pay runs (specification §10.14): a period is processed, reopened and completed, while partners
//! add checks and read the results.

mod archive;
mod crash;
mod journal;
mod large_totals;
mod order;
mod preview;
mod races;
mod register;
mod removals;
mod reversals;
mod totals;
mod two_operators;

use futures_util::future::join;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    LOCKED, OPEN, Request, Response, Server, check_with_correlation_id, checks_document, on_every_database,
    with_member,
};

/// Returns a POST without a body that changes the state of a period. `step` is the last segment of its path.
fn transition_request(company: &str, period: &str, step: &str) -> Request {
    Request::operator(Method::POST, &format!("/companies/{company}/payperiods/{period}/{step}"))
}

/// Returns the POST of [`transition_request`] for the open period `ENTRY`, to which the valid checks belong.
fn step_request(step: &str) -> Request {
    transition_request(OPEN, "ENTRY", step)
}

/// Returns a request to complete the period `ENTRY` with this document.
fn completion_request(document: &Value) -> Request {
    step_request("complete").header("content-type", "application/json").body(document.to_string())
}

/// Reads the partner's checks of the period `ENTRY`.
async fn read_checks(server: &Server) -> Response {
    server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"))).await
}

/// Returns a request to reverse a check in this period.
fn reversal_request(company: &str, period: &str, document: &Value) -> Request {
    Request::operator_post(&format!("/companies/{company}/payperiods/{period}/reversals"), document)
}

/// Adds checks and processes the period `ENTRY`. Returns the ids of the checks.
async fn add_and_process_checks(server: &Server, checks: &Value) -> Vec<String> {
    let added = server.send(&Request::post_checks(OPEN, checks)).await;
    assert_eq!(server.send(&step_request("process")).await.status, 200);
    added.members("paycheckId")
}

async fn period_status(server: &Server) -> String {
    let period = server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY"))).await;
    period.members("status").remove(0)
}

#[test]
fn partners_read_processed_checks_after_a_pay_run() {
    on_every_database(async |server| {
        let lines = json!([{"componentId": "HOURLY", "payHours": "7.5", "payRate": "20.3333"},
                           {"componentId": "TIPS", "payAmount": "10"}]);
        let car = json!([{"componentId": "CAR", "payAmount": "50"}]);
        let one = with_member(
            with_member(check_with_correlation_id("one"), "earnings", lines),
            "informational",
            car,
        );
        let ids = add_and_process_checks(server, &json!([one, check_with_correlation_id("two")])).await;
        let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17",
            "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                      {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
            "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
        let completed = server.send(&completion_request(&handed_in)).await;
        assert_eq!((completed.status, completed.members("status")), (200, vec!["COMPLETED".to_owned()]));
        assert!(!completed.header("etag").is_empty());
        let checks = read_checks(server).await.content();
        assert_eq!(check_summary(&checks[0]), "162.50 gross, 104.17 net, Regular 17");
        let line = |line: &Value| format!("{} {}", line["name"], line["amount"]).replace('"', "");
        let of = |section: &str| checks[0][section].as_array().unwrap().iter().map(line).collect::<Vec<_>>();
        assert_eq!(of("earnings"), ["HOURLY component 152.50", "TIPS component 10.00"]);
        assert_eq!(of("deductions"), ["GARNISHMENT component 20.00"]);
        assert_eq!(of("informational"), ["CAR component 50.00"]);
        assert_eq!(of("taxes"), ["A tax 28.33", "A tax 11.62"]);
        assert_eq!(check_summary(&checks[1]), "160.00 gross, 160.00 net, Regular -");
    });
}

fn check_summary(check: &Value) -> String {
    let text = |member: &str| check[member].as_str().unwrap_or("-");
    let (gross, net) = (text("grossEarnings"), text("netPay"));
    format!("{gross} gross, {net} net, {} {}", text("checkType"), text("checkNumber"))
}

#[test]
fn a_period_in_processing_is_closed_and_its_checks_are_unchanged() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(3)).await;
        let late = Request::post_checks(OPEN, &check_with_correlation_id("late"));
        assert_eq!(server.send(&late).await.status_and_code(), "423 API-10");
        assert_eq!(read_checks(server).await.content()[0]["earnings"][0]["payHours"], "8");
        let listed = format!("/companies/{OPEN}/payperiods/ENTRY/checks?offset=1&limit=1");
        assert_eq!(server.send(&Request::operator_get(&listed)).await.members("paycheckId"), ids[1..2]);
        assert_eq!(server.send(&step_request("reopen")).await.members("status"), ["ENTRY"]);
        assert_eq!(server.send(&late).await.status, 201);
    });
}

#[test]
fn all_faults_of_a_completion_are_reported_and_nothing_is_completed() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let deduction = |component: &str, amount: &str| json!([{"componentId": component, "amount": amount}]);
        let handed_in = json!({"checks": [
            {"paycheckId": ids[1], "deductions": deduction("GARNISHMENT", "160.01")},
            {"paycheckId": ids[0], "deductions": deduction("BONUS", "1")},
            {"paycheckId": "SOMEBODYS"}]});
        let refused = server.send(&completion_request(&handed_in)).await;
        let expected =
            ["API-48 /checks/0", "API-48 /checks/1/deductions/0/componentId", "API-48 /checks/2/paycheckId"];
        assert_eq!((refused.status, refused.faults()), (400, expected.map(str::to_owned).into()));
        assert!(refused.errors()[0]["description"].as_str().unwrap().contains(&ids[1]), "{refused:?}");
        let malformed = json!({"checks": [{"paycheckId": ids[0], "tax": []}, {"checkNumber": "1"}]});
        let refused = server.send(&completion_request(&malformed)).await;
        assert_eq!(refused.faults(), ["API-48 /checks/0/tax", "API-46 /checks/1/paycheckId"]);
        let staged = "SELECT count(*) FROM checks WHERE application_id <> '' AND net_pay IS NOT NULL";
        assert_eq!(
            (period_status(server).await, server.database.query_number(staged).await),
            ("PROCESSING".to_owned(), 0)
        );
    });
}

#[test]
fn an_impossible_transition_is_rejected_with_the_reason() {
    on_every_database(async |server| {
        let json =
            |request: Request, body: &str| request.header("content-type", "application/json").body(body);
        for (request, expected) in [
            (step_request("complete"), "409 API-409"),
            (step_request("reopen"), "409 API-409"),
            (transition_request(OPEN, "COMPLETED", "process"), "409 API-409"),
            (transition_request(OPEN, "NOWHERE", "process"), "404 API-7"),
            (transition_request("UNKNOWN", "ENTRY", "complete"), "404 API-7"),
            (transition_request(LOCKED, "LOCKED-PERIOD", "process"), "423 API-10"),
            (step_request("process").header("if-match", "\"1\""), "412 API-412"),
            (step_request("process").header("if-match", "W/\"1\""), "412 API-412"),
            (step_request("process").body("{}"), "415 API-415"),
            (json(step_request("process"), r#"{"checks": []}"#), "400 API-48"),
            (json(step_request("process"), "{"), "400 API-40"),
            (step_request("process").with_caller(crate::support::Caller::OperatorReader), "403 API-2"),
            (step_request("process").accept("text/plain"), "406 API-75"),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), expected, "{request:?}");
        }
        assert_eq!(period_status(server).await, "ENTRY");
        let reported = server.send(&step_request("complete")).await.errors()[0]["description"].clone();
        assert_eq!(
            reported,
            "the pay period is ENTRY; only a pay period that is PROCESSING can be completed"
        );
    });
}

#[test]
fn one_period_of_a_company_is_in_processing_at_a_time() {
    on_every_database(async |server| {
        assert_eq!(server.send(&step_request("process")).await.status, 200);
        let second = server.send(&transition_request(OPEN, "INITIAL", "process")).await;
        assert_eq!(second.status_and_code(), "423 API-10");
        assert!(!second.header("retry-after").is_empty());
    });
}

#[test]
fn a_transition_requires_the_current_version_and_returns_the_next() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/payperiods/ENTRY");
        let before = server.send(&Request::operator_get(&path)).await.header("etag").to_owned();
        let processed = server.send(&step_request("process").header("if-match", &before)).await;
        let tag = processed.header("etag").to_owned();
        assert_eq!(
            server.send(&step_request("reopen").header("if-match", &before)).await.status_and_code(),
            "412 API-412"
        );
        let read = server.send(&Request::operator_get(&path)).await;
        let mut shown = read.content()[0].clone();
        shown.as_object_mut().expect("a period").remove("totals");
        assert_eq!((read.header("etag"), &shown), (tag.as_str(), &processed.content()[0]));
        assert_eq!(server.send(&step_request("reopen").header("if-match", &tag)).await.status, 200);
    });
}

#[test]
fn a_retried_completion_is_done_once() {
    on_every_database(async |server| {
        add_and_process_checks(server, &checks_document(2)).await;
        let refused = completion_request(&json!({"checks": [{"paycheckId": "SOMEBODYS"}]}));
        assert_eq!(server.send(&refused.idempotency_key("k")).await.status, 400);
        let request = completion_request(&json!({"checks": []})).idempotency_key("k");
        let first = server.send(&request).await;
        let again = server.send(&request).await;
        assert_eq!((first.status, again.status, &again.body), (200, 200, &first.body));
        assert_eq!(first.content()[0]["totals"]["grossEarnings"], "320.00");
        assert_eq!(again.header("idempotent-replayed"), "true");
        assert_eq!(
            server.send(&step_request("complete").idempotency_key("k")).await.status_and_code(),
            "422 API-422"
        );
    });
}

#[test]
fn an_empty_period_is_completed_only_if_permitted() {
    on_every_database(async |server| {
        assert_eq!(server.send(&step_request("process")).await.status, 200);
        for request in
            [step_request("complete"), completion_request(&json!({"checks": [], "allowEmpty": false}))]
        {
            let refused = server.send(&request).await;
            assert_eq!(refused.status_and_code(), "409 API-409");
            let description = refused.errors()[0]["description"].clone();
            assert!(description.as_str().expect("a sentence").contains("allowEmpty"), "{description}");
        }
        assert_eq!(period_status(server).await, "PROCESSING");
        let unknown = json!({"checks": [{"paycheckId": "SOMEBODYS"}]});
        let refused = server.send(&completion_request(&unknown)).await;
        assert_eq!((refused.status, refused.errors().len()), (400, 2), "all of them together");
        let completed = server.send(&completion_request(&json!({"allowEmpty": true}))).await;
        assert_eq!((completed.status, completed.members("status")), (200, vec!["COMPLETED".to_owned()]));
        let totals = &completed.content()[0]["totals"];
        assert_eq!((&totals["checks"], &totals["employerCost"]), (&json!(0), &json!("0.00")));
    });
}

#[test]
fn one_of_two_simultaneous_completions_succeeds() {
    on_every_database(async |server| {
        add_and_process_checks(server, &checks_document(60)).await;
        let (one, other) = (step_request("complete"), step_request("complete"));
        let (one, other) = join(server.send(&one), server.send(&other)).await;
        let mut reported = [one.status_and_any_code(), other.status_and_any_code()];
        reported.sort();
        assert_eq!(reported, ["200", "409 API-409"]);
        assert_eq!(read_checks(server).await.members("netPay"), ["160.00"; 60]);
    });
}

#[test]
fn each_transition_is_logged_and_only_the_completion_causes_an_event() {
    on_every_database(async |server| {
        let events = "SELECT count(*) FROM events";
        let before = server.database.query_number(events).await;
        server.send(&step_request("process")).await;
        server.send(&step_request("reopen")).await;
        server.send(&step_request("process")).await;
        assert_eq!(server.database.query_number(events).await, before);
        server.send(&completion_request(&json!({"allowEmpty": true}))).await;
        let reported = "SELECT count(*) FROM events WHERE domain = 'CLT_PYRN' AND pay_period_id = 'ENTRY' \
            AND action = 'PAYRUN_COMPLETED'";
        let audit_count = "SELECT count(*) FROM audit WHERE kind = 'payPeriod' AND resource_id = 'ENTRY' \
            AND actor_name = 'desk' AND before LIKE '%status%' AND before <> after";
        assert_eq!(server.database.query_number(events).await, before + 1);
        assert_eq!(server.database.query_number(reported).await, 1);
        assert_eq!(server.database.query_number(audit_count).await, 4);
    });
}
