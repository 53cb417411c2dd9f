//! Partner applications (specification §10.10).

use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::application::{Application, ApplicationSettings};
use payroll_domain::code::Reason;
use payroll_domain::document;
use payroll_domain::id::ApplicationId;
use payroll_domain::input::Node;
use payroll_ports::applications::{ApplicationRefusal, NewApplication};
use payroll_ports::resources::Versioned;
use payroll_ports::secrets::{new_client_id, new_secret};

use super::call::OperatorCall;
use super::precondition::IfMatch;
use super::resources;
use super::response::{self, CreatedResponse};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::InFlightGuard;
use crate::shared::limits::MAX_VALIDATION_ATTEMPTS;
use crate::shared::media_type::{JSON, MERGE_PATCH};
use crate::shared::objects::id_mismatch_failure;
use crate::shared::refusal;

/// Handles a request for `GET /operator/v1/applications`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let page = call.page()?;
    let listing = call.store().applications(page.window_for_response(call.incoming.is_head())).await?;
    response::collection_response(&call, page, listing, |row| document::write_application(&row.value, None))
}

/// Handles a request for `POST /operator/v1/applications`.
pub(super) async fn create(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let body = call.body().await?;
    call.run_with_idempotency(&body, async |guard| create_application(&call, &body, guard).await).await
}

/// Handles a request for `GET /operator/v1/applications/{applicationId}`.
pub(super) async fn get_application(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let found = load_application(&call, &application_id(&call)?).await?;
    response::single_response(&call, found.version, document::write_application(&found.value, None))
}

/// Handles a request for `PUT /operator/v1/applications/{applicationId}`.
pub(super) async fn replace(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let id = application_id(&call)?;
    let validated = read_replacement(&mut call, &id).await;
    let (if_match, settings) = prefer_application_not_found(&call, &id, validated).await?;
    change_application(&call, &id, &if_match, async |_| Ok(settings.clone())).await
}

/// Handles a request for `PATCH /operator/v1/applications/{applicationId}`.
pub(super) async fn patch(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[MERGE_PATCH, JSON])?;
    let id = application_id(&call)?;
    let validated = resources::read_if_match_and_body(&mut call).await;
    let (if_match, body) = prefer_application_not_found(&call, &id, validated).await?;
    let patched = async |stored: &Application| {
        let stored = stored.clone();
        call.incoming.read_document(&body, move |patch| apply_patch(&stored, patch)).await
    };
    change_application(&call, &id, &if_match, patched).await
}

/// Handles a request for `DELETE /operator/v1/applications/{applicationId}`.
pub(super) async fn delete(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id = application_id(&call)?;
    let stored = load_application(&call, &id).await?;
    let version = IfMatch::read_required(call.incoming.headers())?.required_version(stored.version)?;
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let deleted = call.commit(async move { store.delete_application(&id, version, &audit).await }).await?;
    deleted.map_err(refusal::application_failure)?;
    Ok(response::no_content_response())
}

/// Returns the id of the application in the path.
///
/// # Errors
/// 404 API-7 if the text is not a valid id.
pub(super) fn application_id(call: &OperatorCall) -> Result<ApplicationId, Failure> {
    call.id("applicationId")
}

/// Reads the application from the store.
///
/// # Errors
/// 404 API-7 if the application is unknown.
pub(super) async fn load_application(
    call: &OperatorCall,
    id: &ApplicationId,
) -> Result<Versioned<Application>, Failure> {
    Ok(call.store().application(id).await?.ok_or(Reason::UnknownResource)?)
}

/// Returns `result` unchanged, except if `result` is a fault and the application is unknown. In that case,
/// returns the error for the unknown application instead of the fault.
///
/// # Errors
/// 404 API-7 if the application is unknown, otherwise the fault.
pub(super) async fn prefer_application_not_found<T>(
    call: &OperatorCall,
    id: &ApplicationId,
    result: Result<T, Failure>,
) -> Result<T, Failure> {
    if result.is_err() {
        load_application(call, id).await?;
    }
    result
}

