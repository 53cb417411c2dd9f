//! The secrets and public keys of an application (specification §10.10). Secrets and keys are created and
//! deleted but never changed, so requests need no `If-Match`.

use std::sync::Arc;

use actix_web::web::Bytes;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{PUBLIC_KEY_LENGTH, VerifyingKey};
use payroll_domain::application::ApplicationSecret;
use payroll_domain::client_key::ClientKey;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::{ApplicationId, SecretId};
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::Listing;
use payroll_ports::applications::{ApplicationRefusal, thumbprint};
use payroll_ports::secrets::{new_public_key, new_secret};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::rand::SystemRandom;

use super::applications::{application_id, load_application, prefer_application_not_found};
use super::call::OperatorCall;
use super::response::{self, CreatedResponse};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::media_type::JSON;
use crate::shared::refusal;

/// The first byte of an uncompressed point of an elliptic curve (SEC 1, section 2.3.3).
const UNCOMPRESSED_POINT: u8 = 4;

/// Handles a request for `GET /operator/v1/applications/{applicationId}/secrets`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id = application_id(&call)?;
    let page = prefer_application_not_found(&call, &id, call.page()).await?;
    let found = load_application(&call, &id).await?;
    let window = page.window_for_response(call.incoming.is_head());
    let listing = Listing::from_all(found.value.secrets, found.version, window);
    response::collection_response(&call, page, listing, move |secret| {
        document::write_secret(&id, secret, None)
    })
}

/// Handles a request for `POST /operator/v1/applications/{applicationId}/secrets`.
pub(super) async fn create(mut call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id = application_id(&call)?;
    let body = read_body(&mut call).await;
    let (body, key) = prefer_application_not_found(&call, &id, body).await?;
    call.run_with_idempotency(&body, async |guard| create_secret(&call, (&id, key), guard).await).await
}

/// Returns the body, and the public key in the body. Without a public key, the server generates a secret.
async fn read_body(call: &mut OperatorCall) -> Result<(Bytes, Option<ClientKey>), Failure> {
    let body = call.body().await?;
    if body.is_empty() {
        return Ok((body, None));
    }
    call.incoming.check_content_type(&[JSON])?;
    let sent = call.incoming.read_document(&body, |node| document::read_secret(&node)).await?;
    let Some(sent) = sent else { return Ok((body, None)) };
    let expected = thumbprint(&sent.key);
    if sent.kid.is_some_and(|kid| kid != expected) {
        let rule = format!("kid must be the thumbprint of the key (RFC 7638), {expected}, or be omitted");
        return Err(Violation::new(Reason::FieldInvalid, rule)
            .at_position("/publicKey/kid", DocumentPosition::default())
            .into());
    }
    if !is_valid_point(&sent.key) {
        let rule = match sent.key {
            ClientKey::Ed25519 { .. } => "x must be a valid public key for Ed25519",
            ClientKey::P256 { .. } | ClientKey::Rsa { .. } => {
                "x and y must be the coordinates of a point on the curve P-256"
            }
        };
        return Err(Violation::new(Reason::FieldInvalid, rule)
            .at_position("/publicKey/x", DocumentPosition::default())
            .into());
    }
    Ok((body, Some(sent.key)))
}

/// Whether the public key is a safe point of its curve, so that only the owner of the private key can create
/// valid signatures. An RSA key is not a point, so the result is always `true`.
fn is_valid_point(key: &ClientKey) -> bool {
    let decode = |number: &str| URL_SAFE_NO_PAD.decode(number).unwrap_or_default();
    match key {
        ClientKey::Ed25519 { x } => is_strong_ed25519_key(&decode(x)),
        ClientKey::P256 { x, y } => is_on_p256_curve([decode(x), decode(y)]),
        ClientKey::Rsa { .. } => true,
    }
}

/// Returns whether the bytes are the canonical encoding of a point that does not have a small order. For a
/// point of small order, anyone can create a signature that is valid for every message.
fn is_strong_ed25519_key(bytes: &[u8]) -> bool {
    let Ok(bytes) = <&[u8; PUBLIC_KEY_LENGTH]>::try_from(bytes) else { return false };
    let [first, middle @ .., last] = bytes;
    // The coordinate must be less than 2^255 - 19. The highest bit is the sign of the other coordinate.
    let is_canonical = *first < 0xED || last & 0x7F != 0x7F || middle.iter().any(|byte| *byte != 0xFF);
    is_canonical && VerifyingKey::from_bytes(bytes).is_ok_and(|key| !key.is_weak())
}

/// Returns whether the coordinates are a point on P-256. No signature can be verified with any other point.
/// The library validates a point only during a key agreement. This function therefore performs a key
/// agreement and ignores the agreed secret.
fn is_on_p256_curve([x, y]: [Vec<u8>; 2]) -> bool {
    let point = [vec![UNCOMPRESSED_POINT], x, y].concat();
    EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new())
        .and_then(|own| agree_ephemeral(own, &UnparsedPublicKey::new(&ECDH_P256, point), |_| ()))
        .is_ok()
}

/// Handles a request for `GET /operator/v1/applications/{applicationId}/secrets/{secretId}`.
pub(super) async fn get_secret(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let (id, secret_id): (ApplicationId, SecretId) = (application_id(&call)?, call.id("secretId")?);
    let found = load_application(&call, &id)
        .await?
        .value
        .secrets
        .into_iter()
        .find(|known| known.secret_id == secret_id);
    let secret: ApplicationSecret = found.ok_or(Reason::UnknownResource)?;
    response::single_response(&call, secret.created.as_micros(), document::write_secret(&id, &secret, None))
}

/// Handles a request for `DELETE /operator/v1/applications/{applicationId}/secrets/{secretId}`.
pub(super) async fn delete(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let (id, secret_id): (ApplicationId, SecretId) = (application_id(&call)?, call.id("secretId")?);
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let dropped = call.commit(async move { store.revoke_secret(&id, &secret_id, &audit).await }).await?;
    dropped.map_err(refusal::application_failure)?;
    Ok(response::no_content_response())
}

/// Stores a public key or a new secret. The value of a new secret is shown only in this response.
async fn create_secret(
    call: &OperatorCall,
    (id, key): (&ApplicationId, Option<ClientKey>),
    guard: &Arc<InFlightGuard>,
) -> HandlerResult {
    let api = &call.incoming.api;
    let (clock, randomness) = (api.clock.as_ref(), api.randomness.as_ref());
    let (value, secret) = match key {
        Some(key) => (None, new_public_key(key, clock, randomness)),
        None => {
            let (value, secret) = new_secret(clock, randomness);
            (Some(value), secret)
        }
    };
    let write = |value| document::write_secret(id, &secret.to_application_secret(), value);
    let creation =
        CreatedResponse::new(call, secret.secret_id.as_str(), &write(value.as_deref()), &write(None))?;
    let version = secret.created.as_micros();
    let (id, store, audit) = (
        id.clone(),
        Arc::clone(&api.store),
        call.audit_context(guard.response_record(creation.stored_response())),
    );
    let created = guard.commit(async move { store.add_secret(&id, &secret, &audit).await }).await?;
    created.map_err(|refused| match refused {
        ApplicationRefusal::Taken => refusal::conflict_failure("the application already has this public key"),
        other => refusal::application_failure(other),
    })?;
    creation.send_created(version)
}
