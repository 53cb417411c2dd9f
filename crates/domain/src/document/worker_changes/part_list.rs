//! The lists of a worker that can be changed element by element.

use std::collections::HashMap;

use crate::document::resource::merge_documents;
use crate::input::{Node, Value};
use crate::steps;

/// The member of an element that contains the worker's id.
pub(super) const WORKER_ID_MEMBER: &str = "workerId";

/// A list of a worker that can be changed element by element.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchableList {
    /// The name of the list, in the worker and in a document of changes.
    pub(super) list: &'static str,
    /// The name of the member that contains the id of an element.
    pub(super) id: &'static str,
    /// The members that identify an element without an id.
    pub(super) key: &'static [&'static str],
}

pub(super) const PATCHABLE_LISTS: [PatchableList; 2] = [
    PatchableList { list: "communications", id: "communicationId", key: &["type", "usageType"] },
    PatchableList { list: "payRates", id: "rateId", key: &["rateNumber"] },
];

/// A list in the document of a worker, such as the direct deposits. The list is taken out of the document while
/// it is changed.
pub(super) struct EditedList<'n> {
    part: PatchableList,
    elements: Vec<Node<'n>>,
    by_id: HashMap<String, usize>,
    by_key: HashMap<Vec<String>, KeyMatch>,
}

/// Whether one or several stored elements have a key. `One` contains the index of the element.
#[derive(Clone, Copy)]
enum KeyMatch {
    One(usize),
    Several,
}

impl<'n> EditedList<'n> {
    /// Removes the list from the document and returns it. `None` if the member is not a list.
    pub(super) fn take_from_document(root: &mut Value<'n>, part: PatchableList) -> Option<Self> {
        let Value::Object(members) = root else { return None };
        let mut list = Self { part, elements: Vec::new(), by_id: HashMap::new(), by_key: HashMap::new() };
        let Some(place) = members.iter().position(|(name, _)| name == part.list) else { return Some(list) };
        let is_list = |node: &Node<'_>| matches!(node.value, Value::Array(_) | Value::Null);
        if !members.get(place).is_some_and(|(_, node)| is_list(node)) {
            return None;
        }
        if let Value::Array(elements) = members.remove(place).1.value {
            elements.iter().enumerate().for_each(|(index, element)| list.index_element(index, element));
            list.elements = elements;
        }
        Some(list)
    }

    pub(super) fn put_back_into_document(self, root: &mut Value<'n>) {
        if let Value::Object(members) = root {
            members.push((self.part.list.into(), Node::from(Value::Array(self.elements))));
        }
    }

    fn index_element(&mut self, index: usize, element: &Node<'_>) {
        if let Some(id) = find_text_member(element, self.part.id) {
            self.by_id.insert(id.to_owned(), index);
        }
        if let Some(key) = find_key_texts(element, self.part.key) {
            self.by_key
                .entry(key)
                .and_modify(|alike| *alike = KeyMatch::Several)
                .or_insert(KeyMatch::One(index));
        }
    }

    /// Changes the element with the given id or key, or appends the element. Returns the index of the
    /// element.
    ///
    /// # Errors
    /// Returns a description of the fault if more than one element has the key, or if `sent` is not an
    /// object.
    pub(super) fn upsert(&mut self, sent: &Node<'n>) -> Result<usize, String> {
        let Value::Object(members) = &sent.value else {
            return Err("the value must be an object".to_owned());
        };
        steps::record_steps(members.len());
        let own = members.iter().filter(|(name, _)| name != WORKER_ID_MEMBER).cloned();
        let patch = Node::from(Value::Object(own.collect()));
        let found = match (find_text_member(sent, self.part.id), find_key_texts(sent, self.part.key)) {
            (Some(id), _) => self.by_id.get(id).copied(),
            (None, Some(key)) => match self.by_key.get(&key) {
                None => None,
                Some(KeyMatch::One(index)) => Some(*index),
                Some(KeyMatch::Several) => {
                    let PatchableList { id, key, .. } = self.part;
                    return Err(format!(
                        "several elements of the worker have the same {}: send the {id}",
                        key.join(" and ")
                    ));
                }
            },
            (None, None) => None,
        };
        if let Some(element) = found.and_then(|index| self.elements.get_mut(index)) {
            let stored = std::mem::replace(element, Node::from(Value::Null));
            *element = merge_documents(stored, patch);
            return Ok(found.unwrap_or_default());
        }
        let index = self.elements.len();
        self.index_element(index, &patch);
        self.elements.push(patch);
        Ok(index)
    }
}

/// Returns the text of a member. `None` if the member is missing, empty or not a text.
fn find_text_member<'t>(element: &'t Node<'_>, member: &str) -> Option<&'t str> {
    element.member(member)?.as_text().filter(|text| !text.is_empty())
}

/// Returns the texts of the given members. `None` if a member is missing.
fn find_key_texts(element: &Node<'_>, members: &[&str]) -> Option<Vec<String>> {
    members.iter().map(|member| find_text_member(element, member).map(str::to_owned)).collect()
}
