//! Tests of reading, changing and deleting a custom field (specification §6.9).

use reqwest::Method;
use serde_json::{Value, json};

use crate::operations::{CUSTOM_FIELD as FIELD, CUSTOM_FIELDS, JSON};
use crate::support::{LOCKED, OPEN, Request, Server, on_every_database, with_member};

const MERGE_PATCH: &str = "application/merge-patch+json";

fn field_path(id: &str) -> String {
    format!("/companies/{OPEN}/customfields/{id}")
}

fn patch_request(id: &str, body: &Value) -> Request {
    Request::patch(field_path(id), body)
}

fn delete_request(id: &str) -> Request {
    Request::new(Method::DELETE, field_path(id))
}

/// Reads a custom field.
async fn read_field(server: &Server, id: &str) -> Value {
    server.send(&Request::get(field_path(id))).await.content().remove(0)
}

#[test]
fn a_single_field_equals_its_list_element_and_has_a_strong_etag() {
    on_every_database(async |server| {
        let list = server.send(&Request::get(format!("/companies/{OPEN}/customfields"))).await.content();
        let one = server.send(&Request::get(field_path("SHIRT"))).await;
        let own = json!([{"rel": "self", "href": format!("{}{}", server.base, field_path("SHIRT"))}]);
        assert_eq!(one.json(), json!({"content": [list[0]], "links": own}));
        let tag = one.header("etag").to_owned();
        assert!(tag.starts_with('"'), "{tag}");
        let held = server.send(&Request::get(field_path("SHIRT")).header("if-none-match", tag)).await;
        assert_eq!(held.status, 304);
    });
}

#[test]
fn a_patch_changes_its_members_in_each_media_type() {
    on_every_database(async |server| {
        let before = read_field(server, "BADGE").await;
        for (media_type, name) in
            [(JSON, "One"), (MERGE_PATCH, "Two"), (FIELD, "Three"), (CUSTOM_FIELDS, "Four")]
        {
            let request = patch_request("BADGE", &json!({"customFieldName": name, "colour": "red"}));
            let response = server.send(&request.header("content-type", media_type)).await;
            assert_eq!(
                response.content(),
                [with_member(before.clone(), "customFieldName", name)],
                "{media_type}"
            );
            let own = json!([{"rel": "self", "href": format!("{}{}", server.base, field_path("BADGE"))}]);
            assert_eq!(response.json()["links"], own);
            let read = server.send(&Request::get(field_path("BADGE"))).await;
            assert_eq!((read.content(), read.header("etag")), (response.content(), response.header("etag")));
        }
    });
}

#[test]
fn a_patched_field_is_validated_like_a_new_one() {
    on_every_database(async |server| {
        for (body, expected) in [
            (json!({"customFieldName": null}), "400 API-46"),
            (json!({"type": "TEXT"}), "400 API-47"),
            (json!({"customFieldName": "Shirt size"}), "400 API-48"),
            (json!({"categoryId": "NONE", "numericValue": 1.5}), "400 API-48 API-48"),
            (json!({}), "400 API-52"),
            (json!(7), "400 API-40"),
        ] {
            assert_eq!(
                server.send(&patch_request("BADGE", &body)).await.status_and_code(),
                expected,
                "{body}"
            );
        }
        let same = server.send(&patch_request("BADGE", &json!({"customFieldName": "Badge"}))).await;
        assert_eq!(same.status, 200, "its own name is not taken");
        let retyped =
            json!({"type": "TEXT", "numericValue": null, "textValue": "seven", "categoryId": "UNIFORM"});
        let retyped = server.send(&patch_request("BADGE", &retyped)).await.content().remove(0);
        let expected = json!({"customFieldId": "BADGE", "customFieldName": "Badge", "categoryId": "UNIFORM",
            "type": "TEXT", "required": false, "checkStub": false, "employeeEditable": false, "textValue": "seven"});
        assert_eq!(retyped, expected);
        let back =
            server.send(&patch_request("BADGE", &json!({"categoryId": null}))).await.content().remove(0);
        assert_eq!(back["categoryId"], "GENERAL");
    });
}

#[test]
fn choices_keep_their_ids() {
    on_every_database(async |server| {
        let sent = json!({"dropdown": [{"dropdownId": "M", "dropdownValue": "Medium"}, {"dropdownValue": "S"},
            {"dropdownId": "XL", "dropdownValue": "XL", "dropdownDefault": true}]});
        let changed = server.send(&patch_request("SHIRT", &sent)).await.content().remove(0);
        let choice = |at: usize| changed["dropdown"][at].clone();
        let reported = |id: &str, value: &str| json!({"dropdownId": id, "dropdownValue": value, "dropdownDefault": false});
        assert_eq!((choice(0), choice(1)), (reported("M", "Medium"), reported("S", "S")));
        assert_eq!((&choice(2)["dropdownValue"], choice(2)["dropdownId"] == "XL"), (&json!("XL"), false));
        assert_eq!(read_field(server, "SHIRT").await, changed);
    });
}

