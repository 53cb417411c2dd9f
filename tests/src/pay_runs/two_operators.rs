//! Tests of completing a pay period with two operators (specification §10.22).

use futures_util::future::join;
use reqwest::Method;
use serde_json::{Value, json};

use super::{complete_with, processed, status, step, transition_request};
use crate::support::{
    Caller, OPEN, Request, Server, Settings, check, checks, on_every_database, on_every_database_with,
};

const REQUEST: &str = "completionrequest";
const APPROVE: &str = "completionrequest/approve";

/// Runs a test on servers on which completion needs two operators.
fn with_two_operators(test: impl AsyncFn(&mut Server)) {
    on_every_database_with(|settings: &mut Settings| settings.two_person_completion = true, test);
}

/// Returns the `Authorization` header of a new operator.
async fn operator(server: &Server, name: &str) -> String {
    let created = server.send(&Request::operator_post("/keys", &json!({"name": name}))).await;
    format!("Bearer {}", created.members("value").remove(0))
}

/// Returns the request with this key.
fn using(key: &str, request: Request) -> Request {
    request.with_caller(Caller::Anonymous).header("authorization", key)
}

fn pending_request(method: Method) -> Request {
    Request::operator(method, &format!("/companies/{OPEN}/payperiods/ENTRY/{REQUEST}"))
}

async fn outcome(server: &Server, request: &Request) -> String {
    server.send(request).await.refusal_or_status()
}

async fn pending(server: &Server) -> Vec<String> {
    server.send(&Request::operator_get("/completionrequests")).await.members("payPeriodId")
}

/// Returns the input of a completion for the first of two checks.
fn completion_input(ids: &[String]) -> Value {
    json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                  {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}]}]})
}

/// Returns the entries of the audit log about the period and its request as texts, oldest first.
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
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        let ids = processed(server, &json!([check("one"), check("two")])).await;
        let alone = server.send(&complete_with(&completion_input(&ids))).await;
        assert_eq!(alone.refusal(), "409 API-409");
        assert_eq!(
            alone.errors()[0]["description"],
            "completing a pay period takes two operators on this server"
        );
        let requested = server.send(&step(REQUEST).json(&completion_input(&ids))).await;
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
        let shown = server.send(&pending_request(Method::GET)).await;
        assert_eq!((shown.content(), shown.header("etag")), (requested.content(), requested.header("etag")));
        assert_eq!(
            (pending(server).await, status(server).await),
            (vec!["ENTRY".into()], "PROCESSING".into())
        );

        let approved = server.send(&using(&ben, step(APPROVE)).if_match(shown.header("etag"))).await;
        assert_eq!((approved.status, approved.members("status")), (200, vec!["COMPLETED".to_owned()]));
        assert_eq!(approved.content()[0]["totals"], totals);
        assert!(pending(server).await.is_empty());
        let kept = server.send(&pending_request(Method::GET)).await.content().remove(0);
        assert_eq!(
            (&kept["requestedBy"]["name"], &kept["approvedBy"]["name"]),
            (&json!("desk"), &json!("ben"))
        );
        let checks = super::read(server).await.content();
        assert_eq!((&checks[0]["checkNumber"], &checks[0]["netPay"]), (&json!("17"), &json!("131.67")));
        let expected =
            ["desk create completionRequest", "ben update payPeriod", "ben update completionRequest"];
        assert!(audit_log(server).await.ends_with(&expected.map(str::to_owned)));
        let reported = "SELECT count(*) FROM events WHERE domain = 'CLT_PYRN' AND pay_period_id = 'ENTRY'";
        assert_eq!(server.database.number(reported).await, 1);
    });
}

#[test]
fn the_requester_cannot_approve_with_any_key() {
    with_two_operators(async |server| {
        processed(server, &checks(1)).await;
        let ben = operator(server, "ben").await;
        assert_eq!(outcome(server, &using(&ben, step(REQUEST))).await, "201");
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "403 API-2");
        let id = "SELECT count(*) FROM operator_keys WHERE name = 'ben'";
        assert_eq!(server.database.number(id).await, 1);
        revoke(server, "ben").await;
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "401 API-102");
        let again = operator(server, "ben").await;
        assert_eq!(outcome(server, &using(&again, step(APPROVE))).await, "403 API-2");
        assert_eq!(status(server).await, "PROCESSING");
        revoke(server, "ben").await;
        let lookalike = operator(server, "B\u{435}n").await;
        assert_eq!(outcome(server, &using(&lookalike, step(APPROVE))).await, "403 API-2", "a Cyrillic e");
        assert_eq!(
            outcome(server, &step(APPROVE)).await,
            "200",
            "what counts is that the approver is another one"
        );
    });
}

