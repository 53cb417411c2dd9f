//! Tests of partners that create, change and delete pay rates and communications of a worker.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    Caller, OPEN, Request, Response, Server, new_communication, new_rate, on_every_database, with_member,
};

const RATES_PATH: &str = "/workers/EMPLOYEE/compensation/payrates";
const COMMUNICATIONS_PATH: &str = "/workers/EMPLOYEE/communications";

fn delete_request(target: &str) -> Request {
    Request::new(Method::DELETE, target)
}

fn only_object(response: &Response) -> Value {
    let mut content = response.content();
    assert_eq!((response.status, content.len()), (200, 1), "{response:?}");
    content.remove(0)
}

/// Replaces the partner's scopes on the company.
async fn grant_scopes(server: &Server, scopes: &[&str]) {
    let path = format!("/applications/partner/grants/{OPEN}");
    let request = Request::operator_put(&path, &json!({"scopes": scopes})).if_match("*");
    assert_eq!(server.send(&request).await.status, 200);
}

async fn list_members(server: &Server, list: &str, member: &str) -> Vec<String> {
    server.send(&Request::get(list)).await.members(member)
}

#[test]
fn a_rate_is_created_changed_and_removed_with_the_etag_of_the_worker() {
    on_every_database(async |server| {
        let created = server.send(&Request::post(RATES_PATH, &new_rate())).await;
        let rate = only_object(&created);
        let path = format!("{RATES_PATH}/{}", rate["rateId"].as_str().expect("an id"));
        assert_eq!(rate["startDate"], "2026-05-12T00:00:00Z", "a rate starts today");
        assert_eq!(rate["links"], json!([{"rel": "self", "href": format!("{}{path}", server.base)}]));
        assert_eq!((&rate["amount"], &rate["default"]), (&json!("40.2000"), &json!(false)));
        let read = server.send(&Request::get(&path)).await;
        assert_eq!((only_object(&read), read.header("etag")), (rate.clone(), created.header("etag")));

        let change = Request::patch(&path, &json!({"amount": "41.5", "description": "Nights"}));
        let changed = server.send(&change.clone().if_match(read.header("etag"))).await;
        let expected = with_member(with_member(rate, "amount", "41.5000"), "description", "Nights");
        assert_eq!(only_object(&changed), expected);
        assert_ne!(changed.header("etag"), read.header("etag"));
        assert_eq!(server.send(&change.if_match(read.header("etag"))).await.status_and_code(), "412 API-412");
        assert_eq!(only_object(&server.send(&Request::get(&path)).await), expected);

        assert_eq!(server.send(&delete_request(&path).if_match(changed.header("etag"))).await.status, 204);
        assert_eq!(server.send(&Request::get(&path)).await.status, 404);
        assert_eq!(
            list_members(server, RATES_PATH, "rateId").await,
            ["HOUR", "PIECE", "NIGHT", "FUTURE", "HIGH"]
        );
    });
}

#[test]
fn a_change_of_pay_for_a_later_day_is_rejected() {
    on_every_database(async |server| {
        let component = "/workers/EMPLOYEE/paycomponents/DUES";
        let rate = format!("{RATES_PATH}/HOUR");
        for (path, member) in [(rate.as_str(), "amount"), (component, "value")] {
            let change = |day: &str| Request::patch(path, &json!({member: "99", "effectiveDate": day}));
            let before = server.send(&Request::get(path)).await.body;
            // The current date of the test is 2026-05-12, so the next date is in the future and is rejected.
            let later = server.send(&change("2026-05-13")).await;
            assert_eq!(later.status, 400, "{path}: {later:?}");
            assert_eq!(later.errors()[0]["pointer"], "/effectiveDate", "{path}: {later:?}");
            assert_eq!(server.send(&Request::get(path)).await.body, before, "{path}");
            let changed = only_object(&server.send(&change("2026-05-12")).await);
            assert_eq!(changed[member], "99.0000", "{path}");
            assert_eq!(changed["effectiveDate"], "2026-05-12T00:00:00Z", "{path}");
        }
    });
}

