//! Changing an object in the transaction that reads it: what is stored and what was sent are validated together,
//! and no other write comes in between.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_domain::input::Node;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::resources::{Edit, Edited, Refusal, Written};
use payroll_ports::write::By;
use tokio::sync::oneshot;

use crate::shared::error::Failure;
use crate::shared::idempotency::Lease;
use crate::shared::incoming::Incoming;
use crate::shared::precondition::IfMatch;
use crate::shared::refusal;

/// A request to change an object.
#[derive(Debug, Clone)]
pub(crate) struct ChangeRequest {
    pub(crate) company_id: CompanyId,
    pub(crate) kind: ResourceKind,
    pub(crate) id: String,
    pub(crate) if_match: IfMatch,
    pub(crate) body: Bytes,
    pub(crate) by: By,
}

impl ChangeRequest {
    /// Stores what `change` makes of the stored object and the document in the body, to its end whether or
    /// not the caller waits. What `change` returns in addition comes back with what became of it.
    ///
    /// # Errors
    /// 404 API-7, 412 API-412, 400 for a body that is no JSON, those of `change`, and what the store says.
    pub(crate) async fn carry_out<T: Send + 'static>(
        self,
        incoming: &Incoming,
        lease: &Arc<Lease>,
        change: impl FnOnce(Resource, Node<'_>) -> Result<(Edited, T), Failure> + Send + 'static,
    ) -> Result<(Written, T), Failure> {
        let (sender, mut judged) = oneshot::channel();
        let Self { company_id, kind, id, if_match, body, by } = self;
        let api = Arc::clone(&incoming.api);
        let edit: Edit = Box::new(move |stored| {
            Box::pin(async move {
                let read = move |sent: Node<'_>| change(stored.value, sent);
                let changed = match if_match.admits(stored.version) {
                    true => api.large_work.read(body, read).await,
                    false => Err(Reason::PreconditionFailed.into()),
                };
                let (edited, said) = match changed {
                    Ok((edited, said)) => (Some(edited), Ok(said)),
                    Err(failure) => (None, Err(failure)),
                };
                // Who no longer waits has gone away.
                let _ = sender.send(said);
                edited
            })
        });
        let store = Arc::clone(&incoming.api.store);
        let written = lease.commit(async move { store.edit(&company_id, (kind, &id), edit, &by).await });
        match (written.await?, judged.try_recv()) {
            (Written::Refused(Refusal::Declined), Ok(Err(failure))) => Err(failure),
            (written, Ok(Ok(said))) => Ok((written, said)),
            (Written::Refused(why), _) => Err(refusal::failure(why, incoming.api.now())),
            (Written::Stored(_), _) => Err(Failure::Bug("an edit was stored and not validated".into())),
        }
    }
}
