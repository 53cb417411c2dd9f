//! A list inside a document, changed in the tree.

use std::collections::HashSet;

use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::input::{Node, Value};

use super::{Part, other_id};
use crate::shared::error::Failure;
use crate::shared::refusal::conflict;

/// A change of a list.
pub(super) enum Edit<'i, 'n> {
    /// The element is added after the others.
    Add(Node<'n>),
    /// The element takes the place of that of its id.
    Replace(&'i str, Node<'n>),
    /// The element of that id is patched.
    Merge(&'i str, Node<'n>),
    /// The element of that id goes.
    Remove(&'i str),
}

/// The document with a list of it changed, and the index of the changed element.
///
/// # Errors
/// 404 API-7 for an id that is not in the list, 409 API-409 for a new one that is, 400 API-48 for a
/// body that names another id than the path.
pub(super) fn edited<'n>(
    document: Node<'n>,
    part: Part,
    edit: Edit<'_, 'n>,
) -> Result<(Node<'n>, usize), Failure> {
    let mut root = document.value;
    let index = match list(&mut root, part.member) {
        Some(elements) => edit_list(elements, part, edit)?,
        None => return Err(Failure::Bug("a document without the list that it has".into())),
    };
    Ok((Node::from(root), index))
}

/// The elements of a list of a document.
pub(super) fn elements<'t, 'n>(document: &'t Node<'n>, part: Part) -> &'t [Node<'n>] {
    match document.member(part.member).map(|list| &list.value) {
        Some(Value::Array(elements)) => elements,
        _ => &[],
    }
}

/// Puts another element in the place of one, which gets that element and the list without it.
pub(super) fn replace<'n>(
    document: &mut Node<'n>,
    part: Part,
    index: usize,
    replacement: impl FnOnce(Node<'n>, &[Node<'n>]) -> Node<'n>,
) {
    let Some(elements) = list(&mut document.value, part.member) else { return };
    let Some(element) = elements.get_mut(index) else { return };
    let element = std::mem::replace(element, Node::from(Value::Null));
    let element = replacement(element, elements);
    if let Some(place) = elements.get_mut(index) {
        *place = element;
    }
}

/// The element of that id.
pub(super) fn element<'t, 'n>(document: &'t Node<'n>, part: Part, id: &str) -> Option<&'t Node<'n>> {
    elements(document, part).iter().find(|element| id_in(element, part) == Some(id))
}

/// Takes `primary` from contacts of the types of which a changed contact is primary. Changed contacts keep it.
pub(super) fn keep_one_primary(document: &mut Node<'_>, part: Part, changed: &[usize]) {
    let type_of = |contact: &Node<'_>| {
        let id = contact.member("contactType")?.member("contactTypeId")?.as_text();
        id.map(str::to_owned)
    };
    let is_primary = |contact: &Node<'_>| {
        let primary = contact.member("relationship").and_then(|it| it.member("primary"));
        primary.is_some_and(|primary| matches!(primary.value, Value::Bool(true)))
    };
    let contacts = elements(document, part);
    let primary = changed.iter().filter_map(|at| contacts.get(*at)).filter(|contact| is_primary(contact));
    let types: HashSet<String> = primary.filter_map(type_of).collect();
    let changed: HashSet<usize> = changed.iter().copied().collect();
    let Some(contacts) = list(&mut document.value, part.member) else { return };
    let others = contacts.iter_mut().enumerate().filter(|(at, _)| !changed.contains(at));
    for (_, contact) in others.filter(|(_, contact)| type_of(contact).is_some_and(|id| types.contains(&id))) {
        let Value::Object(members) = &mut contact.value else { continue };
        let relationship = members.iter_mut().find(|(name, _)| name == "relationship");
        if let Some((_, Node { value: Value::Object(members), .. })) = relationship {
            members.retain(|(name, _)| name != "primary");
        }
    }
}

/// The list under a member, which is made where it is absent.
fn list<'t, 'n>(root: &'t mut Value<'n>, member: &'static str) -> Option<&'t mut Vec<Node<'n>>> {
    let Value::Object(members) = root else { return None };
    if !members.iter().any(|(name, _)| name == member) {
        members.push((member.into(), Node::from(Value::Array(Vec::new()))));
    }
    match members.iter_mut().find(|(name, _)| name == member) {
        Some((_, Node { value: Value::Array(elements), .. })) => Some(elements),
        _ => None,
    }
}

fn edit_list<'n>(elements: &mut Vec<Node<'n>>, part: Part, edit: Edit<'_, 'n>) -> Result<usize, Failure> {
    match edit {
        Edit::Add(sent) => {
            if let Some(id) = id_in(&sent, part).filter(|id| index_of(elements, part, id).is_some()) {
                return Err(conflict(format!("the worker has a {} {id} already", part.id_member)));
            }
            elements.push(sent);
            Ok(elements.len().saturating_sub(1))
        }
        Edit::Replace(id, sent) => put(elements, part, id, |_| sent),
        Edit::Merge(id, sent) => put(elements, part, id, |stored| document::merge(stored, sent)),
        Edit::Remove(id) => {
            let index = index_of(elements, part, id).ok_or(Reason::UnknownResource)?;
            elements.remove(index);
            Ok(index)
        }
    }
}

/// Puts another element in the place of that of its id, which it keeps.
fn put<'n>(
    elements: &mut [Node<'n>],
    part: Part,
    id: &str,
    change: impl FnOnce(Node<'n>) -> Node<'n>,
) -> Result<usize, Failure> {
    let index = index_of(elements, part, id).ok_or(Reason::UnknownResource)?;
    if let Some(element) = elements.get_mut(index) {
        let stored = std::mem::replace(element, Node::from(Value::Null));
        *element = document::fill_id(change(stored), part.id_member, id);
        if id_in(element, part).is_some_and(|named| named != id) {
            return Err(other_id(part.id_member));
        }
    }
    Ok(index)
}

fn index_of(elements: &[Node<'_>], part: Part, id: &str) -> Option<usize> {
    elements.iter().position(|element| id_in(element, part) == Some(id))
}

/// The id in the id member of an element.
fn id_in<'t>(element: &'t Node<'_>, part: Part) -> Option<&'t str> {
    element.member(part.id_member)?.as_text()
}