#[test]
fn a_communication_is_created_changed_and_removed_and_the_others_are_returned() {
    on_every_database(async |server| {
        let created =
            only_object(&server.send(&Request::post(COMMUNICATIONS_PATH, &new_communication())).await);
        let path = format!("{COMMUNICATIONS_PATH}/{}", created["communicationId"].as_str().expect("an id"));
        assert_eq!(only_object(&server.send(&Request::get(&path)).await), created);
        let uri = json!({"uri": "new@demo.example", "usageType": "BUSINESS"});
        let changed = only_object(&server.send(&Request::patch(&path, &uri)).await);
        assert_eq!(changed, with_member(created, "uri", "new@demo.example"));
        let left = server.send(&delete_request(&path)).await;
        assert_eq!((left.status, left.members("communicationId")), (200, vec!["DESK".into(), "HOME".into()]));
        assert_eq!(list_members(server, COMMUNICATIONS_PATH, "communicationId").await, ["DESK", "HOME"]);
    });
}

#[test]
fn read_only_and_unknown_members_are_ignored() {
    on_every_database(async |server| {
        let sent = json!({
            "rateId": "MINE", "links": [], "colour": "red", "rateNumber": "RATE_7", "rateType": "HOURLY_RATE",
            "amount": 12.5, "default": null,
        });
        let rate = only_object(&server.send(&Request::post(RATES_PATH, &sent)).await);
        assert_ne!(rate["rateId"], "MINE");
        assert_eq!(rate.get("colour"), None);
        let path = format!("{RATES_PATH}/{}", rate["rateId"].as_str().expect("an id"));
        let back = server.send(&Request::patch(&path, &rate)).await;
        assert_eq!(only_object(&back), rate, "a response can be sent back");
    });
}

#[test]
fn all_faults_are_reported_together_with_their_pointers() {
    on_every_database(async |server| {
        let wrong =
            json!({"rateNumber": "RATE_1", "rateType": "MONTHLY", "amount": "much", "standardHours": "x"});
        let response = server.send(&Request::post(RATES_PATH, &wrong)).await;
        let mut faults = response.faults();
        faults.sort();
        let expected = ["API-26 /rateNumber", "API-27 /rateType", "API-28 /amount", "API-48 /standardHours"];
        assert_eq!((response.status, faults), (400, expected.map(str::to_owned).to_vec()));
        let wrong = json!({"type": "FAX", "usageType": "PERSONAL"});
        let mut faults = server.send(&Request::post(COMMUNICATIONS_PATH, &wrong)).await.faults();
        faults.sort();
        assert_eq!(faults, ["API-14 /dialNumber", "API-48 /usageType"]);
    });
}

#[test]
fn a_dry_run_validates_and_stores_nothing() {
    on_every_database(async |server| {
        let before = server.send(&Request::get(RATES_PATH)).await;
        let dry = |target: &str| format!("{target}?dryrun=true");
        let created = only_object(&server.send(&Request::post(dry(RATES_PATH), &new_rate())).await);
        assert_eq!((created.get("rateId"), created.get("links")), (None, None));
        let preferred = Request::post(RATES_PATH, &new_rate()).header("prefer", "dry-run");
        assert_eq!(only_object(&server.send(&preferred).await), created);
        let duplicate = with_member(new_rate(), "rateNumber", "RATE_1");
        assert_eq!(
            server.send(&Request::post(dry(RATES_PATH), &duplicate)).await.faults(),
            ["API-26 /rateNumber"]
        );
        let night = format!("{RATES_PATH}/NIGHT");
        let changed = server.send(&Request::patch(dry(&night), &json!({"amount": "1"}))).await;
        assert_eq!(only_object(&changed)["amount"], "1.0000");
        assert_eq!(server.send(&delete_request(&dry(&night))).await.status, 204);
        let after = server.send(&Request::get(RATES_PATH)).await;
        assert_eq!((after.content(), after.header("etag")), (before.content(), before.header("etag")));
        let unclear = Request::post(format!("{RATES_PATH}?dryrun=maybe"), &new_rate());
        assert_eq!(server.send(&unclear).await.status_and_code(), "400 API-40");
    });
}

