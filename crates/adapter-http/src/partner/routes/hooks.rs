//! Hooks of an application (specification §9.1, §9.5): registration and the operations on one hook. The
//! domain defines the document of a hook. The module `deliveries` handles the deliveries of hooks.

mod register;
mod verification;

use std::future::Future;
use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, ETAG, HeaderValue};
use actix_web::web::Bytes;
use futures_util::future::OptionFuture;
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::hook::{Address, Authentication, Hook, OLD_SECRET_LIFETIME_SECONDS};
use payroll_domain::input::{Node, Value};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::hooks::{HookRefusal, MAX_ORDERED_DELIVERIES};
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::secrets::{new_signing_secret, signing_secret_text};
use payroll_ports::write::AuditContext;
use payroll_ports::{Store, StoreError};

use crate::partner::call::PartnerCall;
use crate::partner::routes::management;
use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, ChangeResponse};
use crate::shared::media_type::JSON;
use crate::shared::precondition::IfMatch;
use crate::shared::response::{self, GetResponse};
use crate::shared::wire::Content;

pub(crate) use register::register_hook;

/// Handles `GET /management/hooks`: returns a JSON array without envelope and pages.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[JSON]).await?;
    let (access, hooks) = call.check_access(call.store().hooks_of_caller(&call.caller).await?)?;
    management::send_without_envelope(&call, &access, document::write_hooks(&hooks).into_bytes())
}

/// Handles a request for `GET /management/hooks/{hookId}`.
pub(crate) async fn get_hook(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[JSON]).await?;
    let (_, hook) = call.read_hook().await?;
    let reading = GetResponse::with_etag(&call.incoming, JSON, hook_etag(&hook));
    match reading.without_body() {
        Some(response) => Ok(response),
        None => reading.with_body(Content::Complete(document::write_hook(&hook, None).into_bytes())),
    }
}

/// Handles a request for `PATCH /management/hooks/{hookId}`.
pub(crate) async fn change(call: PartnerCall) -> HandlerResult {
    let on = HookRequest::with_body(call).await?;
    let HookRequest { call, hook, body } = &on;
    let sent = IfMatch::read_optional(call.incoming.headers())?.required_version(etag_version(hook))?;
    let (stored, rules) = (hook.clone(), call.incoming.api.settings.hooks.rules.clone());
    let read = move |node: Node<'_>| document::read_hook_change(&node, &stored, &rules);
    let change = call.incoming.read_document(body, read).await?;
    check_addresses(call, body, change.address.as_ref(), change.authentication.as_ref()).await?;
    if let Some(address) = change.address.as_ref().filter(|address| **address != hook.address) {
        verification::verify_address(call, body, address).await?;
    }
    let (store, key, audit) = (Arc::clone(&call.incoming.api.store), hook.key.clone(), on.audit_context());
    let version = sent.map(|_| hook.version);
    let guard = idempotency::guard_without_record(&call.incoming);
    let changed =
        guard.commit(async move { store.change_hook(&key, &change, version, &audit).await }).await?;
    let hook = changed.map_err(refusal_failure)?;
    let mut response = response::from_stored(json_response(200, document::write_hook(&hook, None)))?;
    add_etag(&mut response, &hook)?;
    Ok(response)
}

/// Handles a request for `DELETE /management/hooks/{hookId}`.
pub(crate) async fn remove(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[JSON]).await?;
    let (_, hook) = call.read_hook().await?;
    let sent = IfMatch::read_optional(call.incoming.headers())?.required_version(etag_version(&hook))?;
    let (store, key, version) = (Arc::clone(&call.incoming.api.store), hook.key, sent.map(|_| hook.version));
    let audit = AuditContext::for_application(&call.caller.application_id, call.incoming.api.now(), None);
    let guard = idempotency::guard_without_record(&call.incoming);
    let removed = guard.commit(async move { store.remove_hook(&key, version, &audit).await }).await?;
    removed.map(|()| HttpResponse::NoContent().finish()).map_err(refusal_failure)
}

