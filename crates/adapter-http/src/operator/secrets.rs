//! The secrets of an application (specification §10.10). A secret is created and deleted but never changed,
//! so requests need no version.

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_domain::id::{ApplicationId, SecretId};
use payroll_ports::Listing;
use payroll_ports::secrets::new_secret;

use super::answer::{self, Creation};
use super::applications::{after_finding, application_id, read};
use super::call::OperatorCall;
use crate::shared::handled::Handled;
use crate::shared::idempotency::Lease;
use crate::shared::refusal;

/// GET /operator/v1/applications/{applicationId}/secrets.
pub(super) async fn list(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let id = application_id(&call)?;
    let page = after_finding(&call, &id, call.page()).await?;
    let found = read(&call, &id).await?;
    let window = page.window(call.incoming.is_head());
    let listing = Listing::of(found.value.secrets, found.version, window);
    answer::collection(&call, page, listing, move |(secret_id, created)| {
        document::secret(&id, (secret_id, *created), None)
    })
}

/// POST /operator/v1/applications/{applicationId}/secrets.
pub(super) async fn create(mut call: OperatorCall) -> Handled {
    call.answers_json()?;
    let id = application_id(&call)?;
    let body = call.empty_body().await;
    let body = after_finding(&call, &id, body).await?;
    call.once(&body, async |lease| make(&call, &id, lease).await).await
}

/// GET /operator/v1/applications/{applicationId}/secrets/{secretId}.
pub(super) async fn one(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let (id, secret_id): (ApplicationId, SecretId) = (application_id(&call)?, call.id("secretId")?);
    let found = read(&call, &id).await?.value.secrets.into_iter().find(|(known, _)| *known == secret_id);
    let (_, created): (SecretId, Timestamp) = found.ok_or(Reason::UnknownResource)?;
    answer::one(&call, created.as_micros(), document::secret(&id, (&secret_id, created), None))
}

/// DELETE /operator/v1/applications/{applicationId}/secrets/{secretId}.
pub(super) async fn delete(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let (id, secret_id): (ApplicationId, SecretId) = (application_id(&call)?, call.id("secretId")?);
    let (store, by) = (Arc::clone(&call.incoming.api.store), call.by(None));
    let dropped = call.commit(async move { store.drop_secret(&id, &secret_id, &by).await }).await?;
    dropped.map_err(refusal::of_application)?;
    Ok(answer::nothing())
}

/// Stores a new secret. Its value is shown only in this response.
async fn make(call: &OperatorCall, id: &ApplicationId, lease: &Arc<Lease>) -> Handled {
    let api = &call.incoming.api;
    let (value, secret) = new_secret(api.clock.as_ref(), api.randomness.as_ref());
    let write = |value| document::secret(id, (&secret.secret_id, secret.created), value);
    let creation = Creation::new(call, secret.secret_id.as_str(), &write(Some(&value)), &write(None))?;
    let version = secret.created.as_micros();
    let (id, store, by) = (id.clone(), Arc::clone(&api.store), call.by(lease.kept(creation.kept())));
    let made = lease.commit(async move { store.add_secret(&id, &secret, &by).await }).await?;
    made.map_err(refusal::of_application)?;
    creation.send(version)
}
