//! Reveals tax identities that are masked in a browser session (specification §10.25).

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::kind::Reference;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::Violation;

use super::call::OperatorCall;
use super::response;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::response::from_stored;

/// Handles `POST …/reveal-taxid` requests for a company.
pub(super) async fn reveal_company_tax_id(call: OperatorCall) -> HandlerResult {
    reveal_object(call, ResourceKind::Company).await
}

/// Handles `POST …/reveal-taxid` requests for a worker.
pub(super) async fn reveal_worker_tax_id(call: OperatorCall) -> HandlerResult {
    reveal_object(call, ResourceKind::Worker).await
}

/// Reveals a tax identity. Each disclosure adds an entry to the audit log. No response is stored for an
/// idempotency key, because the response contains the tax identity.
async fn reveal_object(mut call: OperatorCall, kind: ResourceKind) -> HandlerResult {
    call.check_client_accepts_json()?;
    let company_id = call.company_id()?;
    let id = call.id::<Reference>(kind.id_member())?.to_string();
    let key = idempotency::validate_key_without_record(&call.incoming).map_err(Failure::from);
    call.prefer_company_not_found(&company_id, key).await?;
    let body = call.read_empty_body().await;
    call.prefer_company_not_found(&company_id, body).await?;
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let reading = async move { store.reveal_tax_id(&company_id, kind, &id, &audit).await };
    let legal_id = call.commit(reading).await?.ok_or_else(no_tax_id_failure)?;
    from_stored(response::create_stored_response(
        200,
        &document::write_tax_id(&legal_id),
        vec![response::link_to_request(&call)],
    )?)
}

fn no_tax_id_failure() -> Failure {
    Violation::new(Reason::UnknownResource, "there is no such object, or it has no tax identity").into()
}