/// Handles a request for `POST /management/hooks/{hookId}/enable`.
pub(crate) async fn enable(call: PartnerCall) -> HandlerResult {
    let on = HookRequest::without_body(call).await?;
    on.change_idempotently(|store, hook, audit| {
        Ok(async move {
            let enabled = store.set_hook_active(&hook.key, true, &audit).await?;
            Ok(enabled.map(|hook| json_response(200, document::write_hook(&hook, None)).into()))
        })
    })
    .await
}

/// Handles a request for `POST /management/hooks/{hookId}/rotate-secret`.
pub(crate) async fn rotate_secret(call: PartnerCall) -> HandlerResult {
    let on = HookRequest::without_body(call).await?;
    let api = &on.call.incoming.api;
    let secret = new_signing_secret(&*api.randomness);
    let old_until = api.now().plus_seconds(OLD_SECRET_LIFETIME_SECONDS);
    let rotated = on.change_idempotently(|store, hook, audit| {
        Ok(async move {
            let rotated = store.rotate_signing_secret(&hook.key, secret, old_until, &audit).await?;
            Ok(rotated.map(|hook| {
                let write =
                    |secret| json_response(200, document::write_rotated_hook(&hook, secret, old_until));
                ChangeResponse {
                    response: write(Some(signing_secret_text(&secret).as_str())),
                    record: Some(write(None)),
                }
            }))
        })
    });
    rotated.await.map(forbid_caching)
}

/// A request for one of the caller's hooks. Everything except the content of the body has been validated.
pub(super) struct HookRequest {
    pub(super) call: PartnerCall,
    pub(super) hook: Hook,
    pub(super) body: Bytes,
}

impl HookRequest {
    /// Validates a request whose body is required.
    ///
    /// # Errors
    /// 401, 415, 406, 403, 404, 413, 408, and 400 if the body ends early.
    pub(super) async fn with_body(mut call: PartnerCall) -> Result<Self, Failure> {
        call.prefer_authentication_failure(call.incoming.check_content_type(&[JSON])).await?;
        call.negotiate(&[JSON]).await?;
        let body = call.read_body(Reason::BodyTooLarge).await;
        Self::for_existing_hook(call, body).await
    }

    /// Validates a request that needs no body. A media type is required only if the body is not empty.
    ///
    /// # Errors
    /// The errors of [`Self::with_body`], and 400 if the body is neither empty nor a JSON object.
    pub(super) async fn without_body(mut call: PartnerCall) -> Result<Self, Failure> {
        let body = call.read_body(Reason::BodyTooLarge).await;
        if body.as_ref().is_ok_and(|body| !body.is_empty()) {
            call.prefer_authentication_failure(call.incoming.check_content_type(&[JSON])).await?;
        }
        call.negotiate(&[JSON]).await?;
        let on = Self::for_existing_hook(call, body).await?;
        if !on.body.is_empty() {
            on.call.incoming.read_document(&on.body, require_object).await?;
        }
        Ok(on)
    }

    async fn for_existing_hook(call: PartnerCall, body: Result<Bytes, Failure>) -> Result<Self, Failure> {
        let (_, hook) = call.read_hook().await?;
        Ok(Self { hook, body: body?, call })
    }

    /// Runs a change once for each idempotency key.
    ///
    /// # Errors
    /// 404 API-7 if the hook or its subresource no longer exists, and the errors of
    /// [`idempotency::run_with_idempotency`], of `change`, and of the store.
    pub(super) async fn change_idempotently<F>(
        self,
        change: impl FnOnce(Arc<dyn Store>, Hook, AuditContext) -> Result<F, Failure>,
    ) -> HandlerResult
    where
        F: Future<Output = Result<Option<ChangeResponse>, StoreError>> + Send + 'static,
    {
        let audit = self.audit_context();
        let Self { call, hook, body } = self;
        let owner = call.caller.application_id.as_str();
        idempotency::run_with_idempotency(&call.incoming, owner, &body, async |guard| {
            let change = change(Arc::clone(&call.incoming.api.store), hook, audit)?;
            response::from_stored(guard.run_and_store_response(change).await?.ok_or(Reason::UnknownResource)?)
        })
        .await
    }

    fn audit_context(&self) -> AuditContext {
        AuditContext::for_application(&self.call.caller.application_id, self.call.incoming.api.now(), None)
    }
}

