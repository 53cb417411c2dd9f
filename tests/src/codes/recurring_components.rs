//! Invalid request bodies for recurring components.

use serde_json::{Value, json};

use super::row::ExpectedFault;
use crate::support::{new_recurring_component, with_member};

/// Returns invalid recurring components, each with the code of its fault. They are bodies for POST, for PATCH
/// of one component, or for PATCH of several.
pub(super) fn recurring_component_faults(method: &str, path: &str) -> Vec<ExpectedFault> {
    let is_list = method == "PATCH" && !path.ends_with('}');
    let good = match (method, is_list) {
        ("POST", _) => new_recurring_component(),
        (_, true) => json!({"workerComponentId": "DUES"}),
        (_, false) => json!({}),
    };
    let overlapping = match method {
        "POST" => with_member(good.clone(), "componentId", "GARNISHMENT"),
        // The worker has a second recurring component of the same pay component, which starts on the day
        // after the end of the first. A later end date of the first one therefore causes an overlap.
        _ => with_member(good.clone(), "endDate", "2027-06-30"),
    };
    let faults = [
        ("400 API-28", with_member(good.clone(), "value", "-1")),
        ("400 API-37", with_member(good.clone(), "startDate", "2020-01-01")),
        ("400 API-46", with_member(good.clone(), "value", Value::Null)),
        ("400 API-48", with_member(good.clone(), "calculationType", "GUESSED")),
        ("400 API-71", overlapping),
        (
            "400 API-72",
            with_member(
                with_member(good.clone(), "calculationType", "PERCENTAGE"),
                "calculationBaseId",
                "NONE",
            ),
        ),
    ];
    let body = |element: Value| if is_list { json!([element]) } else { element }.to_string();
    let twice = good.to_string().replace('{', r#"{"value": "1", "value": "2","#).replace(",}", "}");
    let twice = if is_list { format!("[{twice}]") } else { twice };
    faults.into_iter().map(|(code, element)| (code, body(element))).chain([("400 API-47", twice)]).collect()
}
