//! The token operation (specification §5.1 to §5.3).
//!
//! This module parses a token request, and the domain decides whether to issue a token. The store looks up
//! the secret. The look-up does the same work for an unknown client as for a wrong secret, so its duration
//! does not reveal whether the client exists.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::Uri;
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use payroll_domain::access::Caller;
use payroll_domain::code::Reason;
use payroll_domain::token::{
    ClientProof, OAuthError, TokenInput, TokenRefusal, TokenRequest, grant_scopes, invalid_assertion_refusal,
};
use payroll_domain::violation::Violation;
use payroll_ports::applications::{Credentials, SecretHash};
use payroll_ports::idempotency::{IdempotencyRecord, IdempotencyState, ResponseRecord, StoredResponse};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::partner::assertion::Assertion;
use crate::partner::context::PartnerContext;
use crate::shared::error::Failure;
use crate::shared::failed_credentials::CredentialAttempt;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::limits::MAX_FORM_BYTES;
use crate::shared::media_type::JSON;
use crate::shared::query::{Query, percent_decode};

/// The path of the token operation.
pub(crate) const TOKEN_PATH: &str = "/auth/oauth/v2/token";
/// The media type of a token request's body.
const FORM_MEDIA_TYPE: &str = "application/x-www-form-urlencoded";

/// The maximum number of characters of a client id that become part of the name of a rate limit bucket.
/// Without this limit, long invented ids could fill the memory.
const MAX_BUCKET_NAME_LENGTH: usize = 64;

/// The successful response according to RFC 6749 §5.1.
#[derive(Serialize)]
struct IssuedTokenResponse<'a> {
    access_token: &'a str,
    token_type: &'a str,
    expires_in: u32,
    scope: String,
}

/// Handles a request for `POST /auth/oauth/v2/token`.
pub(crate) async fn issue_token(
    partner: Arc<PartnerContext>,
    mut incoming: IncomingRequest,
) -> HandlerResult {
    let (client_id, caller) = authenticate(&partner, &mut incoming).await.map_err(|failure| {
        let no_store = HeaderValue::from_static("no-store");
        failure.with_oauth_error(OAuthError::InvalidRequest.as_str()).with_header(CACHE_CONTROL, no_store)
    })?;
    let tokens = &partner.tokens;
    let api = &incoming.api;
    let token = tokens
        .issue_access_token((&client_id, &caller), api.now(), &*api.randomness)
        .map_err(|error| Failure::Bug(error.into()))?;
    let response = IssuedTokenResponse {
        access_token: &token,
        token_type: "Bearer",
        expires_in: tokens.lifetime_seconds(),
        scope: caller.scopes.to_string(),
    };
    Ok(HttpResponse::Ok().insert_header((CACHE_CONTROL, "no-store")).json(response))
}

