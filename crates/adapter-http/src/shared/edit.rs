//! Changes an object in the transaction that reads it. No other write can therefore happen between validation
//! and storage.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::audit::ActorKind;
use payroll_domain::code::{Reason, ReasonKind};
use payroll_domain::id::CompanyId;
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::{EditFunction, EditResult, WriteOutcome, WriteRefusal};
use payroll_ports::write::AuditContext;
use tokio::sync::oneshot;

use crate::shared::error::Failure;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::incoming::IncomingRequest;
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;

/// A request to change a stored object: its key, the versions in `If-Match`, the body and the audit context.
#[derive(Debug, Clone)]
pub(crate) struct ChangeRequest {
    pub(crate) company_id: CompanyId,
    pub(crate) kind: ResourceKind,
    pub(crate) id: String,
    pub(crate) if_match: IfMatch,
    pub(crate) body: Bytes,
    pub(crate) audit: AuditContext,
}

impl ChangeRequest {
    /// Applies `change` to the stored object and the document in the body, and stores the result. The change
    /// completes even if the client disconnects. `change` returns the object to store and a value, which is
    /// passed on to the caller of this function.
    ///
    /// # Errors
    /// 404 API-7, 412 API-412, 400 if the body is not JSON, 423 API-10, the errors of `change`, and the error
    /// of the store.
    pub(crate) async fn execute_edit<T: Send + 'static>(
        self,
        incoming: &IncomingRequest,
        guard: &Arc<InFlightGuard>,
        change: impl FnOnce(Resource, Node<'_>) -> Result<(EditResult, T), Failure> + Send + 'static,
    ) -> Result<(WriteOutcome, T), Failure> {
        let (sender, mut validated) = oneshot::channel();
        let Self { company_id, kind, id, if_match, body, audit } = self;
        let api = Arc::clone(&incoming.api);
        let edit: EditFunction = Box::new(move |stored| {
            Box::pin(async move {
                let read = move |sent: Node<'_>| change(stored.value, sent);
                let changed = match if_match.accepts(stored.version) {
                    true => api.blocking_pool.parse(body, read).await,
                    false => Err(Reason::PreconditionFailed.into()),
                };
                let (edited, result) = match changed {
                    Ok((edited, output)) => (Some(edited), Ok(output)),
                    Err(failure) => (None, Err(failure)),
                };
                // `send` fails only if the receiver no longer waits for the result, so the result of `send`
                // is ignored.
                let _ = sender.send(result);
                edited
            })
        });
        let store = Arc::clone(&incoming.api.store);
        let (company, is_partner) = (company_id.clone(), audit.actor.kind == ActorKind::Application);
        let written =
            guard.commit(async move { store.edit_resource(&company_id, (kind, &id), edit, &audit).await });
        match (written.await?, validated.try_recv()) {
            (WriteOutcome::Refused(WriteRefusal::Declined), Ok(Err(failure)))
                if is_partner && kind == ResourceKind::Worker =>
            {
                Err(prefer_locked_failure(incoming, &company, failure).await)
            }
            (WriteOutcome::Refused(WriteRefusal::Declined), Ok(Err(failure))) => Err(failure),
            (written, Ok(Ok(result))) => Ok((written, result)),
            (WriteOutcome::Refused(why), _) => Err(refusal::write_failure(why, incoming.api.now())),
            (WriteOutcome::Stored(_), _) => Err(Failure::Bug("an edit was stored and not validated".into())),
        }
    }
}

/// Replaces the failure of a partner's change of a worker by 423 API-10 if the company is locked and the
/// change breaks a rule. Specification §4.5 defines this order: faults that are found without stored data
/// come before the lock, and violations of rules come after it.
pub(crate) async fn prefer_locked_failure(
    incoming: &IncomingRequest,
    company_id: &CompanyId,
    failure: Failure,
) -> Failure {
    let needs_no_data = [Reason::EmptyRequest, Reason::InvalidParameter];
    let reasons = failure.reasons();
    let is_rule = |reason: &Reason| reason.kind() == ReasonKind::Fault && !needs_no_data.contains(reason);
    if !reasons.iter().any(is_rule) {
        return failure;
    }
    let now = incoming.api.now();
    match incoming.api.store.read_lock(company_id, now).await {
        Ok(Some(Some(lock))) => refusal::locked_failure(&lock, now),
        Ok(_) => failure,
        Err(error) => error.into(),
    }
}
