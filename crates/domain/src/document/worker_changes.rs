//! Reads and applies a document that changes many workers at once (specification §10.21). The document
//! contains patches of workers, and elements of their lists to add or change. Data that is not in the
//! document does not change.
//!
//! A worker who is in the document but not in storage is new. An element of a list is identified by its id.
//! An element without an id is identified by its key members if exactly one stored element has the same key.
//! Otherwise the element is new.

mod part_list;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use self::part_list::{EditedList, PATCHABLE_LISTS, PatchableList, WORKER_ID_MEMBER};
use super::resource::{
    fill_missing_ids, merge_documents, read_resource_document, reuse_ids, to_resource_node,
};
use crate::code::Reason;
use crate::id::WorkerId;
use crate::input::{Node, Value};
use crate::object::values;
use crate::resource::{Resource, ResourceKind};
use crate::violation::{DocumentPosition, MAX_FAULTS, Violation, Violations};
use crate::worker::Worker;

/// The maximum number of elements in each list of a document. This number is enough for the workers of a
/// large company. The stored data of 10,000 workers needs some tens of megabytes of memory.
pub const MAX_CHANGES: usize = 10_000;

/// The name of the member that contains the patches of workers.
const WORKERS_MEMBER: &str = "workers";
/// Returns the ids of the workers in a document of changes, each once, in the order of
/// [`apply_worker_changes`]. Workers with a patch come first. Faults of the document are not reported here.
///
/// ```
/// use payroll_domain::{document, input};
/// let changes = input::parse(br#"{"payRates": [{"workerId": "W-2"}], "workers": [{"workerId": "W-1"}]}"#).unwrap();
/// assert_eq!(document::read_changed_worker_ids(&changes), ["W-1".parse().unwrap(), "W-2".parse().unwrap()]);
/// ```
#[must_use]
pub fn read_changed_worker_ids(node: &Node<'_>) -> Vec<WorkerId> {
    ChangeDocument::read(node, &mut FaultList::default())
        .worker_changes
        .into_iter()
        .map(|it| it.worker_id)
        .collect()
}

/// Applies a document of changes to the stored workers. Returns the changed workers in the order of
/// [`read_changed_worker_ids`]. `next_id` creates ids for new objects without one.
///
/// # Errors
/// Returns every fault, each with its pointer into the document of changes, as for
/// [`read_resource_document`].
///
/// ```
/// use payroll_domain::{document, input};
/// let changes = input::parse(
///     br#"{"workers": [{"workerId": "W-1", "workerType": "EMPLOYEE",
///                       "name": {"givenName": "Ann", "familyName": "Sample"}}],
///          "payRates": [{"workerId": "W-1", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE",
///                        "amount": "20", "startDate": "2026-01-01"}]}"#,
/// );
/// let mut ids = ["ID-1"].iter().map(ToString::to_string);
/// let mut next_id = || ids.next().unwrap();
/// let workers = document::apply_worker_changes(&changes.unwrap(), vec![], &mut next_id).unwrap();
/// assert_eq!(workers[0].pay_rates[0].rate_id.as_str(), "ID-1");
/// ```
pub fn apply_worker_changes(
    node: &Node<'_>,
    stored: Vec<Worker>,
    next_id: &mut dyn FnMut() -> String,
) -> Result<Vec<Worker>, Violations> {
    let mut faults = FaultList::default();
    let changes = ChangeDocument::read(node, &mut faults);
    let mut stored: HashMap<String, Worker> =
        stored.into_iter().map(|worker| (worker.worker_id.to_string(), worker)).collect();
    let mut workers = Vec::with_capacity(changes.worker_changes.len());
    for change in changes.worker_changes {
        // One response reports at most [`MAX_FAULTS`] faults, so the remaining workers are not processed.
        if faults.0.len() > MAX_FAULTS {
            break;
        }
        let found = stored.remove(change.worker_id.as_str());
        workers.extend(change.apply_change(found, next_id, &mut faults));
    }
    Violations::from_faults(faults.0).map_or(Ok(workers), Err)
}

/// The faults that were found so far.
#[derive(Default)]
struct FaultList(Vec<Violation>);

impl FaultList {
    fn add(&mut self, reason: Reason, at: u32, pointer: String, description: impl Into<String>) {
        // One fault more than the maximum of a response is stored, so that the response can report that there
        // are more.
        if self.0.len() <= MAX_FAULTS {
            self.0.push(
                Violation::new(reason, description).at_position(pointer, DocumentPosition { at, rank: 0 }),
            );
        }
    }
}

/// A document of changes, grouped by worker.
#[derive(Default)]
struct ChangeDocument<'n> {
    worker_changes: Vec<WorkerChange<'n>>,
    index_by_id: HashMap<&'n str, usize>,
}

