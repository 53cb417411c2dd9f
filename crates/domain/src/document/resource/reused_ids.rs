//! Keeps the ids of nested objects when an object is resent without them.
//!
//! An operator whose workers are maintained in another system sends addresses and rates without the ids of
//! this server. If each request created new ids, the objects would count as changed and fire events.

use std::collections::{HashMap, HashSet, VecDeque};

use super::ids::{find_members_by_name, list_members_with_ids};
use crate::input::{Node, Value};
use crate::resource::ResourceKind;

/// Returns whether an object inside the document should have an id but has none.
#[must_use]
pub fn lacks_ids(kind: ResourceKind, node: &Node<'_>) -> bool {
    let lacks = |(member, id_member): &(&str, &'static str)| {
        find_objects(node, member).any(|object| find_id(object, id_member).is_none())
    };
    list_members_with_ids(kind).iter().any(lacks)
}

/// Copies ids from a stored document to those nested objects of a sent document that have no id. An object
/// gets the id of a stored object with equal content in the same list. If there is no equal stored object,
/// the sent object gets the next unused id of the stored list. A document that is resent unchanged therefore
/// stays the same. The positions of the nodes are numbered again.
///
/// ```
/// use payroll_domain::resource::ResourceKind;
/// use payroll_domain::{document, input};
/// let stored = input::parse(
///     br#"{"relationshipTypes": [{"relationshipTypeId": "A", "relationshipTypeName": "Spouse"},
///                                {"relationshipTypeId": "B", "relationshipTypeName": "Friend"}]}"#,
/// );
/// let sent = input::parse(br#"{"relationshipTypes": [{"relationshipTypeName": "Friend"}]}"#);
/// let kept = document::reuse_ids(ResourceKind::ContactType, sent.unwrap(), &stored.unwrap());
/// let expected = br#"{"relationshipTypes": [{"relationshipTypeName": "Friend", "relationshipTypeId": "B"}]}"#;
/// assert_eq!(kept, input::parse(expected).unwrap());
/// ```
#[must_use]
pub fn reuse_ids<'a>(kind: ResourceKind, mut sent: Node<'a>, stored: &Node<'_>) -> Node<'a> {
    for (member, id_member) in list_members_with_ids(kind) {
        let named: HashSet<&str> =
            find_objects(&sent, member).filter_map(|it| find_id(it, id_member)).collect();
        let left = find_objects(stored, member)
            .filter_map(|it| Some((collect_texts_without_id(it, id_member), find_id(it, id_member)?)));
        let mut left = AvailableIds::from_objects(left.filter(|(_, id)| !named.contains(id)));
        for inside in find_members_by_name(&mut sent, member) {
            assign_ids(inside, id_member, &mut |words| left.take_id_for_texts(words));
        }
        for inside in find_members_by_name(&mut sent, member) {
            assign_ids(inside, id_member, &mut |_| left.take_next_id());
        }
    }
    Node::from(sent.value)
}

/// The ids of stored objects that are not assigned to a sent object yet.
struct AvailableIds<'s> {
    /// The ids in the order of the stored objects. `None` for an id that is already assigned.
    ids: Vec<Option<&'s str>>,
    /// The indexes of the stored objects, by the texts of their members.
    positions: HashMap<Vec<String>, VecDeque<usize>>,
    /// The length of the prefix of `ids` in which every id is already assigned.
    assigned: usize,
}

impl<'s> AvailableIds<'s> {
    fn from_objects(objects: impl Iterator<Item = (Vec<String>, &'s str)>) -> Self {
        let mut left = Self { ids: Vec::new(), positions: HashMap::new(), assigned: 0 };
        for (words, id) in objects {
            left.positions.entry(words).or_default().push_back(left.ids.len());
            left.ids.push(Some(id));
        }
        left
    }

    /// Removes and returns the id of the first stored object whose members have the same texts. `None` if
    /// there is no such object.
    fn take_id_for_texts(&mut self, words: &[String]) -> Option<&'s str> {
        let place = self.positions.get_mut(words)?.pop_front()?;
        self.ids.get_mut(place)?.take()
    }

    /// Removes and returns the first id that is not assigned yet. `None` if all are assigned.
    fn take_next_id(&mut self) -> Option<&'s str> {
        while let Some(id) = self.ids.get_mut(self.assigned) {
            self.assigned += 1;
            if let Some(id) = id.take() {
                return Some(id);
            }
        }
        None
    }
}

/// Returns the texts of an object's members, except its id. Numbers and dates are compared by their text.
fn collect_texts_without_id(object: &Node<'_>, id_member: &str) -> Vec<String> {
    let Value::Object(members) = &object.value else { return Vec::new() };
    let others =
        members.iter().filter(|(name, node)| name != id_member && !node.value.is_null_or_empty_text());
    let mut words: Vec<String> =
        others.map(|(name, node)| format!("{name} {:?}", to_comparable_text(&node.value))).collect();
    words.sort_unstable();
    words
}

