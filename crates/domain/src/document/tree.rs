//! Creates the tree of a document directly from the members of the object. The tree equals the one that
//! `input::parse` creates from the text that `writer` writes. A property test compares the two trees.

use crate::description::{MemberSource, MemberValue, MemberView};
use crate::input::{Node, Value};
use crate::tax_id::LegalId;

/// Returns the tree of an object, with numbered nodes. Tax IDs and account numbers are unmasked, because the
/// tree is later converted back to an object.
pub(super) fn to_object_node(object: &dyn MemberSource) -> Node<'static> {
    Node::from(to_object_value(object))
}

fn to_object_value(object: &dyn MemberSource) -> Value<'static> {
    let mut members = Vec::new();
    object.visit_members(MemberView::Operator, &mut |name, shown| {
        members.extend(to_value_unless_empty(shown).map(|value| (name.into(), node_without_position(value))));
    });
    Value::Object(members)
}

/// Returns a value as a tree. `None` for an empty list, which documents omit.
fn to_value_unless_empty(shown: MemberValue<'_>) -> Option<Value<'static>> {
    Some(match shown {
        MemberValue::Text(value) => to_text_value(value),
        MemberValue::Displayed(value) => to_text_value(&value.to_string()),
        MemberValue::Flag(flag) => Value::Bool(flag),
        MemberValue::Number(number) => Value::Number(number.to_string().into()),
        MemberValue::Decimal(number) => Value::Number(number.to_string().into()),
        MemberValue::Texts([]) | MemberValue::Objects([]) => return None,
        MemberValue::Texts(texts) => to_list_value(texts.iter().map(|value| to_text_value(value))),
        MemberValue::Object(object) => to_object_value(object),
        MemberValue::Objects(objects) => to_list_value(objects.iter().map(|object| to_object_value(*object))),
        MemberValue::Reference(member, id) => {
            Value::Object(vec![(member.into(), node_without_position(to_text_value(id)))])
        }
        MemberValue::TaxIdentity(legal_id) => to_tax_identity_value(legal_id),
        MemberValue::AccountNumber(number) => to_text_value(number.digits()),
    })
}

fn to_tax_identity_value(legal_id: &LegalId) -> Value<'static> {
    let kind = ("legalIdType".into(), node_without_position(to_text_value(legal_id.kind().as_str())));
    Value::Object(vec![
        kind,
        ("legalIdValue".into(), node_without_position(to_text_value(legal_id.digits()))),
    ])
}

fn to_text_value(value: &str) -> Value<'static> {
    Value::Text(value.to_owned().into())
}

fn to_list_value(values: impl Iterator<Item = Value<'static>>) -> Value<'static> {
    Value::Array(values.map(node_without_position).collect())
}

/// Returns a node without a position. The nodes are numbered when the tree is complete.
fn node_without_position(value: Value<'static>) -> Node<'static> {
    Node { at: 0, end: 0, value }
}
