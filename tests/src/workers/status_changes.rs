//! Tests of partners that change the current status of a worker (specification §6.16).

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{OPEN, Request, Server, on_every_database, with_member};

const WORKER_PATH: &str = "/workers/COLLEAGUE";

/// Changes the status of a worker. Returns the type, reason and id of the new status, or the fault.
async fn change_status(server: &Server, status: Value) -> Result<[Value; 3], String> {
    let response = server.send(&Request::patch(WORKER_PATH, &json!({"currentStatus": status}))).await;
    if !response.is_success() {
        let fault = response.errors().remove(0);
        return Err(format!("{} {}", response.status_and_code(), fault["pointer"].as_str().unwrap_or("-")));
    }
    let status = response.content().remove(0)["currentStatus"].take();
    Ok(["statusType", "statusReason", "workerStatusId"].map(|member| status[member].clone()))
}

/// Adds a status to the list of the company.
async fn add_company_status(server: &Server, id: &str, status_type: &str, reason: &str) {
    let status = json!({"workerStatusId": id, "statusType": status_type, "statusReason": reason});
    let path = format!("/companies/{OPEN}/workerstatuses");
    let created = server.send(&Request::operator_post(&path, &status)).await;
    assert_eq!(created.status, 201, "{created:?}");
}

#[test]
fn no_status_change_makes_a_worker_deletable() {
    on_every_database(async |server| {
        let delete = Request::new(Method::DELETE, WORKER_PATH);
        assert_eq!(server.send(&delete).await.status_and_code(), "400 API-19");
        let in_progress = json!({"statusType": "IN_PROGRESS", "statusReason": "PENDING_HIRE"});
        let expected = Err("400 API-19 /currentStatus/statusType".to_owned());
        assert_eq!(change_status(server, in_progress).await, expected);
        assert_eq!(server.send(&delete).await.status_and_code(), "400 API-19");
    });
}

#[test]
fn a_status_is_named_by_its_id_in_the_list_of_the_company() {
    on_every_database(async |server| {
        add_company_status(server, "SICK", "INACTIVE", "SICKNESS").await;
        let ill = Ok(["INACTIVE", "SICKNESS", "SICK"].map(Value::from));
        assert_eq!(change_status(server, json!({"workerStatusId": "SICK"})).await, ill);
        let back = json!({"statusType": "ACTIVE", "statusReason": "RETURN_TO_WORK"});
        // The company's list of statuses contains this type and reason with the id BACK.
        let expected = Ok(["ACTIVE", "RETURN_TO_WORK", "BACK"].map(Value::from));
        assert_eq!(change_status(server, back).await, expected);
        let unknown = change_status(server, json!({"workerStatusId": "NOBODY"})).await;
        assert_eq!(unknown, Err("400 API-48 /currentStatus/workerStatusId".to_owned()));
        let other =
            change_status(server, json!({"workerStatusId": "SICK", "statusType": "TERMINATED"})).await;
        assert_eq!(other, Err("400 API-48 /currentStatus/workerStatusId".to_owned()));
        let list = Request::operator_patch(
            &format!("/companies/{OPEN}/workerstatuses/BACK"),
            &json!({"statusReason": "OTHER"}),
        );
        assert_eq!(server.send(&list.header("if-match", "*")).await.status, 200);
        let stored =
            json!({"workerStatusId": "BACK", "statusType": "ACTIVE", "statusReason": "RETURN_TO_WORK"});
        let expected = Ok(["ACTIVE", "RETURN_TO_WORK", "BACK"].map(Value::from));
        assert_eq!(change_status(server, stored).await, expected, "the stored status is sent back");
        let both = json!({"currentStatus": {"workerStatusId": "NOBODY"}, "clockId": 7});
        let refused = server.send(&Request::patch(WORKER_PATH, &both)).await;
        let pointers: Vec<_> = refused.errors().into_iter().map(|mut it| it["pointer"].take()).collect();
        assert_eq!(pointers, ["/currentStatus/workerStatusId", "/clockId"], "{refused:?}");
    });
}

#[test]
fn a_new_status_type_does_not_keep_the_reason_of_the_previous_one() {
    on_every_database(async |server| {
        let hired = json!({"statusType": "ACTIVE", "statusReason": "HIRED"});
        change_status(server, hired).await.expect("a change");
        let [status_type, reason, _] =
            change_status(server, json!({"statusType": "INACTIVE"})).await.expect("a change");
        assert_eq!((status_type, reason), (json!("INACTIVE"), Value::Null));
    });
}

#[test]
fn a_new_worker_gets_the_id_of_the_first_status_of_the_company() {
    on_every_database(async |server| {
        add_company_status(server, "NEW", "IN_PROGRESS", "PENDING_HIRE").await;
        let worker = json!({"workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "Di"}});
        let worker = with_member(worker, "hireDate", "2026-12-01");
        let created = server.send(&Request::post(format!("/companies/{OPEN}/workers"), &worker)).await;
        assert_eq!(created.status, 201, "{created:?}");
        assert_eq!(created.content()[0]["currentStatus"]["workerStatusId"], "NEW");
    });
}