fn require_object(node: Node<'_>) -> Result<(), Violation> {
    if matches!(node.value, Value::Object(_)) {
        return Ok(());
    }
    Err(Violation::new(Reason::InvalidParameter, "the body must be omitted or an object"))
}

/// Resolves and verifies the addresses of the receiver and of the token endpoint concurrently.
///
/// # Errors
/// 400 API-48 for each address that violates a rule.
async fn check_addresses(
    call: &PartnerCall,
    body: &Bytes,
    receiver: Option<&Address>,
    authentication: Option<&Authentication>,
) -> Result<(), Failure> {
    let tokens = authentication.and_then(|authentication| match authentication {
        Authentication::OAuth2(client) | Authentication::OAuth2Basic(client) => Some(&client.token_url),
        Authentication::Basic { .. } | Authentication::ApiKey { .. } => None,
    });
    let addresses = &call.partner.addresses;
    let receiver = OptionFuture::from(receiver.map(|address| addresses.check_address(address)));
    let tokens = OptionFuture::from(tokens.map(|address| addresses.check_address(address)));
    let (receiver, tokens) = futures_util::join!(receiver, tokens);
    let (receiver, tokens) = (receiver.and_then(Result::err), tokens.and_then(Result::err));
    if receiver.is_none() && tokens.is_none() {
        return Ok(());
    }
    let refuse = move |node: Node<'_>| {
        let faults = [
            receiver.map(|rule| document::rejected_receiver_violation(&node, rule)),
            tokens.map(|rule| document::rejected_token_url_violation(&node, rule)),
        ];
        let faults = Violations::from_faults(faults.into_iter().flatten().collect());
        faults.map_or(Ok(()), Err)
    };
    call.incoming.read_document(body, refuse).await
}

/// Returns the error for a rejected registration or change.
fn refusal_failure(refusal: HookRefusal) -> Failure {
    match refusal {
        // The application was deleted during the request, so its tokens are invalid.
        HookRefusal::UnknownApplication => Failure::invalid_token(),
        HookRefusal::UnknownHook => Reason::UnknownResource.into(),
        HookRefusal::Taken => conflict_failure("the application already has a hook with this hookId"),
        HookRefusal::TooMany => conflict_failure(
            "the application has its maximum number of hooks; delete one that is no longer needed",
        ),
        HookRefusal::Backlog => conflict_failure(format!(
            "the hook has more than {MAX_ORDERED_DELIVERIES} pending notifications; set `ordered` to true \
             when it has fewer"
        )),
        HookRefusal::NoGrant => no_grant_failure(),
        HookRefusal::Stale => Reason::PreconditionFailed.into(),
        HookRefusal::RecordLost => idempotency::superseded_failure(),
    }
}

/// Returns 409 API-409 with this description.
fn conflict_failure(sentence: impl Into<String>) -> Failure {
    Violation::new(Reason::Conflict, sentence).into()
}

/// Returns 403 API-2: the application has no grant for the company in the request, or the company is unknown.
fn no_grant_failure() -> Failure {
    Violation::new(Reason::NotAuthorized, "the hook is for a company that the application has no access to")
        .into()
}

/// Returns the number from which the entity tag is computed. The number changes with the version and with the
/// enabled state.
const fn etag_version(hook: &Hook) -> i64 {
    hook.version.wrapping_mul(2).wrapping_add(if hook.active { 1 } else { 0 })
}

fn hook_etag(hook: &Hook) -> EntityTag {
    EntityTag::from_version(etag_version(hook))
}

/// Adds the hook's entity tag to a response that shows the hook.
fn add_etag(response: &mut HttpResponse, hook: &Hook) -> Result<(), Failure> {
    let tag = HeaderValue::try_from(hook_etag(hook).header()).map_err(|error| Failure::Bug(error.into()))?;
    response.headers_mut().insert(ETAG, tag);
    Ok(())
}

/// Forbids caches to store the response, because the response contains a secret.
fn forbid_caching(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn json_response(status: u16, content: String) -> StoredResponse {
    StoredResponse { status, content_type: JSON.to_owned(), body: content.into_bytes() }
}