async fn revoke(server: &Server, name: &str) {
    let keys = server.send(&Request::operator_get("/keys")).await.content();
    let key = keys.iter().find(|key| key["name"] == name).expect("the key")["keyId"].clone();
    let path = format!("/keys/{}", key.as_str().expect("an id"));
    assert_eq!(server.send(&Request::operator(Method::DELETE, &path)).await.status, 204);
}

#[test]
fn one_of_two_simultaneous_approvals_completes_the_period() {
    with_two_operators(async |server| {
        let (ben, cleo) = (operator(server, "ben").await, operator(server, "cleo").await);
        processed(server, &checks(3)).await;
        assert_eq!(outcome(server, &step(REQUEST)).await, "201");
        let (one, other) = (using(&ben, step(APPROVE)), using(&cleo, step(APPROVE)));
        let (one, other) = join(server.send(&one), server.send(&other)).await;
        let mut reported = [one.refusal_or_status(), other.refusal_or_status()];
        reported.sort();
        assert_eq!(reported, ["200", "409 API-409"]);
        let events = "SELECT count(*) FROM events WHERE domain = 'CLT_PYRN' AND pay_period_id = 'ENTRY'";
        assert_eq!(server.database.number(events).await, 1);
        let approvals =
            audit_log(server).await.iter().filter(|row| row.ends_with("update completionRequest")).count();
        assert_eq!(approvals, 1);
    });
}

#[test]
fn a_period_has_one_request_which_its_operator_can_read() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        let ids = processed(server, &checks(2)).await;
        let wanted = step(REQUEST).json(&completion_input(&ids));
        let first = server.send(&wanted).await;
        let again = server.send(&wanted).await;
        assert_eq!((again.status, again.content()), (200, first.content()));
        assert_eq!(again.header("etag"), first.header("etag"));
        let other = server.send(&step(REQUEST)).await;
        assert_eq!(other.refusal(), "409 API-409");
        assert!(description(&other).contains("another document"), "{other:?}");
        let others = server.send(&using(&ben, wanted)).await;
        assert_eq!(others.refusal(), "409 API-409");
        assert!(description(&others).starts_with("desk has requested"), "{others:?}");
        let alone = server.send(&step("complete")).await;
        assert!(description(&alone).contains("desk has requested the completion"), "{alone:?}");
        assert_eq!(pending(server).await, ["ENTRY"]);
    });
}

fn description(response: &crate::support::Response) -> String {
    response.errors()[0]["description"].as_str().expect("a text").to_owned()
}

#[test]
fn any_operator_can_withdraw_a_request() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        processed(server, &checks(1)).await;
        let delete = || pending_request(Method::DELETE);
        assert_eq!(outcome(server, &delete()).await, "404 API-7");
        server.send(&step(REQUEST)).await;
        let stale = using(&ben, delete()).if_match("\"1\"");
        assert_eq!(outcome(server, &stale).await, "412 API-412");
        assert_eq!(outcome(server, &delete().with_caller(Caller::OperatorReader)).await, "403 API-2");
        assert_eq!(outcome(server, &using(&ben, delete())).await, "204");
        for gone in [pending_request(Method::GET), delete(), using(&ben, step(APPROVE))] {
            assert_eq!(outcome(server, &gone).await, "404 API-7", "{gone:?}");
        }
        let requested = server.send(&using(&ben, step(REQUEST))).await;
        assert_eq!((requested.status, outcome(server, &step(APPROVE)).await), (201, "200".to_owned()));
        let approved = server.send(&pending_request(Method::DELETE)).await;
        assert!(description(&approved).starts_with("the request was approved by desk"), "{approved:?}");
        assert_eq!(outcome(server, &step(APPROVE)).await, "409 API-409");
    });
}

