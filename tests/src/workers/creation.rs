//! Tests of workers that partners create.

use serde_json::{Value, json};

use crate::operations::WORKERS;
use crate::support::{OPEN, Request, Response, Server, new_worker, on_every_database, with_member};

fn workers_path() -> String {
    format!("/companies/{OPEN}/workers")
}

async fn create_workers(server: &Server, body: &Value) -> Response {
    server.send(&Request::post(workers_path(), body)).await
}

async fn worker_ids(server: &Server) -> Vec<String> {
    server.send(&Request::get(workers_path())).await.members("workerId")
}

fn worker_named(correlation_id: &str, given_name: &str) -> Value {
    let worker = with_member(new_worker(), "workerCorrelationId", correlation_id);
    with_member(worker, "name", json!({"familyName": "Sample", "givenName": given_name}))
}

#[test]
fn a_new_worker_is_in_progress_and_has_federal_tax_settings() {
    on_every_database(async |server| {
        let mail = json!({"type": "EMAIL", "usageType": "BUSINESS", "uri": "new@demo.example"});
        let sent =
            with_member(with_member(new_worker(), "communications", json!([mail])), "hireDate", "2026-12-01");
        let sent = with_member(sent, "organization", json!({"organizationId": "BAKERY", "name": "ignored"}));
        // The server ignores members that only the server sets, members that partners cannot see, and unknown
        // members.
        let ignored = json!({"workerId": "MINE", "jobId": "JOB", "payRates": [{}], "taxes": 7, "colour": "red",
            "currentStatus": {"statusType": "IN_PROGRESS", "effectiveDate": "2020-01-01"}});
        let sent = ignored
            .as_object()
            .unwrap()
            .iter()
            .fold(sent, |sent, (name, value)| with_member(sent, name, value.clone()));
        let created = server.send(&Request::post(workers_path(), &sent).accept(WORKERS)).await;
        assert_eq!(created.status, 201, "{created:?}");
        let [worker] = created.content().try_into().unwrap();
        let id = worker["workerId"].as_str().unwrap();
        assert_ne!(id, "MINE");
        assert_eq!(worker.get("jobId"), None);
        assert_eq!(worker["hireDate"], "2026-12-01T00:00:00Z");
        assert_eq!(worker["organization"]["name"], "Bakery");
        let status = &worker["currentStatus"];
        assert_eq!(
            (&status["statusType"], &status["statusReason"], &status["effectiveDate"]),
            (&json!("IN_PROGRESS"), &json!("PENDING_HIRE"), &json!("2026-05-12T00:00:00Z"))
        );
        let read = server.send(&Request::get(format!("/workers/{id}"))).await;
        assert_eq!(read.content()[0]["communications"], worker["communications"]);
        let taxes = server.send(&Request::get(format!("/workers/{id}/federaltax"))).await.content();
        let expected = ("SINGLE_OR_MARRIED_FILING_SEPARATELY", "true");
        assert_eq!(
            (&taxes[0]["filingStatus"], &taxes[0]["taxesWithheld"]),
            (&json!(expected.0), &json!(expected.1))
        );
        assert_eq!(worker_ids(server).await.last().map(String::as_str), Some(id));
    });
}

#[test]
fn a_dry_run_shows_a_new_worker_without_ids() {
    on_every_database(async |server| {
        let mail = json!({"type": "EMAIL", "usageType": "BUSINESS", "uri": "new@demo.example"});
        let sent = with_member(new_worker(), "communications", json!([mail]));
        let dry = server.send(&Request::post(format!("{}?dryrun=true", workers_path()), &sent)).await;
        assert_eq!(dry.status, 200, "{dry:?}");
        let [worker] = dry.content().try_into().unwrap();
        let status = json!({"statusType": "IN_PROGRESS", "statusReason": "PENDING_HIRE",
            "effectiveDate": "2026-05-12T00:00:00Z"});
        assert_eq!((worker.get("workerId"), &worker["currentStatus"]), (None, &status));
        assert_eq!(worker["communications"], json!([mail]));
    });
}

