//! Tests of custom field values of a worker over HTTP.

use serde_json::{Value, json};

use crate::operations::{CUSTOM_FIELD_OF_WORKER, CUSTOM_FIELDS_OF_WORKER};
use crate::support::{OPEN, Request, on_every_database, with_member};

const CUSTOM_FIELDS_PATH: &str = "/workers/EMPLOYEE/customfields";

/// Returns the shirt size of the employee as partners read it.
fn shirt_size_value() -> Value {
    json!({
        "workerCustomFieldId": "SIZE", "customFieldId": "SHIRT", "dropdownId": "M",
        "endDate": "2026-12-31T00:00:00Z", "customFieldName": "Shirt size", "type": "DROPDOWN",
        "required": false, "checkStub": false, "employeeEditable": false, "dropdownValue": "M",
    })
}

#[test]
fn a_custom_field_value_is_shown_on_the_days_on_which_it_is_effective() {
    on_every_database(async |server| {
        let read = async |query: &str| {
            let request = Request::get(format!("{CUSTOM_FIELDS_PATH}{query}"));
            server.send(&request).await.members("workerCustomFieldId").join(" ")
        };
        assert_eq!(read("").await, "SIZE");
        assert_eq!(read("?asof=2027-01-01").await, "NEXT-SIZE");
        let listed = server.send(&Request::get(CUSTOM_FIELDS_PATH).accept(CUSTOM_FIELDS_OF_WORKER)).await;
        assert_eq!(listed.content(), [shirt_size_value()]);
        let one = Request::get(format!("{CUSTOM_FIELDS_PATH}/SIZE")).accept(CUSTOM_FIELD_OF_WORKER);
        assert_eq!(server.send(&one).await.content(), [shirt_size_value()]);
        assert_eq!(
            server.send(&Request::get(format!("{CUSTOM_FIELDS_PATH}/SIZE?asof=2027-01-01"))).await.status,
            404
        );
        assert_eq!(server.send(&Request::get(format!("{CUSTOM_FIELDS_PATH}?asof=soon"))).await.status, 400);
    });
}

#[test]
fn a_choice_is_selected_by_its_id_or_its_text() {
    on_every_database(async |server| {
        let patch = |body: Value| Request::patch(format!("{CUSTOM_FIELDS_PATH}/SIZE"), &body);
        let changed = server.send(&patch(json!({"dropdownValue": "S"}))).await;
        assert_eq!((changed.status, &changed.content()[0]["dropdownId"]), (200, &json!("S")));
        let both = server.send(&patch(json!({"dropdownId": "M", "dropdownValue": "M"}))).await;
        assert_eq!((both.status, both.content()), (200, vec![shirt_size_value()]));
        for (body, refusal) in [
            (json!({"dropdownId": "S", "dropdownValue": "M"}), "400 API-48"),
            (json!({"dropdownValue": "XXL"}), "400 API-48"),
            (json!({"dropdownValue": 7}), "400 API-48"),
            (json!({"customFieldId": "BADGE", "dropdownId": null, "numericValue": 1}), "400 API-48"),
        ] {
            assert_eq!(server.send(&patch(body.clone())).await.status_and_code(), refusal, "{body}");
        }
    });
}

#[test]
fn a_value_is_added_once_per_idempotency_key_and_must_match_its_field() {
    on_every_database(async |server| {
        let new = json!({"customFieldId": "BADGE", "numericValue": 12, "customFieldName": "Other"});
        let dry = server.send(&Request::post(format!("{CUSTOM_FIELDS_PATH}?dryrun=true"), &new)).await;
        assert_eq!((dry.status, &dry.content()[0]["workerCustomFieldId"]), (200, &Value::Null));
        let post = Request::post(CUSTOM_FIELDS_PATH, &new).idempotency_key("badge");
        let (created, again) = (server.send(&post).await, server.send(&post).await);
        assert_eq!((created.status, created.content()), (200, again.content()));
        let created = &created.content()[0];
        assert_eq!((&created["numericValue"], &created["customFieldName"]), (&json!(12), &json!("Badge")));
        let path =
            format!("{CUSTOM_FIELDS_PATH}/{}", created["workerCustomFieldId"].as_str().expect("an id"));
        assert_eq!(server.send(&Request::patch(&path, &json!({"numericValue": "13"}))).await.status, 200);
        let nothing = json!({"customFieldId": "NOTHING", "textValue": "a"});
        let refused = server.send(&Request::post(CUSTOM_FIELDS_PATH, &nothing)).await;
        assert_eq!(refused.status_and_code(), "400 API-48");
        assert_eq!(refused.json()["errors"][0]["pointer"], "/customFieldId");
        let choice = json!({"customFieldId": "BADGE", "dropdownValue": "M"});
        let refused = server.send(&Request::post(CUSTOM_FIELDS_PATH, &choice)).await;
        let fault = refused.errors().remove(0);
        assert_eq!([&fault["code"], &fault["pointer"]], ["API-47", "/dropdownValue"], "{refused:?}");
        assert_eq!(server.send(&Request::new(reqwest::Method::DELETE, path.as_str())).await.status, 204);
        assert_eq!(server.send(&Request::get(&path)).await.status, 404);
    });
}

#[test]
fn a_custom_field_in_use_keeps_its_type_and_choices() {
    on_every_database(async |server| {
        let field = format!("/companies/{OPEN}/customfields/SHIRT");
        let fewer = json!({"dropdown": [{"dropdownId": "S", "dropdownValue": "S"}]});
        assert_eq!(server.send(&Request::patch(&field, &fewer)).await.status_and_code(), "409 API-409");
        let text = json!({"type": "TEXT", "dropdown": null});
        assert_eq!(server.send(&Request::patch(&field, &text)).await.status_and_code(), "409 API-409");
        let removed = Request::new(reqwest::Method::DELETE, field.as_str());
        assert_eq!(server.send(&removed).await.status_and_code(), "409 API-409");
        let renamed = json!({"customFieldName": "Size"});
        assert_eq!(server.send(&Request::patch(&field, &renamed)).await.status, 200);
    });
}

#[test]
fn operators_write_custom_field_values_in_the_document_of_the_worker() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let patch = |values: Value| Request::operator_patch(&path, &json!({"customFields": values}));
        let one = json!({"customFieldId": "BADGE", "numericValue": 5});
        let stored = server.send(&patch(json!([one]))).await;
        assert_eq!(
            (stored.status, &stored.content()[0]["customFields"][0]["numericValue"]),
            (200, &json!(5))
        );
        let wrong = server.send(&patch(json!([with_member(one.clone(), "numericValue", 1.5), one]))).await;
        let pointers: Vec<_> = wrong.json()["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(|it| it["pointer"].clone())
            .collect();
        assert_eq!((wrong.status, pointers), (400, vec![json!("/customFields/1/customFieldId")]));
    });
}
