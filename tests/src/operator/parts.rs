//! Tests of pay rates and recurring components, which are parts of a worker with their own paths.

use reqwest::Method;
use serde_json::{Value, json};

use super::{change_object, create_object, get, list_path, only_object};
use crate::support::{Request, Server, on_every_database};

fn pay_rate(number: u8) -> Value {
    json!({
        "rateNumber": format!("RATE_{number}"), "rateType": "HOURLY_RATE", "amount": "21.5000",
        "default": false, "startDate": "2026-01-01T00:00:00Z",
    })
}

/// Creates a worker for the test. Returns its path.
async fn create_worker(server: &Server) -> String {
    let new = json!({"workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "New"}});
    create_object(server, &list_path("workers"), &new).await.1
}

#[test]
fn a_pay_rate_is_created_replaced_patched_and_deleted_with_the_etag_of_the_worker() {
    on_every_database(async |server| {
        let worker = create_worker(server).await;
        let (created, path) = create_object(server, &format!("{worker}/payrates"), &pay_rate(1)).await;
        assert_eq!(created.header("etag"), get(server, &worker).await.header("etag"));
        assert_eq!(only_object(&get(server, &path).await), only_object(&created));
        assert_eq!(only_object(&get(server, &worker).await)["payRates"], json!([only_object(&created)]));

        let patched = change_object(server, Method::PATCH, &path, &json!({"amount": "22"})).await;
        assert_eq!(
            (patched.status, &only_object(&patched)["amount"]),
            (200, &json!("22.0000")),
            "{patched:?}"
        );
        let replaced = change_object(server, Method::PUT, &path, &pay_rate(2)).await;
        assert_eq!((replaced.status, &only_object(&replaced)["rateNumber"]), (200, &json!("RATE_2")));
        assert_eq!(only_object(&replaced)["rateId"], only_object(&created)["rateId"]);

        assert_eq!(change_object(server, Method::DELETE, &path, &json!(null)).await.status, 204);
        assert_eq!(get(server, &path).await.status, 404);
        let left = get(server, &format!("{worker}/payrates")).await.json();
        assert_eq!((&left["content"], &left["metadata"]["contentItemCount"]), (&json!([]), &json!(0)));
    });
}

#[test]
fn faults_of_a_worker_part_have_pointers_into_the_sent_body() {
    on_every_database(async |server| {
        let worker = create_worker(server).await;
        create_object(server, &format!("{worker}/payrates"), &pay_rate(1)).await;
        let mut wrong = pay_rate(2);
        wrong["amount"] = json!("a lot");
        let path = format!("{worker}/payrates");
        let response = server.send(&Request::operator_post(&path, &wrong)).await;
        assert_eq!((response.status, &response.json()["errors"][0]["pointer"]), (400, &json!("/amount")));
        let nothing = json!({
            "componentId": "NOTHING", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "5",
        });
        let path = format!("{worker}/recurringcomponents");
        let response = server.send(&Request::operator_post(&path, &nothing)).await;
        assert_eq!(
            (response.status, &response.json()["errors"][0]["pointer"]),
            (400, &json!("/componentId"))
        );
    });
}

#[test]
fn simultaneously_added_rates_are_all_stored() {
    on_every_database(async |server| {
        let path = format!("{}/payrates", create_worker(server).await);
        let send = async |number: u8| {
            let request = Request::operator_post(&path, &pay_rate(number));
            server.send(&request).await.status
        };
        let reported = futures_util::future::join_all((1..=3).map(send)).await;
        assert_eq!(reported, [201; 3]);
        assert_eq!(get(server, &path).await.json()["metadata"]["contentItemCount"], 3);
    });
}
