//! Tests of bulk operations: changes of workers, and checks that an operator adds.

use serde_json::{Value, json};

use super::{get, only_object};
use crate::support::{
    BARE, ENDED, LOCKED, OPEN, Request, Server, check_with_correlation_id, on_every_database, with_member,
};

async fn change_workers(server: &Server, company: &str, document: &Value) -> (u16, Value) {
    let response =
        server.send(&Request::operator_post(&format!("/companies/{company}/workerchanges"), document)).await;
    (response.status, response.json())
}

fn new_worker(id: &str) -> Value {
    json!({"workerId": id, "workerType": "EMPLOYEE", "name": {"givenName": "New", "familyName": "Sample"}})
}

/// Returns the codes of an error response, each with its pointer.
fn codes_and_pointers(refusal: &Value) -> Vec<String> {
    let errors = refusal["errors"].as_array().expect("errors").iter();
    let text = |error: &Value, name: &str| error[name].as_str().unwrap_or("-").to_owned();
    errors.map(|error| format!("{} {}", text(error, "code"), text(error, "pointer"))).collect()
}

#[test]
fn workers_are_changed_together_or_not_at_all() {
    on_every_database(async |server| {
        let path = format!("/companies/{BARE}/workers/N-1");
        let both = json!({"workers": [new_worker("N-1"), new_worker("N-2")], "payRates": [
            {"workerId": "N-1", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "20", "startDate": "2026-01-01"},
        ]});
        let astray = with_member(both.clone(), "workers", json!([new_worker("N-1"), {"workerId": "N-2"}]));
        let (status, refusal) = change_workers(server, BARE, &astray).await;
        assert_eq!(
            (status, codes_and_pointers(&refusal)),
            (400, vec!["API-46 /workers/1/workerType".into(), "API-46 /workers/1/name".into()])
        );
        assert_eq!(get(server, &path).await.status, 404);
        let counts = |created, unchanged| json!({"created": created, "changed": 0, "unchanged": unchanged});
        let dry = Request::operator_post(&format!("/companies/{BARE}/workerchanges?dryrun=true"), &both);
        assert_eq!(server.send(&dry).await.content(), [counts(2, 0)]);
        assert_eq!(get(server, &path).await.status, 404);
        assert_eq!(change_workers(server, BARE, &both).await.1["content"][0], counts(2, 0));
        assert_eq!(change_workers(server, BARE, &both).await.1["content"][0], counts(0, 2));
        assert_eq!(only_object(&get(server, &path).await)["payRates"][0]["amount"], "20.0000");
        let foreign = change_workers(server, BARE, &json!({"workers": [new_worker("EMPLOYEE")]})).await;
        assert_eq!(
            (foreign.0, codes_and_pointers(&foreign.1)),
            (409, vec!["API-409 /workers/0/workerId".to_owned()])
        );
        assert_eq!(change_workers(server, LOCKED, &json!({"workers": [new_worker("N-3")]})).await.0, 423);
        assert_eq!(change_workers(server, "NOWHERE", &json!({})).await.0, 404);
    });
}

#[test]
fn checks_of_an_operator_are_added_together_and_once() {
    on_every_database(async |server| {
        let in_period = |company: &str, document: &Value, query: &str| {
            Request::operator_post(
                &format!("/companies/{company}/payperiods/INITIAL/checks{query}"),
                document,
            )
        };
        let named = |check| with_member(check, "payPeriodId", "INITIAL");
        let two = json!([
            named(check_with_correlation_id("by-hand-1")),
            named(check_with_correlation_id("by-hand-2"))
        ]);
        let count = async || {
            get(server, &format!("/companies/{OPEN}/payperiods/INITIAL/checks")).await.content().len()
        };
        let bad = json!([
            named(check_with_correlation_id("by-hand-1")),
            with_member(named(check_with_correlation_id("by-hand-2")), "workerId", "NOBODY")
        ]);
        let refused = server.send(&in_period(OPEN, &bad, "")).await;
        assert_eq!(
            (refused.status, codes_and_pointers(&refused.json())),
            (400, vec!["API-55 /1/workerId".to_owned()])
        );
        let created = [json!({"created": 2, "changed": 0, "unchanged": 0})];
        assert_eq!(server.send(&in_period(OPEN, &two, "?dryrun=true")).await.content(), created);
        assert_eq!(count().await, 0);
        assert_eq!(server.send(&in_period(OPEN, &two, "")).await.content(), created);
        let again = server.send(&in_period(OPEN, &two, "")).await;
        let twice = ["API-56 /0/checkCorrelationId", "API-56 /1/checkCorrelationId"].map(str::to_owned);
        assert_eq!((again.status, codes_and_pointers(&again.json())), (400, twice.to_vec()));
        assert_eq!(count().await, 2);
        let other = json!([with_member(check_with_correlation_id("by-hand-3"), "payPeriodId", "ENTRY")]);
        assert_eq!(server.send(&in_period(OPEN, &other, "")).await.status, 400);
        let ended = server.send(&in_period(ENDED, &two, "")).await;
        assert!([403, 404].contains(&ended.status), "{ended:?}");
    });
}

#[test]
fn a_bulk_change_and_an_import_validate_the_idempotency_key_without_an_effect() {
    on_every_database(async |server| {
        let path = format!("/companies/{BARE}/workerchanges");
        let document = json!({"workers": [new_worker("N-1")]});
        let change = Request::operator_post(&path, &document);
        let request_with_key = |key: &str| change.clone().header("idempotency-key", key);
        assert_eq!(server.send(&request_with_key("a key")).await.status_and_code(), "400 API-40");
        let first = server.send(&request_with_key("key")).await;
        let second = server.send(&request_with_key("key")).await;
        let created = |response: &crate::support::Response| only_object(response)["created"].clone();
        assert_eq!((first.status, second.status), (200, 200));
        assert_eq!((created(&first), created(&second)), (json!(1), json!(0)), "both requests are executed");
        let conditional = server.send(&change.clone().if_match("*")).await;
        assert_eq!(conditional.status_and_code(), "400 API-40");
        let import = Request::operator(reqwest::Method::POST, "/import")
            .header("content-type", "application/x-ndjson")
            .header("idempotency-key", "a key")
            .body(r#"{"companyId":"NEVER","displayId":"NEVER","legalName":"Never LLC"}"#.to_owned());
        assert_eq!(server.send(&import).await.status_and_code(), "400 API-40");
        assert_eq!(get(server, "/companies/NEVER").await.status, 404);
    });
}
