//! The paths of both listeners that are not API operations. The paths that do not depend on the API
//! description are in `shared::service` and `operator::service`.

use std::sync::Arc;

use payroll_ports::keys::CurrentKeys;
use payroll_ports::sign_in::IdentityProvider;

use crate::openapi::markdown;
use crate::openapi::served::{self, Description};
use crate::openapi::{openapi, operator_openapi};
use crate::operator;
use crate::partner::{metadata, portal};
use crate::shared::route_table::{Route, RouteTable, path};
use crate::shared::service::{ServiceHandler, liveness, readiness};
use crate::shared::settings::HttpSettings;

/// Returns the paths of the partners' listener for these settings. `agents` adds the metadata of `/mcp`.
/// `keys` are the keys that sign tokens and notifications.
pub(crate) fn partner_routes(
    settings: &HttpSettings,
    agents: bool,
    keys: &CurrentKeys,
) -> RouteTable<ServiceHandler> {
    let mut paths = partner_page_routes(settings.portal);
    paths.extend(metadata::services(settings, agents, keys));
    RouteTable::new(paths)
}

/// Returns the paths of the partners' listener except the well-known ones. `portal` adds the portal.
pub(crate) fn partner_page_routes(portal: bool) -> Vec<Route<ServiceHandler>> {
    let mut paths = description_routes(openapi);
    if portal {
        paths.extend(portal::services());
    }
    paths.push(path("/").open(served::redirect_to_page));
    paths.extend([path("/livez").open(liveness), path("/readyz").open(readiness)]);
    paths
}

/// Returns the paths of the operators' listener for these settings. `identity` adds the sign-in.
pub(crate) fn operator_routes(
    settings: &HttpSettings,
    identity: Option<Arc<dyn IdentityProvider>>,
) -> RouteTable<ServiceHandler> {
    let mut paths = description_routes(operator_openapi);
    paths.extend(operator::services(settings, identity));
    if !settings.console {
        paths.push(path("/").open(served::redirect_to_page));
    }
    RouteTable::new(paths)
}

/// Returns the paths of an API description and of the reference page that shows it.
fn description_routes(write: fn(&HttpSettings) -> String) -> Vec<Route<ServiceHandler>> {
    let description = Description::default();
    let text = move |incoming| served::serve_description(Arc::clone(&description), write, incoming);
    vec![
        path("/docs").open(served::redirect_to_page),
        path("/docs/").open(served::serve_page),
        path("/docs/{file}").open(served::serve_page),
        path("/docs/{folder}/{page}").open(served::serve_page),
        path("/llms.txt").open(markdown::index),
        path("/openapi.json").open(text),
    ]
}
