//! What an operator's handler is given: the request, who sent it, and the ids in its path.
//!
//! A handler goes in the order of judgement (specification §10.4): media types, ids, `If-Match`, body,
//! document, store. A fault that is found before the store is queried is reported only where the object
//! exists, see [`OperatorCall::after_company`].

use std::future::Future;
use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::audit::Actor;
use payroll_domain::code::Reason;
use payroll_domain::document::{self, TaxIds};
use payroll_domain::id::{CompanyId, Id};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::operator_key::{OperatorKey, OperatorRole, OperatorSession};
use payroll_domain::resource::ResourceKind;
use payroll_ports::idempotency::KeptAnswer;
use payroll_ports::write::By;
use payroll_ports::{Store, StoreError, id_sequence};

use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::{self, Lease, Outcome};
use crate::shared::incoming::Incoming;
use crate::shared::media_type::JSON;
use crate::shared::page::Page;
use crate::shared::route_table::PathIds;

/// A request of an operator who may make it.
pub(crate) struct OperatorCall {
    pub(crate) incoming: Incoming,
    pub(crate) caller: OperatorCaller,
    pub(crate) ids: PathIds,
}

/// Who uses the operator's side.
#[derive(Debug, Clone)]
pub(crate) struct OperatorCaller {
    /// By whom its changes are made.
    pub(crate) actor: Actor,
    /// Whose idempotency keys its own are.
    pub(crate) owner: String,
    /// What it may do.
    pub(crate) role: OperatorRole,
    /// The only companies that it reaches; `None`: all.
    pub(crate) company_ids: Option<Vec<CompanyId>>,
    /// The session of a browser that calls.
    pub(crate) session: Option<OperatorSession>,
    /// The key that was sent.
    pub(crate) key: Option<OperatorKey>,
}

impl OperatorCall {
    pub(crate) fn store(&self) -> &dyn Store {
        self.incoming.api.store.as_ref()
    }

    /// An id in the path.
    ///
    /// # Errors
    /// 404 API-7 for a text that can be the id of nothing.
    pub(crate) fn id<K>(&self, name: &str) -> Result<Id<K>, Failure> {
        self.ids.get(name).ok_or_else(|| Reason::UnknownResource.into())
    }

    /// The company in the path.
    ///
    /// # Errors
    /// 404 API-7 for a text that can be the id of none.
    pub(crate) fn company_id(&self) -> Result<CompanyId, Failure> {
        self.id("companyId")
    }

    /// Whether the caller takes JSON.
    ///
    /// # Errors
    /// 406 API-75 for another media type.
    pub(crate) fn answers_json(&self) -> Result<(), Failure> {
        self.incoming.negotiate(&[JSON])?;
        Ok(())
    }

    /// Whether the body is in one of these media types, and the caller takes JSON.
    ///
    /// # Errors
    /// 415 API-415, then 406 API-75.
    pub(crate) fn takes(&self, accepted: &[&str]) -> Result<(), Failure> {
        self.incoming.check_content_type(accepted)?;
        self.answers_json()
    }

    /// The page that is requested.
    ///
    /// # Errors
    /// 400 API-40 for an invalid parameter.
    pub(crate) fn page(&self) -> Result<Page, Failure> {
        Ok(Page::read(&self.incoming.query())?)
    }

    /// Reads the body of the request.
    ///
    /// # Errors
    /// 413 API-413, 408 API-408, 400 API-40 and 503 API-503.
    pub(crate) async fn body(&mut self) -> Result<Bytes, Failure> {
        self.incoming.document(Reason::BodyTooLarge).await
    }

    /// Reads a body of at most that many bytes, regardless of the limit of the settings.
    ///
    /// # Errors
    /// The same as those of [`Self::body`].
    pub(crate) async fn large_body(&mut self, max_bytes: usize) -> Result<Bytes, Failure> {
        self.incoming.large_document(max_bytes).await
    }

    /// Reads the body of a request that has nothing to say: none at all, or an empty object.
    ///
    /// # Errors
    /// 415 API-415, those of [`Self::body`], 400 for what says something.
    pub(crate) async fn empty_body(&mut self) -> Result<Bytes, Failure> {
        let body = self.body().await?;
        if !body.is_empty() {
            self.incoming.check_content_type(&[JSON])?;
            self.incoming.read_document(&body, |node| document::read_nothing(&node)).await?;
        }
        Ok(body)
    }

    /// Executes a POST that creates something, once for each idempotency key.
    ///
    /// # Errors
    /// The same as those of [`idempotency::once`].
    pub(crate) async fn once(&self, body: &Bytes, make: impl AsyncFnOnce(&Arc<Lease>) -> Handled) -> Handled {
        idempotency::once(&self.incoming, &self.caller.owner, body, make).await
    }

    /// Runs a change that takes no idempotency key, to its end whether or not the caller waits.
    ///
    /// # Errors
    /// What the store says; a bug.
    pub(crate) async fn commit<T: Outcome>(
        &self,
        change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, Failure> {
        idempotency::without_key(&self.incoming).commit(change).await
    }

    /// Lets a fault speak only where the company exists.
    ///
    /// # Errors
    /// 404 API-7, else the fault.
    pub(crate) async fn after_company<T>(
        &self,
        company_id: &CompanyId,
        judged: Result<T, Failure>,
    ) -> Result<T, Failure> {
        if judged.is_err() {
            self.exists(company_id, ResourceKind::Company, company_id.as_str()).await?;
        }
        judged
    }

    /// Whether there is such an object.
    ///
    /// # Errors
    /// 404 API-7 for an unknown object.
    pub(crate) async fn exists(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<(), Failure> {
        let found = self.store().resource(company_id, kind, id).await?;
        found.map(|_| ()).ok_or_else(|| Reason::UnknownResource.into())
    }

    /// By whom and when a change is made, and what is kept with it.
    pub(crate) fn by(&self, kept: Option<KeptAnswer>) -> By {
        By::new(self.caller.actor.clone(), self.incoming.api.now(), kept)
    }

    /// Generates ids for new objects.
    pub(crate) fn new_ids(&self) -> IdSequence {
        let api = &self.incoming.api;
        id_sequence(api.clock.as_ref(), api.randomness.as_ref())
    }

    /// How the caller sees tax identities of persons and what else is personal.
    pub(crate) const fn tax_ids(&self) -> TaxIds {
        match self.caller.role {
            OperatorRole::Support => TaxIds::Support,
            OperatorRole::Auditor => TaxIds::Masked,
            OperatorRole::Administrator | OperatorRole::Payroll if self.caller.session.is_some() => {
                TaxIds::Masked
            }
            OperatorRole::Administrator | OperatorRole::Payroll => TaxIds::Whole,
        }
    }

    /// The only companies that lists show to the caller; `None`: all.
    pub(crate) fn within(&self) -> Option<&[CompanyId]> {
        self.caller.company_ids.as_deref()
    }

    /// Whether the company exists for the caller.
    pub(crate) fn reaches(&self, company_id: &CompanyId) -> bool {
        self.within().is_none_or(|ids| ids.contains(company_id))
    }
}