/// Returns the id of the client that requests the token, and the caller with its scopes.
async fn authenticate(
    partner: &PartnerContext,
    incoming: &mut IncomingRequest,
) -> Result<(String, Caller), Failure> {
    incoming.check_content_type(&[FORM_MEDIA_TYPE])?;
    incoming.negotiate(&[JSON])?;
    let body = incoming.read_form(MAX_FORM_BYTES).await?;
    let text = std::str::from_utf8(&body)
        .map_err(|_| Violation::new(Reason::InvalidParameter, "the form is not UTF-8 text"))?;
    let (form, query, basic) =
        (Query::from_form(text), incoming.query(), basic_credentials(incoming.headers()));
    let basic = basic.as_ref().map(|(id, secret)| (id.as_str(), secret.as_str()));
    let assertion = form.pairs().iter().find(|(name, _)| name == "client_assertion");
    let assertion = assertion.map(|(_, text)| Assertion::read(text));
    let request = TokenRequest::read(TokenInput {
        form: form.pairs(),
        basic,
        query: query.pairs(),
        assertion_client: assertion.as_ref().map(|read| match read {
            Ok(assertion) => Ok(assertion.client_id()),
            Err(fault) => Err(*fault),
        }),
    })?;
    query.check_names(&[])?;
    let asking = begin_credential_attempt(partner, incoming, request.client_id)?;
    let credentials = match (&request.proof, &assertion) {
        (ClientProof::Secret(secret), _) => verify_credentials(incoming, request.client_id, secret).await?,
        (ClientProof::Assertion(_), Some(Ok(assertion))) => {
            authenticate_assertion(incoming, assertion).await?
        }
        // The request contains an assertion that cannot be parsed. An earlier step of this function has
        // already rejected such a request.
        (ClientProof::Assertion(_), Some(Err(_)) | None) => None,
    };
    let credentials = credentials.filter(|credentials| credentials.enabled);
    if credentials.is_none() {
        partner.failed_tokens.count_failure(&asking, incoming.api.monotonic_time());
    }
    let scopes =
        grant_scopes(request.scopes, credentials.as_ref().map(|credentials| credentials.granted_scopes))?;
    // `grant_scopes` has already rejected an unknown client, so `credentials` is not `None` here.
    let Credentials { application_id, secret_id, .. } = credentials.ok_or(Reason::NotAuthenticated)?;
    // `OnceCell::set` fails only if the cell already has a value. This function runs once for each request,
    // so the cell is empty.
    let _ = incoming.context.application.set(application_id.clone());
    let expires = incoming.api.now().plus_seconds(partner.tokens.lifetime_seconds().into());
    Ok((request.client_id.to_owned(), Caller { application_id, secret_id, scopes, expires }))
}

/// Looks up the credentials; `None` if they are wrong. A client id with a control character is always
/// unknown, because PostgreSQL cannot store NUL.
async fn verify_credentials(
    incoming: &IncomingRequest,
    client_id: &str,
    secret: &str,
) -> Result<Option<Credentials>, Failure> {
    if client_id.contains(char::is_control) {
        return Ok(None);
    }
    Ok(incoming.api.store.find_credentials(client_id, &SecretHash::from_secret(secret)).await?)
}

/// Returns the credentials of a client that has signed an assertion. Each assertion is accepted only once.
async fn authenticate_assertion(
    incoming: &IncomingRequest,
    assertion: &Assertion<'_>,
) -> Result<Option<Credentials>, Failure> {
    let base = assertion_audience(incoming).ok_or_else(|| {
        invalid_assertion_refusal(
            "cannot be verified, because the setting public_base_url of the server is missing",
        )
    })?;
    let audiences = [format!("{base}{TOKEN_PATH}"), base];
    let kid = assertion
        .check_claims(incoming.api.now(), &audiences)
        .map_err(|fault| invalid_assertion_refusal(&fault))?;
    if assertion.client_id().contains(char::is_control) || kid.contains(char::is_control) {
        return Ok(None);
    }
    let found = incoming.api.store.find_key_credentials(assertion.client_id(), kid).await?;
    let Some((credentials, _)) = found.filter(|(_, key)| assertion.is_signed_by(key)) else {
        return Ok(None);
    };
    if record_assertion_use(incoming, &credentials, assertion).await? {
        return Ok(Some(credentials));
    }
    Err(invalid_assertion_refusal("was used before; sign a new one with another jti for each request").into())
}

