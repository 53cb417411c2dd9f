//! Invalid request bodies for direct deposits.

use serde_json::{Value, json};

use super::row::ExpectedFault;
use crate::support::{new_direct_deposit, with_member};

/// Returns invalid direct deposits, each with the code of its fault.
pub(super) fn deposit_faults(method: &str, path: &str) -> Vec<ExpectedFault> {
    let changes = vec![
        ("400 API-5", json!({"accountNumber": "987654321"})),
        ("400 API-28", json!({"value": "-1"})),
        ("400 API-46", json!({"paymentType": null})),
    ];
    match (method, path.ends_with('}')) {
        ("POST", _) => creation_faults(),
        (_, true) => {
            let mut faults: Vec<ExpectedFault> =
                changes.into_iter().map(|(refusal, body)| (refusal, body.to_string())).collect();
            faults.push(("400 API-47", r#"{"value": "1", "value": "2"}"#.to_owned()));
            faults.push(("400 API-48", "7".to_owned()));
            faults
        }
        _ => {
            let of = |id: &str, body: Value| json!([with_member(body, "directDepositId", id)]).to_string();
            let mut faults: Vec<ExpectedFault> =
                changes.into_iter().map(|(refusal, body)| (refusal, of("MAIN", body))).collect();
            faults.push(("400 API-19", of("REFUSED", json!({"value": "5"}))));
            faults.push(("400 API-48", "[7]".to_owned()));
            faults.push((
                "400 API-47",
                r#"[{"directDepositId": "MAIN", "value": "1", "value": "2"}]"#.to_owned(),
            ));
            faults
        }
    }
}

fn creation_faults() -> Vec<ExpectedFault> {
    let good = new_direct_deposit();
    let text = |member: &str, value: &str| with_member(good.clone(), member, value).to_string();
    let without = |member: &str| with_member(good.clone(), member, Value::Null).to_string();
    vec![
        ("400 API-28", text("value", "-1")),
        ("400 API-29", without("routingNumber")),
        ("400 API-30", text("routingNumber", "122100025")),
        ("400 API-31", text("routingNumber", "12210002")),
        ("400 API-34", text("startDate", "tomorrow")),
        ("400 API-35", text("startDate", "2028-01-01")),
        ("400 API-37", text("startDate", "2020-01-01")),
        (
            "400 API-38",
            with_member(with_member(good.clone(), "paymentType", "REMAINDER"), "value", Value::Null)
                .to_string(),
        ),
        ("400 API-46", without("accountNumber")),
        ("400 API-47", good.to_string().replace('{', r#"{"accountType": "SAVINGS","#)),
        ("400 API-48", text("accountNumber", "12 345")),
    ]
}