/// Calls `find` with the member texts of each object that has no id, and assigns the returned id to the
/// object.
fn assign_ids<'s>(
    node: &mut Node<'_>,
    id_member: &'static str,
    find: &mut dyn FnMut(&[String]) -> Option<&'s str>,
) {
    let without = find_id(node, id_member).is_none();
    let words = if without { collect_texts_without_id(node, id_member) } else { Vec::new() };
    match &mut node.value {
        Value::Array(elements) => {
            elements.iter_mut().for_each(|it| assign_ids(it, id_member, find));
        }
        Value::Object(members) if without => {
            if let Some(id) = find(&words) {
                members.retain(|(name, _)| name != id_member);
                members.push((id_member.into(), Node::from(Value::Text(id.to_owned().into()))));
            }
        }
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

/// Returns the text of a value. `None` for arrays and objects, which these objects do not contain.
fn to_comparable_text<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Number(text) => Some(text),
        Value::Bool(true) => Some("true"),
        Value::Bool(false) => Some("false"),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns the objects under a member: one object, or those of a list.
fn find_objects<'t, 'n>(node: &'t Node<'n>, member: &str) -> impl Iterator<Item = &'t Node<'n>> {
    let members = match &node.value {
        Value::Object(members) => members.as_slice(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Array(_) => &[],
    };
    let found = members.iter().filter(move |(name, _)| name == member).map(|(_, node)| node);
    let each = found.flat_map(|node| match &node.value {
        Value::Array(elements) => elements.as_slice(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_) => {
            std::slice::from_ref(node)
        }
    });
    each.filter(|node| matches!(node.value, Value::Object(_)))
}

fn find_id<'t>(object: &'t Node<'_>, id_member: &str) -> Option<&'t str> {
    let Value::Object(members) = &object.value else { return None };
    let (_, id) =
        members.iter().find(|(name, node)| name == id_member && !node.value.is_null_or_empty_text())?;
    // If the id is not a text, it stays in the document, and the document's reader reports it.
    Some(to_comparable_text(&id.value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::parse;

    const STORED_WORKER: &str = r#"{"communications": [
        {"communicationId": "A", "type": "PHONE", "dialNumber": "1"},
        {"communicationId": "B", "type": "EMAIL", "uri": "b@example.org"},
        {"communicationId": "C", "type": "EMAIL", "uri": "c@example.org"}],
        "currentStatus": {"workerStatusId": "S", "statusType": "ACTIVE"}}"#;

    /// Reuses the ids for the sent document. Returns the ids of the communications and of the status, and the
    /// document. `-` means no id.
    fn reused_ids_and_document(sent: &str) -> (Vec<String>, String) {
        let stored = parse(STORED_WORKER.as_bytes()).unwrap();
        let node = reuse_ids(ResourceKind::Worker, parse(sent.as_bytes()).unwrap(), &stored);
        let ids = |member: &str, id: &str| -> Vec<String> {
            find_objects(&node, member).map(|it| find_id(it, id).unwrap_or("-").to_owned()).collect()
        };
        (ids("communications", "communicationId"), ids("currentStatus", "workerStatusId").join(" "))
    }

    fn reuse_communication_ids(list: &str) -> Vec<String> {
        reused_ids_and_document(&format!(r#"{{"communications": [{list}]}}"#)).0
    }

    #[test]
    fn equal_objects_keep_their_id_at_any_position() {
        let c = r#"{"uri": "c@example.org", "type": "EMAIL", "dialArea": null}"#;
        let a = r#"{"type": "PHONE", "dialNumber": "1", "communicationId": ""}"#;
        assert_eq!(reuse_communication_ids(&format!("{c}, {a}")), ["C", "A"]);
    }

    #[test]
    fn changed_objects_get_the_remaining_ids() {
        let other = r#"{"type": "FAX"}"#;
        let b = r#"{"type": "EMAIL", "uri": "b@example.org"}"#;
        assert_eq!(reuse_communication_ids(&format!("{other}, {b}, {other}, {other}")), ["A", "B", "C", "-"]);
    }

    #[test]
    fn gives_a_sent_id_to_no_other_object() {
        let a = r#"{"communicationId": "A", "type": "FAX"}"#;
        let phone = r#"{"type": "PHONE", "dialNumber": "1"}"#;
        assert_eq!(reuse_communication_ids(&format!("{phone}, {a}")), ["B", "A"]);
        assert_eq!(reuse_communication_ids(r#"{"communicationId": 5}, "x", {}"#), ["5", "A"]);
    }

    #[test]
    fn a_single_object_keeps_its_id() {
        assert_eq!(reused_ids_and_document(r#"{"currentStatus": {"statusType": "TERMINATED"}}"#).1, "S");
        assert_eq!(reused_ids_and_document(r#"{"currentStatus": {"workerStatusId": "T"}}"#).1, "T");
    }

    #[test]
    fn a_document_lacks_ids_only_if_an_object_has_no_id() {
        let lacks = |text: &str| lacks_ids(ResourceKind::Worker, &parse(text.as_bytes()).unwrap());
        assert!(!lacks(STORED_WORKER) && !lacks("{}") && !lacks("[]"));
        assert!(lacks(r#"{"payRates": [{"amount": "1"}]}"#) && lacks(r#"{"currentStatus": {}}"#));
    }
}
