//! Tests of recurring components of a worker over HTTP.

use serde_json::{Value, json};

use crate::operations::{PAY_COMPONENT, PAY_COMPONENTS};
use crate::support::{Request, new_recurring_component, on_every_database, with_member};

const COMPONENTS_PATH: &str = "/workers/EMPLOYEE/paycomponents";

#[test]
fn the_list_of_recurring_components_shows_those_in_force_with_names() {
    on_every_database(async |server| {
        let ids = async |query: &str| {
            server
                .send(&Request::get(format!("{COMPONENTS_PATH}{query}")))
                .await
                .members("workerComponentId")
                .join(" ")
        };
        assert_eq!(ids("").await, "DUES SAVING");
        assert_eq!(ids("?asof=2026-07-01").await, "DUES SAVING AHEAD");
        assert_eq!(ids("?asof=2027-01-01T10:00:00Z").await, "DUES-AGAIN AHEAD");
        assert_eq!(ids("?effectonpay=REDUCTION").await, "DUES");
        assert_eq!(ids("?componentid=CAR&effectonpay=EMPLOYER_INFORMATIONAL").await, "SAVING");
        assert_eq!(ids("?componentid=CAR&effectonpay=REDUCTION").await, "");
        assert_eq!(ids("?name=GARNISHMENT%20component").await, "DUES");
        let dues = server.send(&Request::get(format!("{COMPONENTS_PATH}/DUES")).accept(PAY_COMPONENT)).await;
        let expected = json!({
            "workerComponentId": "DUES", "componentId": "GARNISHMENT", "calculationType": "FLAT_DOLLAR_AMOUNT",
            "value": "12.5000", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-12-31T00:00:00Z",
            "name": "GARNISHMENT component", "effectOnPay": "REDUCTION", "classificationType": "REGULAR",
            "links": [{"rel": "self", "href": format!("{}{COMPONENTS_PATH}/DUES", server.base)}],
        });
        assert_eq!(dues.content(), std::slice::from_ref(&expected));
        let listed = server.send(&Request::get(COMPONENTS_PATH).accept(PAY_COMPONENTS)).await;
        assert_eq!(listed.content()[0], expected);
        assert_eq!(
            server.send(&Request::get(format!("{COMPONENTS_PATH}/DUES?asof=2027-01-01"))).await.status,
            404
        );
        assert_eq!(server.send(&Request::get(format!("{COMPONENTS_PATH}?asof=soon"))).await.status, 400);
    });
}

#[test]
fn a_component_is_added_once_per_idempotency_key_and_not_in_a_dry_run() {
    on_every_database(async |server| {
        let new = with_member(
            new_recurring_component(),
            "frequency",
            json!({"applied": "BY_PAY_PERIOD", "occurrence": "QUARTERLY", "effectedChecks": "EVERY_CHECK",
                "occurrenceIntervals": {"interval1": "1", "interval2": "Last"}}),
        );
        let new = with_member(new, "checkLimit", json!({"type": "STOPS_AT", "stopsAt": "500"}));
        // The server ignores links, and members that belong to the pay component.
        let new = with_member(with_member(new, "name", "Other"), "links", json!([]));
        let dry = server.send(&Request::post(format!("{COMPONENTS_PATH}?dryrun=true"), &new)).await;
        assert_eq!((dry.status, &dry.content()[0]["workerComponentId"]), (200, &Value::Null));
        let post = Request::post(COMPONENTS_PATH, &new).idempotency_key("dues");
        let (created, again) = (server.send(&post).await, server.send(&post).await);
        assert_eq!((created.status, created.content()), (201, again.content()));
        let created = &created.content()[0];
        assert_eq!(
            (&created["name"], &created["startDate"]),
            (&json!("HOURLY component"), &json!("2026-05-12T00:00:00Z"))
        );
        assert_eq!(created["checkLimit"], json!({"type": "STOPS_AT", "stopsAt": "500.00"}));
        assert_eq!(
            created["frequency"]["occurrenceIntervals"],
            json!({"interval1": "1", "interval2": "Last"})
        );
        let listed = server.send(&Request::get(COMPONENTS_PATH)).await;
        assert_eq!(listed.content().last(), Some(created));
    });
}

