//! Paths that are not API operations: liveness, readiness, and the API description. These paths need no
//! authentication and do not count against a rate limit. Requests for them are logged only at debug level,
//! because monitoring sends such requests every few seconds.
//!
//! `dispatch` searches the API operations first, so operations have precedence over these paths. These
//! paths accept GET and HEAD from any client. Their responses must not contain a company, an application, a
//! person or a network address.
//!
//! This module contains the parts that both APIs share. The tables of paths are in `operator::service` and,
//! for partners, in `crate::service`.

use std::future::Future;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::limits::RETRY_AFTER_SECONDS;
use crate::shared::route_table::Route;

/// The handler of a path that is not an API operation.
pub(crate) type ServiceHandler =
    Box<dyn Fn(IncomingRequest) -> LocalBoxFuture<'static, HandlerResult> + Send + Sync>;

impl Route<ServiceHandler> {
    /// Adds a handler for GET and HEAD that needs no authentication.
    pub(crate) fn get_without_authentication<F, A>(self, handler: F) -> Self
    where
        F: Fn(IncomingRequest) -> A + Send + Sync + 'static,
        A: Future<Output = HandlerResult> + 'static,
    {
        self.with_method("GET", Box::new(move |incoming| handler(incoming).boxed_local()))
    }
}

/// Handles `/livez`: 200 while the process responds. The response does not depend on the storage, because a
/// restart of this process would not repair the storage.
pub(crate) async fn serve_liveness(_: IncomingRequest) -> HandlerResult {
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body("ok"))
}

/// Handles `/readyz`: 200 if the server can process requests, otherwise 503 with the components that are not
/// ready.
pub(crate) async fn serve_readiness(incoming: IncomingRequest) -> HandlerResult {
    let report = incoming.api.health.report().await;
    let mut response = if report.ready { HttpResponse::Ok() } else { HttpResponse::ServiceUnavailable() };
    if !report.ready {
        response.insert_header((RETRY_AFTER, RETRY_AFTER_SECONDS));
    }
    let body = serde_json::to_vec(&report).map_err(|error| Failure::Bug(error.into()))?;
    Ok(response
        .insert_header((CONTENT_TYPE, "application/json"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(body))
}