#[test]
fn valid_workers_are_created_and_faults_of_invalid_workers_returned() {
    on_every_database(async |server| {
        let before = worker_ids(server).await;
        let body = json!([
            worker_named("c-1", "First"),
            with_member(worker_named("c-2", "Second"), "workerType", "NOBODY"),
            with_member(worker_named("c-3", "Third"), "organization", json!({"organizationId": "NOWHERE"})),
            worker_named("c-4", "Fourth"),
            with_member(
                worker_named("c-5", "Fifth"),
                "legalId",
                json!({"legalIdType": "SSN", "legalIdValue": "12-SECRET"})
            ),
        ]);
        let created = create_workers(server, &body).await;
        assert_eq!(created.status, 207, "{created:?}");
        assert_eq!(created.members("workerCorrelationId"), ["c-1", "c-4"]);
        let errors = created.json()["errors"].as_array().unwrap().clone();
        let told: Vec<_> = errors
            .iter()
            .map(|error| {
                let text = |member: &str| error[member].as_str().unwrap().to_owned();
                assert!(
                    text("description").ends_with(&format!("workerCorrelationId: {}", text("correlationId")))
                );
                (text("code"), text("pointer"), text("correlationId"))
            })
            .collect();
        let expected = [
            ("API-48", "/1/workerType", "c-2"),
            ("API-48", "/2/organization/organizationId", "c-3"),
            ("API-48", "/4/legalId/legalIdValue", "c-5"),
        ];
        let expected: Vec<_> =
            expected.map(|(code, at, id)| (code.to_owned(), at.to_owned(), id.to_owned())).into();
        assert_eq!(told, expected);
        assert!(!created.text().contains("SECRET"));
        assert_eq!(worker_ids(server).await, [before, created.members("workerId")].concat());
    });
}

#[test]
fn a_request_without_a_valid_worker_creates_none() {
    on_every_database(async |server| {
        let before = worker_ids(server).await;
        let long = with_member(
            new_worker(),
            "name",
            json!({"familyName": "S", "givenName": "G", "middleName": "Long"}),
        );
        let active = with_member(new_worker(), "currentStatus", json!({"statusType": "ACTIVE"}));
        for (body, places) in [
            (long, vec!["/name/middleName"]),
            (active, vec!["/currentStatus/statusType"]),
            (with_member(new_worker(), "locationId", "X"), vec!["/locationId"]),
            (json!([new_worker(), new_worker()]), vec!["/0/workerCorrelationId", "/1/workerCorrelationId"]),
            (
                json!([worker_named("a", "A"), worker_named("a", "B")]),
                vec!["/0/workerCorrelationId", "/1/workerCorrelationId"],
            ),
            (json!([5, null]), vec!["/0", "/1"]),
            (json!("worker"), vec![""]),
            (with_member(new_worker(), "workerCorrelationId", 7), vec!["/workerCorrelationId"]),
        ] {
            let refused = create_workers(server, &body).await;
            let errors = refused.json()["errors"].as_array().unwrap().clone();
            let mut at: Vec<_> =
                errors.iter().map(|error| error["pointer"].as_str().unwrap_or_default()).collect();
            at.dedup();
            for place in places {
                assert!(at.contains(&place), "{body}: {refused:?}");
            }
            assert_eq!(refused.status, 400);
        }
        let twice = json!([worker_named("a", "A"), worker_named("a", "B")]);
        for fault in create_workers(server, &twice).await.errors() {
            assert_eq!(fault["correlationId"], "a", "{fault}");
        }
        assert_eq!(worker_ids(server).await, before);
    });
}

#[test]
fn workers_are_created_once_per_idempotency_key_and_not_in_a_dry_run() {
    on_every_database(async |server| {
        let before = worker_ids(server).await;
        let body =
            json!([worker_named("a", "Dry"), with_member(worker_named("b", "Dry"), "workerType", "NOBODY")]);
        let dry = server.send(&Request::post(format!("{}?dryrun=true", workers_path()), &body)).await;
        assert_eq!((dry.status, dry.content().len()), (207, 1));
        assert_eq!((dry.content()[0].get("workerId"), dry.content()[0].get("links")), (None, None));
        let dry =
            server.send(&Request::post(workers_path(), &new_worker()).header("prefer", "dry-run")).await;
        assert_eq!(dry.status, 200);
        assert_eq!(worker_ids(server).await, before);
        let post = Request::post(workers_path(), &body).idempotency_key("hire");
        let (first, again) = (server.send(&post).await, server.send(&post).await);
        assert_eq!((first.status, again.status, first.text()), (207, 207, again.text()));
        assert_eq!(worker_ids(server).await.len(), before.len() + 1);
        let hundred: Vec<_> = (0..100).map(|number| worker_named(&format!("n-{number}"), "Many")).collect();
        let created = create_workers(server, &json!(hundred)).await;
        assert_eq!((created.status, created.content().len()), (201, 100));
        assert_eq!(worker_ids(server).await[before.len() + 1..], created.members("workerId"));
    });
}
