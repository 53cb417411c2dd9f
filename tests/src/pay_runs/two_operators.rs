//! Tests of completing a pay period with two operators (specification §10.22).

mod requests;

use futures_util::future::join;
use reqwest::Method;
use serde_json::{Value, json};

use super::{add_and_process_checks, completion_request, period_status, step_request, transition_request};
use crate::support::{
    Caller, OPEN, Request, Server, Settings, check_with_correlation_id, checks_document, on_every_database,
    on_every_database_with,
};

const REQUEST_PATH: &str = "completionrequest";
const APPROVE_PATH: &str = "completionrequest/approve";

/// Runs a test on servers on which completion needs two operators.
fn run_with_two_operators(test: impl AsyncFn(&mut Server)) {
    on_every_database_with(|settings: &mut Settings| settings.two_person_completion = true, test);
}

/// Returns the `Authorization` header of a new operator.
async fn create_operator(server: &Server, name: &str) -> String {
    let created = server.send(&Request::operator_post("/keys", &json!({"name": name}))).await;
    format!("Bearer {}", created.members("value").remove(0))
}

fn as_operator(key: &str, request: Request) -> Request {
    request.with_caller(Caller::Anonymous).header("authorization", key)
}

fn pending_completion(method: Method) -> Request {
    Request::operator(method, &format!("/companies/{OPEN}/payperiods/ENTRY/{REQUEST_PATH}"))
}

async fn send_and_read_error(server: &Server, request: &Request) -> String {
    server.send(request).await.status_and_any_code()
}

async fn pending_period_ids(server: &Server) -> Vec<String> {
    server.send(&Request::operator_get("/completionrequests")).await.members("payPeriodId")
}

/// Returns the document of a completion with values for the first of two checks.
fn completion_input(ids: &[String]) -> Value {
    json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                  {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}]}]})
}

/// Returns the audit log entries about the period and its completion request as texts, oldest first.
async fn audit_log(server: &Server) -> Vec<String> {
    let path = format!("/audit?companyid={OPEN}&resourceid=ENTRY");
    let mut rows = server.send(&Request::operator_get(&path)).await.content();
    rows.reverse();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let words =
        |row: &Value| [&row["actor"]["name"], &row["action"], &row["resource"]["kind"]].map(text).join(" ");
    rows.iter().map(words).collect()
}

#[test]
fn one_operator_requests_the_completion_and_another_approves_it() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        let ids = add_and_process_checks(
            server,
            &json!([check_with_correlation_id("one"), check_with_correlation_id("two")]),
        )
        .await;
        let alone = server.send(&completion_request(&completion_input(&ids))).await;
        assert_eq!(alone.status_and_code(), "409 API-409");
        assert_eq!(
            alone.errors()[0]["description"],
            "this server requires two operators to complete a pay period"
        );
        let requested = server.send(&step_request(REQUEST_PATH).json(&completion_input(&ids))).await;
        let request = requested.content().remove(0);
        assert_eq!(
            (requested.status, &request["requestedBy"]),
            (201, &json!({"kind": "operator", "name": "desk"}))
        );
        let period =
            server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY"))).await;
        assert_eq!(request["payPeriodETag"], period.header("etag"));
        let totals = json!({"checks": 2, "workers": 1, "grossEarnings": "320.00", "netPay": "291.67",
            "employeeTaxes": "28.33", "employerTaxes": "11.62", "deductions": "0.00", "employerCost": "331.62"});
        assert_eq!(request["totals"], totals);
        assert!(requested.header("location").ends_with("/payperiods/ENTRY/completionrequest"));
        let shown = server.send(&pending_completion(Method::GET)).await;
        assert_eq!((shown.content(), shown.header("etag")), (requested.content(), requested.header("etag")));
        assert_eq!(
            (pending_period_ids(server).await, period_status(server).await),
            (vec!["ENTRY".into()], "PROCESSING".into())
        );

        let approved =
            server.send(&as_operator(&ben, step_request(APPROVE_PATH)).if_match(shown.header("etag"))).await;
        assert_eq!((approved.status, approved.members("status")), (200, vec!["COMPLETED".to_owned()]));
        assert_eq!(approved.content()[0]["totals"], totals);
        assert!(pending_period_ids(server).await.is_empty());
        let stored_request = server.send(&pending_completion(Method::GET)).await.content().remove(0);
        assert_eq!(
            (&stored_request["requestedBy"]["name"], &stored_request["approvedBy"]["name"]),
            (&json!("desk"), &json!("ben"))
        );
        let checks = super::read_checks(server).await.content();
        assert_eq!((&checks[0]["checkNumber"], &checks[0]["netPay"]), (&json!("17"), &json!("131.67")));
        let expected =
            ["desk create completionRequest", "ben update payPeriod", "ben update completionRequest"];
        assert!(audit_log(server).await.ends_with(&expected.map(str::to_owned)));
        let reported = "SELECT count(*) FROM events WHERE domain = 'CLT_PYRN' AND pay_period_id = 'ENTRY'";
        assert_eq!(server.database.query_number(reported).await, 1);
    });
}

