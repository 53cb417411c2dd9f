//! The hooks of all applications and their state (specification §10.15). Deliveries are in `deliveries`.
//!
//! Operators only enable and disable hooks, so their requests need no `If-Match`. The queue in a response can
//! change while the hook stays the same. The entity tag is therefore a hash of the response.

use std::future::Future;
use std::slice;
use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::hook::{Hook, HookKey};
use payroll_domain::id::ApplicationId;
use payroll_ports::hooks::HookWithQueue;
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, Rows, Store, StoreError};
use serde::Serialize;

use super::call::OperatorCall;
use super::events::invalid_id_parameter_fault;
use super::response;
use crate::operator::wire::{HookReportResource, QueueSummaryResource};
use crate::shared::error::Failure;
use crate::shared::etag::compute_rows_version;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency::ChangeResponse;
use crate::shared::media_type::JSON;
use crate::shared::query::Query;
use crate::shared::response::{GetResponse, from_stored};
use crate::shared::wire::Link;

/// The query parameters of the list of hooks.
pub(super) const PARAMETERS: &[&str] = &["applicationid", "offset", "limit"];

/// Handles a request for `GET /operator/v1/hooks`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let of = application_filter(&call.incoming.query())?;
    let page = call.page()?;
    let hooks = call.store().hooks(of.as_ref()).await?;
    let rows: Vec<_> = hooks.iter().map(|report| serialize(&HookReportResource::new(report))).collect();
    let version = compute_rows_version(&rows);
    let listing = Listing::from_all(rows, version, page.window_for_response(call.incoming.is_head()));
    response::collection_response(&call, page, listing, String::clone)
}

/// Handles a request for `GET /operator/v1/hooks/summary`.
pub(super) async fn show_queue_summary(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let summary = call.store().queue_summary().await?;
    content_response(&call, &QueueSummaryResource::new(&summary))
}

/// Handles a request for `GET /operator/v1/applications/{applicationId}/hooks/{hookId}`.
pub(super) async fn get_hook(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let report = read_hook_report(&call, &hook_key(&call)?).await?;
    content_response(&call, &HookReportResource::new(&report))
}

/// Handles a request for `POST …/hooks/{hookId}/enable`.
pub(super) async fn enable(call: OperatorCall) -> HandlerResult {
    set_active(call, true).await
}

/// Handles a request for `POST …/hooks/{hookId}/disable`.
pub(super) async fn disable(call: OperatorCall) -> HandlerResult {
    set_active(call, false).await
}

/// Returns the application id and the hook id in the path, which identify a hook.
///
/// # Errors
/// 404 API-7 if one of the texts is not a valid id.
pub(super) fn hook_key(call: &OperatorCall) -> Result<HookKey, Failure> {
    Ok(HookKey { application_id: call.id("applicationId")?, hook_id: call.id("hookId")? })
}

/// Reads the hook from the store.
///
/// # Errors
/// 404 API-7 if the hook is unknown.
pub(super) async fn read_hook_report(call: &OperatorCall, key: &HookKey) -> Result<HookWithQueue, Failure> {
    Ok(call.store().hook(key).await?.ok_or(Reason::UnknownResource)?)
}

/// A request for an existing hook.
pub(super) struct HookRequest {
    pub(super) call: OperatorCall,
    pub(super) hook: Hook,
}

impl HookRequest {
    /// Reads the hook and the body of the request.
    ///
    /// # Errors
    /// The errors of [`OperatorCall::check_media_types`], 404 API-7 for an unknown hook, and the errors of
    /// [`OperatorCall::body`].
    pub(super) async fn with_body(mut call: OperatorCall) -> Result<(Self, Bytes), Failure> {
        call.check_media_types(&[JSON])?;
        let body = call.body().await;
        Self::for_existing_hook(call, body).await
    }

