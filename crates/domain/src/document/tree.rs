//! Creates the tree of a document directly from the members of the object. The tree is equal to the one that
//! is parsed from the text of `writer`. A property test compares the two.

use crate::description::{MemberValue, Show, View};
use crate::input::{Node, Value};
use crate::tax_id::LegalId;

/// Returns the tree of an object with numbered nodes. Tax IDs and account numbers are unmasked, because the
/// tree is read as an object again.
pub(super) fn tree_of(object: &dyn Show) -> Node<'static> {
    Node::from(value_of(object))
}

fn value_of(object: &dyn Show) -> Value<'static> {
    let mut members = Vec::new();
    object.show(View::Operator, &mut |name, shown| {
        members.extend(shown_value(shown).map(|value| (name.into(), unnumbered_node(value))));
    });
    Value::Object(members)
}

/// Returns a value as a tree. `None` for an empty list, which documents omit.
fn shown_value(shown: MemberValue<'_>) -> Option<Value<'static>> {
    Some(match shown {
        MemberValue::Text(value) => text(value),
        MemberValue::Displayed(value) => text(&value.to_string()),
        MemberValue::Flag(flag) => Value::Bool(flag),
        MemberValue::Number(number) => Value::Number(number.to_string().into()),
        MemberValue::Decimal(number) => Value::Number(number.to_string().into()),
        MemberValue::Texts([]) | MemberValue::Objects([]) => return None,
        MemberValue::Texts(texts) => list(texts.iter().map(|value| text(value))),
        MemberValue::Object(object) => value_of(object),
        MemberValue::Objects(objects) => list(objects.iter().map(|object| value_of(*object))),
        MemberValue::Reference(member, id) => Value::Object(vec![(member.into(), unnumbered_node(text(id)))]),
        MemberValue::TaxIdentity(legal_id) => tax_identity(legal_id),
        MemberValue::AccountNumber(number) => text(number.digits()),
    })
}

fn tax_identity(legal_id: &LegalId) -> Value<'static> {
    let kind = ("legalIdType".into(), unnumbered_node(text(legal_id.kind().as_str())));
    Value::Object(vec![kind, ("legalIdValue".into(), unnumbered_node(text(legal_id.digits())))])
}

fn text(value: &str) -> Value<'static> {
    Value::Text(value.to_owned().into())
}

fn list(values: impl Iterator<Item = Value<'static>>) -> Value<'static> {
    Value::Array(values.map(unnumbered_node).collect())
}

/// Returns a node without a position. The nodes are numbered when the tree is complete.
fn unnumbered_node(value: Value<'static>) -> Node<'static> {
    Node { at: 0, end: 0, value }
}