#[test]
fn the_requester_cannot_approve_with_any_key() {
    run_with_two_operators(async |server| {
        add_and_process_checks(server, &checks_document(1)).await;
        let ben = create_operator(server, "ben").await;
        assert_eq!(send_and_read_error(server, &as_operator(&ben, step_request(REQUEST_PATH))).await, "201");
        assert_eq!(
            send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await,
            "403 API-2"
        );
        let id = "SELECT count(*) FROM operator_keys WHERE name = 'ben'";
        assert_eq!(server.database.query_number(id).await, 1);
        revoke_key(server, "ben").await;
        assert_eq!(
            send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await,
            "401 API-102"
        );
        let again = create_operator(server, "ben").await;
        assert_eq!(
            send_and_read_error(server, &as_operator(&again, step_request(APPROVE_PATH))).await,
            "403 API-2"
        );
        assert_eq!(period_status(server).await, "PROCESSING");
        revoke_key(server, "ben").await;
        let lookalike = create_operator(server, "B\u{435}n").await;
        assert_eq!(
            send_and_read_error(server, &as_operator(&lookalike, step_request(APPROVE_PATH))).await,
            "403 API-2",
            "a Cyrillic e"
        );
        assert_eq!(
            send_and_read_error(server, &step_request(APPROVE_PATH)).await,
            "200",
            "what counts is that the approver is another one"
        );
    });
}

async fn revoke_key(server: &Server, name: &str) {
    let keys = server.send(&Request::operator_get("/keys")).await.content();
    let key = keys.iter().find(|key| key["name"] == name).expect("the key")["keyId"].clone();
    let path = format!("/keys/{}", key.as_str().expect("an id"));
    assert_eq!(server.send(&Request::operator(Method::DELETE, &path)).await.status, 204);
}

#[test]
fn one_of_two_simultaneous_approvals_completes_the_period() {
    run_with_two_operators(async |server| {
        let (ben, cleo) = (create_operator(server, "ben").await, create_operator(server, "cleo").await);
        add_and_process_checks(server, &checks_document(3)).await;
        assert_eq!(send_and_read_error(server, &step_request(REQUEST_PATH)).await, "201");
        let (one, other) =
            (as_operator(&ben, step_request(APPROVE_PATH)), as_operator(&cleo, step_request(APPROVE_PATH)));
        let (one, other) = join(server.send(&one), server.send(&other)).await;
        let mut reported = [one.status_and_any_code(), other.status_and_any_code()];
        reported.sort();
        assert_eq!(reported, ["200", "409 API-409"]);
        let events = "SELECT count(*) FROM events WHERE domain = 'CLT_PYRN' AND pay_period_id = 'ENTRY'";
        assert_eq!(server.database.query_number(events).await, 1);
        let approvals =
            audit_log(server).await.iter().filter(|row| row.ends_with("update completionRequest")).count();
        assert_eq!(approvals, 1);
    });
}

#[test]
fn a_period_has_one_request_which_its_operator_can_read() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let request = step_request(REQUEST_PATH).json(&completion_input(&ids));
        let first = server.send(&request).await;
        let again = server.send(&request).await;
        assert_eq!((again.status, again.content()), (200, first.content()));
        assert_eq!(again.header("etag"), first.header("etag"));
        let other = server.send(&step_request(REQUEST_PATH)).await;
        assert_eq!(other.status_and_code(), "409 API-409");
        assert!(error_description(&other).contains("another document"), "{other:?}");
        let others = server.send(&as_operator(&ben, request)).await;
        assert_eq!(others.status_and_code(), "409 API-409");
        assert!(error_description(&others).starts_with("desk has requested"), "{others:?}");
        let alone = server.send(&step_request("complete")).await;
        assert!(error_description(&alone).contains("desk has requested the completion"), "{alone:?}");
        assert_eq!(pending_period_ids(server).await, ["ENTRY"]);
    });
}