#[test]
fn reopening_a_period_for_a_check_ends_its_request() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        processed(server, &checks(1)).await;
        let seen = server.send(&step(REQUEST)).await;
        let late = Request::post_checks(OPEN, &check("late"));
        assert_eq!(outcome(server, &late).await, "423 API-10");
        assert_eq!(outcome(server, &using(&ben, step("reopen"))).await, "200");
        assert!(
            audit_log(server)
                .await
                .ends_with(&["ben update payPeriod".into(), "ben delete completionRequest".into()])
        );
        assert_eq!(outcome(server, &late).await, "201");
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "404 API-7");
        assert_eq!(outcome(server, &step("process")).await, "200");
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "404 API-7");
        assert_eq!(outcome(server, &step(REQUEST)).await, "201");
        let stale = using(&ben, step(APPROVE)).if_match(seen.header("etag"));
        assert_eq!(outcome(server, &stale).await, "412 API-412", "this request is another one");
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "200");
    });
}

#[test]
fn a_request_for_an_outdated_version_must_be_repeated() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        processed(server, &checks(1)).await;
        server.send(&step(REQUEST)).await;
        // The previous release changes the period in this way, because it knows no requests.
        server
            .database
            .execute("UPDATE pay_periods SET version = version + 1 WHERE pay_period_id = 'ENTRY'")
            .await;
        for approval in [APPROVE, "completionrequest/approve?dryrun=true"] {
            let changed = server.send(&using(&ben, transition_request(OPEN, "ENTRY", approval))).await;
            assert_eq!(changed.refusal(), "409 API-409");
            assert!(description(&changed).ends_with("request it again"), "{changed:?}");
        }
        assert!(pending(server).await.is_empty());
        assert_eq!(outcome(server, &step(REQUEST)).await, "201");
        let amount = "UPDATE completion_requests SET net_pay = net_pay + 10000";
        server.database.execute(amount).await;
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "409 API-409", "it saw other totals");
        assert_eq!(status(server).await, "PROCESSING");
    });
}

#[test]
fn an_impossible_completion_cannot_be_requested_and_all_faults_are_reported() {
    with_two_operators(async |server| {
        assert_eq!(outcome(server, &step(REQUEST)).await, "409 API-409", "it is open");
        let ids = processed(server, &checks(2)).await;
        let taken = |amount: &str| json!([{"componentId": "GARNISHMENT", "amount": amount}]);
        let too_much = json!({"checks": [{"paycheckId": ids[1], "deductions": taken("160.01")},
                                         {"paycheckId": "SOMEBODYS"}]});
        let refused = server.send(&step(REQUEST).json(&too_much)).await;
        assert_eq!(
            (refused.status, refused.faults()),
            (400, vec!["API-48 /checks/0".into(), "API-48 /checks/1/paycheckId".into()])
        );
        let typed = |body: &str| step(REQUEST).header("content-type", "application/json").body(body);
        for (request, expected) in [
            (typed("{"), "400 API-40"),
            (typed(r#"{"more": 1}"#), "400 API-48"),
            (step(REQUEST).body("{}"), "415 API-415"),
            (step(REQUEST).accept("text/plain"), "406 API-75"),
            (step(REQUEST).header("if-match", "\"1\""), "412 API-412"),
            (step(REQUEST).with_caller(Caller::OperatorReader), "403 API-2"),
            (transition_request(OPEN, "NOWHERE", REQUEST), "404 API-7"),
            (transition_request("UNKNOWN", "ENTRY", REQUEST), "404 API-7"),
            (transition_request(OPEN, "NOWHERE", APPROVE), "404 API-7"),
            (step(APPROVE), "404 API-7"),
            (step(APPROVE).json(&json!({"allowEmpty": true})), "400 API-48"),
            (step(APPROVE).with_caller(Caller::OperatorReader), "403 API-2"),
            (transition_request(OPEN, "ENTRY", "completionrequest?dryrun=true"), "400 API-40"),
            (transition_request(OPEN, "ENTRY", "completionrequest/approve?dryrun=2"), "400 API-40"),
        ] {
            assert_eq!(outcome(server, &request).await, expected, "{request:?}");
        }
        assert!(pending(server).await.is_empty());
    });
}

#[test]
fn the_completion_of_an_empty_period_is_requested_only_if_permitted() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        assert_eq!(outcome(server, &step("process")).await, "200");
        assert_eq!(outcome(server, &step(REQUEST)).await, "409 API-409");
        assert_eq!(outcome(server, &step(REQUEST).json(&json!({"allowEmpty": true}))).await, "201");
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "200");
        assert_eq!(status(server).await, "COMPLETED");
    });
}

