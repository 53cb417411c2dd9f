//! Tests of creating custom fields (§6.7), and of their lists.

use serde_json::{Value, json};

use crate::support::{OPEN, Request, on_every_database, with_member};

fn field_of_type(field_type: &str) -> Value {
    json!({"customFieldName": "Hat size", "type": field_type})
}

/// Sends each invalid custom field and compares the faults in the response with the expected ones.
fn assert_rejected(cases: Vec<(Value, &'static [&'static str])>) {
    on_every_database(async |server| {
        for (field, faults) in &cases {
            let response = server.send(&Request::post_custom_field(OPEN, field)).await;
            assert_eq!(
                (response.status, response.faults()),
                (400, faults.iter().map(|&it| it.to_owned()).collect()),
                "{field}"
            );
        }
    });
}

#[test]
fn two_equal_choices_and_two_defaults_of_a_drop_down_get_api_48() {
    let choices = |choices: Value| with_member(field_of_type("DROPDOWN"), "dropdown", choices);
    assert_rejected(vec![
        (
            choices(json!([{"dropdownValue": "M"}, {"dropdownValue": "L"}, {"dropdownValue": "M"}])),
            &["API-48 /dropdown/2/dropdownValue"],
        ),
        (
            choices(json!([{"dropdownValue": "M", "dropdownDefault": true},
                {"dropdownValue": "L", "dropdownDefault": true}])),
            &["API-48 /dropdown/1/dropdownDefault"],
        ),
    ]);
}

#[test]
fn a_missing_member_gets_api_46() {
    assert_rejected(vec![
        (json!({"type": "TEXT"}), &["API-46 /customFieldName"]),
        (json!({"customFieldName": "Hat size"}), &["API-46 /type"]),
        (json!({"customFieldName": "", "type": "TEXT"}), &["API-46 /customFieldName"]),
    ]);
}

#[test]
fn a_value_of_another_type_or_a_second_value_gets_api_47() {
    on_every_database(async |server| {
        for field in [
            with_member(field_of_type("BOOLEAN"), "textValue", "yes"),
            with_member(with_member(field_of_type("TEXT"), "textValue", "a"), "numericValue", 1),
        ] {
            assert_eq!(
                server.send(&Request::post_custom_field(OPEN, &field)).await.status_and_code(),
                "400 API-47",
                "{field}"
            );
        }
    });
}

#[test]
fn a_value_in_the_wrong_format_gets_api_48_at_its_pointer() {
    assert_rejected(vec![
        (field_of_type("COLOUR"), &["API-48 /type"]),
        (
            with_member(field_of_type("TEXT"), "customFieldName", "x".repeat(101)),
            &["API-48 /customFieldName"],
        ),
        (with_member(field_of_type("TEXT"), "customFieldName", "Badge"), &["API-48 /customFieldName"]),
        (with_member(field_of_type("TEXT"), "categoryId", "NONE"), &["API-48 /categoryId"]),
        (with_member(field_of_type("BOOLEAN"), "booleanValue", "true"), &["API-48 /booleanValue"]),
        (with_member(field_of_type("DATE"), "dateValue", "2026-02-30"), &["API-48 /dateValue"]),
        (with_member(field_of_type("NUMERIC"), "numericValue", json!(1.5)), &["API-48 /numericValue"]),
        (with_member(field_of_type("NUMERIC__0_00_"), "numericValue", "1.555"), &["API-48 /numericValue"]),
    ]);
}

#[test]
fn a_nul_in_a_text_gets_api_48_at_its_pointer() {
    let choice = json!([{"dropdownValue": "a\u{0}b"}]);
    assert_rejected(vec![
        (with_member(field_of_type("TEXT"), "customFieldName", "a\u{0}b"), &["API-48 /customFieldName"]),
        (with_member(field_of_type("TEXT"), "textValue", "a\u{0}b"), &["API-48 /textValue"]),
        (with_member(field_of_type("TEXT"), "categoryId", "a\u{0}b"), &["API-48 /categoryId"]),
        (with_member(field_of_type("DROPDOWN"), "dropdown", choice), &["API-48 /dropdown/0/dropdownValue"]),
    ]);
}

#[test]
fn each_type_is_returned_with_its_value() {
    on_every_database(async |server| {
        for (field_type, member, sent, reported) in [
            ("TEXT", "textValue", json!("large"), json!("large")),
            ("BOOLEAN", "booleanValue", json!(true), json!(true)),
            ("DATE", "dateValue", json!("2026-05-12"), json!("2026-05-12T00:00:00Z")),
            ("NUMERIC", "numericValue", json!("7"), json!(7)),
            ("NUMERIC__0_00_", "numericValue", json!(7.25), json!(7.25)),
            ("NUMERIC__0_0000_", "numericValue", json!("0.0001"), json!(0.0001)),
        ] {
            let field = with_member(
                with_member(field_of_type(field_type), "customFieldName", field_type),
                member,
                sent,
            );
            let response = server.send(&Request::post_custom_field(OPEN, &field)).await;
            assert_eq!(response.status, 200, "{response:?}");
            assert_eq!(response.content()[0][member], reported, "{field_type}");
        }
    });
}

#[test]
fn a_created_field_is_in_the_default_category_and_at_the_end_of_the_list() {
    on_every_database(async |server| {
        let created =
            server.send(&Request::post_custom_field(OPEN, &field_of_type("TEXT"))).await.content().remove(0);
        let listed = server.send(&Request::get(format!("/companies/{OPEN}/customfields"))).await.content();
        assert_eq!(created["categoryId"], "GENERAL");
        assert_eq!(listed.last(), Some(&created));
    });
}

#[test]
fn a_drop_downs_choices_get_ids() {
    on_every_database(async |server| {
        let choices = json!([{"dropdownValue": "S"}, {"dropdownValue": "M", "dropdownDefault": true}]);
        let field = with_member(field_of_type("DROPDOWN"), "dropdown", choices);
        let response = server.send(&Request::post_custom_field(OPEN, &field)).await;
        let reported = response.content()[0]["dropdown"].clone();
        assert!(
            reported[0]["dropdownId"].is_string() && reported[0]["dropdownId"] != reported[1]["dropdownId"],
            "{reported}"
        );
        assert_eq!(
            (&reported[0]["dropdownValue"], &reported[1]["dropdownDefault"]),
            (&json!("S"), &json!(true))
        );
    });
}

#[test]
fn a_lock_does_not_stop_a_custom_field() {
    on_every_database(async |server| {
        let response = server.send(&Request::post_custom_field("LOCKED", &field_of_type("TEXT"))).await;
        assert_eq!(response.status, 200, "{response:?}");
    });
}
