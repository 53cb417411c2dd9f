//! Registers a hook (specification §9.1).

use std::sync::Arc;

use actix_web::http::header::{HeaderValue, LOCATION};
use payroll_domain::code::Reason;
use payroll_domain::document::{self, HookDocument};
use payroll_domain::hook::{Hook, HookKey};
use payroll_domain::input::Node;
use payroll_ports::hooks::{NewHook, RegistrationFacts};
use payroll_ports::id_sequence;
use payroll_ports::secrets::{new_signing_secret, signing_secret_text};
use payroll_ports::write::AuditContext;

use super::verification::verify_address;
use super::{
    add_etag, check_addresses, conflict_failure, forbid_caching, json_response, no_grant_failure,
    refusal_failure,
};
use crate::partner::call::PartnerCall;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::{self, InFlightGuard};
use crate::shared::media_type::JSON;
use crate::shared::response;

/// Handles a request for `POST /management/hooks`.
pub(crate) async fn register_hook(mut call: PartnerCall) -> HandlerResult {
    call.prefer_authentication_failure(call.incoming.check_content_type(&[JSON])).await?;
    call.negotiate(&[JSON]).await?;
    let body = call.read_body(Reason::BodyTooLarge).await?;
    let rules = call.incoming.api.settings.hooks.rules.clone();
    let read = move |node: Node<'_>| document::read_registration(&node, &rules);
    let read = call.incoming.read_document(&body, read).await;
    let company = read.as_ref().ok().and_then(|registration| registration.company_id.as_ref());
    let (_, facts) = call.check_access(call.store().hook_registration_data(&call.caller, company).await?)?;
    if company.is_some() && facts.granted_scopes.is_empty() {
        return Err(no_grant_failure());
    }
    let owner = call.caller.application_id.as_str();
    idempotency::run_with_idempotency(&call.incoming, owner, &body, async |guard| {
        let new_hook = read?;
        check_hook_limit(&call, facts)?;
        check_addresses(&call, &body, Some(&new_hook.address), Some(&new_hook.authentication)).await?;
        verify_address(&call, &body, &new_hook.address).await?;
        store_hook(&call, new_hook, guard).await
    })
    .await
}

/// Verifies early that the application may register another hook, which avoids a useless challenge to the
/// address. The store verifies the limit again.
fn check_hook_limit(call: &PartnerCall, facts: RegistrationFacts) -> Result<(), Failure> {
    let most = call.incoming.api.settings.hooks.max_hooks;
    if facts.hooks < most {
        return Ok(());
    }
    Err(conflict_failure(format!(
        "an application has at most {most} hooks; remove one that is no longer needed"
    )))
}

/// Stores the hook. The response 201 contains the signing secret, which is shown only once.
async fn store_hook(call: &PartnerCall, document: HookDocument, guard: &Arc<InFlightGuard>) -> HandlerResult {
    let api = &call.incoming.api;
    let signing_secret = new_signing_secret(&*api.randomness);
    let now = api.now();
    let hook = Hook {
        key: HookKey {
            application_id: call.caller.application_id.clone(),
            hook_id: document.hook_id.unwrap_or_else(|| id_sequence(&*api.clock, &*api.randomness).next_id()),
        },
        company_id: document.company_id,
        address: document.address,
        domains: document.domains,
        auth_type: document.authentication.auth_type(),
        active: true,
        delivery: document.delivery,
        created: now,
        // The version is the current time and not 1. If the id of a deleted hook is reused, the new hook
        // therefore has another version than the deleted hook.
        version: now.as_micros(),
    };
    let secret = signing_secret_text(&signing_secret);
    let (sent, stored_response) = (
        json_response(201, document::write_hook(&hook, Some(&secret))),
        json_response(201, document::write_hook(&hook, None)),
    );
    let new = NewHook { hook: hook.clone(), authentication: document.authentication, signing_secret };
    let audit = AuditContext::for_application(
        &call.caller.application_id,
        now,
        guard.response_record(&stored_response),
    );
    let (store, most) = (Arc::clone(&api.store), api.settings.hooks.max_hooks);
    let added = guard.commit(async move { store.add_hook(&new, most, &audit).await }).await?;
    added.map_err(refusal_failure)?;
    let location = format!("{}{}/{}", call.incoming.base_url(), call.incoming.path(), hook.key.hook_id);
    let location = HeaderValue::try_from(location).map_err(|error| Failure::Bug(error.into()))?;
    let mut response = forbid_caching(response::from_stored(sent)?);
    response.headers_mut().insert(LOCATION, location);
    add_etag(&mut response, &hook)?;
    Ok(response)
}
