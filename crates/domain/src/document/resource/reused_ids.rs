//! Keeps the ids of nested objects when an object is resent without them.
//!
//! An operator whose workers are maintained in another system sends addresses and rates without the ids of
//! this server. If each request created new ids, the objects would count as changed and fire events.

use std::collections::{HashMap, HashSet, VecDeque};

use super::ids::{find_members_by_name, list_members_with_ids};
use crate::input::{Node, Value};
use crate::resource::ResourceKind;

/// Returns the texts by which an object is recognized in a list. `None` if the object lacks them.
type Identity<'f> = dyn Fn(&Node<'_>) -> Option<Vec<String>> + 'f;

/// Returns whether an object inside the document should have an id but has none.
#[must_use]
pub fn has_objects_without_ids(kind: ResourceKind, node: &Node<'_>) -> bool {
    let lacks = |(member, id_member): &(&str, &'static str)| {
        find_objects(node, member).any(|object| find_id(object, id_member).is_none())
    };
    list_members_with_ids(kind).iter().any(lacks)
}

/// Copies ids from a stored document to those nested objects of a sent document that have no id. An object
/// gets the id of a stored object with equal content in the same list. If there is none, the object gets the
/// id of a stored object with the same name. Otherwise the sent object gets the next unused id of the stored
/// list. A document that is resent unchanged therefore stays the same. The positions of the nodes are
/// numbered again.
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
        let left = find_objects(stored, member).filter_map(|it| Some((it, find_id(it, id_member)?)));
        let mut left = AvailableIds::from_objects(left.filter(|(_, id)| !named.contains(id)));
        let all_texts = |object: &Node<'_>| Some(collect_texts_without_id(object, id_member));
        let name = |object: &Node<'_>| Some(vec![find_id(object, display_name_member(member)?)?.to_owned()]);
        let identities: [&Identity<'_>; 2] = [&all_texts, &name];
        for identity in identities {
            let mut positions = left.index_by(identity);
            for inside in find_members_by_name(&mut sent, member) {
                assign_ids(inside, id_member, &mut |object| {
                    left.take_id(positions.get_mut(&identity(object)?)?)
                });
            }
        }
        for inside in find_members_by_name(&mut sent, member) {
            assign_ids(inside, id_member, &mut |_| left.take_next_id());
        }
    }
    Node::from(sent.value)
}

/// Returns the member with the name of an object in this list, which users know better than the id. `None` if
/// objects of the list have no name.
fn display_name_member(list: &str) -> Option<&'static str> {
    match list {
        "dropdown" => Some("dropdownValue"),
        "relationshipTypes" => Some("relationshipTypeName"),
        _ => None,
    }
}

/// The stored objects whose ids may be assigned to sent objects.
struct AvailableIds<'s, 'n> {
    /// The objects with their ids, in the stored order. The id is `None` if it is already assigned.
    objects: Vec<(&'s Node<'n>, Option<&'s str>)>,
    /// The length of the prefix of `objects` in which every id is already assigned.
    assigned: usize,
}

impl<'s, 'n> AvailableIds<'s, 'n> {
    fn from_objects(objects: impl Iterator<Item = (&'s Node<'n>, &'s str)>) -> Self {
        Self { objects: objects.map(|(object, id)| (object, Some(id))).collect(), assigned: 0 }
    }

    /// Returns the positions of the objects by their identity. Objects without an identity are omitted.
    fn index_by(&self, identity: &Identity<'_>) -> HashMap<Vec<String>, VecDeque<usize>> {
        let mut positions: HashMap<_, VecDeque<usize>> = HashMap::new();
        for (position, (object, _)) in self.objects.iter().enumerate() {
            if let Some(texts) = identity(object) {
                positions.entry(texts).or_default().push_back(position);
            }
        }
        positions
    }

    /// Removes and returns the first unassigned id at the given positions. `None` if all of these ids are
    /// assigned.
    fn take_id(&mut self, positions: &mut VecDeque<usize>) -> Option<&'s str> {
        while let Some(position) = positions.pop_front() {
            if let Some(id) = self.objects.get_mut(position).and_then(|(_, id)| id.take()) {
                return Some(id);
            }
        }
        None
    }

