//! Tests that an operator's write to a company succeeds while clients write to the same company without a
//! pause.

use std::cell::Cell;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{OPEN, Request, Server, check_with_correlation_id, on_every_database};

/// The number of clients that add checks without a pause.
const CLIENT_COUNT: usize = 16;
/// The number of checks per batch.
const CHECKS_PER_BATCH: usize = 20;
/// The maximum number of batches that may be stored between an operator's request and its response. Such
/// batches were already in the server or waited for the company's lock, or arrived while the server read the
/// request. Without a fair queue, the number would be unlimited.
const MAX_REQUESTS_BEFORE_A_READ: usize = 8 * CLIENT_COUNT;

fn batch_request(client: usize, number: usize) -> Request {
    let checks: Value = (0..CHECKS_PER_BATCH)
        .map(|at| check_with_correlation_id(&format!("{client}-{number}-{at}")))
        .collect();
    Request::post_checks(OPEN, &checks)
}

/// Sends an operator's request while every client adds checks. Returns the number of batches that were stored
/// before the response. The clients stop when this number exceeds the maximum.
async fn count_batches_added_before_response(server: &Server, request: &Request) -> usize {
    server.send(&Request::get("/companies")).await; // this request gets the token
    let (stored, sent_at, answered) = (Cell::new(0), Cell::new(None), Cell::new(false));
    let is_over = || {
        let passed = sent_at.get().map_or(0, |before| stored.get() - before);
        answered.get() || passed > 4 * MAX_REQUESTS_BEFORE_A_READ
    };
    let clients = join_all((0..CLIENT_COUNT).map(async |client| {
        for number in 0.. {
            if is_over() {
                break;
            }
            let response = server.send(&batch_request(client, number)).await;
            assert!(["201", "423 API-10"].contains(&response.status_and_any_code().as_str()), "{response:?}");
            stored.set(stored.get() + usize::from(response.status == 201));
        }
    }));
    let operator = async {
        while stored.get() < CLIENT_COUNT {
            tokio::task::yield_now().await;
        }
        sent_at.set(Some(stored.get()));
        let response = server.send(request).await;
        answered.set(true);
        assert!(response.is_success(), "{response:?}");
        stored.get() - sent_at.get().expect("it was sent")
    };
    tokio::join!(clients, operator).1
}

#[test]
fn a_lock_succeeds_while_clients_add_checks_continuously() {
    on_every_database(async |server| {
        let lock = Request::operator(Method::PUT, &format!("/companies/{OPEN}/lock")).json(&json!({}));
        let passed = count_batches_added_before_response(server, &lock).await;
        assert!(passed <= MAX_REQUESTS_BEFORE_A_READ, "{passed} batches were stored before the lock");
    });
}

#[test]
fn a_period_is_processed_while_clients_add_checks_continuously() {
    on_every_database(async |server| {
        let process = Request::operator(Method::POST, &format!("/companies/{OPEN}/payperiods/ENTRY/process"));
        let passed = count_batches_added_before_response(server, &process).await;
        assert!(
            passed <= MAX_REQUESTS_BEFORE_A_READ,
            "{passed} batches were stored before the period was closed"
        );
    });
}

#[test]
fn a_worker_is_changed_while_clients_add_checks_continuously() {
    on_every_database(async |server| {
        let change = Request::operator(Method::PATCH, &format!("/companies/{OPEN}/workers/EMPLOYEE"))
            .header("if-match", "*")
            .json(&json!({"name": {"givenName": "Ann"}}));
        let passed = count_batches_added_before_response(server, &change).await;
        assert!(passed <= MAX_REQUESTS_BEFORE_A_READ, "{passed} batches were stored before the change");
    });
}
