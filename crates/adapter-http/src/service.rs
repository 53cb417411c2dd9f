//! The paths of both listeners that are not API operations. The paths that do not depend on the API
//! description are in `shared::service` and `operator::service`.

use std::sync::Arc;

use payroll_ports::keys::CurrentKeys;
use payroll_ports::sign_in::IdentityProvider;

use crate::openapi::markdown;
use crate::openapi::served::{self, LazyDescription};
use crate::openapi::{operator_openapi, partner_openapi};
use crate::operator;
use crate::partner::{metadata, portal};
use crate::shared::route_table::{Route, RouteTable, route};
use crate::shared::service::{ServiceHandler, serve_liveness, serve_readiness};
use crate::shared::settings::HttpSettings;

/// Returns the paths of the partners' listener for these settings. If `agents` is true, the paths include
/// the metadata of `/mcp`. `keys` are the keys that sign tokens and notifications.
pub(crate) fn partner_routes(
    settings: &HttpSettings,
    agents: bool,
    keys: &CurrentKeys,
) -> RouteTable<ServiceHandler> {
    let mut paths = partner_page_routes(settings.portal);
    paths.extend(metadata::service_routes(settings, agents, keys));
    RouteTable::new(paths)
}

/// Returns the paths of the partners' listener except the well-known paths. The paths of the portal are
/// included only if `portal` is true.
pub(crate) fn partner_page_routes(portal: bool) -> Vec<Route<ServiceHandler>> {
    let mut paths = description_routes(partner_openapi);
    if portal {
        paths.extend(portal::service_routes());
    }
    paths.push(route("/").get_without_authentication(served::redirect_to_page));
    paths.extend([
        route("/livez").get_without_authentication(serve_liveness),
        route("/readyz").get_without_authentication(serve_readiness),
    ]);
    paths
}

/// Returns the paths of the operators' listener for these settings. If `identity` contains an identity
/// provider, the paths include those of the sign-in.
pub(crate) fn operator_routes(
    settings: &HttpSettings,
    identity: Option<Arc<dyn IdentityProvider>>,
) -> RouteTable<ServiceHandler> {
    let mut paths = description_routes(operator_openapi);
    paths.extend(operator::service_routes(settings, identity));
    if !settings.console {
        paths.push(route("/").get_without_authentication(served::redirect_to_page));
    }
    RouteTable::new(paths)
}

/// Returns the paths of an API description and of the reference page that shows it.
fn description_routes(write: fn(&HttpSettings) -> String) -> Vec<Route<ServiceHandler>> {
    let description = LazyDescription::default();
    let text = move |incoming| served::serve_description(Arc::clone(&description), write, incoming);
    vec![
        route("/docs").get_without_authentication(served::redirect_to_page),
        route("/docs/").get_without_authentication(served::serve_page),
        route("/docs/{file}").get_without_authentication(served::serve_page),
        route("/docs/{folder}/{page}").get_without_authentication(served::serve_page),
        route("/llms.txt").get_without_authentication(markdown::serve_page_index),
        route("/openapi.json").get_without_authentication(text),
    ]
}
