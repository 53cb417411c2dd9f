//! Invalid request bodies for custom field values.

use serde_json::{Value, json};

use super::row::ExpectedFault;
use crate::support::with_member;

/// Returns invalid custom field values for POST or PATCH, each with the code of its fault.
pub(super) fn custom_value_faults(method: &str) -> Vec<ExpectedFault> {
    let good = json!({"customFieldId": "BADGE", "numericValue": 12});
    let faults = match method {
        "POST" => [
            ("400 API-26", json!({"customFieldId": "SHIRT", "dropdownId": "S"})),
            ("400 API-46", with_member(good.clone(), "numericValue", Value::Null)),
            ("400 API-47", with_member(good.clone(), "textValue", "twelve")),
            ("400 API-48", with_member(good, "numericValue", "1.5")),
        ],
        _ => [
            // The worker has a second value of this custom field, which starts on the day after the end of
            // the first value. A later end date of the first value therefore causes an overlap.
            ("400 API-26", json!({"endDate": "2027-06-30"})),
            ("400 API-46", json!({"dropdownId": null})),
            ("400 API-47", json!({"booleanValue": true})),
            ("400 API-48", json!({"dropdownId": "XXL"})),
        ],
    };
    faults.into_iter().map(|(code, body)| (code, body.to_string())).collect()
}
