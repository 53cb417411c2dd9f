//! Stores known account numbers. Tests that these numbers occur neither in the output of the process nor in
//! plain text in the stored data.

use reqwest::Method;
use serde_json::json;

use crate::support::{Caller, OPEN, Request, Server, new_direct_deposit, on_every_database, with_member};

const DEPOSITS_PATH: &str = "/workers/EMPLOYEE/directdeposits";
/// Three account numbers. A partner stores the first, an operator the second, and the test data contain the
/// third.
const TEST_ACCOUNT_NUMBERS: [&str; 3] = ["31415926535897", "27182818284590", "998877665544"];

/// Returns whether a text contains one of the account numbers in full.
fn contains_account_number(text: &str) -> bool {
    TEST_ACCOUNT_NUMBERS.iter().any(|number| text.contains(number))
}

/// Returns requests with an account number. Some requests store the number, some change a direct deposit, and
/// some are rejected.
fn storing_requests() -> Vec<Request> {
    let partners = with_member(new_direct_deposit(), "accountNumber", TEST_ACCOUNT_NUMBERS[0]);
    let operators = with_member(partners.clone(), "accountNumber", TEST_ACCOUNT_NUMBERS[1]);
    let operators = with_member(with_member(operators, "startDate", "2026-01-01"), "priority", "9");
    let path = format!("/companies/{OPEN}/workers/EMPLOYEE/directdeposits");
    vec![
        Request::post(DEPOSITS_PATH, &partners).idempotency_key("planted"),
        Request::post(DEPOSITS_PATH, &partners).idempotency_key("planted"),
        Request::post(format!("{DEPOSITS_PATH}?dryrun=true"), &partners),
        Request::operator_post(&path, &operators),
        Request::post(DEPOSITS_PATH, &with_member(partners.clone(), "value", "x")),
        Request::post(
            DEPOSITS_PATH,
            &with_member(partners, "accountNumber", format!("{} ", TEST_ACCOUNT_NUMBERS[0])),
        ),
        Request::patch(format!("{DEPOSITS_PATH}/MAIN"), &json!({"accountNumber": TEST_ACCOUNT_NUMBERS[0]})),
        Request::patch(format!("{DEPOSITS_PATH}/MAIN"), &json!({"value": "30"})),
        Request::patch(DEPOSITS_PATH, &json!([{"directDepositId": "MAIN", "value": "31"}])),
        Request::operator_patch(&format!("{path}/MAIN"), &json!({"value": "32"})).if_match("*"),
        Request::operator(Method::POST, &format!("{path}/MAIN/refuse")),
    ]
}

/// Returns requests whose responses must not contain any of the account numbers unmasked.
fn reading_requests() -> Vec<Request> {
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
fn account_numbers_are_returned_only_where_permitted() {
    on_every_database(async |server| {
        for request in storing_requests() {
            let response = server.send(&request).await;
            assert!(
                !contains_account_number(&response.text()),
                "{} {}: {response:?}",
                request.method,
                request.target
            );
        }
        for request in reading_requests() {
            let response = server.send(&request).await;
            // Links in a response contain the text of the search, so the text is removed before the
            // comparison.
            let text = response.text().replace(&request.target, "");
            assert!(
                response.is_success() && !contains_account_number(&text),
                "{}: {response:?}",
                request.target
            );
        }
        let whole = server.send(&Request::get(DEPOSITS_PATH)).await.text();
        assert!(
            TEST_ACCOUNT_NUMBERS.iter().all(|number| whole.contains(number)),
            "the scope shows them: {whole}"
        );
        let worker = Request::operator_get(&format!("/companies/{OPEN}/workers/EMPLOYEE"));
        let shown = server.send(&worker).await.text();
        assert!(
            TEST_ACCOUNT_NUMBERS.iter().all(|number| shown.contains(number)),
            "a key that may write shows them"
        );
        assert_account_numbers_encrypted(server).await;
    });
}

#[test]
fn an_application_without_the_scope_to_read_account_numbers_cannot_guess_them() {
    on_every_database(async |server| {
        let stored = TEST_ACCOUNT_NUMBERS[2];
        let faults_of = async |number: &str| {
            let one = json!({"accountNumber": number});
            let list = json!([{"directDepositId": "MAIN", "accountNumber": number}]);
            let mut faults = Vec::new();
            for (path, body) in [(format!("{DEPOSITS_PATH}/MAIN"), one), (DEPOSITS_PATH.to_owned(), list)] {
                let response = server.send(&Request::patch(format!("{path}?dryrun=true"), &body)).await;
                faults.push(if response.is_success() { Vec::new() } else { response.faults() });
            }
            faults
        };
        let refused = [["API-5 /accountNumber"], ["API-5 /0/accountNumber"]];
        let accepted = [[""; 0]; 2];
        assert_eq!(faults_of(stored).await, accepted, "the application can read the number");
        assert_eq!(faults_of("998877665543").await, refused);
        let path = format!("/applications/partner/grants/{OPEN}");
        let scopes = json!({"scopes": ["write:deposits"]});
        assert_eq!(server.send(&Request::operator_put(&path, &scopes).if_match("*")).await.status, 200);
        assert_eq!(faults_of(stored).await, refused);
        assert_eq!(faults_of("998877665543").await, refused);
        assert_eq!(faults_of("*****5544").await, accepted);
    });
}

/// Verifies that no text column of the database contains an unencrypted account number.
async fn assert_account_numbers_encrypted(server: &Server) {
    let columns = [("direct_deposits", "account_number"), ("audit", "before"), ("audit", "after")];
    for (table, column) in columns {
        for number in TEST_ACCOUNT_NUMBERS {
            let count = format!("SELECT count(*) FROM {table} WHERE {column} LIKE '%{number}%'");
            assert_eq!(server.database.query_number(&count).await, 0, "{table}.{column}");
        }
    }
}
