//! Kills the real binary while it completes a period. All checks are then still unprocessed, and another
//! attempt completes all of them.

use futures_util::future::{Either, select};
use serde_json::Value;

use super::{step, transition_request};
use crate::support::{
    Client, Database, OPEN, OPERATOR_KEY, Process, Request, Response, check, on_every_kind, token_form,
};

/// The number of POSTs with a hundred checks each. There are enough that the kill occurs before most of them
/// are staged.
const BATCHES: usize = 30;
/// Returns the `Authorization` header of the operator.
fn operator() -> String {
    format!("Bearer {OPERATOR_KEY}")
}

async fn operate(process: &Process, request: &Request) -> Response {
    process.operator.send(request, Some(&operator())).await.expect("an answer")
}

async fn add(client: &Client, token: &str) {
    for batch in 0..BATCHES {
        let checks: Value = (0..100).map(|number| check(&format!("{batch}-{number}"))).collect();
        let response = client.send(&Request::post_checks(OPEN, &checks), Some(token)).await;
        assert_eq!(response.expect("an answer").status, 201);
    }
}

/// Waits until some checks are staged.
async fn wait_until_staged(database: &Database) {
    let query = "SELECT staged_through FROM pay_periods WHERE pay_period_id = 'ENTRY'";
    while database.number(query).await == 0 {
        tokio::task::yield_now().await;
    }
}

/// Returns the number of the partner's checks in each representation: with hours, and with a net pay.
async fn read(client: &Client, token: &str) -> (usize, usize) {
    let request = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
    let checks = client.send(&request, Some(token)).await.expect("an answer").content();
    let unprocessed = checks.iter().filter(|it| it["earnings"][0]["payHours"] == "8");
    let processed = checks.iter().filter(|it| it["netPay"] == "160.00" && it["taxes"].is_null());
    (unprocessed.count(), processed.count())
}

#[test]
fn a_completion_that_is_killed_changes_no_check_and_can_be_repeated() {
    on_every_kind(async |database| {
        let mut process = Process::serve(database);
        let token = process.client.token(token_form()).await;
        add(&process.client, &token).await;
        assert_eq!(operate(&process, &step("process")).await.status, 200);
        let (client, complete, key) = (process.operator.clone(), step("complete"), operator());
        let completing = Box::pin(client.send(&complete, Some(&key)));
        let Either::Right(_) = select(completing, Box::pin(wait_until_staged(database))).await else {
            panic!("the kill came too late")
        };
        process.kill();
        let restarted = Process::serve(database);
        assert_eq!(read(&restarted.client, &token).await, (BATCHES * 100, 0));
        let late = Request::post_checks(OPEN, &check("late"));
        let locked = restarted.client.send(&late, Some(&token)).await;
        assert_eq!(locked.expect("an answer").refusal(), "423 API-10");
        let again = operate(&restarted, &transition_request(OPEN, "ENTRY", "complete")).await;
        assert_eq!((again.status, again.members("status")), (200, vec!["COMPLETED".to_owned()]));
        assert_eq!(read(&restarted.client, &token).await, (0, BATCHES * 100));
    });
}
