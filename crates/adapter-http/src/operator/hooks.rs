//! The hooks of all applications, and how each is doing (specification §10.15). What was sent to
//! them is in `deliveries`.
//!
//! Nothing here has a version: an operator changes no hook, but lets it send or not, and what is
//! shown of its queue changes by itself.

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::hook::HookKey;
use payroll_domain::id::ApplicationId;
use payroll_ports::Listing;
use payroll_ports::hooks::HookReport;
use payroll_ports::idempotency::Answer;

use super::answer;
use super::call::OperatorCall;
use super::events::no_id;
use crate::answer::send;
use crate::error::Failure;
use crate::media_type::JSON;
use crate::page::Address;
use crate::query::Query;
use crate::routes::Handled;
use crate::wire::{Envelope, HookReportResource, QueueSummaryResource};

/// GET /operator/v1/hooks.
pub(super) async fn list(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let of = application(&call.incoming.query())?;
    let page = call.page()?;
    let hooks = call.store().hooks(of.as_ref()).await?;
    let listing = Listing::of(hooks, 0, page.window(call.incoming.is_head()));
    let base = call.incoming.base_url();
    let address = Address { base: &base, path: call.incoming.path(), query: call.incoming.raw_query() };
    let metadata = Some(page.metadata(listing.total));
    let envelope = Envelope { metadata, links: page.links(&address, listing.total) };
    let rows = listing.rows.whole().await?;
    let body =
        envelope.whole(&rows, |report, out| serde_json::to_writer(out, &HookReportResource::new(report)))?;
    send(Answer { status: 200, content_type: JSON.to_owned(), body })
}

/// GET /operator/v1/hooks/summary.
pub(super) async fn summary(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let summary = call.store().queue_summary().await?;
    show(&call, &QueueSummaryResource::new(&summary))
}

/// GET /operator/v1/applications/{applicationId}/hooks/{hookId}.
pub(super) async fn one(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let report = read(&call, &key(&call)?).await?;
    show(&call, &HookReportResource::new(&report))
}

/// POST …/hooks/{hookId}/enable.
pub(super) async fn enable(call: OperatorCall) -> Handled {
    set_active(call, true).await
}

/// POST …/hooks/{hookId}/disable.
pub(super) async fn disable(call: OperatorCall) -> Handled {
    set_active(call, false).await
}

/// The hook in the path.
///
/// # Errors
/// 404 API-7 for texts that can be the ids of nothing.
pub(super) fn key(call: &OperatorCall) -> Result<HookKey, Failure> {
    Ok(HookKey { application_id: call.id("applicationId")?, hook_id: call.id("hookId")? })
}

/// The hook as it is stored.
///
/// # Errors
/// 404 API-7.
pub(super) async fn read(call: &OperatorCall, key: &HookKey) -> Result<HookReport, Failure> {
    Ok(call.store().hook(key).await?.ok_or(Reason::UnknownResource)?)
}

/// Lets a fault speak only where the hook exists.
///
/// # Errors
/// 404 API-7, else the fault.
pub(super) async fn after_finding<T>(
    call: &OperatorCall,
    key: &HookKey,
    judged: Result<T, Failure>,
) -> Result<T, Failure> {
    if judged.is_err() {
        read(call, key).await?;
    }
    judged
}

/// Has a hook send, or only collect; 200 with the hook as it is then.
async fn set_active(mut call: OperatorCall, active: bool) -> Handled {
    call.answers_json()?;
    let key = key(&call)?;
    let body = call.empty_body().await;
    after_finding(&call, &key, body).await?;
    let (store, by, changed) = (Arc::clone(&call.incoming.api.store), call.by(None), key.clone());
    let set = call.commit(async move { store.set_hook_active(&changed, active, &by).await }).await?;
    set.ok_or(Reason::UnknownResource)?;
    let report = read(&call, &key).await?;
    show(&call, &HookReportResource::new(&report))
}

/// The application whose hooks are wanted. One that does not exist has none.
fn application(query: &Query) -> Result<Option<ApplicationId>, Failure> {
    let said = query.single("applicationid")?;
    Ok(said.map(|text| text.parse().map_err(|_| no_id("applicationid"))).transpose()?)
}

/// 200 with one object.
fn show(call: &OperatorCall, content: &impl serde::Serialize) -> Handled {
    // Only strings and numbers: writing them cannot fail.
    let content = serde_json::to_string(content).unwrap_or_default();
    send(answer::whole(200, &content, vec![answer::own(call)])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_is_named_once_and_by_an_id() {
        let read = |query| application(&Query::parse(query));
        assert_eq!(read("applicationid=APP").ok().flatten().unwrap().as_str(), "APP");
        assert!(read("").unwrap_or(Some("wrong".parse().unwrap())).is_none());
        assert!(read("applicationid=a%20b").is_err() && read("applicationid=A&applicationid=A").is_err());
    }
}