#[test]
fn a_repeated_request_with_its_idempotency_key_creates_one_rate() {
    on_every_database(async |server| {
        let request = Request::post(RATES_PATH, &new_rate()).idempotency_key("once");
        let (first, second) = (server.send(&request).await, server.send(&request).await);
        assert_eq!(
            (only_object(&first), second.header("idempotent-replayed")),
            (only_object(&second), "true")
        );
        assert_eq!(list_members(server, RATES_PATH, "rateId").await.len(), 6);
        let other = with_member(new_rate(), "rateNumber", "RATE_10");
        let other = Request::post(RATES_PATH, &other).idempotency_key("once");
        assert_eq!(server.send(&other).await.status_and_code(), "422 API-422");
    });
}

/// Returns the last event on a page of the event feed as text: its domain, action and worker.
fn last_event_text(feed: &Response) -> String {
    let event = feed.content().pop().unwrap_or_default();
    let text = |member: &str| event[member].as_str().unwrap_or_default().to_owned();
    format!("{} {} {}", text("domain"), text("action"), text("workerId"))
}

#[test]
fn a_change_is_in_the_audit_log_under_the_application_and_fires_its_event() {
    on_every_database(async |server| {
        let changes = [
            (Request::post(RATES_PATH, &new_rate()), "WRKR_CMP ADD EMPLOYEE"),
            (
                Request::patch(format!("{RATES_PATH}/NIGHT"), &json!({"amount": "26"})),
                "WRKR_CMP UPDATE EMPLOYEE",
            ),
            (delete_request(&format!("{RATES_PATH}/HIGH")), "WRKR_CMP DELETE EMPLOYEE"),
            (Request::post(COMMUNICATIONS_PATH, &new_communication()), "WRKR_DEM ADD EMPLOYEE"),
            (delete_request(&format!("{COMMUNICATIONS_PATH}/DESK")), "WRKR_DEM DELETE EMPLOYEE"),
        ];
        let mut cursor = String::new();
        for (change, expected) in changes {
            assert!(server.send(&change).await.is_success(), "{change:?}");
            let path = format!("/management/events?limit=1000{cursor}");
            let mut feed = server.send(&Request::get(&path)).await;
            // The feed shows an event only after all earlier transactions have ended, so the test polls.
            for _ in 0..100 {
                if last_event_text(&feed) == expected {
                    break;
                }
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                feed = server.send(&Request::get(&path)).await;
            }
            assert_eq!(last_event_text(&feed), expected);
            cursor =
                feed.json()["metadata"]["cursor"].as_str().map_or(cursor, |next| format!("&after={next}"));
        }
        let log = server.send(&Request::operator_get("/audit?limit=1")).await.content();
        assert_eq!(log[0]["actor"], json!({"kind": "application", "name": "partner"}), "{log:?}");
    });
}

#[test]
fn each_change_needs_its_own_scope() {
    on_every_database(async |server| {
        grant_scopes(server, &["read:payroll", "read:workers", "write:payroll"]).await;
        assert_eq!(
            server.send(&Request::post(COMMUNICATIONS_PATH, &new_communication())).await.status_and_code(),
            "403 API-2"
        );
        assert!(server.send(&Request::post(RATES_PATH, &new_rate())).await.is_success());
        grant_scopes(server, &["read:payroll", "read:workers", "write:workers"]).await;
        let rate = with_member(new_rate(), "rateNumber", "RATE_10");
        assert_eq!(server.send(&Request::post(RATES_PATH, &rate)).await.status_and_code(), "403 API-2");
        assert!(server.send(&Request::post(COMMUNICATIONS_PATH, &new_communication())).await.is_success());
        let other = Request::patch(format!("{RATES_PATH}/HOUR"), &json!({"amount": "1"}))
            .with_caller(Caller::WithoutGrant);
        assert_eq!(server.send(&other).await.status_and_code(), "403 API-2");
    });
}

