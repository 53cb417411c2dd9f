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
use crate::shared::route_table::{Route, route};
use crate::shared::service::{ServiceHandler, serve_liveness, serve_readiness};
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
        route("/approve/{accessRequest}").get_without_authentication(approval::serve_page),
        route("/livez").get_without_authentication(serve_liveness),
        route("/metrics").get_without_authentication(serve_metrics),
        route("/readyz").get_without_authentication(serve_readiness),
    ]);
    services
}

/// Returns the paths of the console (specification §10.24) and its files.
fn console_routes() -> Vec<Route<ServiceHandler>> {
    vec![
        route("/").get_without_authentication(|incoming| browser_page::serve_page(App::Console, incoming)),
        route("/console/{folder}/{file}")
            .get_without_authentication(|incoming| browser_page::serve_file(App::Console, incoming)),
    ]
}

/// Handles `GET /metrics`: returns the metrics of the process.
async fn serve_metrics(incoming: IncomingRequest) -> HandlerResult {
    let text = incoming.api.all_metrics.to_prometheus_text().await;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, MEDIA_TYPE))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(text))
}
