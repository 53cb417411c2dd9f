//! The differences between the operator API and the partner API in the operations on elements of workers'
//! lists.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violation;
use payroll_domain::worker::WorkerList;
use payroll_ports::idempotency::{ResponseRecord, StoredResponse};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::ObjectKey;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::incoming::IncomingRequest;
use crate::shared::precondition::IfMatch;

/// An operation on a worker's list or on one of its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementOperation {
    /// GET of one element.
    Read,
    /// POST of one element to the worker's list.
    Create,
    /// POST to the worker's list, with one element or several elements.
    CreateSeveral,
    /// PUT of one element.
    Replace,
    /// PATCH of one element.
    Patch,
    /// PATCH of the worker's list, which changes several elements. The ids in the body identify the elements.
    PatchList,
    /// DELETE of one element.
    Delete,
}

/// A request of a partner or of an operator for an element of a worker's list. Each API implements this trait
/// with its own rules.
pub(crate) trait ElementRequest {
    /// The rules of this API, for use in the transaction that changes the worker.
    type Rules: ElementRules;

    fn incoming(&self) -> &IncomingRequest;

    /// Returns a generator of ids for new elements of the worker's list.
    fn new_ids(&self) -> IdSequence;

    /// Returns the actor of the change and the conditions under which the change is committed.
    fn audit_context(&self, response_record: Option<ResponseRecord>) -> AuditContext;

    /// Returns the rules of this API for the request.
    fn rules(&self) -> Self::Rules;

    /// Validates the query and the media types of the request.
    ///
    /// # Errors
    /// 400 API-40 for the query, 415 API-415 for the media type of the body, or 406 API-75 for the accepted
    /// media types. Each API determines the order of these validations.
    async fn validate_query_and_media_types(&mut self, operation: ElementOperation) -> Result<(), Failure>;

    /// Returns the company id and the worker id that identify the worker in the path.
    ///
    /// # Errors
    /// 404 API-7 if the text is not a valid id.
    async fn worker_key(&self) -> Result<ObjectKey, Failure>;

    /// Returns the element id in the path.
    ///
    /// # Errors
    /// 404 API-7 if the text is not a valid id.
    async fn element_id(&self, part: WorkerList) -> Result<String, Failure>;

    /// Returns the versions that the request's `If-Match` accepts.
    ///
    /// # Errors
    /// 428 API-428 if the header is required and missing, 400 API-40 if the header is malformed.
    fn if_match(&self) -> Result<IfMatch, Failure>;

    /// Reads the body of the request.
    ///
    /// # Errors
    /// 413 API-413 if the body is too large, 408 API-408 if the body arrives too slowly, and 400 API-40 if
    /// the body ends early. 429 API-429 or 503 API-503 if there is no memory for the body.
    async fn body(&mut self) -> Result<Bytes, Failure>;

    /// Reads the worker from the store.
    ///
    /// # Errors
    /// 404 API-7 if the worker is unknown. If the caller has no access, the error depends on the API.
    async fn read(&self, key: &ObjectKey) -> Result<Versioned<Resource>, Failure>;

    /// Returns `result` unchanged if it is a success. If it is a failure and the caller cannot read the
    /// worker, the caller gets the error of [`Self::read`] instead. The failure therefore does not reveal
    /// that the worker exists.
    ///
    /// # Errors
    /// The errors of [`Self::read`], otherwise the failure in `result`.
    async fn hide_from_callers_without_access<T>(
        &self,
        key: &ObjectKey,
        result: Result<T, Failure>,
    ) -> Result<T, Failure>;

    /// Executes a POST once for each idempotency key.
    ///
    /// # Errors
    /// The errors of the idempotency key and of `handler`.
    async fn run_with_idempotency(
        &self,
        body: &Bytes,
        handler: impl AsyncFnOnce(&Arc<InFlightGuard>) -> HandlerResult,
    ) -> HandlerResult;

    /// Creates the response to a GET of one element.
    fn single_response(&self, version: i64, content: String) -> HandlerResult;

    /// Creates the response to a POST.
    fn created_response(
        &self,
        version: i64,
        created: <Self::Rules as ElementRules>::Created,
    ) -> HandlerResult;