    /// Reads the hook. The body must be empty or an empty object.
    ///
    /// # Errors
    /// The errors of [`Self::with_body`], and 400 if the body has content.
    pub(super) async fn without_body(mut call: OperatorCall) -> Result<(Self, Bytes), Failure> {
        call.check_client_accepts_json()?;
        let body = call.read_empty_body().await;
        Self::for_existing_hook(call, body).await
    }

    /// Reads the hook. A fault of the body is returned only if the hook exists. If the hook does not exist,
    /// the error is always 404.
    async fn for_existing_hook(
        call: OperatorCall,
        body: Result<Bytes, Failure>,
    ) -> Result<(Self, Bytes), Failure> {
        let hook = read_hook_report(&call, &hook_key(&call)?).await?.hook;
        Ok((Self { call, hook }, body?))
    }

    /// Runs a change once for each idempotency key.
    ///
    /// # Errors
    /// 404 API-7 if the hook or its subresource no longer exists, and the errors of
    /// [`OperatorCall::run_with_idempotency`] and of the store.
    pub(super) async fn change_idempotently<F>(
        self,
        body: &Bytes,
        change: impl FnOnce(Arc<dyn Store>, Hook, AuditContext, Vec<Link<'static>>) -> F,
    ) -> HandlerResult
    where
        F: Future<Output = Result<Option<ChangeResponse>, StoreError>> + Send + 'static,
    {
        let Self { call, hook } = self;
        let (store, audit, links) = (
            Arc::clone(&call.incoming.api.store),
            call.audit_context(None),
            vec![response::link_to_request(&call)],
        );
        call.run_with_idempotency(body, async |guard| {
            from_stored(
                guard
                    .run_and_store_response(change(store, hook, audit, links))
                    .await?
                    .ok_or(Reason::UnknownResource)?,
            )
        })
        .await
    }
}

/// Enables or disables a hook. The response is 200 with the hook after the change.
async fn set_active(call: OperatorCall, active: bool) -> HandlerResult {
    let (on, body) = HookRequest::without_body(call).await?;
    on.change_idempotently(&body, |store, hook, audit, links| async move {
        if store.set_hook_active(&hook.key, active, &audit).await?.is_none() {
            return Ok(None);
        }
        let Some(report) = store.hook(&hook.key).await? else { return Ok(None) };
        let shown = serialize(&HookReportResource::new(&report));
        Ok(Some(response::create_stored_response(200, &shown, links)?.into()))
    })
    .await
}

/// Returns the application in the query. An unknown application is not an error, and its list of hooks is
/// empty.
fn application_filter(query: &Query) -> Result<Option<ApplicationId>, Failure> {
    let value = query.single_value("applicationid")?;
    Ok(value.map(|text| text.parse().map_err(|_| invalid_id_parameter_fault("applicationid"))).transpose()?)
}

/// Returns 200 with one object, or 304 if the client already has this version of the object.
fn content_response(call: &OperatorCall, content: &impl Serialize) -> HandlerResult {
    let content = serialize(content);
    let tag = response::collection_tag(call, compute_rows_version(slice::from_ref(&content)));
    GetResponse::with_etag(&call.incoming, JSON, tag).rows_response(
        Rows::All(vec![content]),
        |content, _, out| {
            out.extend_from_slice(content.as_bytes());
            Ok(())
        },
    )
}

/// Serializes an object. Serialization cannot fail, because the object contains only strings, numbers and
/// booleans.
fn serialize(content: &impl Serialize) -> String {
    serde_json::to_string(content).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_application_parameter_is_required_once_and_is_an_id() {
        let read = |query| application_filter(&Query::parse(query));
        assert_eq!(read("applicationid=APP").ok().flatten().unwrap().as_str(), "APP");
        assert!(read("").unwrap_or(Some("wrong".parse().unwrap())).is_none());
        assert!(read("applicationid=a%20b").is_err() && read("applicationid=A&applicationid=A").is_err());
    }
}