#[test]
fn several_components_are_changed_together_or_not_at_all() {
    on_every_database(async |server| {
        let patch = async |body: Value| server.send(&Request::patch(COMPONENTS_PATH, &body)).await;
        let dues = json!({"workerComponentId": "DUES", "value": 15});
        let saving = json!({"workerComponentId": "SAVING", "value": "6.25", "endDate": null});
        let changed = patch(json!([saving, dues])).await;
        assert_eq!(changed.status, 200);
        assert_eq!(changed.members("workerComponentId"), ["SAVING", "DUES"]);
        assert_eq!(changed.members("value"), ["6.2500", "15.0000"]);
        assert_eq!(changed.content()[0].get("endDate"), None);
        // Two recurring components of the same pay component may not overlap. Each new date alone would cause
        // an overlap, but both dates together do not.
        let moved = patch(json!([
            {"workerComponentId": "DUES", "endDate": "2027-06-30"},
            {"workerComponentId": "DUES-AGAIN", "startDate": "2027-07-01"},
        ]))
        .await;
        assert_eq!((moved.status, moved.members("workerComponentId").len()), (200, 2));
        let tag = moved.header("etag").to_owned();
        let before = server.send(&Request::get(COMPONENTS_PATH)).await.content();
        let faults = patch(json!([
            {"workerComponentId": "DUES", "value": "-1"},
            {"workerComponentId": "SAVING", "calculationBaseId": null, "componentId": "BONUS"},
        ]))
        .await;
        let mut pointers: Vec<_> =
            faults.errors().iter().map(|fault| format!("{} {}", fault["code"], fault["pointer"])).collect();
        pointers.sort_unstable();
        assert_eq!(faults.status, 400);
        assert_eq!(
            pointers,
            [
                r#""API-28" "/0/value""#,
                r#""API-46" "/1/calculationBaseId""#,
                r#""API-48" "/1/componentId""#,
                r#""API-71" "/1/startDate""#
            ]
        );
        for wrong in [
            json!([{"workerComponentId": "DUES"}, {"workerComponentId": "DUES"}]),
            json!([{"workerComponentId": "NOBODYS", "value": "1"}]),
            json!([{"value": "1"}]),
            json!([7]),
            json!({"workerComponentId": "DUES", "value": "1"}),
            json!([]),
        ] {
            assert_eq!(patch(wrong.clone()).await.status, 400, "{wrong}");
        }
        assert_eq!(server.send(&Request::get(COMPONENTS_PATH)).await.content(), before);
        let held = Request::patch(COMPONENTS_PATH, &json!([{"workerComponentId": "DUES", "value": "1"}]))
            .if_match(&tag);
        assert_eq!(server.send(&held).await.status, 200);
        assert_eq!(server.send(&held).await.status, 412);
    });
}

#[test]
fn the_start_of_a_component_is_unchanged_or_not_in_the_past() {
    on_every_database(async |server| {
        let patch = async |start: Value| {
            let body = json!({"startDate": start});
            server.send(&Request::patch(format!("{COMPONENTS_PATH}/DUES"), &body)).await
        };
        for start in [json!("2025-12-31"), json!("2026-05-11"), Value::Null, json!("")] {
            assert_eq!(patch(start.clone()).await.status_and_code(), "400 API-37", "{start}");
        }
        assert_eq!(patch(json!("soon")).await.status_and_code(), "400 API-48");
        // The start date may stay unchanged, or be changed to today or a later date.
        for start in ["2026-01-01T00:00:00Z", "2026-05-12"] {
            assert_eq!(patch(json!(start)).await.status, 200, "{start}");
        }
    });
}
