//! The hooks of all applications, and how each is doing (specification §10.15). What was sent to
//! them is in `deliveries`.
//!
//! An operator changes no hook, but lets it send or not, so no version of it has to be named. What is
//! shown of its queue changes by itself: what is shown is the version of a response.

use std::future::Future;
use std::slice;
use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::hook::{Hook, HookKey};
use payroll_domain::id::ApplicationId;
use payroll_ports::hooks::HookReport;
use payroll_ports::write::By;
use payroll_ports::{Listing, Rows, Store, StoreError};
use serde::Serialize;

use super::answer;
use super::call::OperatorCall;
use super::events::no_id;
use crate::operator::wire::{HookReportResource, QueueSummaryResource};
use crate::shared::answer::{Reading, send};
use crate::shared::deliveries::version_of;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::idempotency::ChangeAnswer;
use crate::shared::media_type::JSON;
use crate::shared::query::Query;
use crate::shared::wire::Link;

/// The parameters of the list.
pub(super) const PARAMETERS: &[&str] = &["applicationid", "offset", "limit"];

/// GET /operator/v1/hooks.
pub(super) async fn list(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let of = application(&call.incoming.query())?;
    let page = call.page()?;
    let hooks = call.store().hooks(of.as_ref()).await?;
    let rows: Vec<_> = hooks.iter().map(|report| written(&HookReportResource::new(report))).collect();
    let version = version_of(&rows);
    let listing = Listing::of(rows, version, page.window(call.incoming.is_head()));
    answer::collection(&call, page, listing, String::clone)
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
/// 404 API-7 for an unknown hook.
pub(super) async fn read(call: &OperatorCall, key: &HookKey) -> Result<HookReport, Failure> {
    Ok(call.store().hook(key).await?.ok_or(Reason::UnknownResource)?)
}

/// A request to do something with a hook that is there.
pub(super) struct OnHook {
    pub(super) call: OperatorCall,
    pub(super) hook: Hook,
}

impl OnHook {
    /// A request that has to say something, and what it says.
    ///
    /// # Errors
    /// 415 API-415, 406 API-75, 404 API-7, 413 API-413, 408 API-408, 400 for a body that breaks off.
    pub(super) async fn with_body(mut call: OperatorCall) -> Result<(Self, Bytes), Failure> {
        call.takes(&[JSON])?;
        let body = call.body().await;
        Self::found(call, body).await
    }

    /// A request that has nothing to say.
    ///
    /// # Errors
    /// Those of [`Self::with_body`], and 400 for a body that says something.
    pub(super) async fn without_body(mut call: OperatorCall) -> Result<(Self, Bytes), Failure> {
        call.answers_json()?;
        let body = call.empty_body().await;
        Self::found(call, body).await
    }

    /// Lets what is wrong with the body speak only where the hook exists.
    async fn found(call: OperatorCall, body: Result<Bytes, Failure>) -> Result<(Self, Bytes), Failure> {
        let hook = read(&call, &key(&call)?).await?.hook;
        Ok((Self { call, hook }, body?))
    }

    /// Does it, once for each idempotency key; 404 where the hook, or what is below it, is gone.
    ///
    /// # Errors
    /// Those of [`OperatorCall::once`] and of the store.
    pub(super) async fn once<F>(
        self,
        body: &Bytes,
        change: impl FnOnce(Arc<dyn Store>, Hook, By, Vec<Link<'static>>) -> F,
    ) -> Handled
    where
        F: Future<Output = Result<Option<ChangeAnswer>, StoreError>> + Send + 'static,
    {
        let Self { call, hook } = self;
        let (store, by, links) =
            (Arc::clone(&call.incoming.api.store), call.by(None), vec![answer::own(&call)]);
        call.once(body, async |lease| {
            send(lease.run(change(store, hook, by, links)).await?.ok_or(Reason::UnknownResource)?)
        })
        .await
    }
}

/// Has a hook send, or only collect; 200 with the hook as it is then.
async fn set_active(call: OperatorCall, active: bool) -> Handled {
    let (on, body) = OnHook::without_body(call).await?;
    on.once(&body, |store, hook, by, links| async move {
        if store.set_hook_active(&hook.key, active, &by).await?.is_none() {
            return Ok(None);
        }
        let Some(report) = store.hook(&hook.key).await? else { return Ok(None) };
        let shown = written(&HookReportResource::new(&report));
        Ok(Some(answer::whole(200, &shown, links)?.into()))
    })
    .await
}

/// The application whose hooks are wanted. One that does not exist has none.
fn application(query: &Query) -> Result<Option<ApplicationId>, Failure> {
    let said = query.single("applicationid")?;
    Ok(said.map(|text| text.parse().map_err(|_| no_id("applicationid"))).transpose()?)
}

/// 200 with one object, or none for who has it as it is.
fn show(call: &OperatorCall, content: &impl Serialize) -> Handled {
    let content = written(content);
    let tag = answer::collection_tag(call, version_of(slice::from_ref(&content)));
    Reading::tagged(&call.incoming, JSON, tag).plain(Rows::All(vec![content]), |content, _, out| {
        out.extend_from_slice(content.as_bytes());
        Ok(())
    })
}

/// Only strings, numbers and flags: writing them cannot fail.
fn written(content: &impl Serialize) -> String {
    serde_json::to_string(content).unwrap_or_default()
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