#[test]
fn a_patch_changes_its_members_and_returns_the_worker_with_names() {
    on_every_database(async |server| {
        let before = only_object(&server.send(&Request::get("/workers/EMPLOYEE")).await);
        let patch = json!({
            "employmentType": "PART_TIME", "organization": {"organizationId": "BAKERY", "name": "ignored"},
            "supervisor": {"workerId": "COLLEAGUE"}, "name": {"preferredName": "Em"}, "colour": "red", "workerId": "OTHER",
        });
        let changed = server.send(&Request::patch("/workers/EMPLOYEE", &patch)).await;
        let worker = only_object(&changed);
        assert_eq!(
            worker["organization"],
            json!({"organizationId": "BAKERY", "name": "Bakery", "number": "10"})
        );
        assert_eq!(worker["supervisor"]["name"], json!({"familyName": "Sample", "givenName": "COLLEAGUE"}));
        assert_eq!(
            (&worker["name"]["preferredName"], &worker["name"]["givenName"]),
            (&json!("Em"), &json!("EMPLOYEE"))
        );
        assert_eq!((&worker["employmentType"], worker.get("colour")), (&json!("PART_TIME"), None));
        assert_eq!(worker["communications"], before["communications"]);
        let read = only_object(&server.send(&Request::get("/workers/EMPLOYEE")).await);
        let without_links = |worker: &Value| with_member(worker.clone(), "links", Value::Null);
        assert_eq!(without_links(&worker), without_links(&read));

        let tag = changed.header("etag").to_owned();
        let again = Request::patch("/workers/EMPLOYEE", &json!({"clockId": "7"})).if_match(&tag);
        assert_eq!(server.send(&again).await.status, 200);
        assert_eq!(server.send(&again).await.status_and_code(), "412 API-412");
        let back = server.send(&Request::patch("/workers/EMPLOYEE", &read)).await;
        assert_eq!(only_object(&back)["clockId"], "7", "a response can be sent back");
    });
}

#[test]
fn a_partner_cannot_change_invisible_members_of_a_worker() {
    on_every_database(async |server| {
        let rates = server.send(&Request::get(RATES_PATH)).await.content();
        let patch = json!({
            "clockId": "9", "payRates": [], "recurringComponents": [], "taxes": {"federal": {"multipleJobs": true}},
        });
        let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let before = only_object(&server.send(&Request::operator_get(&path)).await);
        assert_eq!(server.send(&Request::patch("/workers/EMPLOYEE", &patch)).await.status, 200);
        assert_eq!(server.send(&Request::get(RATES_PATH)).await.content(), rates);
        let stored = only_object(&server.send(&Request::operator_get(&path)).await);
        assert_eq!(stored, with_member(before, "clockId", "9"));
    });
}

