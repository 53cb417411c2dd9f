//! Tests of completion requests that are rejected, repeated or previewed.

use super::super::{add_and_process_checks, period_status, step_request, transition_request};
use super::{
    APPROVE_PATH, REQUEST_PATH, as_operator, create_operator, pending_period_ids, run_with_two_operators,
    send_and_read_error,
};
use crate::support::{Caller, OPEN, checks_document};
use serde_json::json;

#[test]
fn an_impossible_completion_cannot_be_requested_and_all_faults_are_reported() {
    run_with_two_operators(async |server| {
        assert_eq!(
            send_and_read_error(server, &step_request(REQUEST_PATH)).await,
            "409 API-409",
            "it is open"
        );
        let ids = add_and_process_checks(server, &checks_document(2)).await;
        let deduction = |amount: &str| json!([{"componentId": "GARNISHMENT", "amount": amount}]);
        let too_much = json!({"checks": [{"paycheckId": ids[1], "deductions": deduction("160.01")},
                                         {"paycheckId": "SOMEBODYS"}]});
        let refused = server.send(&step_request(REQUEST_PATH).json(&too_much)).await;
        assert_eq!(
            (refused.status, refused.faults()),
            (400, vec!["API-48 /checks/0".into(), "API-48 /checks/1/paycheckId".into()])
        );
        let typed =
            |body: &str| step_request(REQUEST_PATH).header("content-type", "application/json").body(body);
        for (request, expected) in [
            (typed("{"), "400 API-40"),
            (typed(r#"{"more": 1}"#), "400 API-48"),
            (step_request(REQUEST_PATH).body("{}"), "415 API-415"),
            (step_request(REQUEST_PATH).accept("text/plain"), "406 API-75"),
            (step_request(REQUEST_PATH).header("if-match", "\"1\""), "412 API-412"),
            (step_request(REQUEST_PATH).with_caller(Caller::OperatorReader), "403 API-2"),
            (transition_request(OPEN, "NOWHERE", REQUEST_PATH), "404 API-7"),
            (transition_request("UNKNOWN", "ENTRY", REQUEST_PATH), "404 API-7"),
            (transition_request(OPEN, "NOWHERE", APPROVE_PATH), "404 API-7"),
            (step_request(APPROVE_PATH), "404 API-7"),
            (step_request(APPROVE_PATH).json(&json!({"allowEmpty": true})), "400 API-48"),
            (step_request(APPROVE_PATH).with_caller(Caller::OperatorReader), "403 API-2"),
            (transition_request(OPEN, "ENTRY", "completionrequest?dryrun=true"), "400 API-40"),
            (transition_request(OPEN, "ENTRY", "completionrequest/approve?dryrun=2"), "400 API-40"),
        ] {
            assert_eq!(send_and_read_error(server, &request).await, expected, "{request:?}");
        }
        assert!(pending_period_ids(server).await.is_empty());
    });
}

#[test]
fn the_completion_of_an_empty_period_is_requested_only_if_permitted() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        assert_eq!(send_and_read_error(server, &step_request("process")).await, "200");
        assert_eq!(send_and_read_error(server, &step_request(REQUEST_PATH)).await, "409 API-409");
        assert_eq!(
            send_and_read_error(server, &step_request(REQUEST_PATH).json(&json!({"allowEmpty": true}))).await,
            "201"
        );
        assert_eq!(send_and_read_error(server, &as_operator(&ben, step_request(APPROVE_PATH))).await, "200");
        assert_eq!(period_status(server).await, "COMPLETED");
    });
}

#[test]
fn a_request_and_an_approval_are_done_once_per_idempotency_key() {
    run_with_two_operators(async |server| {
        let ben = create_operator(server, "ben").await;
        add_and_process_checks(server, &checks_document(1)).await;
        let request = step_request(REQUEST_PATH).idempotency_key("request");
        let (first, again) = (server.send(&request).await, server.send(&request).await);
        assert_eq!((first.status, again.status, again.header("idempotent-replayed")), (201, 201, "true"));
        assert_eq!(first.body, again.body);
        let found = step_request(REQUEST_PATH).idempotency_key("another");
        assert_eq!(
            (send_and_read_error(server, &found).await, send_and_read_error(server, &found).await),
            ("200".into(), "200".into())
        );
        let approval = as_operator(&ben, step_request(APPROVE_PATH)).idempotency_key("approve");
        let (first, again) = (server.send(&approval).await, server.send(&approval).await);
        assert_eq!((first.status, again.status, &first.body), (200, 200, &again.body));
    });
}
