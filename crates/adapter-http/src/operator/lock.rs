//! The lock of a company (specification §10.8).

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::company::Lock;
use payroll_domain::document;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::Violation;
use payroll_ports::resources::{CompanyLock, LockOutcome};
use serde_json::json;

use super::call::OperatorCall;
use super::response;
use crate::shared::error::{Failure, unknown_company_fault};
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::media_type::JSON;
use crate::shared::refusal;
use crate::shared::response::from_stored;

/// Handles a request for `GET /operator/v1/companies/{companyId}/lock`.
pub(super) async fn get_lock(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let company_id = call.company_id()?;
    let lock = call.store().read_lock(&company_id, call.incoming.api.now()).await?;
    let lock = lock.ok_or(Reason::UnknownResource)?.ok_or_else(not_locked_failure)?;
    lock_response(&call, &lock)
}

/// Handles a request for `PUT /operator/v1/companies/{companyId}/lock`.
pub(super) async fn put_lock(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let company_id = call.company_id()?;
    let validated = read_requested_lock(&mut call).await;
    let lock = call.prefer_company_not_found(&company_id, validated).await?;
    let (store, audit, sent) = (Arc::clone(&call.incoming.api.store), call.audit_context(None), lock.clone());
    let guard = idempotency::guard_without_record(&call.incoming);
    let locking = guard.commit(async move { store.lock_company(&company_id, &sent, &audit).await }).await?;
    reject_failed_lock_change(locking)?;
    lock_response(&call, &CompanyLock::Operator(lock))
}

/// Handles a request for `DELETE /operator/v1/companies/{companyId}/lock`.
pub(super) async fn delete(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let company_id: CompanyId = call.company_id()?;
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let guard = idempotency::guard_without_record(&call.incoming);
    reject_failed_lock_change(
        guard.commit(async move { store.unlock_company(&company_id, &audit).await }).await?,
    )?;
    Ok(response::no_content_response())
}

/// Returns the lock that the caller requests.
async fn read_requested_lock(call: &mut OperatorCall) -> Result<Lock, Failure> {
    let body = call.body().await?;
    let holder = call.caller.actor.name.clone();
    let now = call.incoming.api.now();
    call.incoming.read_document(&body, move |node| document::read_lock(&node, &holder, now)).await
}

fn reject_failed_lock_change(outcome: LockOutcome) -> Result<(), Failure> {
    match outcome {
        LockOutcome::Done => Ok(()),
        LockOutcome::UnknownCompany => Err(unknown_company_fault().into()),
        LockOutcome::Held(lock) => Err(refusal::conflict_failure(refusal::locked_message(&lock))),
        LockOutcome::NotLocked => Err(not_locked_failure()),
        LockOutcome::RecordLost => Err(idempotency::superseded_failure()),
    }
}

/// Returns the error 404 API-7, because the company is not locked.
fn not_locked_failure() -> Failure {
    Violation::new(Reason::UnknownResource, "the company is not locked").into()
}

fn lock_response(call: &OperatorCall, lock: &CompanyLock) -> HandlerResult {
    let content = match lock {
        CompanyLock::Operator(lock) => document::write_lock(lock),
        CompanyLock::Processing(period) => {
            json!({ ResourceKind::PayPeriod.id_member(): period.as_str() }).to_string()
        }
    };
    from_stored(response::create_stored_response(200, &content, vec![response::link_to_request(call)])?)
}
