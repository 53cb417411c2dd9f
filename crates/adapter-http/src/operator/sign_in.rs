//! Single sign-on (specification §10.31). The server redirects the browser to the identity provider of the
//! operators' organization. The provider redirects the browser back with a code, and the server creates a
//! session.
//!
//! For each operator who signs in, the server stores an operator key that only sessions use. No request can
//! send this key. The issuer and the operator's id at the provider identify the key. If the name, the role or
//! the companies of the operator have changed, a new key replaces the old key.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue, LOCATION, REFERRER_POLICY};
use payroll_domain::operator_key::OperatorKey;
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_keys::KeyCreationOutcome;
use payroll_ports::operator_sessions::SessionCreationOutcome;
use payroll_ports::sign_in::{IdentityProvider, OperatorIdentity, SignInCallback, SignInError};
use payroll_ports::write::AuditContext;
use payroll_ports::{BoxError, StoreError, id_sequence};

use super::{OperatorCaller, session_cookie, sessions};
use crate::shared::error::Failure;
use crate::shared::failed_credentials::{CredentialAttempt, FailedCredentials};
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::incoming::IncomingRequest;
use crate::shared::route_table::{Route, route};
use crate::shared::service::ServiceHandler;

/// All paths of the single sign-on, which the operators' listener serves.
pub(crate) const SIGN_IN_PATHS: [&str; 2] = [START_PATH, CALLBACK_PATH];
/// The path that starts a sign-in.
const START_PATH: &str = "/sign-in";
/// The path to which the provider sends the browser back.
const CALLBACK_PATH: &str = "/sign-in/callback";
/// The maximum length of a code or another parameter of the provider.
const MAX_PARAMETER_BYTES: usize = 4_096;

/// The identity provider, with the rate limit for failed sign-ins.
struct SingleSignOn {
    provider: Arc<dyn IdentityProvider>,
    failed_credentials: FailedCredentials,
}

/// The reason why a sign-in failed. The console shows this reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SignInFailureReason {
    /// The provider or the operator cancelled the sign-in.
    Denied,
    /// The provider cannot be reached.
    Unavailable,
    /// The code or the identity token is invalid.
    Rejected,
    /// The settings map none of the operator's groups to a role.
    NoRole,
    /// The identity token has no usable name of the operator.
    NoName,
    /// The identity token does not contain the operator's companies.
    NoCompanies,
    /// Another operator has the same name, or a name that looks the same.
    NameTaken,
    /// This browser did not start the sign-in, or the sign-in started more than ten minutes ago.
    Expired,
    /// Too many sign-ins from this address failed.
    TooMany,
}

impl SignInFailureReason {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Unavailable => "unavailable",
            Self::Rejected => "rejected",
            Self::NoRole => "no-role",
            Self::NoName => "no-name",
            Self::NoCompanies => "no-companies",
            Self::NameTaken => "name-taken",
            Self::Expired => "expired",
            Self::TooMany => "too-many",
        }
    }
}

/// The failure of a sign-in: a reason that the operator sees, or a failure of the server.
enum SignInFailure {
    Reason(SignInFailureReason),
    Server(Failure),
}

impl From<SignInFailureReason> for SignInFailure {
    fn from(reason: SignInFailureReason) -> Self {
        Self::Reason(reason)
    }
}

impl From<Failure> for SignInFailure {
    fn from(failure: Failure) -> Self {
        Self::Server(failure)
    }
}

impl From<StoreError> for SignInFailure {
    fn from(error: StoreError) -> Self {
        Self::Server(error.into())
    }
}

/// Returns the paths of the sign-in with this provider.
pub(super) fn service_routes(
    provider: Arc<dyn IdentityProvider>,
    failures_per_minute: Option<u32>,
) -> Vec<Route<ServiceHandler>> {
    let failed = FailedCredentials::new(failures_per_minute);
    let own = Arc::new(SingleSignOn { provider, failed_credentials: failed });
    let again = Arc::clone(&own);
    vec![
        route(START_PATH)
            .get_without_authentication(move |incoming| start_sign_in(Arc::clone(&own), incoming)),
        route(CALLBACK_PATH)
            .get_without_authentication(move |incoming| handle_callback(Arc::clone(&again), incoming)),
    ]
}

