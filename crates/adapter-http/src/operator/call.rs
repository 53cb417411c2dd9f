//! The input of an operator's handler: the request, the caller, and the ids in the path.
//!
//! A handler validates in a fixed order (specification §10.4): media types, ids, `If-Match`, body, document,
//! store. If a fault is found before the store is queried, the handler first checks that the object exists.
//! For an unknown object, the handler returns 404 instead of the fault
//! ([`OperatorCall::prefer_company_not_found`]).

use std::future::Future;
use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::audit::Actor;
use payroll_domain::code::Reason;
use payroll_domain::document::{self, TaxIdMasking};
use payroll_domain::id::{CompanyId, Id};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::operator_key::{OperatorKey, OperatorRole, OperatorSession};
use payroll_domain::resource::ResourceKind;
use payroll_ports::idempotency::ResponseRecord;
use payroll_ports::write::AuditContext;
use payroll_ports::{Store, StoreError, id_sequence};

use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard, StoreOutcome};
use crate::shared::incoming::IncomingRequest;
use crate::shared::media_type::JSON;
use crate::shared::page::RequestedPage;
use crate::shared::route_table::PathIds;

/// An authorized request of an operator.
pub(crate) struct OperatorCall {
    pub(crate) incoming: IncomingRequest,
    pub(crate) caller: OperatorCaller,
    pub(crate) ids: PathIds,
}

/// The caller of an operation: an operator or the command line.
#[derive(Debug, Clone)]
pub(crate) struct OperatorCaller {
    /// The actor that the audit log records for the caller's changes.
    pub(crate) actor: Actor,
    /// The owner of the caller's idempotency keys.
    pub(crate) owner: String,
    /// The role of the caller.
    pub(crate) role: OperatorRole,
    /// The companies that the caller may access; `None` means all.
    pub(crate) company_ids: Option<Vec<CompanyId>>,
    /// The browser session, if the caller uses one.
    pub(crate) session: Option<OperatorSession>,
    /// The operator key, if the caller sent one.
    pub(crate) key: Option<OperatorKey>,
}

impl OperatorCall {
    pub(crate) fn store(&self) -> &dyn Store {
        self.incoming.api.store.as_ref()
    }

    /// Returns the id with this name in the path.
    ///
    /// # Errors
    /// 404 API-7 if the text is not a valid id.
    pub(crate) fn id<K>(&self, name: &str) -> Result<Id<K>, Failure> {
        self.ids.get(name).ok_or_else(|| Reason::UnknownResource.into())
    }

    /// Returns the id of the company in the path.
    ///
    /// # Errors
    /// 404 API-7 if the text is not a valid id.
    pub(crate) fn company_id(&self) -> Result<CompanyId, Failure> {
        self.id("companyId")
    }

    /// Verifies that the client accepts JSON.
    ///
    /// # Errors
    /// 406 API-75 if the client accepts only other media types.
    pub(crate) fn check_client_accepts_json(&self) -> Result<(), Failure> {
        self.incoming.negotiate(&[JSON])?;
        Ok(())
    }

    /// Verifies that the body has one of these media types and that the client accepts JSON.
    ///
    /// # Errors
    /// 415 API-415 for the media type of the body, then 406 API-75 if the client does not accept JSON.
    pub(crate) fn check_media_types(&self, accepted: &[&str]) -> Result<(), Failure> {
        self.incoming.check_content_type(accepted)?;
        self.check_client_accepts_json()
    }

    /// Reads the page parameters of the query.
    ///
    /// # Errors
    /// 400 API-40 for an invalid parameter.
    pub(crate) fn page(&self) -> Result<RequestedPage, Failure> {
        Ok(RequestedPage::read(&self.incoming.query())?)
    }

    /// Reads the body of the request.
    ///
    /// # Errors
    /// 413 API-413 if the body is too large, 408 API-408 if it arrives too slowly, 400 API-40 if it ends
    /// early, and 503 API-503 if there is no memory for it.
    pub(crate) async fn body(&mut self) -> Result<Bytes, Failure> {
        self.incoming.read_document_body(Reason::BodyTooLarge).await
    }