    /// Removes and returns the first unassigned id. `None` if all ids are assigned.
    fn take_next_id(&mut self) -> Option<&'s str> {
        while let Some((_, id)) = self.objects.get_mut(self.assigned) {
            self.assigned += 1;
            if let Some(id) = id.take() {
                return Some(id);
            }
        }
        None
    }
}

/// Returns the texts of an object's members, except its id. Numbers and dates are compared by their text. A
/// flag that is false is the same as an absent flag, because the stored document contains every flag.
fn collect_texts_without_id(object: &Node<'_>, id_member: &str) -> Vec<String> {
    let Value::Object(members) = &object.value else { return Vec::new() };
    let is_present = |value: &Value<'_>| !value.is_null_or_empty_text() && *value != Value::Bool(false);
    let others = members.iter().filter(|(name, node)| name != id_member && is_present(&node.value));
    let mut words: Vec<String> =
        others.map(|(name, node)| format!("{name} {:?}", to_comparable_text(&node.value))).collect();
    words.sort_unstable();
    words
}

/// Calls `find` with each object that has no id, and assigns the returned id to the object.
fn assign_ids<'s>(
    node: &mut Node<'_>,
    id_member: &'static str,
    find: &mut dyn FnMut(&Node<'_>) -> Option<&'s str>,
) {
    let without = find_id(node, id_member).is_none();
    let id = if without && matches!(node.value, Value::Object(_)) { find(node) } else { None };
    match &mut node.value {
        Value::Array(elements) => {
            elements.iter_mut().for_each(|it| assign_ids(it, id_member, find));
        }
        Value::Object(members) => {
            if let Some(id) = id {
                members.retain(|(name, _)| name != id_member);
                members.push((id_member.into(), Node::from(Value::Text(id.to_owned().into()))));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
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
    fn choices_with_the_same_text_keep_their_ids_in_any_order() {
        let stored =
            br#"{"dropdown": [{"dropdownId": "S", "dropdownValue": "Small", "dropdownDefault": true},
            {"dropdownId": "M", "dropdownValue": "Medium", "dropdownDefault": false}]}"#;
        let ids = |sent: &str| {
            let (sent, stored) = (parse(sent.as_bytes()).unwrap(), parse(stored).unwrap());
            let node = reuse_ids(ResourceKind::CustomField, sent, &stored);
            find_objects(&node, "dropdown")
                .map(|it| find_id(it, "dropdownId").unwrap_or("-").to_owned())
                .collect::<Vec<_>>()
        };
        let list = |texts: &str| {
            let choices: Vec<_> =
                texts.split(' ').map(|text| format!(r#"{{"dropdownValue": "{text}"}}"#)).collect();
            format!(r#"{{"dropdown": [{}]}}"#, choices.join(","))
        };
        assert_eq!(ids(&list("Large Small")), ["M", "S"]);
        assert_eq!(ids(&list("Medium Small Large")), ["M", "S", "-"]);
        assert_eq!(ids(&list("Small Small")), ["S", "M"]);
        assert_eq!(ids(&list("Large Tiny Huge")), ["S", "M", "-"]);
    }

    #[test]
    fn a_single_object_keeps_its_id() {
        assert_eq!(reused_ids_and_document(r#"{"currentStatus": {"statusType": "TERMINATED"}}"#).1, "S");
        assert_eq!(reused_ids_and_document(r#"{"currentStatus": {"workerStatusId": "T"}}"#).1, "T");
    }

    #[test]
    fn a_document_lacks_ids_only_if_an_object_has_no_id() {
        let lacks =
            |text: &str| has_objects_without_ids(ResourceKind::Worker, &parse(text.as_bytes()).unwrap());
        assert!(!lacks(STORED_WORKER) && !lacks("{}") && !lacks("[]"));
        assert!(lacks(r#"{"payRates": [{"amount": "1"}]}"#) && lacks(r#"{"currentStatus": {}}"#));
    }
}