#[test]
fn a_request_and_an_approval_are_done_once_per_idempotency_key() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        processed(server, &checks(1)).await;
        let request = step(REQUEST).idempotency_key("request");
        let (first, again) = (server.send(&request).await, server.send(&request).await);
        assert_eq!((first.status, again.status, again.header("idempotent-replayed")), (201, 201, "true"));
        assert_eq!(first.body, again.body);
        let found = step(REQUEST).idempotency_key("another");
        assert_eq!(
            (outcome(server, &found).await, outcome(server, &found).await),
            ("200".into(), "200".into())
        );
        let approval = using(&ben, step(APPROVE)).idempotency_key("approve");
        let (first, again) = (server.send(&approval).await, server.send(&approval).await);
        assert_eq!((first.status, again.status, &first.body), (200, 200, &again.body));
    });
}

#[test]
fn an_approver_can_preview_the_result_of_the_approval() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        let ids = processed(server, &checks(2)).await;
        let requested = server.send(&step(REQUEST).json(&completion_input(&ids))).await;
        let preview = transition_request(OPEN, "ENTRY", "completionrequest/approve?dryrun=true");
        let preview = server.send(&using(&ben, preview)).await;
        assert_eq!((preview.status, preview.header("etag")), (200, requested.header("etag")));
        let shown = preview.content().remove(0);
        assert_eq!(shown["totals"], requested.content()[0]["totals"]);
        assert_eq!(shown["checks"][0]["netPay"], "131.67");
        let alone = transition_request(OPEN, "ENTRY", "complete?dryrun=true");
        assert_eq!(outcome(server, &alone).await, "200", "a preview takes one operator");
        assert_eq!(status(server).await, "PROCESSING");
        let read = server.send(&pending_request(Method::GET).with_caller(Caller::OperatorReader)).await;
        assert_eq!(read.content(), requested.content());

        let approved = server.send(&using(&ben, step(APPROVE)).if_match(preview.header("etag"))).await;
        assert_eq!((approved.status, &approved.content()[0]["totals"]), (200, &shown["totals"]));
        let pay = |check: &Value| ["paycheckId", "grossEarnings", "netPay"].map(|name| check[name].clone());
        let previewed: Vec<_> = shown["checks"].as_array().expect("checks").iter().map(pay).collect();
        assert_eq!(previewed, super::read(server).await.content().iter().map(pay).collect::<Vec<_>>());
    });
}

#[test]
fn a_lock_stops_requests_and_approvals_of_other_operators() {
    with_two_operators(async |server| {
        let ben = operator(server, "ben").await;
        processed(server, &checks(1)).await;
        let lock = format!("UPDATE companies SET lock_holder = 'desk' WHERE company_id = '{OPEN}'");
        server.database.execute(&lock).await;
        assert_eq!(outcome(server, &using(&ben, step(REQUEST))).await, "423 API-10");
        assert_eq!(outcome(server, &step(REQUEST)).await, "201");
        assert_eq!(outcome(server, &using(&ben, step(APPROVE))).await, "423 API-10");
        assert_eq!(status(server).await, "PROCESSING");
    });
}

#[test]
fn without_the_setting_one_operator_completes_without_a_request() {
    on_every_database(async |server| {
        let ben = operator(server, "ben").await;
        processed(server, &checks(1)).await;
        for request in [step(REQUEST), using(&ben, step(APPROVE))] {
            let refused = server.send(&request).await;
            assert_eq!(refused.refusal(), "409 API-409");
            assert!(description(&refused).contains("two_person_completion is off"), "{refused:?}");
        }
        assert_eq!(outcome(server, &pending_request(Method::GET)).await, "404 API-7");
        assert!(pending(server).await.is_empty());
        assert_eq!(outcome(server, &step("complete")).await, "200");
    });
}

#[test]
fn another_key_of_the_same_operator_cannot_approve_the_request() {
    with_two_operators(async |server| {
        processed(server, &checks(1)).await;
        let key = async |name: &str| {
            let document = json!({"name": name, "operatorName": "ben", "role": "payroll"});
            let created = server.send(&Request::operator_post("/keys", &document)).await;
            format!("Bearer {}", created.members("value").remove(0))
        };
        let (laptop, phone) = (key("laptop").await, key("phone").await);
        assert_eq!(outcome(server, &using(&laptop, step(REQUEST))).await, "201");
        assert_eq!(outcome(server, &using(&phone, step(APPROVE))).await, "403 API-2");
        let cleo = operator(server, "cleo").await;
        assert_eq!(outcome(server, &using(&cleo, step(APPROVE))).await, "200");
    });
}