struct WorkerChange<'n> {
    worker_id: WorkerId,
    patch: Option<Element<'n>>,
    parts: Vec<(PatchableList, Element<'n>)>,
}

/// An element of a list in the document.
#[derive(Clone, Copy)]
struct Element<'n> {
    index: usize,
    node: &'n Node<'n>,
}

impl<'n> ChangeDocument<'n> {
    fn read(node: &'n Node<'n>, faults: &mut FaultList) -> Self {
        let mut changes = Self::default();
        let Value::Object(members) = &node.value else {
            faults.add(Reason::FieldInvalid, node.at, String::new(), "the document must be an object");
            return changes;
        };
        let known = || std::iter::once(WORKERS_MEMBER).chain(PATCHABLE_LISTS.iter().map(|part| part.list));
        for (name, node) in members.iter().filter(|(name, _)| !known().any(|it| it == name)) {
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            faults.add(Reason::FieldInvalid, node.at, pointer, "the member is unknown");
        }
        for element in read_elements(members, WORKERS_MEMBER, faults) {
            changes.add_element(WORKERS_MEMBER, None, element, faults);
        }
        for part in PATCHABLE_LISTS {
            for element in read_elements(members, part.list, faults) {
                changes.add_element(part.list, Some(part), element, faults);
            }
        }
        changes
    }

    fn add_element(
        &mut self,
        list: &'static str,
        part: Option<PatchableList>,
        element: Element<'n>,
        faults: &mut FaultList,
    ) {
        let Element { index, node } = element;
        let place = || format!("/{list}/{index}");
        let Value::Object(members) = &node.value else {
            return faults.add(Reason::FieldInvalid, node.at, place(), "the value must be an object");
        };
        let id = members
            .iter()
            .find(|(name, node)| name == WORKER_ID_MEMBER && !node.value.is_null_or_empty_text());
        let Some((_, id)) = id else {
            let description = format!("{WORKER_ID_MEMBER} is missing");
            return faults.add(
                Reason::FieldMissing,
                node.end,
                format!("{}/{WORKER_ID_MEMBER}", place()),
                description,
            );
        };
        let worker_id = match (values::read_id(id), &id.value) {
            (Ok(worker_id), Value::Text(text)) => (worker_id, text.as_ref()),
            (Ok(_), _) => return,
            (Err(fault), _) => {
                let description = format!("{WORKER_ID_MEMBER} {}", fault.description);
                return faults.add(
                    fault.reason,
                    id.at,
                    format!("{}/{WORKER_ID_MEMBER}", place()),
                    description,
                );
            }
        };
        match (part, self.find_or_add_worker(worker_id)) {
            (Some(part), change) => change.parts.push((part, element)),
            (None, change) if change.patch.is_none() => change.patch = Some(element),
            (None, _) => {
                let pointer = format!("{}/{WORKER_ID_MEMBER}", place());
                let description = format!("{WORKER_ID_MEMBER} occurs more than once in the list");
                faults.add(Reason::FieldAmbiguous, id.at, pointer, description);
            }
        }
    }

    /// Returns the changes of the given worker. Creates an empty entry if the worker has none.
    fn find_or_add_worker(&mut self, (worker_id, text): (WorkerId, &'n str)) -> &mut WorkerChange<'n> {
        let next = self.worker_changes.len();
        let place = *self.index_by_id.entry(text).or_insert(next);
        if place == next {
            self.worker_changes.push(WorkerChange { worker_id, patch: None, parts: Vec::new() });
        }
        // The worker's entry exists, because a missing entry was just added.
        #[expect(clippy::indexing_slicing, reason = "each place that is noted is that of an element")]
        &mut self.worker_changes[place]
    }
}

/// Returns the elements of a list in the document. Adds a fault if the member is ambiguous, too long or not a
/// list.
fn read_elements<'n>(
    members: &'n [(std::borrow::Cow<'n, str>, Node<'n>)],
    list: &'static str,
    faults: &mut FaultList,
) -> Vec<Element<'n>> {
    let mut found = members.iter().filter(|(name, _)| name == list).map(|(_, node)| node);
    let Some(first) = found.next() else { return Vec::new() };
    if found.next().is_some() {
        faults.add(Reason::FieldAmbiguous, first.at, format!("/{list}"), format!("{list} occurs twice"));
        return Vec::new();
    }
    let invalid = match &first.value {
        Value::Null => return Vec::new(),
        Value::Array(elements) if elements.len() > MAX_CHANGES => {
            format!("{list} may have at most {MAX_CHANGES} elements")
        }
        Value::Array(elements) => {
            return elements.iter().enumerate().map(|(index, node)| Element { index, node }).collect();
        }
        Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Object(_) => {
            format!("{list} must be an array")
        }
    };
    faults.add(Reason::FieldInvalid, first.at, format!("/{list}"), invalid);
    Vec::new()
}

