//! Tests of the lock of a company.

use reqwest::Method;
use serde_json::json;

use super::{get, list_path, only_object};
use crate::support::{Caller, OPEN, Request, check_with_correlation_id, new_rate, on_every_database};

#[test]
fn a_company_lock_is_created_once_read_and_removed() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/lock");
        let take = Request::operator(Method::PUT, &path).json(&json!({"reason": "audit"}));
        let give_back = Request::operator(Method::DELETE, &path);
        assert_eq!(get(server, &path).await.status, 404);
        let past = json!({"reason": "audit", "expiresDate": "2001-01-01T00:00:00Z"});
        let expired = server.send(&Request::operator(Method::PUT, &path).json(&past)).await;
        assert_eq!(expired.status_and_code(), "400 API-48");
        assert_eq!(expired.errors()[0]["pointer"], "/expiresDate");
        let locked = server.send(&take).await;
        assert_eq!(
            (locked.status, only_object(&locked)),
            (200, json!({"holder": "desk", "reason": "audit"}))
        );
        assert_eq!(only_object(&get(server, &path).await), only_object(&locked));
        let again = server.send(&take).await;
        assert_eq!(again.status_and_code(), "409 API-409");
        let checks =
            Request::post_checks(OPEN, &json!([check_with_correlation_id("a")])).with_caller(Caller::Partner);
        assert_eq!(server.send(&checks).await.status, 423);
        let own = Request::operator_post(
            &format!("/companies/{OPEN}/payperiods/ENTRY/checks"),
            &json!([check_with_correlation_id("b")]),
        );
        let refused = server.send(&own).await;
        assert_eq!(refused.status_and_code(), "423 API-10");
        assert_eq!(refused.errors()[0]["description"], "the company is locked by desk: audit");
        assert!(!refused.header("retry-after").is_empty(), "{refused:?}");
        // Partners must not see the holder of the lock or the reason.
        let rates = Request::post("/workers/EMPLOYEE/compensation/payrates", &new_rate());
        for request in [checks.clone(), rates] {
            let refused = server.send(&request).await;
            assert_eq!(refused.status_and_code(), "423 API-10");
            assert!(!refused.text().contains("desk") && !refused.text().contains("audit"), "{refused:?}");
        }
        assert_eq!(server.send(&give_back).await.status, 204);
        assert_eq!(server.send(&give_back).await.status, 404);
        assert_eq!(server.send(&checks).await.status, 201);
    });
}

#[test]
fn a_foreign_lock_only_stops_changes_of_pay_data() {
    on_every_database(async |server| {
        for company in ["LOCKED", "BUSY"] {
            let worker = json!({"workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}});
            let path = format!("/companies/{company}/workers");
            let response = server.send(&Request::operator_post(&path, &worker)).await;
            assert_eq!(response.status_and_code(), "423 API-10", "{company}");
            assert!(!response.header("retry-after").is_empty(), "{company}");
            let component = json!({"name": "A", "classificationType": "REGULAR", "effectOnPay": "ADDITION"});
            let path = format!("/companies/{company}/paycomponents");
            let response = server.send(&Request::operator_post(&path, &component)).await;
            assert_eq!(response.status_and_code(), "423 API-10", "{company}");
            let path = format!("/companies/{company}/organizations");
            let unit = Request::operator_post(&path, &json!({"name": "Unit"}));
            assert_eq!(server.send(&unit).await.status, 201, "{company}");
        }
    });
}

#[test]
fn the_owner_of_a_lock_can_continue_writing() {
    on_every_database(async |server| {
        let lock = Request::operator(Method::PUT, &format!("/companies/{OPEN}/lock")).json(&json!({}));
        assert_eq!(server.send(&lock).await.status, 200);
        let worker = json!({"workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}});
        let response = server.send(&Request::operator_post(&list_path("workers"), &worker)).await;
        assert_eq!(response.status, 201, "{response:?}");
    });
}
