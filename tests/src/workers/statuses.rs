//! Tests of the status history of a worker. Partners read it and operators edit it. The server applies each
//! status when its date is reached.

use serde_json::{Value, json};

use crate::operations::WORKER_STATUSES;
use crate::support::{OPEN, Request, Server, on_every_database};

const DAY_SECONDS: i64 = 86_400;
const COUNT_EVENTS: &str = "SELECT count(*) FROM events WHERE worker_id = 'COLLEAGUE' AND domain = 'WRKR_EMPL' \
    AND action = 'UPDATE'";
const COUNT_AUDIT_ROWS: &str = "SELECT count(*) FROM audit WHERE resource_id = 'COLLEAGUE' AND actor_kind = 'server' \
    AND actor_name = 'housekeeping'";

fn worker_path() -> String {
    format!("/companies/{OPEN}/workers/COLLEAGUE")
}

fn status_entry(status_type: &str, day: &str, order: u32) -> Value {
    json!({"statusType": status_type, "effectiveDate": day, "order": order})
}

/// Returns the status history as partners read it, newest first. Each status has its type, date and order.
async fn status_history(server: &Server) -> Vec<String> {
    let response = server.send(&Request::get("/workers/COLLEAGUE/status").accept(WORKER_STATUSES)).await;
    assert_eq!(response.status, 200);
    let show = |entry: &Value| {
        let day = entry["effectiveDate"].as_str().expect("a day").split('T').next().expect("a day");
        format!("{} {day} {}", entry["statusType"].as_str().expect("a word"), entry["order"])
    };
    response.content().iter().map(show).collect()
}

/// Sets the statuses of the colleague as an operator.
async fn set_statuses(server: &Server, statuses: Value) {
    let response =
        server.send(&Request::operator_patch(&worker_path(), &json!({"statuses": statuses}))).await;
    assert_eq!(response.status, 200, "{response:?}");
}

async fn current_status(server: &Server) -> Value {
    server.send(&Request::operator_get(&worker_path())).await.content()[0]["currentStatus"].clone()
}

/// Returns the number of events about a changed status, and the number of audit log entries whose actor is
/// the server.
async fn audit_and_event_counts(server: &Server) -> (i64, i64) {
    (server.database.query_number(COUNT_EVENTS).await, server.database.query_number(COUNT_AUDIT_ROWS).await)
}

/// Advances the clock by this number of days, and runs a new housekeeper twice. The second run is one hour
/// after the first, because the housekeeper then trusts the clock.
async fn advance_days(server: &Server, days: i64) {
    server.clock.advance_seconds(days * DAY_SECONDS);
    let mut housekeeper = server.housekeeper();
    housekeeper.run_once().await;
    server.clock.advance_seconds(3_600);
    housekeeper.run_once().await;
    server.discard_tokens().await;
}

#[test]
fn the_history_is_shown_and_a_change_by_a_partner_extends_it() {
    on_every_database(async |server| {
        let imported = ["ACTIVE 2026-05-01 0", "TERMINATED 2024-02-08 0"];
        assert_eq!(status_history(server).await, imported);
        let patch = |status: &str| {
            Request::patch("/workers/COLLEAGUE", &json!({"currentStatus": {"statusType": status}}))
        };
        assert_eq!(server.send(&patch("INACTIVE")).await.status, 200);
        assert_eq!(server.send(&patch("ACTIVE")).await.status, 200);
        let expected = ["ACTIVE 2026-05-12 1", "INACTIVE 2026-05-12 0", imported[0], imported[1]];
        assert_eq!(status_history(server).await, expected);
        let ignored = json!({"statuses": [], "clockId": "9"});
        assert_eq!(server.send(&Request::patch("/workers/COLLEAGUE", &ignored)).await.status, 200);
        assert_eq!(status_history(server).await, expected);
        let all = server.send(&Request::get("/workers/COLLEAGUE/status")).await.content();
        assert!(all[3].get("workerStatusId").is_none() && all[0]["workerStatusId"].is_string());
        let page = server.send(&Request::get("/workers/COLLEAGUE/status?limit=1&offset=1")).await;
        assert_eq!(page.members("statusType"), ["INACTIVE"]);
        let none = server.send(&Request::get("/workers/EMPLOYEE/status")).await;
        assert_eq!((none.status, none.content()), (200, Vec::<Value>::new()));
    });
}