/// Handles `GET /sign-in`: redirects the browser to the provider.
async fn start_sign_in(own: Arc<SingleSignOn>, incoming: IncomingRequest) -> HandlerResult {
    match own.provider.start_sign_in(&callback_url(&incoming)).await {
        Ok(started) => {
            let value = [started.state, started.nonce, started.verifier].join(".");
            let response = redirect_to(&started.url)?;
            session_cookie::set_sign_in_cookie(response, &incoming, Some(&value))
        }
        Err(error) => redirect_to_console(&incoming, Err(failure_reason(error))),
    }
}

/// Handles `GET /sign-in/callback`: finishes the sign-in, and redirects the browser to the console.
async fn handle_callback(own: Arc<SingleSignOn>, incoming: IncomingRequest) -> HandlerResult {
    match own.finish_sign_in(&incoming).await {
        Ok(session) => redirect_to_console(&incoming, Ok(session)),
        Err(SignInFailure::Reason(reason)) => redirect_to_console(&incoming, Err(reason)),
        Err(SignInFailure::Server(failure)) => Err(failure),
    }
}

impl SingleSignOn {
    /// Validates the code of the provider and creates a session. Returns the value of the session cookie.
    async fn finish_sign_in(&self, incoming: &IncomingRequest) -> Result<String, SignInFailure> {
        let query = incoming.query();
        // A parameter that occurs more than once is invalid.
        let parameter = |name: &str| {
            let value = query.single_value(name).ok().flatten();
            value.filter(|value| !value.is_empty() && value.len() <= MAX_PARAMETER_BYTES)
        };
        let secrets = session_cookie::read_sign_in_cookie(incoming).ok_or(SignInFailureReason::Expired)?;
        let [state, nonce, verifier] = split_in_three(&secrets).ok_or(SignInFailureReason::Expired)?;
        if parameter("state") != Some(state) {
            return Err(SignInFailureReason::Expired.into());
        }
        let code = parameter("code").ok_or(SignInFailureReason::Denied)?;
        let (attempt, now) =
            (CredentialAttempt::new("sign-in", incoming.client_address()), incoming.api.monotonic_time());
        self.failed_credentials
            .require_attempts_left(&attempt, now)
            .map_err(|_| SignInFailureReason::TooMany)?;
        let response = SignInCallback { code, nonce, verifier };
        let identity =
            self.provider.finish_sign_in(&callback_url(incoming), response).await.map_err(|error| {
                self.failed_credentials.count_failure(&attempt, now);
                failure_reason(error)
            })?;
        let key = find_or_create_key(incoming, &identity).await?;
        let audit = AuditContext::new(OperatorCaller::from(key.clone()).actor, incoming.api.now(), None);
        let (value, session) = sessions::new_session(&incoming.api, key);
        let (store, hash) = (Arc::clone(&incoming.api.store), SecretHash::from_secret(&value));
        let create = async move { store.create_operator_session(&session, &hash, &audit).await };
        match idempotency::guard_without_record(incoming).commit(create).await? {
            SessionCreationOutcome::Stored => Ok(value),
            // The session was not created, because the key was revoked during the sign-in.
            SessionCreationOutcome::NoKey | SessionCreationOutcome::RecordLost => {
                Err(SignInFailureReason::Rejected.into())
            }
        }
    }
}

/// Returns the stored key of an operator who has signed in at the provider. The key is created at the first
/// sign-in.
async fn find_or_create_key(
    incoming: &IncomingRequest,
    identity: &OperatorIdentity,
) -> Result<OperatorKey, SignInFailure> {
    let api = &incoming.api;
    let hash = SecretHash::from_secret(&identity_key(identity));
    let known = api.store.operator_key(&hash).await?;
    let is_current = |key: &OperatorKey| {
        key.role == identity.role
            && key.operator_name == identity.name
            && key.company_ids == identity.company_ids
    };
    if let Some(key) = known.clone().filter(is_current) {
        return Ok(key);
    }
    let key = OperatorKey {
        operator_name: identity.name.clone(),
        company_ids: identity.company_ids.clone(),
        ..OperatorKey::new(
            id_sequence(api.clock.as_ref(), api.randomness.as_ref()).next_id(),
            format!("Single sign-on: {}", identity.name),
            identity.role,
            api.now(),
        )
    };
    let audit = AuditContext::new(OperatorCaller::from(key.clone()).actor, api.now(), None);
    let (store, new) = (Arc::clone(&api.store), key.clone());
    let replace = async move {
        if let Some(old) = known {
            // Revoking the old key also ends its sessions, which have the former permissions.
            store.revoke_operator_key(&old.key_id, &audit).await?;
        }
        store.create_operator_key(&new, &hash, &audit).await
    };
    match idempotency::guard_without_record(incoming).commit(replace).await? {
        KeyCreationOutcome::Stored => Ok(key),
        KeyCreationOutcome::OperatorLooksTheSame => Err(SignInFailureReason::NameTaken.into()),
        // Another sign-in of the same operator may have created the key at the same time. This sign-in then
        // uses that key.
        KeyCreationOutcome::Taken | KeyCreationOutcome::RecordLost => {
            let other = api.store.operator_key(&hash).await?;
            other.filter(is_current).ok_or(SignInFailure::Reason(SignInFailureReason::NameTaken))
        }
    }
}