    /// Creates the response to a PUT or PATCH.
    fn changed_response(&self, version: i64, content: &str) -> HandlerResult;

    /// Creates the response to a DELETE. `remaining` contains the remaining elements, serialized as JSON.
    fn deleted_response(&self, version: i64, remaining: &[String]) -> HandlerResult;
}

/// A request to an API in which one request can change several elements of a list.
pub(crate) trait ElementListRequest: ElementRequest {
    /// Creates the response to a PATCH of the list. `contents` contains the changed elements.
    fn changed_list_response(&self, version: i64, contents: &[String]) -> HandlerResult;
}

/// An element of a worker's list, before and after a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ElementChange<'t, 'n> {
    /// The operation that the request asks for, such as PATCH of one element.
    pub(crate) operation: ElementOperation,
    /// The element of the worker's list before the change; `None` for a new element.
    pub(crate) before: Option<&'t Node<'n>>,
    /// The element of the worker's list after the change; `None` if the element is deleted.
    pub(crate) after: Option<&'t Node<'n>>,
    /// The other elements of the worker's list.
    pub(crate) others: &'t [&'t Node<'n>],
    /// All elements of the worker's list before the request.
    pub(crate) stored: &'t [Node<'n>],
}

/// An element after the request was applied, before it is validated.
#[derive(Debug)]
pub(crate) struct ElementRevision<'t, 'n> {
    /// The element of the worker's list before the change; `None` for a new element.
    pub(crate) before: Option<&'t Node<'n>>,
    /// The element of the worker's list after the change.
    pub(crate) after: Node<'n>,
    /// All elements of the worker's list, with null at the position of the changed element.
    pub(crate) others: &'t [Node<'n>],
}

impl<'t> ElementChange<'t, '_> {
    /// Returns the text of a member of the changed element; `None` if the member is missing or not a text.
    pub(crate) fn text(&self, member: &str) -> Option<&'t str> {
        self.after?.member(member)?.as_text()
    }
}

/// An element of a worker's list as a request contains it: complete, or as a merge patch.
#[derive(Debug)]
pub(crate) struct SentElement<'t, 'n> {
    /// The list of the worker that contains the element, such as the contacts.
    pub(crate) part: WorkerList,
    /// The operation that the request asks for, such as PATCH of one element.
    pub(crate) operation: ElementOperation,
    /// The stored element that is changed; `None` for a new element.
    pub(crate) stored: Option<&'t Node<'n>>,
    /// The complete element or the merge patch in the request.
    pub(crate) node: Node<'n>,
}

/// The rules of one API, in the transaction that changes the worker.
pub(crate) trait ElementRules: Clone + Send + 'static {
    /// The data from which the response to a POST is created when the worker's version is known.
    type Created: Send + 'static;

    /// Whether an empty object is rejected with a separate fault (API-52).
    const REJECTS_EMPTY: bool;

    /// Removes the members that this API ignores from an element. Faults that cannot be found after the
    /// removal are added to `faults`.
    fn retain_accepted_members<'n>(&self, sent: SentElement<'_, 'n>, faults: &mut Vec<Violation>)
    -> Node<'n>;

    /// Returns the element as it will be stored. The API may add members.
    fn complete_element<'n>(&self, revision: ElementRevision<'_, 'n>) -> Node<'n> {
        revision.after
    }

    /// Returns the faults that only this API reports, with pointers into the body.
    fn find_faults(&self, change: ElementChange<'_, '_>) -> Vec<Violation>;

    /// Converts a fault of the element to the error code that this API uses.
    fn map_fault(&self, fault: Violation) -> Violation;

    /// Returns the elements of the worker's list as this API shows them, each with its id.
    ///
    /// # Errors
    /// [`Failure::Bug`] if an element cannot be serialized.
    fn serialize_elements(
        &self,
        part: WorkerList,
        worker: &Resource,
    ) -> Result<Vec<(String, String)>, Failure>;

    /// Composes the response to a POST from the new elements and their ids. Returns the response to store for
    /// the idempotency key and the data for the response to send.
    ///
    /// # Errors
    /// [`Failure::Bug`] if the response cannot be serialized.
    fn compose_created_response(
        &self,
        elements: &[(String, String)],
    ) -> Result<(StoredResponse, Self::Created), Failure>;
}