#[test]
fn faults_of_the_status_history_have_pointers() {
    on_every_database(async |server| {
        let faults = async |change: Value| {
            let response = server.send(&Request::operator_patch(&worker_path(), &change)).await;
            assert_eq!(response.status, 400, "{response:?}");
            response.faults()
        };
        let same = json!({"statuses": [status_entry("ACTIVE", "2026-01-01", 1), status_entry("INACTIVE", "2026-01-01", 1)]});
        assert_eq!(faults(same).await, ["API-48 /statuses/1/order"]);
        let many: Vec<Value> = (0..201).map(|order| status_entry("ACTIVE", "2026-01-01", order)).collect();
        assert!(faults(json!({"statuses": many})).await.contains(&"API-48 /statuses".to_owned()));
        assert_eq!(faults(json!({"currentStatus": null})).await, ["API-46 /currentStatus"]);
        let id = json!({"statuses": [{"workerStatusId": "not an id", "statusType": "ACTIVE", "effectiveDate": "2026-01-01"}]});
        assert_eq!(faults(id).await, ["API-48 /statuses/0/workerStatusId"]);
        let nothing = json!({"currentStatus": null, "statuses": null});
        assert_eq!(server.send(&Request::operator_patch(&worker_path(), &nothing)).await.status, 200);
        assert_eq!(status_history(server).await, Vec::<String>::new());
    });
}

#[test]
fn a_future_status_takes_effect_once_on_its_day() {
    on_every_database(async |server| {
        let before = audit_and_event_counts(server).await;
        set_statuses(
            server,
            json!([status_entry("INACTIVE", "2026-05-20", 0), status_entry("TERMINATED", "2026-05-20", 1)]),
        )
        .await;
        assert_eq!(audit_and_event_counts(server).await, before, "a future status is no event");
        advance_days(server, 7).await;
        assert_eq!(current_status(server).await["statusType"], "ACTIVE");
        server.restart().await;
        advance_days(server, 1).await;
        let status = current_status(server).await;
        assert_eq!(
            (&status["statusType"], &status["effectiveDate"]),
            (&json!("TERMINATED"), &json!("2026-05-20T00:00:00Z"))
        );
        assert!(status["workerStatusId"].is_string(), "it gets an id");
        assert_eq!(audit_and_event_counts(server).await, (before.0 + 1, before.1 + 1));
        advance_days(server, 1).await;
        server.restart().await;
        advance_days(server, 0).await;
        assert_eq!(audit_and_event_counts(server).await, (before.0 + 1, before.1 + 1), "once");
        let expected = ["TERMINATED 2026-05-20 1", "INACTIVE 2026-05-20 0", "ACTIVE 2026-05-01 0"];
        assert_eq!(status_history(server).await, expected);
    });
}

#[test]
fn the_newest_of_two_due_statuses_takes_effect() {
    on_every_database(async |server| {
        let before = audit_and_event_counts(server).await;
        set_statuses(
            server,
            json!([
                status_entry("INACTIVE", "2026-05-14", 0),
                status_entry("TERMINATED", "2026-05-16", 0),
                status_entry("PENDING", "2026-06-16", 0)
            ]),
        )
        .await;
        advance_days(server, 10).await;
        assert_eq!(current_status(server).await["statusType"], "TERMINATED");
        assert_eq!(audit_and_event_counts(server).await, (before.0 + 1, before.1 + 1));
        advance_days(server, 30).await;
        assert_eq!(current_status(server).await["statusType"], "PENDING");
        assert_eq!(audit_and_event_counts(server).await, (before.0 + 2, before.1 + 2));
    });
}

#[test]
fn a_status_backdated_by_an_operator_stays_current() {
    on_every_database(async |server| {
        let change = json!({"currentStatus": {"effectiveDate": "2026-04-01"}});
        assert_eq!(server.send(&Request::operator_patch(&worker_path(), &change)).await.status, 200);
        advance_days(server, 2).await;
        assert_eq!(current_status(server).await["effectiveDate"], "2026-04-01T00:00:00Z");
        let expected = ["ACTIVE 2026-05-01 0", "ACTIVE 2026-04-01 0", "TERMINATED 2024-02-08 0"];
        assert_eq!(status_history(server).await, expected);
    });
}

#[test]
fn a_future_status_waits_for_an_unlock_and_has_no_effect_if_removed() {
    on_every_database(async |server| {
        let before = audit_and_event_counts(server).await;
        set_statuses(server, json!([status_entry("INACTIVE", "2026-05-14", 0)])).await;
        let lock = format!("/companies/{OPEN}/lock");
        assert!(
            server.send(&Request::operator_put(&lock, &json!({"reason": "year end"}))).await.status < 300
        );
        advance_days(server, 5).await;
        assert_eq!(current_status(server).await["statusType"], "ACTIVE");
        assert_eq!(server.send(&Request::operator_delete(&lock)).await.status, 204);
        advance_days(server, 0).await;
        assert_eq!(current_status(server).await["statusType"], "INACTIVE");
        assert_eq!(audit_and_event_counts(server).await, (before.0 + 1, before.1 + 1));
        set_statuses(server, json!([status_entry("TERMINATED", "2026-06-14", 0)])).await;
        set_statuses(server, json!([])).await;
        advance_days(server, 60).await;
        assert_eq!(current_status(server).await["statusType"], "INACTIVE");
        assert_eq!(server.database.query_number("SELECT count(*) FROM due_statuses").await, 0);
    });
}