/// Stores a new application. Only this response shows the secret, so the response that is stored for the
/// idempotency key omits the secret.
async fn create_application(call: &OperatorCall, body: &Bytes, guard: &Arc<InFlightGuard>) -> HandlerResult {
    let document = call.incoming.read_document(body, |node| document::read_application(&node)).await?;
    let api = &call.incoming.api;
    let (value, secret) = new_secret(api.clock.as_ref(), api.randomness.as_ref());
    let new = NewApplication {
        application_id: document.application_id.unwrap_or_else(|| call.new_ids().next_id()),
        client_id: new_client_id(api.randomness.as_ref()),
        settings: document.settings,
        secret,
    };
    let application = new.to_application();
    let write = |value| document::write_application(&application, value);
    let creation =
        CreatedResponse::new(call, new.application_id.as_str(), &write(Some(&value)), &write(None))?;
    let (store, audit) =
        (Arc::clone(&api.store), call.audit_context(guard.response_record(creation.stored_response())));
    let created = guard.commit(async move { store.create_application(&new, &audit).await }).await?;
    creation.send_created(created.map_err(refusal::application_failure)?)
}

/// Reads `If-Match` and the settings in the body of a PUT.
async fn read_replacement(
    call: &mut OperatorCall,
    id: &ApplicationId,
) -> Result<(IfMatch, ApplicationSettings), Failure> {
    let (if_match, body) = resources::read_if_match_and_body(call).await?;
    let id = id.clone();
    Ok((if_match, call.incoming.read_document(&body, move |node| read_settings(&node, &id)).await?))
}

/// Applies a merge patch to the stored settings.
fn apply_patch(stored: &Application, patch: Node<'_>) -> Result<ApplicationSettings, Failure> {
    read_settings(
        &document::merge_documents(document::application_settings_node(stored), patch),
        &stored.application_id,
    )
}

/// Reads the settings from a document. If the document contains an id, it must equal the id in the path.
fn read_settings(node: &Node<'_>, id: &ApplicationId) -> Result<ApplicationSettings, Failure> {
    let document = document::read_application(node)?;
    if document.application_id.is_some_and(|sent| sent != *id) {
        return Err(id_mismatch_failure("applicationId"));
    }
    Ok(document.settings)
}

/// Changes the settings of an application to those that `new_settings` derives from the stored application.
async fn change_application(
    call: &OperatorCall,
    id: &ApplicationId,
    if_match: &IfMatch,
    new_settings: impl AsyncFn(&Application) -> Result<ApplicationSettings, Failure>,
) -> HandlerResult {
    for _ in 0..MAX_VALIDATION_ATTEMPTS {
        let Versioned { value: stored, version } = load_application(call, id).await?;
        if !if_match.accepts(version) {
            return Err(Reason::PreconditionFailed.into());
        }
        let settings = new_settings(&stored).await?;
        let changed = store_application(call, id, &settings, version).await?;
        // With `If-Match: *` every version is accepted, so the change is repeated with the new version.
        if changed == Err(ApplicationRefusal::Stale) && *if_match == IfMatch::Any {
            continue;
        }
        let version = changed.map_err(refusal::application_failure)?;
        let content = document::write_application(&Application { settings, ..stored }, None);
        return response::changed_response(call, version, &content);
    }
    Err(resources::contention_failure())
}

async fn store_application(
    call: &OperatorCall,
    id: &ApplicationId,
    settings: &ApplicationSettings,
    version: i64,
) -> Result<Result<i64, ApplicationRefusal>, Failure> {
    let (store, audit) = (Arc::clone(&call.incoming.api.store), call.audit_context(None));
    let (id, settings) = (id.clone(), settings.clone());
    let changed = async move { store.change_application(&id, &settings, Some(version), &audit).await };
    let changed = call.commit(changed).await;
    call.incoming.api.limits.increment();
    changed
}
