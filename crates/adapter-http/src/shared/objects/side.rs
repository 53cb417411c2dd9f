//! The differences between the operators' and the partners' side of the operations on parts of workers.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violation;
use payroll_ports::idempotency::{Answer, KeptAnswer};
use payroll_ports::resources::Versioned;
use payroll_ports::write::By;

use super::{ObjectKey, Part};
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::Lease;
use crate::shared::incoming::Incoming;
use crate::shared::precondition::IfMatch;

/// An operation on the elements of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// GET of one element.
    Read,
    /// POST to the list.
    Create,
    /// POST of several elements to the list, or of one.
    CreateSeveral,
    /// PUT of one element.
    Replace,
    /// PATCH of one element.
    Patch,
    /// PATCH of the list: changes several elements, which name themselves by their ids.
    PatchList,
    /// DELETE of one element.
    Delete,
}

/// A request of one side, and what the side decides about it.
pub(crate) trait Side {
    /// What the side decides in the transaction that changes the worker.
    type Rules: Rules;

    fn incoming(&self) -> &Incoming;

    /// Generates ids for new elements.
    fn new_ids(&self) -> IdSequence;

    /// Who makes the change, and the conditions on which it is committed.
    fn audit(&self, kept: Option<KeptAnswer>) -> By;

    /// The rules of the side for this request.
    fn rules(&self) -> Self::Rules;

    /// Checks the query and the media types of the request.
    ///
    /// # Errors
    /// 400 API-40, 415 API-415, 406 API-75, in the order of the side.
    async fn begin(&mut self, operation: Operation) -> Result<(), Failure>;

    /// The worker in the path.
    ///
    /// # Errors
    /// 404 API-7 for a text that is no id.
    async fn worker(&self) -> Result<ObjectKey, Failure>;

    /// The id of the element in the path.
    ///
    /// # Errors
    /// 404 API-7 for a text that is no id.
    async fn part_id(&self, part: Part) -> Result<String, Failure>;

    /// The version that the request expects.
    ///
    /// # Errors
    /// 428 API-428 where the side requires `If-Match`, 400 API-40 for a malformed one.
    fn if_match(&self) -> Result<IfMatch, Failure>;

    /// Reads the body of the request.
    ///
    /// # Errors
    /// 413 API-413, 408 API-408, 400 API-40 and 503 API-503.
    async fn body(&mut self) -> Result<Bytes, Failure>;

    /// Reads the worker from the store.
    ///
    /// # Errors
    /// 404 API-7, and where the caller has no access.
    async fn read(&self, key: &ObjectKey) -> Result<Versioned<Resource>, Failure>;

    /// Reports a fault of the request only to a caller who may know that the worker exists.
    ///
    /// # Errors
    /// Those of [`Self::read`], else the fault.
    async fn after_finding<T>(&self, key: &ObjectKey, checked: Result<T, Failure>) -> Result<T, Failure>;

    /// Executes a POST once for each idempotency key.
    ///
    /// # Errors
    /// Those of the idempotency key and of `make`.
    async fn once(&self, body: &Bytes, make: impl AsyncFnOnce(&Arc<Lease>) -> Handled) -> Handled;

    /// The response to GET of one element.
    fn one(&self, version: i64, content: String) -> Handled;

    /// The response to POST.
    fn created(&self, version: i64, created: <Self::Rules as Rules>::Created) -> Handled;

    /// The response to PUT and PATCH.
    fn changed(&self, version: i64, content: &str) -> Handled;

    /// The response to DELETE. `rest` are the elements that are left.
    fn deleted(&self, version: i64, rest: &[String]) -> Handled;
}

/// A side on which one request can change several elements of a list.
pub(crate) trait ListSide: Side {
    /// The response to PATCH of the list. `contents` are the changed elements.
    fn changed_list(&self, version: i64, contents: &[String]) -> Handled;
}

/// An element of a list that is being changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementChange<'t, 'n> {
    /// The operation of the request.
    pub(crate) operation: Operation,
    /// The element before the change; `None` for a new one.
    pub(crate) before: Option<&'t Node<'n>>,
    /// The element after the change; `None` if it is deleted.
    pub(crate) after: Option<&'t Node<'n>>,
    /// The other elements of the list.
    pub(crate) others: &'t [&'t Node<'n>],
    /// All elements of the list before the request.
    pub(crate) stored: &'t [Node<'n>],
}

/// An element with the request over it, before it is read.
#[derive(Debug)]
pub(crate) struct Revision<'t, 'n> {
    /// The element before the change; `None` for a new one.
    pub(crate) before: Option<&'t Node<'n>>,
    /// The element after the change.
    pub(crate) after: Node<'n>,
    /// The list, with nothing in the place of the element.
    pub(crate) others: &'t [Node<'n>],
}

impl<'t> ElementChange<'t, '_> {
    /// A member of the element after the change that is a text.
    pub(crate) fn text(&self, member: &str) -> Option<&'t str> {
        self.after?.member(member)?.as_text()
    }
}

/// An element that was sent, complete or as a patch.
#[derive(Debug)]
pub(crate) struct SentElement<'t, 'n> {
    /// The list that the element belongs to.
    pub(crate) part: Part,
    /// The operation of the request.
    pub(crate) operation: Operation,
    /// The stored element that it changes; `None` for a new one.
    pub(crate) stored: Option<&'t Node<'n>>,
    /// The element or patch that was sent.
    pub(crate) node: Node<'n>,
}

/// What a side decides in the transaction that changes the worker.
pub(crate) trait Rules: Clone + Send + 'static {
    /// The response to POST, before the version is known.
    type Created: Send + 'static;

    /// An object without members is a fault of its own (API-52).
    const REJECTS_EMPTY: bool;

    /// Removes what the side ignores from an element that was sent. Faults that only show before that are added.
    fn accepted<'n>(&self, sent: SentElement<'_, 'n>, faults: &mut Vec<Violation>) -> Node<'n>;

    /// The element as it is stored, which a side may complete.
    fn revised<'n>(&self, revision: Revision<'_, 'n>) -> Node<'n> {
        revision.after
    }

    /// The faults that only this side reports. Pointers are into the body.
    fn faults(&self, change: ElementChange<'_, '_>) -> Vec<Violation>;

    /// A fault of the element, with the code that this side gives it.
    fn fault(&self, fault: Violation) -> Violation;

    /// The elements of the worker's list, each with its id, as the side shows them.
    ///
    /// # Errors
    /// A bug: an element cannot be written.
    fn elements(&self, part: Part, worker: &Resource) -> Result<Vec<(String, String)>, Failure>;

    /// The response to POST with the new elements, each with its id, and what is kept of it under the idempotency
    /// key.
    ///
    /// # Errors
    /// A bug: the response cannot be written.
    fn created(&self, elements: &[(String, String)]) -> Result<(Answer, Self::Created), Failure>;
}
