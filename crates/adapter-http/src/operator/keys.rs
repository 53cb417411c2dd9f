//! The keys of operators (specification §10.12). A key is created and deleted but never changed, so requests
//! need no `If-Match`.

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_domain::id::OperatorKeyId;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::Listing;
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_keys::{KeyCreationOutcome, OperatorKey};
use payroll_ports::secrets::new_operator_key;

use super::call::OperatorCall;
use super::response::{self, CreatedResponse};
use crate::shared::error::Failure;
use crate::shared::etag::combine_versions;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::media_type::JSON;
use crate::shared::refusal;

/// The error for a browser session that creates a key. The key would remain valid after the session ends.
const SESSION_CANNOT_CREATE_KEY: &str =
    "a browser session cannot create operator keys; send an operator key in the header Authorization";

/// Handles a request for `GET /operator/v1/keys`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let page = call.page()?;
    let keys = call.store().operator_keys().await?;
    let version = keys.iter().fold(0_i64, |sum, key| sum.wrapping_add(key_version(key)));
    let listing = Listing::from_all(keys, version, page.window_for_response(call.incoming.is_head()));
    response::collection_response(&call, page, listing, |key| document::write_operator_key(key, None))
}

/// Handles a request for `POST /operator/v1/keys`.
pub(super) async fn create(mut call: OperatorCall) -> HandlerResult {
    if call.caller.session.is_some() {
        return Err(Violation::new(Reason::NotAuthorized, SESSION_CANNOT_CREATE_KEY).into());
    }
    call.check_media_types(&[JSON])?;
    let body = call.body().await?;
    call.run_with_idempotency(&body, async |guard| create_key(&call, &body, guard).await).await
}

/// Handles a request for `GET /operator/v1/keys/{keyId}`.
pub(super) async fn get_key(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id: OperatorKeyId = call.id("keyId")?;
    let found = call.store().operator_keys().await?.into_iter().find(|key| key.key_id == id);
    let key: OperatorKey = found.ok_or(Reason::UnknownResource)?;
    response::single_response(&call, key_version(&key), document::write_operator_key(&key, None))
}

/// Handles a request for `DELETE /operator/v1/keys/{keyId}`.
pub(super) async fn delete(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id: OperatorKeyId = call.id("keyId")?;
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    if call.commit(async move { store.revoke_operator_key(&id, &audit).await }).await? {
        Ok(response::no_content_response())
    } else {
        Err(Reason::UnknownResource.into())
    }
}

/// Stores a new key. Only this response shows the value of the key.
async fn create_key(call: &OperatorCall, body: &Bytes, guard: &Arc<InFlightGuard>) -> HandlerResult {
    let document = call.incoming.read_document(body, |node| document::read_operator_key(&node)).await?;
    let api = &call.incoming.api;
    let value = new_operator_key(api.randomness.as_ref());
    let key = OperatorKey {
        key_id: call.new_ids().next_id(),
        name: document.name,
        operator_name: document.operator_name,
        role: document.role,
        company_ids: document.company_ids,
        created: api.now(),
        expires: document.expires,
        last_used: None,
    };
    require_future_expiry(&key)?;
    let write = |value| document::write_operator_key(&key, value);
    let creation = CreatedResponse::new(call, key.key_id.as_str(), &write(Some(&value)), &write(None))?;
    let version = key_version(&key);
    let (store, audit) =
        (Arc::clone(&api.store), call.audit_context(guard.response_record(creation.stored_response())));
    let hash = SecretHash::from_secret(&value);
    let outcome = guard.commit(async move { store.create_operator_key(&key, &hash, &audit).await }).await?;
    reject_failed_creation(outcome)?;
    creation.send_created(version)
}

/// Returns the version of a key, computed from the times of its creation and its last use. Only the last use
/// changes.
fn key_version(key: &OperatorKey) -> i64 {
    let used = key.last_used.map_or(0, Timestamp::as_micros);
    combine_versions(used, key.created.as_micros())
}

/// Verifies that the key expires after its creation.
///
/// # Errors
/// 400 API-48 if the key would already be expired.
fn require_future_expiry(key: &OperatorKey) -> Result<(), Violation> {
    if key.is_valid_at(key.created) {
        return Ok(());
    }
    let problem = format!("expiresDate must be in the future, after {}", key.created);
    Err(Violation::new(Reason::FieldInvalid, problem)
        .at_position("/expiresDate", DocumentPosition::default()))
}

fn reject_failed_creation(outcome: KeyCreationOutcome) -> Result<(), Failure> {
    match outcome {
        KeyCreationOutcome::Stored => Ok(()),
        KeyCreationOutcome::Taken => {
            Err(refusal::conflict_failure("another key has that name, or one that looks the same"))
        }
        KeyCreationOutcome::OperatorLooksTheSame => Err(refusal::conflict_failure(
            "another key belongs to an operator whose name looks the same; write operatorName as that key does",
        )),
        KeyCreationOutcome::RecordLost => Err(idempotency::superseded_failure()),
    }
}
