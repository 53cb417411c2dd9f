//! Applies a patch to a stored document.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::input::{Node, Value};

/// Applies a JSON merge patch (RFC 7396) to a stored document: members of the patch replace stored ones,
/// `null` removes them, objects are merged, and lists are replaced completely.
///
/// The result is not validated yet. The result preserves everything that the reader must report. A duplicate
/// member of the patch is also duplicate in the result. A removed member remains as `null`, which the reader
/// treats as absent. A misspelt name in the patch is therefore rejected even if its value is `null`. Numbers
/// keep their text. Stored members keep their order, and new members follow. The positions of the nodes are
/// numbered again.
///
/// A tax ID is changed only completely: if a patch changes the type but not the digits, the stored digits are
/// removed. Otherwise a patch could turn an SSN, which is masked, into a FEIN, which is not.
///
/// A document can contain the work state of a worker in two places: as a member of the worker and as a member
/// of the tax settings. The server stores the state in the worker. A patch that contains the state only in
/// the taxes therefore removes the state from the worker.
///
/// ```
/// use payroll_domain::document::merge_documents;
/// use payroll_domain::input::parse;
/// let stored = parse(br#"{"name": "Bakery", "number": "110", "level": 1}"#).unwrap();
/// let patch = parse(br#"{"level": 2.0, "number": null}"#).unwrap();
/// assert_eq!(merge_documents(stored, patch), parse(br#"{"name": "Bakery", "number": null, "level": 2.0}"#).unwrap());
/// ```
#[must_use]
pub fn merge_documents<'a>(mut stored: Node<'a>, patch: Node<'a>) -> Node<'a> {
    if let Value::Object(members) = &mut stored.value
        && has_work_state_only_in_taxes(&patch)
    {
        members.retain(|(name, _)| name != WORK_STATE);
    }
    Node::from(merge_values(stored.value, patch.value))
}

const WORK_STATE: &str = "workState";

fn has_work_state_only_in_taxes(patch: &Node<'_>) -> bool {
    patch.member(WORK_STATE).is_none()
        && patch.member("taxes").is_some_and(|taxes| taxes.member(WORK_STATE).is_some())
}

const TAX_ID_TYPE: &str = "legalIdType";
const TAX_ID_DIGITS: &str = "legalIdValue";

fn changes_only_type_of_tax_id(
    stored: &[(Cow<'_, str>, Node<'_>)],
    changes: &[(Cow<'_, str>, Node<'_>)],
) -> bool {
    let stored_type = stored.iter().find(|(name, _)| name == TAX_ID_TYPE);
    let mut types = changes.iter().filter(|(name, _)| name == TAX_ID_TYPE);
    let has_digits = changes.iter().any(|(name, _)| name == TAX_ID_DIGITS);
    !has_digits
        && types.any(|(_, sent)| stored_type.is_some_and(|(_, stored)| stored.as_text() != sent.as_text()))
}