fn error_description(response: &crate::support::Response) -> String {
    response.errors()[0]["description"].as_str().expect("a text").to_owned()
}

#[test]
fn any_operator_can_withdraw_a_request() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        add_and_process_checks(server, &checks_document(1)).await;
        let delete = || pending_completion(Method::DELETE);
        assert_eq!(send_and_read_error(server, &delete()).await, "404 API-7");
        server.send(&step_request(REQUEST_PATH)).await;
        let stale = as_operator(&ben, delete()).if_match("\"1\"");
        assert_eq!(send_and_read_error(server, &stale).await, "412 API-412");
        assert_eq!(
            send_and_read_error(server, &delete().with_caller(Caller::OperatorReader)).await,
            "403 API-2"
        );
        assert_eq!(send_and_read_error(server, &as_operator(&ben, delete())).await, "204");
        for gone in [pending_completion(Method::GET), delete(), as_operator(&ben, step_request(APPROVE_PATH))]
        {
            assert_eq!(send_and_read_error(server, &gone).await, "404 API-7", "{gone:?}");
        }
        let requested = server.send(&as_operator(&ben, step_request(REQUEST_PATH))).await;
        assert_eq!(
            (requested.status, send_and_read_error(server, &step_request(APPROVE_PATH)).await),
            (201, "200".to_owned())
        );
        let approved = server.send(&pending_completion(Method::DELETE)).await;
        assert!(error_description(&approved).starts_with("the request was approved by desk"), "{approved:?}");
        assert_eq!(send_and_read_error(server, &step_request(APPROVE_PATH)).await, "409 API-409");
    });
}

#[test]
fn reopening_a_period_for_a_check_ends_its_request() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        add_and_process_checks(server, &checks_document(1)).await;
        let seen = server.send(&step_request(REQUEST_PATH)).await;
        let late = Request::post_checks(OPEN, &check_with_correlation_id("late"));
        assert_eq!(send_and_read_error(server, &late).await, "423 API-10");
        assert_eq!(send_and_read_error(server, &as_operator(&ben, step_request("reopen"))).await, "200");
        assert!(
            audit_log(server)
                .await
                .ends_with(&["ben update payPeriod".into(), "ben delete completionRequest".into()])
        );
        assert_eq!(send_and_read_error(server, &late).await, "201");
        assert_eq!(
            send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await,
            "404 API-7"
        );
        assert_eq!(send_and_read_error(server, &step_request("process")).await, "200");
        assert_eq!(
            send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await,
            "404 API-7"
        );
        assert_eq!(send_and_read_error(server, &step_request(REQUEST_PATH)).await, "201");
        let stale = as_operator(&ben, step_request(APPROVE_PATH)).if_match(seen.header("etag"));
        assert_eq!(send_and_read_error(server, &stale).await, "412 API-412", "this request is another one");
        assert_eq!(send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await, "200");
    });
}

#[test]
fn a_request_for_an_outdated_version_must_be_repeated() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        add_and_process_checks(server, &checks_document(1)).await;
        server.send(&step_request(REQUEST_PATH)).await;
        // A server of the previous release does not know completion requests. Such a server changes the
        // period without changing the request, which this SQL statement simulates.
        server
            .database
            .execute("UPDATE pay_periods SET version = version + 1 WHERE pay_period_id = 'ENTRY'")
            .await;
        for approval in [APPROVE_PATH, "completionrequest/approve?dryrun=true"] {
            let changed = server.send(&as_operator(&ben, transition_request(OPEN, "ENTRY", approval))).await;
            assert_eq!(changed.status_and_code(), "409 API-409");
            assert!(error_description(&changed).ends_with("request it again"), "{changed:?}");
        }
        assert!(pending_period_ids(server).await.is_empty());
        assert_eq!(send_and_read_error(server, &step_request(REQUEST_PATH)).await, "201");
        let amount = "UPDATE completion_requests SET net_pay = net_pay + 10000";
        server.database.execute(amount).await;
        assert_eq!(
            send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await,
            "409 API-409",
            "it saw other totals"
        );
        assert_eq!(period_status(server).await, "PROCESSING");
    });
}

