//! Elements of a worker's lists, such as pay rates, in the operator API: the handler for GET of a list, and
//! the rules for changes. The handlers of the other operations are shared with partners
//! ([`shared::objects::parts`](crate::shared::objects::parts)).

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::document;
use payroll_domain::id::kind::Reference;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::violation::Violation;
use payroll_domain::worker::WorkerList;
use payroll_ports::Listing;
use payroll_ports::idempotency::{ResponseRecord, StoredResponse};
use payroll_ports::resources::Versioned;
use payroll_ports::write::AuditContext;

use super::call::OperatorCall;
use super::response::{self, CreatedResponse};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::incoming::IncomingRequest;
use crate::shared::media_type::{JSON, MERGE_PATCH};
use crate::shared::objects::side::{
    ElementChange, ElementOperation, ElementRequest, ElementRevision, ElementRules, SentElement,
};
use crate::shared::objects::{ObjectKey, account};
use crate::shared::precondition::IfMatch;

/// Handles GET of a list of a worker, such as the pay rates.
pub(super) async fn list_elements(call: OperatorCall, part: WorkerList) -> HandlerResult {
    call.check_client_accepts_json()?;
    let key = ObjectKey::from_call(&call, ResourceKind::Worker)?;
    let page = key.prefer_not_found(&call, call.page()).await?;
    let found = key.read_object(&call).await?;
    let elements = document::write_list_elements(&found.value, part.member, part.id_member);
    let all = elements.into_iter().map(|(_, content)| content).collect();
    let listing = Listing::from_all(all, found.version, page.window_for_response(false));
    response::collection_response(&call, page, listing, String::clone)
}

impl ElementRequest for OperatorCall {
    type Rules = OperatorRules;

    fn incoming(&self) -> &IncomingRequest {
        &self.incoming
    }

    fn new_ids(&self) -> IdSequence {
        Self::new_ids(self)
    }

    fn audit_context(&self, response_record: Option<ResponseRecord>) -> AuditContext {
        self.audit_context(response_record)
    }

    fn rules(&self) -> OperatorRules {
        OperatorRules { address: response::request_address(self) }
    }

    async fn validate_query_and_media_types(&mut self, operation: ElementOperation) -> Result<(), Failure> {
        match operation {
            ElementOperation::Create | ElementOperation::CreateSeveral | ElementOperation::Replace => {
                self.check_media_types(&[JSON])
            }
            ElementOperation::Patch | ElementOperation::PatchList => {
                self.check_media_types(&[MERGE_PATCH, JSON])
            }
            ElementOperation::Read | ElementOperation::Delete => self.check_client_accepts_json(),
        }
    }

    async fn worker_key(&self) -> Result<ObjectKey, Failure> {
        ObjectKey::from_call(self, ResourceKind::Worker)
    }

    async fn element_id(&self, part: WorkerList) -> Result<String, Failure> {
        Ok(self.id::<Reference>(part.id_member)?.to_string())
    }

    fn if_match(&self) -> Result<IfMatch, Failure> {
        IfMatch::read_required(self.incoming.headers())
    }

    async fn body(&mut self) -> Result<Bytes, Failure> {
        Self::body(self).await
    }

    async fn read(&self, key: &ObjectKey) -> Result<Versioned<Resource>, Failure> {
        key.read_object(self).await
    }

    async fn hide_from_callers_without_access<T>(
        &self,
        key: &ObjectKey,
        result: Result<T, Failure>,
    ) -> Result<T, Failure> {
        key.prefer_not_found(self, result).await
    }

    async fn run_with_idempotency(
        &self,
        body: &Bytes,
        handler: impl AsyncFnOnce(&Arc<InFlightGuard>) -> HandlerResult,
    ) -> HandlerResult {
        Self::run_with_idempotency(self, body, handler).await
    }

    fn single_response(&self, version: i64, content: String) -> HandlerResult {
        response::single_response(self, version, content)
    }

    fn created_response(&self, version: i64, created: CreatedResponse) -> HandlerResult {
        created.send_created(version)
    }

    fn changed_response(&self, version: i64, content: &str) -> HandlerResult {
        response::changed_response(self, version, content)
    }

    fn deleted_response(&self, _: i64, _: &[String]) -> HandlerResult {
        Ok(response::no_content_response())
    }
}

/// The rules of the operator API. Documents are parsed strictly, and responses show the elements as they are
/// stored.
#[derive(Debug, Clone)]
pub(crate) struct OperatorRules {
    /// The URL of the request.
    address: String,
}

impl ElementRules for OperatorRules {
    type Created = CreatedResponse;
    const REJECTS_EMPTY: bool = false;

    fn retain_accepted_members<'n>(&self, sent: SentElement<'_, 'n>, _: &mut Vec<Violation>) -> Node<'n> {
        sent.node
    }

    fn complete_element<'n>(
        &self,
        ElementRevision { before, mut after, .. }: ElementRevision<'_, 'n>,
    ) -> Node<'n> {
        if let Some(before) = before {
            account::unmask_account_number(before, &mut after);
        }
        after
    }

    fn find_faults(&self, _: ElementChange<'_, '_>) -> Vec<Violation> {
        Vec::new()
    }

    fn map_fault(&self, fault: Violation) -> Violation {
        fault
    }

    fn serialize_elements(
        &self,
        part: WorkerList,
        worker: &Resource,
    ) -> Result<Vec<(String, String)>, Failure> {
        Ok(document::write_list_elements(worker, part.member, part.id_member))
    }

    fn compose_created_response(
        &self,
        elements: &[(String, String)],
    ) -> Result<(StoredResponse, CreatedResponse), Failure> {
        let [(id, content)] = elements else {
            return Err(Failure::Bug("send one element: operators create one element per request".into()));
        };
        let creation = CreatedResponse::in_collection(&self.address, id, content, content)?;
        Ok((creation.stored_response().clone(), creation))
    }
}
