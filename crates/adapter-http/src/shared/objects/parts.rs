//! Elements of a worker's lists with their own paths, such as pay rates (specification §10.7).
//!
//! A change to an element is stored as a change to its worker, in the transaction that reads the worker. Like
//! any other change of a worker, the change creates one version, one audit log entry and the usual events.
//! The `ETag` of an element is the `ETag` of its worker.

use std::collections::HashSet;
use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::input::{Node, Value};
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::{DocumentPosition, Violation, Violations};
use payroll_domain::worker::{MAX_LIST_ELEMENTS, WorkerContact, WorkerList, WorkerPart};
use payroll_ports::idempotency::ResponseRecord;
use payroll_ports::resources::{EditResult, WriteOutcome};

use super::element_positions::ElementPositions;
use super::merged_faults;
use super::side::{
    ElementChange, ElementListRequest, ElementOperation, ElementRequest, ElementRevision, ElementRules,
    SentElement,
};
use super::tree::{self, ElementEdit};
use super::{ObjectKey, parse_object};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;

/// Handles GET of one element of a worker's list.
pub(crate) async fn get_element(mut call: impl ElementRequest, part: WorkerList) -> HandlerResult {
    call.validate_query_and_media_types(ElementOperation::Read).await?;
    let key = call.worker_key().await?;
    let id = call.element_id(part).await?;
    let found = call.read(&key).await?;
    let content = find_serialized_element(&call.rules(), part, &found.value, &id)?;
    call.single_response(found.version, content)
}

/// Handles POST to a worker's list, which creates one element.
pub(crate) async fn create_element(call: impl ElementRequest, part: WorkerList) -> HandlerResult {
    create_in_list(call, part, ElementOperation::Create).await
}

/// Handles POST of several elements to the list. If one element is invalid, the complete request is rejected.
pub(crate) async fn create_elements(call: impl ElementListRequest, part: WorkerList) -> HandlerResult {
    create_in_list(call, part, ElementOperation::CreateSeveral).await
}

async fn create_in_list(
    mut call: impl ElementRequest,
    part: WorkerList,
    operation: ElementOperation,
) -> HandlerResult {
    call.validate_query_and_media_types(operation).await?;
    let key = call.worker_key().await?;
    let body = call.body().await;
    let body = call.hide_from_callers_without_access(&key, body).await?;
    call.run_with_idempotency(&body, async |guard| {
        let (keeping, rules) = (Arc::clone(guard), call.rules());
        let respond = move |worker: &Resource, places: &ElementPositions| {
            let all = rules.serialize_elements(part, worker)?;
            let added: Vec<_> = places.indexes.iter().filter_map(|index| all.get(*index).cloned()).collect();
            let (stored_response, created) = rules.compose_created_response(&added)?;
            Ok((keeping.response_record(&stored_response), created))
        };
        let change = ListChange { key, part, id: String::new(), operation };
        let (version, created) =
            change.execute_change(&call, (IfMatch::Any, body.clone()), guard, respond).await?;
        call.created_response(version, created)
    })
    .await
}

/// Handles PUT of one element of a worker's list.
pub(crate) async fn replace_element(call: impl ElementRequest, part: WorkerList) -> HandlerResult {
    edit_element(call, part, ElementOperation::Replace).await
}

/// Handles PATCH of one element of a worker's list.
pub(crate) async fn patch_element(call: impl ElementRequest, part: WorkerList) -> HandlerResult {
    edit_element(call, part, ElementOperation::Patch).await
}

/// Handles PATCH of the list. If one change is invalid, the complete request is rejected.
pub(crate) async fn patch_list(mut call: impl ElementListRequest, part: WorkerList) -> HandlerResult {
    call.validate_query_and_media_types(ElementOperation::PatchList).await?;
    let key = call.worker_key().await?;
    let sent = match call.if_match() {
        Ok(if_match) => call.body().await.map(|body| (if_match, body)),
        Err(failure) => Err(failure),
    };
    let sent = call.hide_from_callers_without_access(&key, sent).await?;
    let (guard, rules) = (idempotency::guard_without_record(call.incoming()), call.rules());
    let respond = move |worker: &Resource, places: &ElementPositions| {
        let all = rules.serialize_elements(part, worker)?;
        let changed = places.indexes.iter().filter_map(|index| all.get(*index));
        Ok((None, changed.map(|(_, content)| content.clone()).collect::<Vec<_>>()))
    };
    let change = ListChange { key, part, id: String::new(), operation: ElementOperation::PatchList };
    let (version, changed) = change.execute_change(&call, sent, &guard, respond).await?;
    call.changed_list_response(version, &changed)
}