#[test]
fn an_approver_can_preview_the_result_of_the_approval() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let requested = server.send(&step_request(REQUEST_PATH).json(&completion_input(&ids))).await;
        let preview = transition_request(OPEN, "ENTRY", "completionrequest/approve?dryrun=true");
        let preview = server.send(&as_operator(&ben, preview)).await;
        assert_eq!((preview.status, preview.header("etag")), (200, requested.header("etag")));
        let shown = preview.content().remove(0);
        assert_eq!(shown["totals"], requested.content()[0]["totals"]);
        assert_eq!(shown["checks"][0]["netPay"], "131.67");
        let alone = transition_request(OPEN, "ENTRY", "complete?dryrun=true");
        assert_eq!(send_and_read_error(server, &alone).await, "200", "a preview takes one operator");
        assert_eq!(period_status(server).await, "PROCESSING");
        let read = server.send(&pending_completion(Method::GET).with_caller(Caller::OperatorReader)).await;
        assert_eq!(read.content(), requested.content());

        let approved = server
            .send(&as_operator(&ben, step_request(APPROVE_PATH)).if_match(preview.header("etag")))
            .await;
        assert_eq!((approved.status, &approved.content()[0]["totals"]), (200, &shown["totals"]));
        let pay = |check: &Value| ["paycheckId", "grossEarnings", "netPay"].map(|name| check[name].clone());
        let previewed: Vec<_> = shown["checks"].as_array().expect("checks").iter().map(pay).collect();
        assert_eq!(previewed, super::read_checks(server).await.content().iter().map(pay).collect::<Vec<_>>());
    });
}

#[test]
fn a_lock_stops_requests_and_approvals_of_other_operators() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        add_and_process_checks(server, &checks_document(1)).await;
        let lock = format!("UPDATE companies SET lock_holder = 'desk' WHERE company_id = '{OPEN}'");
        server.database.execute(&lock).await;
        assert_eq!(
            send_and_read_error(server, &as_operator(&ben, step_request(REQUEST_PATH))).await,
            "423 API-10"
        );
        assert_eq!(send_and_read_error(server, &step_request(REQUEST_PATH)).await, "201");
        assert_eq!(
            send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await,
            "423 API-10"
        );
        assert_eq!(period_status(server).await, "PROCESSING");
    });
}

#[test]
fn without_the_setting_one_operator_completes_without_a_request() {
    on_every_database(async |server| {
        let ben = create_operator(server, "ben").await;
        add_and_process_checks(server, &checks_document(1)).await;
        for request in [step_request(REQUEST_PATH), as_operator(&ben, step_request(APPROVE_PATH))] {
            let refused = server.send(&request).await;
            assert_eq!(refused.status_and_code(), "409 API-409");
            assert!(error_description(&refused).contains("two_person_completion is false"), "{refused:?}");
        }
        assert_eq!(send_and_read_error(server, &pending_completion(Method::GET)).await, "404 API-7");
        assert!(pending_period_ids(server).await.is_empty());
        assert_eq!(send_and_read_error(server, &step_request("complete")).await, "200");
    });
}

#[test]
fn another_key_of_the_same_operator_cannot_approve_the_request() {
    run_with_two_operators(async |server| {
        add_and_process_checks(server, &checks_document(1)).await;
        let key = async |name: &str| {
            let document = json!({"name": name, "operatorName": "ben", "role": "payroll"});
            let created = server.send(&Request::operator_post("/keys", &document)).await;
            format!("Bearer {}", created.members("value").remove(0))
        };
        let (laptop, phone) = (key("laptop").await, key("phone").await);
        assert_eq!(
            send_and_read_error(server, &as_operator(&laptop, step_request(REQUEST_PATH))).await,
            "201"
        );
        assert_eq!(
            send_and_read_error(server, &as_operator(&phone, step_request(APPROVE_PATH))).await,
            "403 API-2"
        );
        let cleo = create_operator(server, "cleo").await;
        assert_eq!(send_and_read_error(server, &as_operator(&cleo, step_request(APPROVE_PATH))).await, "200");
    });
}