/// The elements of the change document, by their position in the patched worker: the name of the list and the
/// index in the list.
type ElementsByPosition<'n> = HashMap<(&'static str, usize), Element<'n>>;

impl<'n> WorkerChange<'n> {
    /// Returns the changed worker. If the worker has faults, adds them to `faults` and returns `None`.
    fn apply_change(
        &self,
        stored: Option<Worker>,
        next_id: &mut dyn FnMut() -> String,
        faults: &mut FaultList,
    ) -> Option<Worker> {
        if stored.is_none() && self.patch.is_none() {
            for (part, element) in &self.parts {
                let pointer = format!("/{}/{}/{WORKER_ID_MEMBER}", part.list, element.index);
                let description = format!("there is no worker with the id {}", self.worker_id);
                faults.add(Reason::FieldInvalid, element.node.at, pointer, description);
            }
            return None;
        }
        let stored = stored.map_or_else(
            || Node::from(Value::Object(Vec::new())),
            |worker| to_resource_node(&Resource::Worker(Box::new(worker))),
        );
        let merged = match self.patch {
            Some(patch) => merge_documents(stored.clone(), patch.node.clone()),
            None => stored.clone(),
        };
        let mut root = reuse_ids(ResourceKind::Worker, merged, &stored).value;
        let before = faults.0.len();
        let placed = self.add_parts_to_lists(&mut root, faults);
        let worker = fill_missing_ids(ResourceKind::Worker, Node::from(root), next_id);
        match read_resource_document(ResourceKind::Worker, &worker) {
            Ok(Resource::Worker(worker)) => (faults.0.len() == before).then_some(*worker),
            Ok(_) => None,
            Err(found) => {
                for fault in found {
                    let (at, pointer) =
                        self.translate_pointer(fault.pointer.as_deref().unwrap_or_default(), &placed);
                    faults.add(fault.reason, at, pointer, fault.description);
                }
                None
            }
        }
    }

    /// Adds the elements to the lists of the worker, and returns the position of each element in those lists.
    fn add_parts_to_lists(&self, root: &mut Value<'n>, faults: &mut FaultList) -> ElementsByPosition<'n> {
        let mut placed = ElementsByPosition::new();
        for part in PATCHABLE_LISTS {
            let own =
                || self.parts.iter().filter(|(it, _)| it.list == part.list).map(|(_, element)| *element);
            // A patch may have replaced the list by a value of another type. The reader of the worker then
            // reports the fault.
            let Some(mut list) = own().next().and_then(|_| EditedList::take_from_document(root, part)) else {
                continue;
            };
            for element in own() {
                let changed =
                    list.upsert(element.node).and_then(|index| match placed.entry((part.list, index)) {
                        Entry::Vacant(free) => {
                            free.insert(element);
                            Ok(())
                        }
                        Entry::Occupied(other) => Err(format!(
                            "the element changes the same object as /{}/{}",
                            part.list,
                            other.get().index
                        )),
                    });
                if let Err(description) = changed {
                    let pointer = format!("/{}/{}", part.list, element.index);
                    faults.add(Reason::FieldAmbiguous, element.node.at, pointer, description);
                }
            }
            list.put_back_into_document(root);
        }
        placed
    }

    /// Translates a pointer into the worker's document to a pointer into the document of changes. Also
    /// returns the position that determines the order of the fault.
    fn translate_pointer(&self, pointer: &str, placed: &ElementsByPosition<'_>) -> (u32, String) {
        for part in PATCHABLE_LISTS {
            let Some(inside) = pointer.strip_prefix('/').and_then(|it| it.strip_prefix(part.list)) else {
                continue;
            };
            let inside = inside.strip_prefix('/').unwrap_or_default();
            let (index, rest) = inside.find('/').map_or((inside, ""), |slash| inside.split_at(slash));
            let index = index.parse().ok();
            if let Some(element) = index.and_then(|index| placed.get(&(part.list, index))) {
                return (element.node.at, format!("/{}/{}{rest}", part.list, element.index));
            }
        }
        match (self.patch, self.parts.first()) {
            (Some(patch), _) => (patch.node.at, format!("/{WORKERS_MEMBER}/{}{pointer}", patch.index)),
            // The fault is in a stored element that the change document does not contain. A change in the
            // document caused the fault, so it is reported at that change.
            (None, Some((part, element))) => (element.node.at, format!("/{}/{}", part.list, element.index)),
            (None, None) => (0, String::new()),
        }
    }
}

#[cfg(test)]
mod tests;