#[test]
fn a_status_changes_today_except_for_a_worker_in_set_up() {
    on_every_database(async |server| {
        let patch = |body: Value| Request::patch("/workers/COLLEAGUE", &body);
        let inactive = json!({"currentStatus": {"statusType": "INACTIVE", "statusReason": "LEAVE"}});
        let changed = only_object(&server.send(&patch(inactive)).await);
        let status = &changed["currentStatus"];
        assert_eq!(
            (&status["statusType"], &status["effectiveDate"]),
            (&json!("INACTIVE"), &json!("2026-05-12T00:00:00Z"))
        );
        assert_ne!(status["workerStatusId"], "STATUS-ACTIVE");
        let tomorrow = json!({"currentStatus": {"statusType": "ACTIVE", "effectiveDate": "2026-05-13"}});
        assert_eq!(server.send(&patch(tomorrow)).await.faults(), ["API-20 /currentStatus/effectiveDate"]);
        let hired = json!({"currentStatus": {"statusType": "ACTIVE"}});
        let starting = server.send(&Request::patch("/workers/STARTING", &hired)).await;
        assert_eq!(starting.faults(), ["API-19 /currentStatus"]);
        assert_eq!(server.send(&delete_request("/workers/COLLEAGUE")).await.status_and_code(), "400 API-19");
        assert_eq!(server.send(&delete_request("/workers/STARTING")).await.status, 204);
        assert_eq!(server.send(&Request::get("/workers/STARTING")).await.status, 404);
    });
}

#[test]
fn unchangeable_members_are_rejected_unless_sent_unchanged() {
    on_every_database(async |server| {
        let patch = json!({
            "workerType": "CONTRACTOR", "jobId": "JOB", "communications": [], "hireDate": "2026-01-01",
            "exemptionType": "EXEMPT", "ethnicityCode": "ASIAN",
        });
        let mut faults = server.send(&Request::patch("/workers/COLLEAGUE", &patch)).await.faults();
        faults.sort();
        let of_active = [
            "API-48 /ethnicityCode",
            "API-48 /exemptionType",
            "API-48 /hireDate",
            "API-48 /jobId",
            "API-48 /workerType",
        ];
        assert_eq!(faults, of_active);
        let mut faults = server.send(&Request::patch("/workers/EMPLOYEE", &patch)).await.faults();
        faults.sort();
        assert_eq!(faults, ["API-48 /communications", "API-48 /jobId", "API-48 /workerType"]);
    });
}

#[test]
fn an_application_cannot_terminate_a_supervisor() {
    on_every_database(async |server| {
        let end =
            Request::patch("/workers/COLLEAGUE", &json!({"currentStatus": {"statusType": "TERMINATED"}}));
        let dry = Request { target: format!("{}?dryrun=true", end.target), ..end.clone() };
        assert_eq!(server.send(&dry).await.status, 200, "no supervisor yet");
        let under = Request::patch("/workers/EMPLOYEE", &json!({"supervisor": {"workerId": "COLLEAGUE"}}));
        assert_eq!(server.send(&under).await.status, 200);
        for request in [&end, &dry] {
            let refused = server.send(request).await;
            assert_eq!(refused.faults(), ["API-67 /currentStatus/statusType"]);
            assert!(refused.text().contains("EMPLOYEE"), "{refused:?}");
        }
        let other =
            Request::patch("/workers/COLLEAGUE", &json!({"currentStatus": {"statusType": "INACTIVE"}}));
        assert_eq!(server.send(&other).await.status, 200);
        let employee = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let gone = json!({"currentStatus": {"statusType": "TERMINATED", "effectiveDate": "2026-05-01"}});
        assert_eq!(server.send(&Request::operator_patch(&employee, &gone)).await.status, 200);
        assert_eq!(server.send(&end).await.status, 200, "the only worker in the team has left");
    });
}

#[test]
fn a_changed_middle_name_is_cut_to_one_letter() {
    on_every_database(async |server| {
        let change = async |name: &str| {
            let patch = json!({"name": {"middleName": name}});
            let worker = only_object(&server.send(&Request::patch("/workers/EMPLOYEE", &patch)).await);
            worker["name"]["middleName"].clone()
        };
        assert_eq!(change("Ödön").await, "Ö");
        assert_eq!(change("J").await, "J");
        let by_operator = json!({"name": {"middleName": "Jane"}});
        let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
        assert_eq!(server.send(&Request::operator_patch(&path, &by_operator)).await.status, 200);
        assert_eq!(change("Jane").await, "Jane", "the stored name is sent back");
    });
}
