//! Tests of jobs of a company (specification §6.21): their numbers, and how partners create and change them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{BARE, OPEN, Request, on_every_database};

fn post_job(company: &str, job: &Value) -> Request {
    Request::post(format!("/companies/{company}/jobs"), job)
}

#[test]
fn a_partner_creates_a_job_and_reads_it_without_an_envelope() {
    on_every_database(async |server| {
        let job = json!({"jobId": "IGNORED", "jobName": "Bridge", "jobCorrelationId": "site-17",
            "startDate": "2026-01-01T00:00:00Z", "jobNumber": {"segment1": "AB", "segment2": "C"}});
        let created = server.send(&post_job(OPEN, &job)).await;
        assert_eq!(created.status, 201, "{created:?}");
        let created = created.json();
        let id = created["jobId"].as_str().expect("an id").to_owned();
        assert_ne!(id, "IGNORED");
        assert_eq!(created["jobNumber"], json!({"segment1": "AB", "segment2": "C"}));
        let own = format!("{}/companies/{OPEN}/jobs/{id}", server.base);
        assert_eq!(created["links"], json!([{"rel": "self", "href": own}]));
        let read = server.send(&Request::get(format!("/companies/{OPEN}/jobs/{id}"))).await;
        assert_eq!(read.content(), [created]);
        let list = server.send(&Request::get(format!("/companies/{OPEN}/jobs?asof=2030-01-01"))).await;
        assert!(list.members("jobId").contains(&id));
    });
}

#[test]
fn a_dry_run_shows_the_job_without_storing_it() {
    on_every_database(async |server| {
        let dry = Request::post(
            format!("/companies/{BARE}/jobs?dryrun=true"),
            &json!({"jobName": "Bridge", "jobNumber": {"segment1": "any length"}}),
        );
        let response = server.send(&dry).await;
        let expected = json!({"jobName": "Bridge", "jobNumber": {"segment1": "any length"}, "links": []});
        assert_eq!((response.status, response.json()), (200, expected));
        let list = server.send(&Request::get(format!("/companies/{BARE}/jobs"))).await;
        assert!(list.content().is_empty());
    });
}

#[test]
fn an_idempotency_key_creates_one_job() {
    on_every_database(async |server| {
        let request = post_job(BARE, &json!({"jobName": "Bridge"})).header("idempotency-key", "job-1");
        let (first, second) = (server.send(&request).await, server.send(&request).await);
        assert_eq!((first.status, &first.body), (201, &second.body));
        let list = server.send(&Request::get(format!("/companies/{BARE}/jobs"))).await;
        assert_eq!(list.content().len(), 1);
    });
}

#[test]
fn segments_must_have_the_lengths_of_the_company() {
    on_every_database(async |server| {
        // In this company, a job number has a segment of two characters and a segment of one character.
        for (number, expected) in [
            (json!({"segment1": "A", "segment2": "B"}), "/jobNumber/segment1"),
            (json!({"segment1": "AB", "segment2": "CD"}), "/jobNumber/segment2"),
            (json!({"segment1": "AB"}), "/jobNumber/segment2"),
            (json!({"segment1": "AB", "segment2": "C", "segment3": "D"}), "/jobNumber/segment3"),
            (json!({"segment1": "AB", "segment2": ["C"]}), "/jobNumber/segment2"),
            (json!("AB"), "/jobNumber"),
        ] {
            let refused = server.send(&post_job(OPEN, &json!({"jobName": "A", "jobNumber": number}))).await;
            assert_eq!(refused.status, 400, "{number}");
            assert_eq!(refused.json()["errors"][0]["pointer"], expected, "{number}");
        }
        let longer = Request::operator_patch(
            &format!("/companies/{OPEN}/jobsegments/ONE"),
            &json!({"segmentLength": 3}),
        );
        assert!(server.send(&longer).await.is_success());
        let job = json!({"jobName": "A", "jobNumber": {"segment1": "ABC", "segment2": "D"}});
        assert_eq!(server.send(&post_job(OPEN, &job)).await.status, 201);
        // The segments of the stored job number now have the wrong lengths. Each change of the job validates
        // the number again, so a change of the name alone is rejected.
        let patch = |body: Value| Request::patch(format!("/companies/{OPEN}/jobs/CAKES"), &body);
        assert_eq!(server.send(&patch(json!({"jobName": "Cake"}))).await.status_and_code(), "400 API-48");
        let changed = server.send(&patch(json!({"jobNumber": {"segment1": "ABC"}}))).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(changed.content()[0]["jobNumber"], json!({"segment1": "ABC", "segment2": "1"}));
    });
}

#[test]
fn two_segments_cannot_have_the_same_position() {
    on_every_database(async |server| {
        let list = format!("/companies/{OPEN}/jobsegments");
        let second = json!({"segmentNumber": 2, "name": "Again", "segmentLength": 2});
        let refused = server.send(&Request::operator(Method::POST, &list).json(&second)).await;
        assert_eq!(refused.status_and_code(), "409 API-409");
        let moved = Request::operator_patch(&format!("{list}/ONE"), &json!({"segmentNumber": 2}));
        assert_eq!(server.send(&moved).await.status_and_code(), "409 API-409");
        let fourth = json!({"segmentNumber": 4, "name": "Fourth", "segmentLength": 2});
        let refused = server.send(&Request::operator(Method::POST, &list).json(&fourth)).await;
        assert_eq!(refused.status_and_code(), "400 API-48");
        let shown = server.send(&Request::get(&list)).await;
        let expected = json!({"segmentNumber": 1, "name": "Place", "segmentLength": 2, "links": []});
        assert_eq!(shown.content()[0], expected);
    });
}

#[test]
fn a_change_needs_no_envelope_and_keeps_absent_members() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/jobs/CAKES");
        let patch = Request::patch(&path, &json!({"jobId": "CAKES", "endDate": "2051-12-31"}));
        let changed = server.send(&patch).await;
        assert_eq!(changed.status, 200);
        let job = &changed.content()[0];
        assert_eq!((&job["jobName"], &job["endDate"]), (&json!("Cakes"), &json!("2051-12-31T00:00:00Z")));
        assert!(changed.header("etag").starts_with('"'));
        let other = server.send(&Request::patch(&path, &json!({"jobId": "OVENS"}))).await;
        assert_eq!(
            (other.status_and_code().as_str(), other.json()["errors"][0]["pointer"].as_str()),
            ("400 API-34", Some("/jobId"))
        );
        let removed = server.send(&Request::new(Method::DELETE, &path)).await;
        assert_eq!(removed.status_and_code(), "405 API-59");
    });
}
