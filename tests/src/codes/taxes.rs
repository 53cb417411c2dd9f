//! Invalid request bodies for tax settings.

use serde_json::json;

use super::row::ExpectedFault;

/// Returns invalid tax settings, each with the code of its fault.
pub(super) fn tax_faults(path: &str) -> Vec<ExpectedFault> {
    if path.ends_with("federaltax") {
        return vec![
            (
                "400 API-47",
                json!({"extraWithholdingAmount": "1", "overrideWithholdingAmount": "2"}).to_string(),
            ),
            ("400 API-48", json!({"multipleJobs": "perhaps"}).to_string()),
        ];
    }
    let add = |id: &str, value| {
        json!([{"op": "add", "path": format!("/workerTaxes/{id}"), "value": value}]).to_string()
    };
    vec![
        ("400 API-26", add("new", json!({"countrySubdivisionCode": "NJ"}))),
        ("400 API-46", add("new", json!({"isResidentState": true}))),
        (
            "400 API-47",
            r#"[{"op": "add", "op": "replace", "path": "/workerTaxes/NY/additionalAmount", "value": 1}]"#
                .into(),
        ),
        ("400 API-48", json!([{"op": "remove", "path": "/workerTaxes/NY"}]).to_string()),
    ]
}
