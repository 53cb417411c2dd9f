//! Kills the server process while clients send a thousand POSTs. Afterwards, each batch with a 201 is stored.
//! A batch without a response is stored completely or not at all.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use serde_json::json;

use tokio::sync::Notify;

use crate::support::{
    Client, Database, OPEN, Process, Request, Response, check_with_correlation_id, on_every_database_kind,
    token_form,
};

/// The number of requests of all clients.
const REQUEST_COUNT: usize = 1_000;
/// The number of responses after which the server is killed.
const RESPONSES_BEFORE_THE_KILL: usize = 300;
/// The number of clients. Each client sends its requests one after the other.
const CLIENT_COUNT: usize = 4;

/// Returns a request with two checks and its own idempotency key.
fn add_check_request(number: usize) -> Request {
    let checks = json!([
        check_with_correlation_id(&format!("{number}-a")),
        check_with_correlation_id(&format!("{number}-b"))
    ]);
    Request::post_checks(OPEN, &checks).idempotency_key(&format!("key-{number}"))
}

/// Counts the responses to all clients. `enough` signals that the server can be killed.
#[derive(Default)]
struct CompletedRequests {
    count: AtomicUsize,
    enough: Notify,
}

impl CompletedRequests {
    fn count_response(&self) {
        if self.count.fetch_add(1, Ordering::SeqCst) + 1 == RESPONSES_BEFORE_THE_KILL {
            self.enough.notify_one();
        }
    }
}

/// Sends the requests of one client until the server no longer responds. The response of a request is `None`
/// if the client received none.
async fn send_requests_of_client(
    client: &Client,
    share: usize,
    answered: &CompletedRequests,
) -> BTreeMap<usize, Option<Response>> {
    let token = client.request_token(token_form()).await;
    let mut responses = BTreeMap::new();
    for number in (share..REQUEST_COUNT).step_by(CLIENT_COUNT) {
        let response = client.send(&add_check_request(number), Some(&token)).await.ok();
        let gone = response.is_none();
        responses.insert(number, response);
        if gone {
            break; // this request was in progress, and later ones were never sent
        }
        answered.count_response();
    }
    responses
}

/// Sends requests from several clients and kills the server in the meantime.
async fn send_until_killed(database: &Database) -> BTreeMap<usize, Option<Response>> {
    let mut process = Process::serve(database);
    let client = process.client.clone();
    let answered = CompletedRequests::default();
    let clients = join_all((0..CLIENT_COUNT).map(|share| send_requests_of_client(&client, share, &answered)));
    let killer = async {
        answered.enough.notified().await;
        process.kill();
    };
    let (responses, ()) = tokio::join!(clients, killer);
    responses.into_iter().flatten().collect()
}

async fn count_stored_checks_with_number(database: &Database, number: usize) -> i64 {
    let query = format!("SELECT count(*) FROM checks WHERE correlation_id IN ('{number}-a', '{number}-b')");
    database.query_number(&query).await
}

#[test]
fn after_a_kill_all_acknowledged_batches_exist_and_others_are_complete_or_absent() {
    on_every_database_kind(async |database| {
        let responses = send_until_killed(database).await;
        let _restarted = Process::serve(database);
        for number in 0..REQUEST_COUNT {
            let stored = count_stored_checks_with_number(database, number).await;
            match responses.get(&number) {
                Some(Some(response)) => assert_eq!((response.status, stored), (201, 2), "{number}"),
                Some(None) => assert!(stored == 0 || stored == 2, "{number} is there by half"),
                None => assert_eq!(stored, 0, "{number} was never sent"),
            }
        }
        assert!(responses.len() < REQUEST_COUNT, "the kill came in the middle");
    });
}

#[test]
fn after_a_kill_a_retry_with_its_idempotency_key_gets_the_same_response() {
    on_every_database_kind(async |database| {
        let responses = send_until_killed(database).await;
        let restarted = Process::serve(database);
        let token = restarted.client.request_token(token_form()).await;
        for (number, before) in &responses {
            let again =
                restarted.client.send(&add_check_request(*number), Some(&token)).await.expect("an answer");
            match before {
                Some(before) => assert_eq!((again.status, &again.body), (201, &before.body), "{number}"),
                // If the idempotency record of the killed request is still stored, the response is 409 until
                // the record expires. Otherwise the retry is executed.
                None => assert!([201, 409].contains(&again.status), "{again:?}"),
            }
        }
        let stored = database.query_number("SELECT count(*) FROM checks WHERE application_id <> ''").await;
        assert!(usize::try_from(stored).is_ok_and(|stored| stored <= responses.len() * 2), "{stored}");
    });
}
