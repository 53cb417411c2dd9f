//! Tests of the order in which errors of a change of a worker are detected. A lock of the company is reported
//! before broken rules.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{OPEN, Request, Server, new_worker, on_every_database, with_member};

async fn assert_codes(server: &Server, requests: &[(Request, &str)]) {
    for (request, expected) in requests {
        let response = server.send(request).await;
        assert_eq!(response.status_and_code(), *expected, "{} {}", request.method, request.target);
    }
}

#[test]
fn a_lock_is_reported_after_faults_of_form_and_before_faults_of_rules() {
    on_every_database(async |server| {
        let worker = "/workers/EMPLOYEE";
        let workers = format!("/companies/{OPEN}/workers");
        let invalid_worker = with_member(new_worker(), "workerType", "NOBODY");
        let requests = |lock: [&'static str; 8]| {
            let [delete, patch, create, deposit, deposits, federal, states, image] = lock;
            let state = json!([{"op": "add", "path": "/x", "value": 1}]);
            let list = json!([{"directDepositId": "NONE"}]);
            [
                (Request::new(Method::DELETE, worker), delete),
                (Request::patch(worker, &json!({"workerType": "NOBODY"})), patch),
                (Request::post(&workers, &invalid_worker), create),
                (Request::patch(format!("{worker}/directdeposits/MAIN"), &json!({"priority": "7"})), deposit),
                (Request::patch(format!("{worker}/directdeposits"), &list), deposits),
                (
                    Request::patch(format!("{worker}/federaltax"), &json!({"multipleJobs": "perhaps"})),
                    federal,
                ),
                (Request::patch(format!("{worker}/statetaxes"), &state), states),
                (Request::post(format!("{worker}/profileimage"), &json!({"image": "*"})), image),
            ]
        };
        let invalid = "400 API-48";
        let rules = ["400 API-19", invalid, invalid, "400 API-5", invalid, invalid, invalid, "400 API-46"];
        assert_codes(server, &requests(rules)).await;
        let lock = format!("/companies/{OPEN}/lock");
        assert!(server.send(&Request::operator_put(&lock, &json!({}))).await.is_success());
        assert_codes(server, &requests(["423 API-10"; 8])).await;
        assert_codes(
            server,
            &[
                (Request::patch(worker, &json!({})), "400 API-52"),
                (Request::patch(worker, &json!({})).body("{"), "400 API-40"),
                (Request::patch(worker, &Value::Null).if_match("\"other\""), "412 API-412"),
                (Request::new(Method::DELETE, "/workers/NOBODY"), "404 API-7"),
            ],
        )
        .await;
    });
}
