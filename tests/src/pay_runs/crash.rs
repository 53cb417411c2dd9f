//! Kills the server process while it completes a period. Afterwards all checks are still unprocessed, and a
//! retry completes all of them.

use futures_util::future::{Either, select};
use serde_json::Value;

use super::{step_request, transition_request};
use crate::support::{
    Client, Database, OPEN, OPERATOR_KEY, Process, Request, Response, check_with_correlation_id,
    on_every_database_kind, token_form,
};

/// The number of POSTs, each with a hundred checks. The number is high enough that the kill occurs before
/// most checks are staged.
const BATCH_COUNT: usize = 30;
/// Returns the `Authorization` header of the operator.
fn operator_authorization() -> String {
    format!("Bearer {OPERATOR_KEY}")
}

async fn send_as_operator(process: &Process, request: &Request) -> Response {
    process.operator.send(request, Some(&operator_authorization())).await.expect("an answer")
}

async fn add_checks(client: &Client, token: &str) {
    for batch in 0..BATCH_COUNT {
        let checks: Value =
            (0..100).map(|number| check_with_correlation_id(&format!("{batch}-{number}"))).collect();
        let response = client.send(&Request::post_checks(OPEN, &checks), Some(token)).await;
        assert_eq!(response.expect("an answer").status, 201);
    }
}

/// Waits until some checks are staged.
async fn wait_until_staged(database: &Database) {
    let query = "SELECT staged_through FROM pay_periods WHERE pay_period_id = 'ENTRY'";
    while database.query_number(query).await == 0 {
        tokio::task::yield_now().await;
    }
}

/// Returns the numbers of unprocessed and of processed checks. Unprocessed checks show hours, and processed
/// ones show a net pay.
async fn read_check_counts(client: &Client, token: &str) -> (usize, usize) {
    let request = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
    let checks = client.send(&request, Some(token)).await.expect("an answer").content();
    let unprocessed = checks.iter().filter(|it| it["earnings"][0]["payHours"] == "8");
    let processed = checks.iter().filter(|it| it["netPay"] == "160.00" && it["taxes"].is_null());
    (unprocessed.count(), processed.count())
}

#[test]
fn a_completion_that_is_killed_changes_no_check_and_can_be_repeated() {
    on_every_database_kind(async |database| {
        let mut process = Process::serve(database);
        let token = process.client.request_token(token_form()).await;
        add_checks(&process.client, &token).await;
        assert_eq!(send_as_operator(&process, &step_request("process")).await.status, 200);
        let (client, complete, key) =
            (process.operator.clone(), step_request("complete"), operator_authorization());
        let completing = Box::pin(client.send(&complete, Some(&key)));
        let Either::Right(_) = select(completing, Box::pin(wait_until_staged(database))).await else {
            panic!("the kill came too late")
        };
        process.kill();
        let restarted = Process::serve(database);
        assert_eq!(read_check_counts(&restarted.client, &token).await, (BATCH_COUNT * 100, 0));
        let late = Request::post_checks(OPEN, &check_with_correlation_id("late"));
        let locked = restarted.client.send(&late, Some(&token)).await;
        assert_eq!(locked.expect("an answer").status_and_code(), "423 API-10");
        let again = send_as_operator(&restarted, &transition_request(OPEN, "ENTRY", "complete")).await;
        assert_eq!((again.status, again.members("status")), (200, vec!["COMPLETED".to_owned()]));
        assert_eq!(read_check_counts(&restarted.client, &token).await, (0, BATCH_COUNT * 100));
    });
}
