//! Tests of lists that partners only read: time off and assignment distributions.

use serde_json::{Value, json};

use crate::operations::{ASSIGNMENT_DISTRIBUTIONS, TIME_OFF};
use crate::support::{OPEN, Request, on_every_database};

#[test]
fn time_off_balances_are_shown_as_set_by_operators() {
    on_every_database(async |server| {
        let list = |worker: &str| Request::get(format!("/workers/{worker}/timeoff")).accept(TIME_OFF);
        let expected = [
            json!({"policyId": "VACATION", "type": "Vacation", "name": "Vacation", "balance": "40",
                "measure": "HOURS"}),
            json!({"policyId": "SICK", "type": "Sick", "name": "Sick leave", "balance": "-7.5", "measure": "HOURS"}),
        ];
        assert_eq!(server.send(&list("EMPLOYEE")).await.content(), expected);
        let nothing = server.send(&list("COLLEAGUE")).await;
        assert_eq!((nothing.status, nothing.content()), (200, Vec::<Value>::new()));
        let path = format!("/companies/{OPEN}/workers/COLLEAGUE");
        let change = |balances: Value| Request::operator_patch(&path, &json!({"timeOff": balances}));
        let set = server.send(&change(json!([expected[0]]))).await;
        assert_eq!(set.status, 200);
        assert_eq!(server.send(&list("COLLEAGUE")).await.content(), [expected[0].clone()]);
        let twice = server.send(&change(json!([expected[0], expected[0]]))).await;
        assert_eq!(twice.json()["errors"][0]["pointer"], "/timeOff/1/policyId");
    });
}

#[test]
fn the_parts_of_a_work_distribution_add_up_to_the_total() {
    on_every_database(async |server| {
        let list =
            Request::get("/workers/STARTS-LATER/assignmentdistributions").accept(ASSIGNMENT_DISTRIBUTIONS);
        let expected = [
            json!({"jobId": "CAKES", "value": "60.0000"}),
            json!({"laborAssignmentId": "NIGHT", "value": "40.0000"}),
        ];
        assert_eq!(server.send(&list).await.content(), expected);
        let path = format!("/companies/{OPEN}/workers/STARTS-LATER");
        let change = async |parts: Value| {
            let request = Request::operator_patch(&path, &json!({"assignmentDistributions": parts}));
            let response = server.send(&request).await;
            let pointer = response.json()["errors"][0]["pointer"].clone();
            (response.status, pointer.as_str().unwrap_or_default().to_owned())
        };
        let refused = |pointer: &str| (400, pointer.to_owned());
        let less = json!([{"jobId": "CAKES", "value": "99.9999"}]);
        assert_eq!(change(less).await, refused("/assignmentDistributions"));
        let same = json!([{"jobId": "CAKES", "value": "50"}, {"jobId": "CAKES", "value": "50"}]);
        assert_eq!(change(same).await, refused("/assignmentDistributions/1/jobId"));
        let nowhere = json!([{"jobId": "NOTHING", "value": "100"}]);
        assert_eq!(change(nowhere).await, refused("/assignmentDistributions/0/jobId"));
        assert_eq!(change(json!([{"value": "100"}])).await, refused("/assignmentDistributions/0/jobId"));
        assert_eq!(change(json!([{"jobId": "CAKES", "value": "100"}])).await.0, 200);
        let job = Request::operator_delete(&format!("/companies/{OPEN}/jobs/CAKES"));
        assert_eq!(server.send(&job).await.status_and_code(), "409 API-409");
    });
}

#[test]
fn the_i9_status_is_read_by_partners_and_set_by_operators() {
    on_every_database(async |server| {
        let path = "/workers/EMPLOYEE/i9status";
        let shown = server.send(&Request::get(path)).await;
        assert_eq!(shown.content(), [json!({"status": "COMPLETE", "completedDate": "2026-01-05T00:00:00Z"})]);
        let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let change = async |status| {
            let patch = Request::operator_patch(&worker, &json!({"i9Status": status}));
            server.send(&patch).await
        };
        assert_eq!(change(json!({"status": "REVERIFY", "expirationDate": "2026-06-01"})).await.status, 200);
        let shown = server.send(&Request::get(path)).await;
        assert_eq!(shown.content()[0]["status"], "REVERIFY");
        for (status, pointer) in [
            (json!({"status": "DONE"}), "/i9Status/status"),
            (json!({"status": "COMPLETE", "expirationDate": "2026-01-04"}), "/i9Status/expirationDate"),
        ] {
            let refused = change(status).await;
            assert_eq!(refused.status_and_code(), "400 API-48");
            assert_eq!(refused.json()["errors"][0]["pointer"], pointer);
        }
        // Partners cannot set the I-9 status. The server ignores this status in a partner's request.
        let patch =
            Request::patch("/workers/EMPLOYEE", &json!({"i9Status": {"status": "COMPLETE"}, "clockId": "9"}));
        assert_eq!(server.send(&patch).await.status, 200);
        let shown = server.send(&Request::get(path)).await;
        assert_eq!(shown.content()[0]["status"], "REVERIFY");
        assert_eq!(change(json!(null)).await.status, 200);
        assert!(server.send(&Request::get(path)).await.content().is_empty());
    });
}
