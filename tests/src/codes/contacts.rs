//! Invalid request bodies for contacts of workers.

use serde_json::{Value, json};

use super::row::ExpectedFault;
use crate::support::{new_contact, with_member};

/// Returns invalid contacts for POST or PATCH, each with the code of its fault.
pub(super) fn contact_faults(method: &str) -> Vec<ExpectedFault> {
    let faults = match method {
        "POST" => invalid_additions(),
        _ => invalid_changes(),
    };
    faults.into_iter().map(|(code, body)| (code, body.to_string())).collect()
}

/// Returns a JSON array with one new contact that has this means of communication.
fn contact_with_communication(kind: &str, value: Value) -> Value {
    let mut contact = new_contact();
    contact["relationship"]["person"]["communication"] = json!({kind: [value]});
    json!([contact])
}

fn invalid_additions() -> Vec<(&'static str, Value)> {
    let mut same = new_contact();
    same["relationship"]["person"]["name"]["givenName"] = json!("Cy");
    let mut both = new_contact();
    both["relationship"]["entity"] =
        json!({"entityName": "Care", "communication": {"email": {"uri": "a@b.example"}}});
    vec![
        ("400 API-13", contact_with_communication("email", json!({"uri": "nobody"}))),
        ("400 API-14", contact_with_communication("telecom", json!({"dialArea": "585"}))),
        ("400 API-15", contact_with_communication("postal", json!({"city": "SAMPLETON"}))),
        ("400 API-26", json!([same])),
        ("400 API-46", json!([with_member(new_contact(), "contactType", Value::Null)])),
        ("400 API-47", json!([both])),
        (
            "400 API-48",
            json!([with_member(new_contact(), "contactType", json!({"contactTypeId": "NOTHING"}))]),
        ),
    ]
}

fn invalid_changes() -> Vec<(&'static str, Value)> {
    let person = |value: Value| json!({"relationship": {"person": value}});
    let reached_by = |value: Value| person(json!({"communication": value}));
    vec![
        ("400 API-13", reached_by(json!({"email": {"uri": "nobody"}}))),
        ("400 API-14", reached_by(json!({"telecom": {"dialNumber": null}}))),
        ("400 API-15", reached_by(json!({"postal": [{"city": "SAMPLETON"}]}))),
        (
            "400 API-26",
            json!({"relationship": {"person": null, "entity": {"entityName": "Practice",
                "communication": {"email": {"uri": "practice@demo.example"}}}}}),
        ),
        ("400 API-46", person(json!({"communication": null}))),
        (
            "400 API-47",
            json!({"relationship": {"entity": {"entityName": "Care",
                "communication": {"email": {"uri": "care@demo.example"}}}}}),
        ),
        ("400 API-48", json!({"relationship": {"relationshipType": {"relationshipTypeId": "NOTHING"}}})),
    ]
}