/// Handles DELETE of one element of a worker's list.
pub(crate) async fn delete_element(mut call: impl ElementRequest, part: WorkerList) -> HandlerResult {
    call.validate_query_and_media_types(ElementOperation::Delete).await?;
    let change = ListChange::from_path(&call, part, ElementOperation::Delete).await?;
    let if_match = call.hide_from_callers_without_access(&change.key, call.if_match()).await?;
    let (guard, rules) = (idempotency::guard_without_record(call.incoming()), call.rules());
    let rest = move |worker: &Resource, _: &ElementPositions| {
        let rest = rules.serialize_elements(part, worker)?.into_iter().map(|(_, content)| content);
        Ok((None, rest.collect::<Vec<_>>()))
    };
    let nothing = Bytes::from_static(b"null");
    let (version, rest) = change.execute_change(&call, (if_match, nothing), &guard, rest).await?;
    call.deleted_response(version, &rest)
}

/// Changes the element of a worker's list that the path identifies.
async fn edit_element(
    mut call: impl ElementRequest,
    part: WorkerList,
    operation: ElementOperation,
) -> HandlerResult {
    call.validate_query_and_media_types(operation).await?;
    let change = ListChange::from_path(&call, part, operation).await?;
    let sent = match call.if_match() {
        Ok(if_match) => call.body().await.map(|body| (if_match, body)),
        Err(failure) => Err(failure),
    };
    let sent = call.hide_from_callers_without_access(&change.key, sent).await?;
    let (guard, rules, id) =
        (idempotency::guard_without_record(call.incoming()), call.rules(), change.id.clone());
    let respond = move |worker: &Resource, _: &ElementPositions| {
        Ok((None, find_serialized_element(&rules, part, worker, &id)?))
    };
    let (version, content) = change.execute_change(&call, sent, &guard, respond).await?;
    call.changed_response(version, &content)
}

/// Returns the element with this id, serialized as the API shows it.
fn find_serialized_element(
    rules: &impl ElementRules,
    part: WorkerList,
    worker: &Resource,
    id: &str,
) -> Result<String, Failure> {
    let found = rules.serialize_elements(part, worker)?.into_iter().find(|(own, _)| own == id);
    found.map(|(_, content)| content).ok_or_else(|| Reason::UnknownResource.into())
}

/// A request to change a list of a worker.
struct ListChange {
    key: ObjectKey,
    part: WorkerList,
    /// The id of the element in the path; empty for a new element.
    id: String,
    operation: ElementOperation,
}

impl ListChange {
    async fn from_path(
        call: &impl ElementRequest,
        part: WorkerList,
        operation: ElementOperation,
    ) -> Result<Self, Failure> {
        let key = call.worker_key().await?;
        Ok(Self { key, part, id: call.element_id(part).await?, operation })
    }