fn merge_values<'a>(stored: Value<'a>, patch: Value<'a>) -> Value<'a> {
    let Value::Object(changes) = patch else { return patch };
    let mut members = match stored {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Array(_) => Vec::new(),
    };
    if changes_only_type_of_tax_id(&members, &changes) {
        members.retain(|(name, _)| name != TAX_ID_DIGITS);
    }
    // The map makes each lookup of a name fast. A patch of two megabytes may contain a hundred thousand
    // names.
    let mut positions: HashMap<Cow<'a, str>, usize> =
        members.iter().enumerate().map(|(at, (name, _))| (name.clone(), at)).collect();
    for (name, change) in changes {
        // The position is removed from the map, so that a second member with the same name is appended as a
        // duplicate.
        match positions.remove(&name).and_then(|at| members.get_mut(at)) {
            Some((_, node)) => {
                let stored = std::mem::replace(&mut node.value, Value::Null);
                node.value = merge_values(stored, change.value);
            }
            // Nodes are numbered once, after the complete tree is built. Numbering at each level would visit
            // the nodes of a deep patch once per level.
            None => {
                members.push((name, Node { at: 0, end: 0, value: merge_values(Value::Null, change.value) }))
            }
        }
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value as Json;

    use super::*;
    use crate::document::read_resource_document;
    use crate::input::parse;
    use crate::resource::{Resource, ResourceKind};
    use crate::violation::Violations;

    #[test]
    fn the_type_of_a_tax_id_is_changed_only_with_its_digits() {
        let stored = r#"{"legalId": {"legalIdType": "SSN", "legalIdValue": "123456789"}}"#;
        let merge_text = |patch: &str| merge_texts(stored, patch)["legalId"]["legalIdValue"].clone();
        assert_eq!(merge_text(r#"{"legalId": {"legalIdType": "FEIN"}}"#), Json::Null);
        assert_eq!(merge_text(r#"{"legalId": {"legalIdType": "SSN"}}"#), "123456789");
        let complete = r#"{"legalId": {"legalIdType": "FEIN", "legalIdValue": "219099999"}}"#;
        assert_eq!(merge_text(complete), "219099999");
    }

    fn merge_texts(stored: &str, patch: &str) -> Json {
        to_json(&merge_documents(parse(stored.as_bytes()).unwrap(), parse(patch.as_bytes()).unwrap()))
    }

    /// Converts the tree to JSON and omits members that are null.
    fn to_json(node: &Node<'_>) -> Json {
        match &node.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Number(text) => serde_json::from_str(text).unwrap(),
            Value::Text(text) => text.as_ref().into(),
            Value::Array(elements) => elements.iter().map(to_json).collect(),
            Value::Object(members) => {
                let there = members.iter().filter(|(_, node)| node.value != Value::Null);
                there.map(|(name, node)| (name.to_string(), to_json(node))).collect()
            }
        }
    }

    /// Returns each fault as `code pointer`.
    fn codes_and_pointers(faults: Violations) -> Vec<String> {
        faults.into_iter().map(|it| format!("{} {}", it.reason.code(), it.pointer.unwrap())).collect()
    }

    /// Applies the examples of RFC 7396, appendix A. The examples are adapted, because a stored document has
    /// no null members.
    #[test]
    fn applies_the_examples_of_rfc_7396() {
        let table = [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
            (r#"[1,2]"#, r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ];
        for (stored, patch, expected) in table {
            let expected: Json = serde_json::from_str(expected).unwrap();
            assert_eq!(merge_texts(stored, patch), expected, "{stored} with {patch}");
        }
    }

    #[test]
    fn keeps_the_faults_of_a_patch_in_the_result() {
        let stored = r#"{"organizationId": "U-1", "name": "Bakery", "number": "110"}"#;
        let cases = [
            (r#"{"name": "A", "name": "B"}"#, "API-47 /name"),
            (r#"{"name": null, "name": "B"}"#, "API-47 /name"),
            (r#"{"level": 1, "level": 1}"#, "API-47 /level"),
            (r#"{"nmae": null}"#, "API-48 /nmae"),
            (r#"{"name": null}"#, "API-46 /name"),
            (r#"{"level": 1.5}"#, "API-48 /level"),
            (r#"[{"name": "A"}]"#, "API-48 "),
        ];
        for (patch, fault) in cases {
            let node = merge_documents(parse(stored.as_bytes()).unwrap(), parse(patch.as_bytes()).unwrap());
            let faults = read_resource_document(ResourceKind::Organization, &node).unwrap_err();
            assert_eq!(codes_and_pointers(faults), [fault], "{patch}");
        }
    }

    #[test]
    fn patches_the_work_state_in_either_place() {
        let cases = [
            (r#"{"workState": "NJ"}"#, Ok(Some("NJ"))),
            (r#"{"workState": null}"#, Ok(None)),
            (r#"{"taxes": {"workState": "NJ"}}"#, Ok(Some("NJ"))),
            (r#"{"taxes": {"workState": null}}"#, Ok(None)),
            (r#"{"taxes": {"federal": null}}"#, Ok(Some("NY"))),
            (r#"{"taxes": null}"#, Ok(Some("NY"))),
            (r#"{"workState": "NJ", "taxes": {"workState": "NJ"}}"#, Ok(Some("NJ"))),
            (r#"{"workState": "NY", "taxes": {"workState": "NJ"}}"#, Err("API-47 /workState")),
            (r#"{"taxes": {"workState": "New Jersey"}}"#, Err("API-48 /taxes/workState")),
        ];
        let stored = r#"{"workerId": "W", "workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"},
            "workState": "NY", "taxes": {"federal": {"multipleJobs": true}}}"#;
        for (patch, expected) in cases {
            let node = merge_documents(parse(stored.as_bytes()).unwrap(), parse(patch.as_bytes()).unwrap());
            let validated = match read_resource_document(ResourceKind::Worker, &node) {
                Ok(Resource::Worker(worker)) => Ok(worker.work_state),
                Ok(other) => panic!("{other:?}"),
                Err(faults) => Err(codes_and_pointers(faults)),
            };
            let expected = expected.map(|state| state.map(str::to_owned));
            assert_eq!(validated, expected.map_err(|fault| vec![fault.to_owned()]), "{patch}");
        }
    }

    #[test]
    fn reports_faults_in_the_order_of_the_result() {
        let stored = parse(br#"{"organizationId": "U-1", "name": "Bakery", "number": "110"}"#).unwrap();
        let node =
            merge_documents(stored, parse(br#"{"x": 1, "number": 5, "level": 0, "name": 7}"#).unwrap());
        let faults = read_resource_document(ResourceKind::Organization, &node).unwrap_err();
        let pointers: Vec<_> = faults.into_iter().filter_map(|it| it.pointer).collect();
        assert_eq!(pointers, ["/name", "/number", "/x", "/level"]);
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![Just(Json::Null), any::<bool>().prop_map(Json::from), Just(Json::from("x"))];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
                prop::collection::btree_map("[a-c]", inner, 0..4)
                    .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    /// Applies a merge patch with the reference algorithm from RFC 7396, section 2.
    fn merge_patch(target: Json, patch: &Json) -> Json {
        let Json::Object(patch) = patch else { return patch.clone() };
        let mut target = if let Json::Object(members) = target { members } else { serde_json::Map::new() };
        for (name, value) in patch {
            let old = target.remove(name).unwrap_or_default();
            if !value.is_null() {
                target.insert(name.clone(), merge_patch(old, value));
            }
        }
        target.into()
    }

    proptest! {
        #[test]
        fn merges_like_the_function_of_rfc_7396(stored in any_json(), patch in any_json()) {
            let stored = to_json(&parse(stored.to_string().as_bytes()).unwrap());
            let merged = merge_patch(stored.clone(), &patch).to_string();
            let expected = to_json(&parse(merged.as_bytes()).unwrap());
            prop_assert_eq!(merge_texts(&stored.to_string(), &patch.to_string()), expected);
        }

        #[test]
        fn an_empty_patch_changes_nothing(stored in any_json()) {
            let text = stored.to_string();
            let node = parse(text.as_bytes()).unwrap();
            prop_assume!(matches!(node.value, Value::Object(_)));
            prop_assert_eq!(merge_documents(node.clone(), parse(b"{}").unwrap()), node);
        }
    }
}
