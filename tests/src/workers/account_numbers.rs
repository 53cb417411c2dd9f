//! Stores known account numbers and searches for them in all output of the process and in all stored data.

use reqwest::Method;
use serde_json::json;

use crate::support::{Caller, OPEN, Request, Server, new_direct_deposit, on_every_database, with};

const LIST: &str = "/workers/EMPLOYEE/directdeposits";
/// The numbers that a partner, an operator and the test data store.
const PLANTED: [&str; 3] = ["31415926535897", "27182818284590", "998877665544"];

/// Returns whether a text contains one of the numbers unmasked.
fn leaks(text: &str) -> bool {
    PLANTED.iter().any(|number| text.contains(number))
}

/// Returns requests that store a number, change an object with a number, or are rejected.
fn storing_requests() -> Vec<Request> {
    let partners = with(new_direct_deposit(), "accountNumber", PLANTED[0]);
    let operators = with(partners.clone(), "accountNumber", PLANTED[1]);
    let operators = with(with(operators, "startDate", "2026-01-01"), "priority", "9");
    let path = format!("/companies/{OPEN}/workers/EMPLOYEE/directdeposits");
    vec![
        Request::post(LIST, &partners).idempotency_key("planted"),
        Request::post(LIST, &partners).idempotency_key("planted"),
        Request::post(format!("{LIST}?dryrun=true"), &partners),
        Request::operator_post(&path, &operators),
        Request::post(LIST, &with(partners.clone(), "value", "x")),
        Request::post(LIST, &with(partners, "accountNumber", format!("{} ", PLANTED[0]))),
        Request::patch(format!("{LIST}/MAIN"), &json!({"accountNumber": PLANTED[0]})),
        Request::patch(format!("{LIST}/MAIN"), &json!({"value": "30"})),
        Request::patch(LIST, &json!([{"directDepositId": "MAIN", "value": "31"}])),
        Request::operator_patch(&format!("{path}/MAIN"), &json!({"value": "32"})).if_match("*"),
        Request::operator(Method::POST, &format!("{path}/MAIN/refuse")),
    ]
}

/// Returns requests whose responses must mask all of the numbers.
fn reading() -> Vec<Request> {
    let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
    let partners = ["/workers/EMPLOYEE", "/management/events", "/management/requests"].map(Request::get);
    let operators = [
        format!("{worker}/directdeposits"),
        format!("{worker}/directdeposits/MAIN"),
        "/depositrequests".to_owned(),
        "/audit".to_owned(),
        "/events".to_owned(),
        "/search?q=998877665544".to_owned(),
    ];
    let reader = Request::operator_get(&worker).with_caller(Caller::OperatorReader);
    let workers = Request::get(format!("/companies/{OPEN}/workers"));
    let operators = operators.iter().map(|path| Request::operator_get(path));
    partners.into_iter().chain([workers, reader]).chain(operators).collect()
}

#[test]
fn account_numbers_leave_the_server_only_where_permitted() {
    on_every_database(async |server| {
        for request in storing_requests() {
            let response = server.send(&request).await;
            assert!(!leaks(&response.text()), "{} {}: {response:?}", request.method, request.target);
        }
        for request in reading() {
            let response = server.send(&request).await;
            assert!(response.is_success() && !leaks(&response.text()), "{}: {response:?}", request.target);
        }
        let whole = server.send(&Request::get(LIST)).await.text();
        assert!(PLANTED.iter().all(|number| whole.contains(number)), "the scope shows them: {whole}");
        let worker = Request::operator_get(&format!("/companies/{OPEN}/workers/EMPLOYEE"));
        let shown = server.send(&worker).await.text();
        assert!(PLANTED.iter().all(|number| shown.contains(number)), "a key that may write shows them");
        is_sealed(server).await;
    });
}

/// Checks that no text column contains an unencrypted number.
async fn is_sealed(server: &Server) {
    let columns = [("direct_deposits", "account_number"), ("audit", "before"), ("audit", "after")];
    for (table, column) in columns {
        for number in PLANTED {
            let count = format!("SELECT count(*) FROM {table} WHERE {column} LIKE '%{number}%'");
            assert_eq!(server.database.number(&count).await, 0, "{table}.{column}");
        }
    }
}
