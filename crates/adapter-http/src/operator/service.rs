//! The paths of the operators' listener that are not API operations.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};

use payroll_console::App;
use payroll_ports::sign_in::IdentityProvider;

use super::{approval, sign_in};
use crate::shared::browser_page;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::metrics::MEDIA_TYPE;
use crate::shared::route_table::{Route, path};
use crate::shared::service::{ServiceHandler, liveness, readiness};
use crate::shared::settings::HttpSettings;

/// Returns the paths that do not depend on the API description. `identity` adds the sign-in with the identity
/// provider.
pub(crate) fn service_routes(
    settings: &HttpSettings,
    identity: Option<Arc<dyn IdentityProvider>>,
) -> Vec<Route<ServiceHandler>> {
    let mut services = if settings.console { console_routes() } else { Vec::new() };
    if let Some(provider) = identity {
        services.extend(sign_in::service_routes(provider, settings.failed_tokens_per_minute));
    }
    services.extend([
        path("/approve/{accessRequest}").get_without_caller(approval::serve_page),
        path("/livez").get_without_caller(liveness),
        path("/metrics").get_without_caller(serve_metrics),
        path("/readyz").get_without_caller(readiness),
    ]);
    services
}

/// Returns the paths of the console (specification §10.24) and its files.
fn console_routes() -> Vec<Route<ServiceHandler>> {
    vec![
        path("/").get_without_caller(|incoming| browser_page::serve_page(App::Console, incoming)),
        path("/console/{folder}/{file}")
            .get_without_caller(|incoming| browser_page::serve_file(App::Console, incoming)),
    ]
}

/// Handles `GET /metrics`: returns the metrics of the process.
async fn serve_metrics(incoming: IncomingRequest) -> HandlerResult {
    let text = incoming.api.all_metrics.text().await;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, MEDIA_TYPE))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}
