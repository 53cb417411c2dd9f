//! Patches a custom field (specification §6.9). The result is validated like a new field.

use std::collections::HashSet;

use super::{CustomField, CustomFieldDefinition, CustomFieldFacts, CustomFieldValue};
use crate::document;
use crate::input::{Members, Node, Value};
use crate::resource::{Resource, ResourceKind};
use crate::violation::Violations;

/// Applies a JSON merge patch to a custom field and validates the result.
///
/// The rules are those for a new field ([`read_new_custom_field`](super::read_new_custom_field)), except that
/// the field may keep its own name. The field stays in its category unless the patch changes the category. A
/// drop-down choice keeps its id if the patch contains the id or the same text. A new choice has no id yet.
///
/// ```
/// use payroll_domain::custom_field::{self, CustomField, CustomFieldFacts};
/// use payroll_domain::input::parse;
/// let facts = CustomFieldFacts::default();
/// let sent = br#"{"customFieldName": "Badge", "type": "NUMERIC", "numericValue": 7}"#;
/// let definition = custom_field::read_new_custom_field(&parse(sent).unwrap(), &facts).unwrap();
/// let stored = CustomField { custom_field_id: "F".parse().unwrap(), definition };
/// let patch = parse(br#"{"customFieldName": "Badge number", "numericValue": null}"#).unwrap();
/// let changed = custom_field::read_change(&stored, patch, facts).unwrap();
/// assert_eq!(changed.name, "Badge number");
/// ```
///
/// # Errors
/// Returns only one fault for a patch that is not an object or is an empty object. Otherwise, every fault of
/// the patched field is returned.
pub fn read_change(
    stored: &CustomField,
    patch: Node<'_>,
    mut facts: CustomFieldFacts,
) -> Result<CustomFieldDefinition, Violations> {
    let says_category =
        Members::from_body(&patch, "the body must be a JSON object with the members to change")?
            .find_first_member("categoryId")
            .is_some();
    let before = document::to_resource_node(&Resource::CustomField(Box::new(stored.clone())));
    let merged = document::merge_documents(before.clone(), patch);
    let merged = document::reuse_ids(ResourceKind::CustomField, merged, &before);
    facts.used_names.remove(&stored.definition.name);
    let mut definition = super::read_new_custom_field(&merged, &facts)?;
    if stored.definition.category_id.is_none() && !says_category {
        definition.category_id = None;
    }
    copy_stored_choice_ids(&mut definition.value, &merged, &stored.definition.value);
    Ok(definition)
}

