//! Sessions of operators' browsers (specification §10.23). A key is exchanged for a session, whose value
//! exists only in a cookie. A session is created and deleted but never changed.

use std::sync::Arc;

use actix_web::HttpResponse;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::OperatorSessionId;
use payroll_domain::operator_key::{OperatorKey, OperatorSession};
use payroll_domain::violation::Violation;
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_sessions::SessionCreationOutcome;
use payroll_ports::secrets::new_operator_session;
use payroll_ports::{Listing, id_sequence};

use super::call::OperatorCall;
use super::response::{self, CreatedResponse};
use super::session_cookie;
use crate::shared::api::ListenerState;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};

/// The lifetime of a session in seconds: about a working day, so that a session that is left open ends
/// overnight.
pub(super) const SESSION_LIFETIME_SECONDS: i64 = 10 * 60 * 60;

/// Handles `POST /operator/v1/sessions`: creates a session for the key that was sent.
pub(super) async fn create(mut call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let body = call.read_empty_body().await?;
    call.run_with_idempotency(&body, async |guard| create_session(&call, guard).await).await
}

/// Handles a request for `GET /operator/v1/sessions`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let page = call.page()?;
    let sessions = call.store().operator_sessions(call.incoming.api.now()).await?;
    // The version of the list is the sum of the creation times, because this sum changes when a session is
    // added or removed.
    let version = sessions.iter().fold(0_i64, |sum, session| sum.wrapping_add(session.created.as_micros()));
    let listing = Listing::from_all(sessions, version, page.window_for_response(call.incoming.is_head()));
    response::collection_response(&call, page, listing, |session| {
        document::write_operator_session(session, None)
    })
}

/// Handles a request for `GET /operator/v1/sessions/{sessionId}`.
pub(super) async fn get_session(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id: OperatorSessionId = call.id("sessionId")?;
    let sessions = call.store().operator_sessions(call.incoming.api.now()).await?;
    let session = sessions.into_iter().find(|session| session.session_id == id);
    let session: OperatorSession = session.ok_or(Reason::UnknownResource)?;
    response::single_response(
        &call,
        session.created.as_micros(),
        document::write_operator_session(&session, None),
    )
}

/// Handles `GET /operator/v1/sessions/current`: returns the session of the cookie, with its CSRF token.
pub(super) async fn get_current_session(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let session = call.caller.session.as_ref().ok_or_else(unknown_session_failure)?;
    let value = session_cookie::read_session_cookie(&call.incoming).ok_or_else(unknown_session_failure)?;
    let token = session_cookie::csrf_token(value).map_err(Failure::Bug)?;
    response::single_response(
        &call,
        session.created.as_micros(),
        document::write_operator_session(session, Some(&token)),
    )
}

/// Handles `DELETE /operator/v1/sessions/current`: deletes the session and the cookie.
pub(super) async fn sign_out(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id = call.caller.session.as_ref().ok_or_else(unknown_session_failure)?.session_id.clone();
    session_cookie::set_session_cookie(end_session(&call, id).await?, &call.incoming, "", 0)
}

/// Handles a request for `DELETE /operator/v1/sessions/{sessionId}`.
pub(super) async fn delete(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id: OperatorSessionId = call.id("sessionId")?;
    end_session(&call, id).await
}

async fn end_session(call: &OperatorCall, id: OperatorSessionId) -> HandlerResult {
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    if call.commit(async move { store.end_operator_session(&id, &audit).await }).await? {
        Ok(response::no_content_response())
    } else {
        Err(Reason::UnknownResource.into())
    }
}

fn unknown_session_failure() -> Failure {
    Violation::new(
        Reason::UnknownResource,
        "the request has no session cookie, or its session has ended; sign in again",
    )
    .into()
}

/// Creates a session for a key. Returns the value of the session cookie, and the session.
pub(super) fn new_session(api: &ListenerState, key: OperatorKey) -> (String, OperatorSession) {
    let created = api.now();
    let longest = created.plus_seconds(SESSION_LIFETIME_SECONDS);
    let session = OperatorSession {
        session_id: id_sequence(api.clock.as_ref(), api.randomness.as_ref()).next_id(),
        // The session ends with its key at the latest, because a session must not outlive its key.
        expires: key.expires.map_or(longest, |expires| expires.min(longest)),
        key,
        created,
    };
    (new_operator_session(api.randomness.as_ref()), session)
}

/// Stores a new session. The value of the session is only in the cookie of this response.
async fn create_session(call: &OperatorCall, guard: &Arc<InFlightGuard>) -> HandlerResult {
    let key = call.caller.key.clone().ok_or_else(|| {
        let problem = "only an operator key can create a session; send the key in the header Authorization";
        Failure::from(Violation::new(Reason::NotAuthorized, problem))
    })?;
    let api = &call.incoming.api;
    let (value, session) = new_session(api, key);
    let created = session.created;
    let token = session_cookie::csrf_token(&value).map_err(Failure::Bug)?;
    let write = |token| document::write_operator_session(&session, token);
    let creation =
        CreatedResponse::new(call, session.session_id.as_str(), &write(Some(&token)), &write(None))?;
    let (store, audit) =
        (Arc::clone(&api.store), call.audit_context(guard.response_record(creation.stored_response())));
    let hash = SecretHash::from_secret(&value);
    let version = created.as_micros();
    reject_failed_creation(
        guard.commit(async move { store.create_operator_session(&session, &hash, &audit).await }).await?,
    )?;
    let response: HttpResponse = creation.send_created(version)?;
    session_cookie::set_session_cookie(response, &call.incoming, &value, SESSION_LIFETIME_SECONDS)
}

fn reject_failed_creation(outcome: SessionCreationOutcome) -> Result<(), Failure> {
    match outcome {
        SessionCreationOutcome::Stored => Ok(()),
        SessionCreationOutcome::NoKey => Err(Failure::invalid_token()),
        SessionCreationOutcome::RecordLost => Err(idempotency::superseded_failure()),
    }
}
