//! Changes a list, such as the contacts, in the parsed document of a worker.

use std::collections::HashSet;

use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::input::{Node, Value};
use payroll_domain::worker::WorkerList;

use super::id_mismatch_failure;
use crate::shared::error::Failure;
use crate::shared::refusal::conflict_failure;

/// A change to one list, such as the contacts, in the parsed document of a worker.
pub(super) enum ElementEdit<'i, 'n> {
    /// Appends the element to the list.
    Add(Node<'n>),
    /// Replaces the element with this id.
    Replace(&'i str, Node<'n>),
    /// Applies a merge patch to the element with this id.
    Merge(&'i str, Node<'n>),
    /// Removes the element with this id.
    Remove(&'i str),
}

/// Applies a change to a list of the document. Returns the document and the index of the changed element.
///
/// # Errors
/// 404 API-7 if the id is not in the list. 409 API-409 if the list already contains the id of a new
/// element. 400 API-48 if the id in the body differs from the id in the path.
pub(super) fn apply_edit<'n>(
    document: Node<'n>,
    part: WorkerList,
    edit: ElementEdit<'_, 'n>,
) -> Result<(Node<'n>, usize), Failure> {
    let mut root = document.value;
    let index = match get_or_insert_list(&mut root, part.member) {
        Some(elements) => edit_list(elements, part, edit)?,
        None => return Err(Failure::Bug("a document without the list that it has".into())),
    };
    Ok((Node::from(root), index))
}

/// Returns the elements of a list of a document. The result is empty if the document has no such list.
pub(super) fn list_elements<'t, 'n>(document: &'t Node<'n>, part: WorkerList) -> &'t [Node<'n>] {
    match document.member(part.member).map(|list| &list.value) {
        Some(Value::Array(elements)) => elements,
        _ => &[],
    }
}

/// Replaces the element at an index. `replacement` receives the element and the list, which contains null at
/// the position of this element.
pub(super) fn replace_element<'n>(
    document: &mut Node<'n>,
    part: WorkerList,
    index: usize,
    replacement: impl FnOnce(Node<'n>, &[Node<'n>]) -> Node<'n>,
) {
    let Some(elements) = get_or_insert_list(&mut document.value, part.member) else { return };
    let Some(element) = elements.get_mut(index) else { return };
    let element = std::mem::replace(element, Node::from(Value::Null));
    let element = replacement(element, elements);
    if let Some(place) = elements.get_mut(index) {
        *place = element;
    }
}

/// Returns the list element with this id.
pub(super) fn element_with_id<'t, 'n>(
    document: &'t Node<'n>,
    part: WorkerList,
    id: &str,
) -> Option<&'t Node<'n>> {
    list_elements(document, part).iter().find(|element| element_id(element, part) == Some(id))
}

/// Removes `primary` from the other contacts of a type if a changed contact of this type is primary. Each
/// type then has at most one primary contact.
pub(super) fn demote_other_primary_contacts(document: &mut Node<'_>, part: WorkerList, changed: &[usize]) {
    let type_of = |contact: &Node<'_>| {
        let id = contact.member("contactType")?.member("contactTypeId")?.as_text();
        id.map(str::to_owned)
    };
    let is_primary = |contact: &Node<'_>| {
        let primary = contact.member("relationship").and_then(|it| it.member("primary"));
        primary.is_some_and(|primary| matches!(primary.value, Value::Bool(true)))
    };
    let contacts = list_elements(document, part);
    let primary = changed.iter().filter_map(|at| contacts.get(*at)).filter(|contact| is_primary(contact));
    let types: HashSet<String> = primary.filter_map(type_of).collect();
    let changed: HashSet<usize> = changed.iter().copied().collect();
    let Some(contacts) = get_or_insert_list(&mut document.value, part.member) else { return };
    let others = contacts.iter_mut().enumerate().filter(|(at, _)| !changed.contains(at));
    for (_, contact) in others.filter(|(_, contact)| type_of(contact).is_some_and(|id| types.contains(&id))) {
        let Value::Object(members) = &mut contact.value else { continue };
        let relationship = members.iter_mut().find(|(name, _)| name == "relationship");
        if let Some((_, Node { value: Value::Object(members), .. })) = relationship {
            members.retain(|(name, _)| name != "primary");
        }
    }
}

/// Returns the list in a member of the document. A missing list is created. `None` means that the member is
/// not a list.
fn get_or_insert_list<'t, 'n>(
    root: &'t mut Value<'n>,
    member: &'static str,
) -> Option<&'t mut Vec<Node<'n>>> {
    let Value::Object(members) = root else { return None };
    if !members.iter().any(|(name, _)| name == member) {
        members.push((member.into(), Node::from(Value::Array(Vec::new()))));
    }
    match members.iter_mut().find(|(name, _)| name == member) {
        Some((_, Node { value: Value::Array(elements), .. })) => Some(elements),
        _ => None,
    }
}

fn edit_list<'n>(
    elements: &mut Vec<Node<'n>>,
    part: WorkerList,
    edit: ElementEdit<'_, 'n>,
) -> Result<usize, Failure> {
    match edit {
        ElementEdit::Add(sent) => {
            if let Some(id) = element_id(&sent, part).filter(|id| element_index(elements, part, id).is_some())
            {
                return Err(conflict_failure(format!(
                    "the worker already has a {} with the id {id}",
                    part.id_member
                )));
            }
            elements.push(sent);
            Ok(elements.len().saturating_sub(1))
        }
        ElementEdit::Replace(id, sent) => replace_with_id(elements, part, id, |_| sent),
        ElementEdit::Merge(id, sent) => {
            replace_with_id(elements, part, id, |stored| document::merge_documents(stored, sent))
        }
        ElementEdit::Remove(id) => {
            let index = element_index(elements, part, id).ok_or(Reason::UnknownResource)?;
            elements.remove(index);
            Ok(index)
        }
    }
}

/// Replaces the element with this id and returns its index. The replacement gets the same id.
fn replace_with_id<'n>(
    elements: &mut [Node<'n>],
    part: WorkerList,
    id: &str,
    change: impl FnOnce(Node<'n>) -> Node<'n>,
) -> Result<usize, Failure> {
    let index = element_index(elements, part, id).ok_or(Reason::UnknownResource)?;
    if let Some(element) = elements.get_mut(index) {
        let stored = std::mem::replace(element, Node::from(Value::Null));
        *element = document::fill_missing_id(change(stored), part.id_member, id);
        if element_id(element, part).is_some_and(|named| named != id) {
            return Err(id_mismatch_failure(part.id_member));
        }
    }
    Ok(index)
}

fn element_index(elements: &[Node<'_>], part: WorkerList, id: &str) -> Option<usize> {
    elements.iter().position(|element| element_id(element, part) == Some(id))
}

/// Returns the id of a list element.
fn element_id<'t>(element: &'t Node<'_>, part: WorkerList) -> Option<&'t str> {
    element.member(part.id_member)?.as_text()
}