/// Copies ids of choices from the document to the new value. Only ids of stored choices are copied. The
/// document was validated before, so every element of its list is a choice.
fn copy_stored_choice_ids(value: &mut CustomFieldValue, document: &Node<'_>, stored: &CustomFieldValue) {
    let (CustomFieldValue::Dropdown(choices), CustomFieldValue::Dropdown(stored)) = (value, stored) else {
        return;
    };
    let Some(Value::Array(elements)) = document.member("dropdown").map(|node| &node.value) else { return };
    let mut left: HashSet<&str> =
        stored.iter().filter_map(|choice| choice.dropdown_id.as_ref().map(|id| id.as_str())).collect();
    for (choice, element) in choices.iter_mut().zip(elements) {
        if let Some(id) = element.member("dropdownId").and_then(Node::as_text)
            && left.remove(id)
        {
            choice.dropdown_id = id.parse().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::custom_field::{self, CustomFieldCategory};
    use crate::input::parse;

    fn custom_field_validation_data() -> CustomFieldFacts {
        let general = CustomFieldCategory {
            category_id: "general".parse().unwrap(),
            category_name: "General".to_owned(),
            default: true,
        };
        CustomFieldFacts {
            categories: vec![general],
            used_names: ["Size".to_owned(), "Taken".to_owned()].into(),
        }
    }

    /// Returns a stored drop-down with the choices S and M.
    fn stored_field() -> CustomField {
        let sent = json!({"customFieldName": "Size", "type": "DROPDOWN",
            "dropdown": [{"dropdownValue": "S"}, {"dropdownValue": "M", "dropdownDefault": true}]});
        let empty = CustomFieldFacts { used_names: HashSet::new(), ..custom_field_validation_data() };
        let mut definition =
            custom_field::read_new_custom_field(&parse(sent.to_string().as_bytes()).unwrap(), &empty)
                .unwrap();
        if let CustomFieldValue::Dropdown(choices) = &mut definition.value {
            for choice in choices {
                choice.dropdown_id = choice.value.parse().ok();
            }
        }
        CustomField { custom_field_id: "F".parse().unwrap(), definition }
    }

    fn patch_field(patch: &Json) -> Result<CustomFieldDefinition, Violations> {
        read_change(
            &stored_field(),
            parse(patch.to_string().as_bytes()).unwrap(),
            custom_field_validation_data(),
        )
    }

    fn find_faults(patch: &Json) -> Vec<String> {
        let faults = patch_field(patch).err().into_iter().flatten();
        faults.map(|it| format!("{} {}", it.reason.code(), it.pointer.unwrap_or_default())).collect()
    }

    /// Returns the ids and the texts of the choices after the patch.
    fn choices_after_patch(patch: &Json) -> Vec<(Option<String>, String)> {
        let CustomFieldValue::Dropdown(choices) = patch_field(patch).unwrap().value else {
            panic!("a drop-down")
        };
        let id = |it: &crate::id::DropdownId| it.to_string();
        choices.into_iter().map(|it| (it.dropdown_id.as_ref().map(id), it.value)).collect()
    }

    #[test]
    fn keeps_members_that_the_patch_omits() {
        let definition = patch_field(&json!({"required": true})).unwrap();
        assert_eq!(definition, CustomFieldDefinition { required: true, ..stored_field().definition });
        assert_eq!(
            patch_field(&json!({"customFieldName": "Size", "colour": 1})).unwrap(),
            stored_field().definition
        );
    }

    #[test]
    fn validates_the_patched_field_like_a_new_one() {
        for (patch, expected) in [
            (json!({"customFieldName": "Taken"}), "API-48 /customFieldName"),
            (json!({"customFieldName": null}), "API-46 /customFieldName"),
            (json!({"type": "TEXT"}), "API-47 /dropdown"),
            (json!({"textValue": "a"}), "API-47 /textValue"),
            (json!({"categoryId": "none"}), "API-48 /categoryId"),
            (json!({}), "API-52 "),
            (json!([]), "API-52 "),
            (json!("x"), "API-40 "),
        ] {
            assert_eq!(find_faults(&patch), [expected], "{patch}");
        }
        let text = patch_field(&json!({"type": "TEXT", "dropdown": null, "textValue": "a"})).unwrap();
        assert_eq!(text.value, CustomFieldValue::Text { default: Some("a".to_owned()), max_length: None });
    }

    #[test]
    fn choices_keep_their_ids_if_the_id_or_the_text_matches() {
        let some = |id: &str, text: &str| (Some(id.to_owned()), text.to_owned());
        let renamed = json!({"dropdown": [{"dropdownId": "S", "dropdownValue": "Small"},
            {"dropdownValue": "M", "dropdownDefault": true}, {"dropdownId": "FOREIGN", "dropdownValue": "L"}]});
        let expected = vec![some("S", "Small"), some("M", "M"), (None, "L".to_owned())];
        assert_eq!(choices_after_patch(&renamed), expected);
        let twice = json!({"dropdown": [{"dropdownId": "S", "dropdownValue": "A"},
            {"dropdownId": "S", "dropdownValue": "B"}]});
        assert_eq!(choices_after_patch(&twice), [some("S", "A"), (None, "B".to_owned())]);
    }

    #[test]
    fn assigns_a_category_only_if_the_patch_has_one() {
        let mut lonely = stored_field();
        lonely.definition.category_id = None;
        let change = |patch: &[u8]| {
            read_change(&lonely, parse(patch).unwrap(), custom_field_validation_data()).unwrap().category_id
        };
        assert_eq!(change(br#"{"required": true}"#), None);
        assert_eq!(change(br#"{"categoryId": null}"#), "general".parse().ok());
    }
}
