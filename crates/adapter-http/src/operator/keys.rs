//! The keys of operators (specification §10.12). A key comes and goes and is never changed, so that
//! no version of it has to be named.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::OperatorKeyId;
use payroll_domain::violation::Violation;
use payroll_ports::Listing;
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_keys::{KeyMade, OperatorKey};
use payroll_ports::secrets::new_operator_key;

use super::answer::{self, Creation};
use super::call::OperatorCall;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::{self, Lease};
use crate::shared::media_type::JSON;
use crate::shared::refusal;

/// A browser that is left open must not create a key that outlives its session.
const NEEDS_KEY: &str = "a session of a browser does not create an operator key; send an operator key in the header Authorization";

/// GET /operator/v1/keys.
pub(super) async fn list(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let page = call.page()?;
    let keys = call.store().operator_keys().await?;
    // The sum of the instants of creation, which changes when a key comes or goes.
    let version = keys.iter().fold(0_i64, |sum, key| sum.wrapping_add(key.created.as_micros()));
    let listing = Listing::of(keys, version, page.window(call.incoming.is_head()));
    answer::collection(&call, page, listing, |key| document::operator_key(key, None))
}

/// POST /operator/v1/keys.
pub(super) async fn create(mut call: OperatorCall) -> Handled {
    if call.caller.session.is_some() {
        return Err(Violation::new(Reason::NotAuthorized, NEEDS_KEY).into());
    }
    call.takes(&[JSON])?;
    let body = call.body().await?;
    call.once(&body, async |lease| make(&call, &body, lease).await).await
}

/// GET /operator/v1/keys/{keyId}.
pub(super) async fn one(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let id: OperatorKeyId = call.id("keyId")?;
    let found = call.store().operator_keys().await?.into_iter().find(|key| key.key_id == id);
    let key: OperatorKey = found.ok_or(Reason::UnknownResource)?;
    answer::one(&call, key.created.as_micros(), document::operator_key(&key, None))
}

/// DELETE /operator/v1/keys/{keyId}.
pub(super) async fn delete(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let id: OperatorKeyId = call.id("keyId")?;
    let (store, by) = (Arc::clone(&call.incoming.api.store), call.by(None));
    if call.commit(async move { store.revoke_operator_key(&id, &by).await }).await? {
        Ok(answer::nothing())
    } else {
        Err(Reason::UnknownResource.into())
    }
}

/// Stores a new key, whose value is shown in this response and in no other.
async fn make(call: &OperatorCall, body: &Bytes, lease: &Arc<Lease>) -> Handled {
    let wanted = call.incoming.read_document(body, |node| document::read_operator_key(&node)).await?;
    let api = &call.incoming.api;
    let value = new_operator_key(api.randomness.as_ref());
    let key = OperatorKey {
        key_id: call.new_ids().next_id(),
        name: wanted.name,
        read_only: wanted.read_only,
        created: api.now(),
    };
    let write = |value| document::operator_key(&key, value);
    let creation = Creation::new(call, key.key_id.as_str(), &write(Some(&value)), &write(None))?;
    let version = key.created.as_micros();
    let (store, by) = (Arc::clone(&api.store), call.by(lease.kept(creation.kept())));
    let hash = SecretHash::of(&value);
    let made = lease.commit(async move { store.create_operator_key(&key, &hash, &by).await }).await?;
    stored(made)?;
    creation.send(version)
}

fn stored(made: KeyMade) -> Result<(), Failure> {
    match made {
        KeyMade::Stored => Ok(()),
        KeyMade::Taken => Err(refusal::conflict("another key has that name, or one that looks the same")),
        KeyMade::MarkLost => Err(idempotency::overtaken()),
    }
}