    /// Changes the list in the transaction that reads the worker. `respond` receives the worker and the
    /// positions of the changed elements. `respond` returns two values: the response to store for the
    /// idempotency key, and the result of this function.
    async fn execute_change<T: Send + 'static, S: ElementRequest>(
        self,
        call: &S,
        (if_match, body): (IfMatch, Bytes),
        guard: &Arc<InFlightGuard>,
        respond: impl FnOnce(&Resource, &ElementPositions) -> Result<(Option<ResponseRecord>, T), Failure>
        + Send
        + 'static,
    ) -> Result<(i64, T), Failure> {
        let (mut ids, rules) = (call.new_ids(), call.rules());
        let request = self.key.change_request(if_match, body, call.audit_context(None));
        let edit = move |stored: Resource, sent: Node<'_>| {
            let ListEditor { document, positions: places, faults, .. } =
                self.apply_to_document(&rules, &stored, sent)?;
            let object = parse_object(&mut ids, ResourceKind::Worker, document).map_err(|failure| {
                failure.with_changed_faults(|fault| places.relocate_document_fault(&rules, fault))
            });
            let object = merged_faults::merge_faults(faults, object)?;
            let (response_record, response) = respond(&object, &places)?;
            Ok((EditResult { object, response_record }, (places, response)))
        };
        let (written, (places, response)) = request.execute_edit(call.incoming(), guard, edit).await?;
        match places.with_request_pointers(written) {
            WriteOutcome::Stored(version) => Ok((version, response)),
            WriteOutcome::Refused(why) => Err(refusal::write_failure(why, call.incoming().api.now())
                .with_changed_faults(|fault| places.convert_request_fault(&call.rules(), fault))),
        }
    }

    /// Whether the operation accepts a list of elements as body.
    fn accepts_lists(&self) -> bool {
        matches!(self.operation, ElementOperation::PatchList | ElementOperation::CreateSeveral)
    }

    /// Applies the request to the worker's document. The result contains the positions of the changed
    /// elements and the faults that the rules of the API found.
    fn apply_to_document<'n, R: ElementRules>(
        &'n self,
        rules: &R,
        stored: &Resource,
        sent: Node<'n>,
    ) -> Result<ListEditor<'n>, Failure> {
        let before = document::to_resource_node(stored);
        let is_empty = match &sent.value {
            Value::Object(members) => members.is_empty(),
            Value::Array(elements) => self.accepts_lists() && elements.is_empty(),
            _ => false,
        };
        if R::REJECTS_EMPTY && is_empty {
            return Err(Reason::EmptyRequest.into());
        }
        let is_list = self.accepts_lists() && matches!(sent.value, Value::Array(_));
        let is_list = is_list || self.operation == ElementOperation::PatchList;
        let places = ElementPositions { part: self.part, indexes: Vec::new(), is_list };
        let mut edits =
            ListEditor { document: before.clone(), positions: places, ids: Vec::new(), faults: Vec::new() };
        if self.operation == ElementOperation::PatchList {
            edits.patch_elements(rules, sent, &before)?;
            edits.collect_rule_faults(rules, &before, ElementOperation::Patch);
            return Ok(edits);
        }
        if is_list {
            edits.add_elements(rules, sent)?;
            edits.collect_rule_faults(rules, &before, ElementOperation::Create);
            return Ok(edits);
        }
        let (id, part) = (self.id.as_str(), self.part);
        let operation = match self.operation {
            ElementOperation::CreateSeveral => ElementOperation::Create,
            operation => operation,
        };
        let sent =
            SentElement { part, operation, stored: tree::element_with_id(&before, part, id), node: sent };
        let sent = rules.retain_accepted_members(sent, &mut edits.faults);
        let edit = match self.operation {
            ElementOperation::Create | ElementOperation::CreateSeveral => ElementEdit::Add(sent),
            ElementOperation::Replace => ElementEdit::Replace(id, sent),
            ElementOperation::Patch => ElementEdit::Merge(id, sent),
            ElementOperation::Delete => ElementEdit::Remove(id),
            ElementOperation::Read | ElementOperation::PatchList => {
                return Err(Failure::Bug("this operation does not change a single element".into()));
            }
        };
        edits.apply_change(id, edit)?;
        if operation != ElementOperation::Delete {
            edits.complete_last_element(rules, &before);
        }
        edits.collect_rule_faults(rules, &before, operation);
        Ok(edits)
    }
}

/// The document of a worker, while one of its lists is being changed.
struct ListEditor<'n> {
    document: Node<'n>,
    positions: ElementPositions,
    /// The ids of the elements in the request. The id of a new element is empty.
    ids: Vec<String>,
    /// The faults that the rules of the API found, with pointers into the body.
    faults: Vec<Violation>,
}

impl<'n> ListEditor<'n> {
    /// Applies one change to the list.
    fn apply_change(&mut self, id: &str, edit: ElementEdit<'_, 'n>) -> Result<(), Failure> {
        let document = std::mem::replace(&mut self.document, Node::from(Value::Null));
        let (document, index) = tree::apply_edit(document, self.positions.part, edit)?;
        self.document = document;
        self.positions.indexes.push(index);
        self.ids.push(id.to_owned());
        Ok(())
    }

    /// Applies [`ElementRules::complete_element`] to the element that was changed last.
    fn complete_last_element(&mut self, rules: &impl ElementRules, before: &Node<'n>) {
        let part = self.positions.part;
        let (Some(index), Some(id)) = (self.positions.indexes.last(), self.ids.last()) else { return };
        tree::replace_element(&mut self.document, part, *index, |after, others| {
            rules.complete_element(ElementRevision {
                before: tree::element_with_id(before, part, id),
                after,
                others,
            })
        });
    }

