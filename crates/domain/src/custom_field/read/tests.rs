//! Tests for reading custom fields.

use serde_json::{Value, json};

use super::*;
use crate::custom_field::CustomFieldCategory;
use crate::input;

fn custom_field_validation_data() -> CustomFieldFacts {
    let category = |id: &str, default| CustomFieldCategory {
        category_id: id.parse().unwrap(),
        category_name: id.to_owned(),
        default,
    };
    CustomFieldFacts {
        categories: vec![category("other", false), category("general", true)],
        used_names: ["Taken".to_owned()].into(),
    }
}

fn read_json(request: &Value) -> Result<CustomFieldDefinition, Violations> {
    let text = request.to_string();
    read_new_custom_field(&input::parse(text.as_bytes())?, &custom_field_validation_data())
}

/// Returns the code and the pointer of each fault of a valid field with the given members added.
fn find_faults(changes: Value) -> Vec<String> {
    let mut request = json!({"customFieldName": "Shirt size", "type": "TEXT"});
    for (name, value) in changes.as_object().unwrap() {
        request[name] = value.clone();
    }
    let faults = read_json(&request).err().into_iter().flatten();
    faults.map(|f| format!("{} {}", f.reason.code(), f.pointer.unwrap_or_default())).collect()
}

#[test]
fn uses_the_default_category_and_ignores_unknown_members() {
    let field = read_json(&json!({
        "customFieldId": 7, "customFieldName": "Shirt size", "type": "DROPDOWN", "required": true,
        "dropdown": [{"dropdownId": "x", "dropdownValue": "M", "dropdownDefault": true}], "color": {},
    }));
    let field = field.unwrap();
    assert_eq!(field.category_id.unwrap().as_str(), "general");
    assert!(field.required && !field.check_stub && !field.employee_editable);
    let choice = DropdownChoice { dropdown_id: None, value: "M".to_owned(), default: true };
    assert_eq!(field.value, CustomFieldValue::Dropdown(vec![choice]));
}

#[test]
fn rejects_a_field_that_is_not_an_object_with_members() {
    let code = |request: Value| read_json(&request).unwrap_err().as_slice()[0].reason.code();
    assert_eq!(code(json!({})), "API-52");
    assert_eq!(code(json!([])), "API-52");
    assert_eq!(code(json!([{}])), "API-40");
    assert_eq!(code(json!("TEXT")), "API-40");
}

#[test]
fn reports_missing_members_by_api_46() {
    assert_eq!(
        find_faults(json!({"customFieldName": "", "type": null})),
        ["API-46 /customFieldName", "API-46 /type"]
    );
    let without_text = json!({"type": "DROPDOWN", "dropdown": [{"dropdownDefault": true}]});
    assert_eq!(find_faults(without_text), ["API-46 /dropdown/0/dropdownValue"]);
}

#[test]
fn reports_several_or_mismatched_values_as_ambiguous() {
    assert_eq!(find_faults(json!({"textValue": "M", "numericValue": 1})), ["API-47 /numericValue"]);
    assert_eq!(find_faults(json!({"type": "BOOLEAN", "dateValue": "2026-05-12"})), ["API-47 /dateValue"]);
    assert_eq!(find_faults(json!({"type": "DATE", "dropdown": []})), ["API-47 /dropdown"]);
    assert_eq!(find_faults(json!({"type": "DATE", "maxTextLength": 3})), ["API-47 /maxTextLength"]);
    let untyped = find_faults(json!({"type": "COLOR", "textValue": "M", "booleanValue": true}));
    assert_eq!(untyped, ["API-47 ", "API-48 /type"]);
}

#[test]
fn reports_invalid_values_by_api_48() {
    let wrong = [
        (json!({"customFieldName": "Taken"}), "customFieldName"),
        (json!({"customFieldName": "x".repeat(101)}), "customFieldName"),
        (json!({"customFieldName": 5}), "customFieldName"),
        (json!({"type": "text"}), "type"),
        (json!({"categoryId": "nobody's"}), "categoryId"),
        (json!({"required": "yes"}), "required"),
        (json!({"maxTextLength": 3, "textValue": "four"}), "textValue"),
        (json!({"maxTextLength": "3"}), "maxTextLength"),
        (json!({"maxTextLength": 0}), "maxTextLength"),
        (json!({"type": "NUMERIC", "numericValue": 1.5}), "numericValue"),
        (json!({"type": "NUMERIC__0_00_", "numericValue": "1.555"}), "numericValue"),
        (json!({"type": "DATE", "dateValue": "12.05.2026"}), "dateValue"),
        (json!({"type": "DROPDOWN", "dropdown": [null]}), "dropdown/0"),
        (
            json!({"type": "DROPDOWN", "dropdown": [{"dropdownValue": "M"}, {"dropdownValue": "M"}]}),
            "dropdown/1/dropdownValue",
        ),
        (
            json!({"type": "DROPDOWN", "dropdown": [{"dropdownValue": "M", "dropdownDefault": true},
                {"dropdownValue": "L"}, {"dropdownValue": "S", "dropdownDefault": true}]}),
            "dropdown/2/dropdownDefault",
        ),
    ];
    for (changes, place) in wrong {
        assert_eq!(find_faults(changes.clone()), [format!("API-48 /{place}")], "{changes}");
    }
}

#[test]
fn accepts_valid_values_of_every_type() {
    let good = [
        json!({"maxTextLength": 3, "textValue": "two"}),
        json!({"customFieldName": "x".repeat(100), "categoryId": "other"}),
        json!({"type": "BOOLEAN", "booleanValue": false}),
        json!({"type": "DATE", "dateValue": "2026-05-12T00:00:00Z"}),
        json!({"type": "NUMERIC", "numericValue": "-12"}),
        json!({"type": "NUMERIC__0_00_", "numericValue": 1.50}),
        json!({"type": "NUMERIC__0_0000_", "numericValue": "1.2345"}),
        json!({"type": "DROPDOWN"}),
    ];
    for changes in good {
        assert!(find_faults(changes.clone()).is_empty(), "{changes}");
    }
}
