//! Paths that are no operations of the API: whether the process is alive, whether it can respond, what
//! the API looks like. They are open to everybody, cost no place of a rate limit, and are noted nowhere
//! but at debug level in the log, because machines ask them every few seconds.
//!
//! `dispatch` looks there for a path that the side's own table does not have, so a path that is in both is
//! the side's. These paths take GET, and HEAD with it, from any caller: nothing in these responses may name a
//! company, an application or a person, or show where something is.
//!
//! Here is what both sides have; the tables are in `operator::service` and, for partners, in
//! `crate::service`, because the description of the API is shown there.

use std::future::Future;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::incoming::Incoming;
use crate::shared::limits::RETRY_AFTER_SECONDS;
use crate::shared::route_table::Route;

/// The handler of one of these paths.
pub(crate) type ServiceHandler = Box<dyn Fn(Incoming) -> LocalBoxFuture<'static, Handled> + Send + Sync>;

impl Route<ServiceHandler> {
    /// Handles GET, and HEAD with it, without authentication.
    pub(crate) fn open<F, A>(self, handler: F) -> Self
    where
        F: Fn(Incoming) -> A + Send + Sync + 'static,
        A: Future<Output = Handled> + 'static,
    {
        self.with("GET", Box::new(move |incoming| handler(incoming).boxed_local()))
    }
}

/// The process runs and responds. It says nothing of what it depends on, so that it is not restarted because
/// something else is away.
pub(crate) async fn alive(_: Incoming) -> Handled {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body("ok"))
}

/// Requests can be served, or why not.
pub(crate) async fn ready(incoming: Incoming) -> Handled {
    let report = incoming.api.health.report().await;
    let mut answer = if report.ready { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    if !report.ready {
        answer.insert_header((RETRY_AFTER, RETRY_AFTER_SECONDS));
    }
    let body = serde_json::to_vec(&report).map_err(|error| Failure::Bug(error.into()))?;
    Ok(answer
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(body))
}