    /// Reads a body of at most `max_bytes`, or of the setting for bodies if that is larger.
    ///
    /// # Errors
    /// Returns the errors of [`Self::body`].
    pub(crate) async fn read_large_body(&mut self, max_bytes: usize) -> Result<Bytes, Failure> {
        self.incoming.read_large_document_body(max_bytes).await
    }

    /// Reads the body of a request without content: it must be empty or an empty object.
    ///
    /// # Errors
    /// 415 API-415, the errors of [`Self::body`], and 400 if the object has members.
    pub(crate) async fn read_empty_body(&mut self) -> Result<Bytes, Failure> {
        let body = self.body().await?;
        if !body.is_empty() {
            self.incoming.check_content_type(&[JSON])?;
            self.incoming.read_document(&body, |node| document::require_empty_document(&node)).await?;
        }
        Ok(body)
    }

    /// Executes a POST once for each idempotency key.
    ///
    /// # Errors
    /// Returns the errors of [`idempotency::run_with_idempotency`].
    pub(crate) async fn run_with_idempotency(
        &self,
        body: &Bytes,
        handler: impl AsyncFnOnce(&Arc<InFlightGuard>) -> HandlerResult,
    ) -> HandlerResult {
        idempotency::run_with_idempotency(&self.incoming, &self.caller.owner, body, handler).await
    }

    /// Runs a change without an idempotency key. The change completes even if the client disconnects.
    ///
    /// # Errors
    /// The error of the store, or [`Failure::Bug`] if the change panics.
    pub(crate) async fn commit<T: StoreOutcome>(
        &self,
        change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, Failure> {
        idempotency::guard_without_record(&self.incoming).commit(change).await
    }

    /// Returns `result` unchanged, except if `result` is a fault and the company is unknown. In that case,
    /// returns the error for the unknown company instead of the fault.
    ///
    /// # Errors
    /// 404 API-7 if the company is unknown, otherwise the fault.
    pub(crate) async fn prefer_company_not_found<T>(
        &self,
        company_id: &CompanyId,
        result: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if result.is_err() {
            self.require_object(company_id, ResourceKind::Company, company_id.as_str()).await?;
        }
        result
    }

    /// Verifies that the object exists.
    ///
    /// # Errors
    /// 404 API-7 if the object is unknown.
    pub(crate) async fn require_object(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<(), Failure> {
        let found = self.store().resource(company_id, kind, id).await?;
        found.map(|_| ()).ok_or_else(|| Reason::UnknownResource.into())
    }

    /// Returns the actor and the time of a change. `response_record` is the response for the idempotency key,
    /// which is stored in the same transaction.
    pub(crate) fn audit_context(&self, response_record: Option<ResponseRecord>) -> AuditContext {
        AuditContext::new(self.caller.actor.clone(), self.incoming.api.now(), response_record)
    }

    /// Returns a generator of ids for new objects.
    pub(crate) fn new_ids(&self) -> IdSequence {
        let api = &self.incoming.api;
        id_sequence(api.clock.as_ref(), api.randomness.as_ref())
    }

    /// Returns whether tax identities and other personal data are masked in responses to the caller.
    pub(crate) const fn tax_id_masking(&self) -> TaxIdMasking {
        match self.caller.role {
            OperatorRole::Support => TaxIdMasking::Support,
            OperatorRole::Auditor => TaxIdMasking::Masked,
            OperatorRole::Administrator | OperatorRole::Payroll if self.caller.session.is_some() => {
                TaxIdMasking::Masked
            }
            OperatorRole::Administrator | OperatorRole::Payroll => TaxIdMasking::Unmasked,
        }
    }

    /// Returns the companies that lists show to the caller; `None` means all.
    pub(crate) fn visible_companies(&self) -> Option<&[CompanyId]> {
        self.caller.company_ids.as_deref()
    }

    /// Whether the caller may access the company.
    pub(crate) fn may_access(&self, company_id: &CompanyId) -> bool {
        self.visible_companies().is_none_or(|ids| ids.contains(company_id))
    }
}