/// Returns the address that an assertion must have as its audience; `None` if the address is unknown. Without
/// the setting `public_base_url`, the address is the header `Host`, and only local names are accepted.
/// Another server could otherwise misuse an assertion that it received: it could send the assertion here,
/// with its own name in `Host`.
pub(crate) fn assertion_audience(incoming: &IncomingRequest) -> Option<String> {
    let base = incoming.base_url();
    let host = Uri::try_from(base.as_str()).ok()?.host()?.to_owned();
    let is_here = ["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str());
    (incoming.api.settings.public_base_url.is_some() || is_here).then_some(base)
}

/// Stores the id of an assertion until it expires, like an idempotency key. Returns whether the id is new.
/// The stored key contains a space, so it cannot equal an idempotency key of a client.
async fn record_assertion_use(
    incoming: &IncomingRequest,
    credentials: &Credentials,
    assertion: &Assertion<'_>,
) -> Result<bool, Failure> {
    let id = Sha256::digest(assertion.id());
    let (store, expires) = (&incoming.api.store, assertion.expires_at());
    let record = IdempotencyRecord {
        owner: credentials.application_id.to_string(),
        key: format!("assertion {}", URL_SAFE_NO_PAD.encode(id)),
        request_hash: id.into(),
        attempt: incoming.context.request_id.clone(),
    };
    if store.begin_request(&record, incoming.api.now(), expires).await? != IdempotencyState::Fresh {
        return Ok(false);
    }
    // A record without a response is deleted when its process ends. The assertion could then be used again,
    // so the record gets a response.
    let response = StoredResponse { status: 200, content_type: JSON.to_owned(), body: Vec::new() };
    Ok(store.store_response(&ResponseRecord { record, response, expires }).await?)
}

/// Counts this request in the rate limit bucket of the client id at this address. An attacker at another
/// address therefore cannot lock the application out. A client with too many failures is rejected before its
/// credentials are looked up.
fn begin_credential_attempt(
    partner: &PartnerContext,
    incoming: &IncomingRequest,
    client_id: &str,
) -> Result<CredentialAttempt, Failure> {
    let attempt =
        CredentialAttempt::new(&format!("{client_id:.MAX_BUCKET_NAME_LENGTH$}"), incoming.client_address());
    let now = incoming.api.monotonic_time();
    let (ticket, result) =
        partner.limiter.take_from_bucket(&format!("token {}", attempt.client_and_peer()), now);
    // `OnceCell::set` fails only if the cell already has a value. This function runs once for each request,
    // so the cell is empty.
    let _ = incoming.context.ticket.set(ticket);
    result.and_then(|()| partner.failed_tokens.require_attempts_left(&attempt, now))?;
    Ok(attempt)
}

/// Returns the id and the secret of the header `Authorization: Basic`; `None` if there is no such header. A
/// malformed header yields an empty id, which no application has.
fn basic_credentials(headers: &HeaderMap) -> Option<(String, String)> {
    let mut values = headers.get_all(AUTHORIZATION).map(HeaderValue::as_bytes);
    let (scheme, encoded) = values.next()?.split_at_checked("Basic ".len())?;
    if !scheme.eq_ignore_ascii_case(b"Basic ") {
        return None;
    }
    let decoded = STANDARD.decode(encoded.trim_ascii()).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let pair = decoded.as_deref().and_then(|text| text.split_once(':')).filter(|_| values.next().is_none());
    // RFC 6749 §2.3.1 requires form encoding of the id and the secret before they are joined.
    Some(
        pair.map(|(id, secret)| (percent_decode(id, true), percent_decode(secret, true))).unwrap_or_default(),
    )
}

impl From<TokenRefusal> for Failure {
    fn from(refusal: TokenRefusal) -> Self {
        let failure = Self::from(refusal.violation).with_oauth_error(refusal.error.as_str());
        match refusal.error {
            OAuthError::InvalidClient => {
                failure.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"token\""))
            }
            OAuthError::InvalidRequest | OAuthError::UnsupportedGrantType | OAuthError::InvalidScope => {
                failure
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_basic_header(value: &str) -> Option<(String, String)> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        basic_credentials(&headers)
    }

    #[test]
    fn basic_credentials_are_decoded_twice_and_invalid_ones_match_no_client() {
        let nobody = Some((String::new(), String::new()));
        // The base64 text decodes to `id:s%3At`. The percent-encoding of the secret is decoded next.
        assert_eq!(parse_basic_header("basic aWQ6cyUzQXQ="), Some(("id".to_owned(), "s:t".to_owned())));
        for broken in ["Basic !", "Basic aWQ=", "Basic /w=="] {
            assert_eq!(parse_basic_header(broken), nobody, "{broken}");
        }
        assert_eq!(parse_basic_header("Bearer x"), None);
    }
}