/// Returns the text whose hash identifies the key of an operator at the provider. No request can send this
/// text as a key, because a header cannot contain the character NUL.
fn identity_key(identity: &OperatorIdentity) -> String {
    format!("\0single sign-on\0{}\0{}", identity.issuer, identity.subject)
}

fn callback_url(incoming: &IncomingRequest) -> String {
    format!("{}{CALLBACK_PATH}", incoming.base_url())
}

fn split_in_three(text: &str) -> Option<[&str; 3]> {
    text.split('.').collect::<Vec<_>>().try_into().ok()
}

/// Logs the error and returns the reason that the operator sees.
fn failure_reason(error: SignInError) -> SignInFailureReason {
    let (reason, cause) = match error {
        SignInError::Unavailable(cause) => (SignInFailureReason::Unavailable, Some(cause)),
        SignInError::Rejected(cause) => (SignInFailureReason::Rejected, Some(cause)),
        SignInError::NoRole => (SignInFailureReason::NoRole, None),
        SignInError::NoName => (SignInFailureReason::NoName, None),
        SignInError::NoCompanies => (SignInFailureReason::NoCompanies, None),
    };
    let cause = cause.map(|cause| error_chain(&cause));
    tracing::warn!(reason = reason.as_str(), cause, "an operator could not sign in");
    reason
}

/// Returns the text of an error and of its causes in one line.
fn error_chain(error: &BoxError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}

/// Creates a redirect, which caches must not store.
fn redirect_to(url: &str) -> HandlerResult {
    let location = HeaderValue::try_from(url).map_err(|error| Failure::Bug(error.into()))?;
    let mut response = HttpResponse::SeeOther();
    response.insert_header((LOCATION, location));
    response.insert_header((CACHE_CONTROL, "no-store"));
    // The URL of the callback contains the code, which must not appear in a `Referer` header.
    response.insert_header((REFERRER_POLICY, "no-referrer"));
    Ok(response.finish())
}

/// Redirects the browser to the console with its session, or with the reason why the sign-in failed. In both
/// cases, the cookie with the secrets of the sign-in is deleted.
fn redirect_to_console(
    incoming: &IncomingRequest,
    outcome: Result<String, SignInFailureReason>,
) -> HandlerResult {
    let outcome_text = outcome.as_ref().map_or_else(|reason| reason.as_str(), |_| "done");
    let mut response = redirect_to(&format!("/?sign-in={outcome_text}"))?;
    if let Ok(session) = outcome {
        response = session_cookie::set_session_cookie(
            response,
            incoming,
            &session,
            sessions::SESSION_LIFETIME_SECONDS,
        )?;
    }
    session_cookie::set_sign_in_cookie(response, incoming, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::operator_key::OperatorRole;

    #[test]
    fn identity_key_is_distinct_and_not_a_valid_header_value() {
        let identity = OperatorIdentity {
            issuer: "https://login.example.org".to_owned(),
            subject: "u-1".to_owned(),
            name: "ann@example.org".to_owned(),
            role: OperatorRole::Payroll,
            company_ids: None,
        };
        let text = identity_key(&identity);
        assert!(HeaderValue::from_str(&format!("Bearer {text}")).is_err(), "{text:?}");
        assert_ne!(text, identity_key(&OperatorIdentity { subject: "u-2".to_owned(), ..identity }));
    }
}