    /// Adds the faults of the API's rules. This function runs after all changes, so that the order of the
    /// changes does not matter.
    fn collect_rule_faults(
        &mut self,
        rules: &impl ElementRules,
        before: &Node<'n>,
        operation: ElementOperation,
    ) {
        let (part, deleted) = (self.positions.part, operation == ElementOperation::Delete);
        if part == WorkerContact::LIST && !deleted {
            tree::demote_other_primary_contacts(&mut self.document, part, &self.positions.indexes);
        }
        let elements = tree::list_elements(&self.document, part);
        for (at, (index, id)) in self.positions.indexes.iter().zip(&self.ids).enumerate() {
            let others = elements.iter().enumerate().filter(|(other, _)| deleted || other != index);
            let others: Vec<_> = others.map(|(_, element)| element).collect();
            let faults = rules.find_faults(ElementChange {
                operation,
                before: tree::element_with_id(before, part, id),
                after: if deleted { None } else { elements.get(*index) },
                others: &others,
                stored: tree::list_elements(before, part),
            });
            self.faults
                .extend(faults.into_iter().map(|fault| self.positions.with_element_position(at, fault)));
        }
    }

    /// Adds the elements of the request to the list.
    fn add_elements(&mut self, rules: &impl ElementRules, sent: Node<'n>) -> Result<(), Failure> {
        let (part, operation) = (self.positions.part, ElementOperation::Create);
        let Value::Array(elements) = sent.value else { return Ok(()) };
        // The rules compare each new element with all others, so the limit on elements is verified first.
        if tree::list_elements(&self.document, part).len() + elements.len() > MAX_LIST_ELEMENTS {
            let sentence = format!("{} can have at most {MAX_LIST_ELEMENTS} elements", part.member);
            return Err(Violation::new(Reason::FieldInvalid, sentence).into());
        }
        for (at, node) in elements.into_iter().enumerate() {
            let mut faults = Vec::new();
            let sent = SentElement { part, operation, stored: None, node };
            let element = rules.retain_accepted_members(sent, &mut faults);
            self.faults
                .extend(faults.into_iter().map(|fault| self.positions.with_element_position(at, fault)));
            self.apply_change("", ElementEdit::Add(element))?;
        }
        Ok(())
    }

    /// Applies a list of patches. The id in a patch selects the element to change.
    fn patch_elements(
        &mut self,
        rules: &impl ElementRules,
        sent: Node<'n>,
        before: &Node<'n>,
    ) -> Result<(), Failure> {
        let part = self.positions.part;
        let Value::Array(patches) = sent.value else {
            return Err(Violation::new(Reason::FieldInvalid, "the body must be an array").into());
        };
        let mut ids = HashSet::new();
        let mut unnamed = Vec::new();
        for (at, patch) in patches.into_iter().enumerate() {
            let id = patch.member(part.id_member).and_then(Node::as_text).map(str::to_owned);
            let known = id.filter(|id| tree::element_with_id(&self.document, part, id).is_some());
            let Some(id) = known.filter(|id| ids.insert(id.clone())) else {
                let sentence = format!(
                    "{} must be the id of an element of the worker, and occur once in the request",
                    part.id_member
                );
                let pointer = format!("/{at}/{}", part.id_member);
                unnamed.push(
                    Violation::new(Reason::FieldInvalid, sentence)
                        .at_position(pointer, DocumentPosition::default()),
                );
                continue;
            };
            let stored = tree::element_with_id(&self.document, part, &id);
            let mut faults = Vec::new();
            let patch = SentElement { part, operation: ElementOperation::Patch, stored, node: patch };
            let patch = rules.retain_accepted_members(patch, &mut faults);
            self.faults
                .extend(faults.into_iter().map(|fault| self.positions.with_element_position(at, fault)));
            self.apply_change(&id, ElementEdit::Merge(&id, patch))?;
            self.complete_last_element(rules, before);
        }
        match Violations::from_faults(unnamed) {
            // The faults of other elements are omitted. An unknown element has no position in the list, so
            // its fault cannot be sorted among theirs.
            Some(faults) => Err(faults.into()),
            None => Ok(()),
        }
    }
}