#[test]
fn if_match_is_optional_and_validated() {
    on_every_database(async |server| {
        let tag = server.send(&Request::get(field_path("BADGE"))).await.header("etag").to_owned();
        let change = |name: &str| patch_request("BADGE", &json!({"customFieldName": name}));
        let weak = format!("W/{tag}");
        let cases = [("\"1\"", "412 API-412"), (&weak, "412 API-412"), ("nonsense", "400 API-40")];
        for (tag, refusal) in cases {
            assert_eq!(server.send(&change("A").if_match(tag)).await.status_and_code(), refusal, "{tag}");
            assert_eq!(
                server.send(&delete_request("BADGE").if_match(tag)).await.status_and_code(),
                refusal,
                "{tag}"
            );
        }
        assert_eq!(server.send(&change("A").if_match(&tag)).await.status, 200);
        assert_eq!(server.send(&change("B").if_match(&tag)).await.status_and_code(), "412 API-412");
        assert_eq!(server.send(&change("B").if_match("*")).await.status, 200);
        assert_eq!(read_field(server, "BADGE").await["customFieldName"], "B");
        let tag = server.send(&Request::get(field_path("BADGE"))).await.header("etag").to_owned();
        assert_eq!(server.send(&delete_request("BADGE").if_match(&tag)).await.status, 204);
    });
}

#[test]
fn a_removed_field_loses_its_choices_and_frees_its_name() {
    on_every_database(async |server| {
        assert_eq!(
            server.send(&delete_request("SHIRT")).await.status_and_code(),
            "409 API-409",
            "a worker has a value of it"
        );
        let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let values = Request::operator_patch(&worker, &json!({"customFields": []}));
        assert_eq!(server.send(&values).await.status, 200);
        let response = server.send(&delete_request("SHIRT")).await;
        assert_eq!((response.status, response.body.len()), (204, 0));
        for request in [
            Request::get(field_path("SHIRT")),
            patch_request("SHIRT", &json!({"required": true})),
            delete_request("SHIRT"),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), "404 API-7", "{request:?}");
        }
        assert_eq!(
            server
                .database
                .query_number("SELECT count(*) FROM dropdown_choices WHERE company_id = 'OPEN'")
                .await,
            0
        );
        let again = json!({"customFieldName": "Shirt size", "type": "TEXT"});
        assert_eq!(server.send(&Request::post_custom_field(OPEN, &again)).await.status, 200);
    });
}

#[test]
fn changes_are_audited_without_events_and_equal_values_are_not_logged() {
    on_every_database(async |server| {
        let list = format!("/companies/{OPEN}/customfields");
        let events = server.database.query_number("SELECT count(*) FROM events").await;
        let tag = server.send(&Request::get(&list)).await.header("etag").to_owned();
        server.send(&patch_request("BADGE", &json!({"required": false}))).await;
        assert_eq!(server.send(&Request::get(&list).header("if-none-match", &tag)).await.status, 304);
        server.send(&patch_request("BADGE", &json!({"required": true}))).await;
        assert_eq!(server.send(&Request::get(&list).header("if-none-match", &tag)).await.status, 200);
        server.send(&delete_request("BADGE")).await;
        let rows = server.send(&Request::operator_get("/audit?companyid=OPEN&limit=2")).await.content();
        let reported =
            |row: &Value| (row["actor"].clone(), row["action"].clone(), row["resource"]["id"].clone());
        let actor = json!({"kind": "application", "name": "partner"});
        let row = |action: &str| (actor.clone(), json!(action), json!("BADGE"));
        assert_eq!(rows.iter().map(reported).collect::<Vec<_>>(), [row("delete"), row("update")]);
        assert_eq!(server.database.query_number("SELECT count(*) FROM events").await, events);
    });
}

#[test]
fn simultaneous_changes_are_not_lost() {
    on_every_database(async |server| {
        let flags = ["required", "checkStub", "employeeEditable"];
        let changes = flags.map(|flag| patch_request("BADGE", &json!({flag: true})));
        let responses =
            futures_util::future::join_all(changes.iter().map(|change| server.send(change))).await;
        assert!(responses.iter().all(|response| response.status == 200), "{responses:?}");
        let field = read_field(server, "BADGE").await;
        assert!(flags.iter().all(|flag| field[flag] == true), "{field}");
    });
}

#[test]
fn a_lock_permits_changes_and_a_field_of_another_company_gets_404() {
    on_every_database(async |server| {
        let sent = json!({"customFieldName": "A", "type": "TEXT"});
        let created = server.send(&Request::post_custom_field(LOCKED, &sent)).await.content().remove(0);
        let id = created["customFieldId"].as_str().expect("an id").to_owned();
        let there = format!("/companies/{LOCKED}/customfields/{id}");
        assert_eq!(server.send(&Request::patch(&there, &json!({"required": true}))).await.status, 200);
        for id in [id.as_str(), "a%20b", "a%00b"] {
            let all = [
                Request::get(field_path(id)),
                patch_request(id, &json!({"required": true})),
                delete_request(id),
            ];
            for request in all {
                assert_eq!(server.send(&request).await.status_and_code(), "404 API-7", "{request:?}");
            }
        }
        assert_eq!(server.send(&Request::new(Method::DELETE, &there)).await.status, 204);
    });
}
