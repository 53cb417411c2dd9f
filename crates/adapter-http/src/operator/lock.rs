//! The lock of a company (specification §10.8).

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::company::Lock;
use payroll_domain::document;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::ResourceKind;
use payroll_domain::violation::Violation;
use payroll_ports::resources::{CompanyLock, Locking};
use serde_json::json;

use super::answer;
use super::call::OperatorCall;
use crate::shared::answer::send;
use crate::shared::error::{Failure, unknown_company};
use crate::shared::handled::Handled;
use crate::shared::idempotency;
use crate::shared::media_type::JSON;
use crate::shared::refusal;

/// GET /operator/v1/companies/{companyId}/lock.
pub(super) async fn one(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let company_id = call.company_id()?;
    let lock = call.store().lock_of(&company_id, call.incoming.api.now()).await?;
    let lock = lock.ok_or(Reason::UnknownResource)?.ok_or_else(not_locked)?;
    show(&call, &lock)
}

/// PUT /operator/v1/companies/{companyId}/lock.
pub(super) async fn put(mut call: OperatorCall) -> Handled {
    call.takes(&[JSON])?;
    let company_id = call.company_id()?;
    let judged = wanted(&mut call).await;
    let lock = call.after_company(&company_id, judged).await?;
    let (store, by, sent) = (Arc::clone(&call.incoming.api.store), call.by(None), lock.clone());
    let lease = idempotency::without_key(&call.incoming);
    let locking = lease.commit(async move { store.lock(&company_id, &sent, &by).await }).await?;
    done(locking)?;
    show(&call, &CompanyLock::Operator(lock))
}

/// DELETE /operator/v1/companies/{companyId}/lock.
pub(super) async fn delete(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let company_id: CompanyId = call.company_id()?;
    let (store, by) = (Arc::clone(&call.incoming.api.store), call.by(None));
    let lease = idempotency::without_key(&call.incoming);
    done(lease.commit(async move { store.unlock(&company_id, &by).await }).await?)?;
    Ok(answer::nothing())
}

/// The requested lock of the caller.
async fn wanted(call: &mut OperatorCall) -> Result<Lock, Failure> {
    let body = call.body().await?;
    let holder = call.caller.actor.name.clone();
    call.incoming.read_document(&body, move |node| document::read_lock(&node, &holder)).await
}

fn done(locking: Locking) -> Result<(), Failure> {
    match locking {
        Locking::Done => Ok(()),
        Locking::UnknownCompany => Err(unknown_company().into()),
        Locking::Held(lock) => Err(refusal::conflict(refusal::held(&lock))),
        Locking::NotLocked => Err(not_locked()),
        Locking::MarkLost => Err(idempotency::overtaken()),
    }
}

/// 404 API-7: the company is not locked.
fn not_locked() -> Failure {
    Violation::new(Reason::UnknownResource, "the company is not locked").into()
}

fn show(call: &OperatorCall, lock: &CompanyLock) -> Handled {
    let content = match lock {
        CompanyLock::Operator(lock) => document::write_lock(lock),
        CompanyLock::Processing(period) => {
            json!({ ResourceKind::PayPeriod.id_member(): period.as_str() }).to_string()
        }
    };
    send(answer::whole(200, &content, vec![answer::own(call)])?)
}
