//! Metadata with which a client discovers the token endpoint: of the authorization server (RFC 8414) and of
//! the protected resource (RFC 9728). This server has both roles.

use payroll_domain::access::Scope;
use serde_json::{Value, json};

use crate::shared::agents;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::incoming::Incoming;
use crate::shared::media_type::JSON;
use crate::shared::route_table::{Route, path};
use crate::shared::service::ServiceHandler;
use crate::shared::static_file::static_file;

/// The path of the metadata of `/mcp` (RFC 9728, section 3.1), which is a resource of its own for clients.
pub(crate) const OF_AGENTS: &str = "/.well-known/oauth-protected-resource/mcp";

/// The paths of the documents, with or without the one of `/mcp`.
pub(crate) fn services(agents: bool) -> Vec<Route<ServiceHandler>> {
    let mut paths = vec![
        path("/.well-known/oauth-authorization-server").open(authorization_server),
        path("/.well-known/oauth-protected-resource").open(|incoming| protected_resource("", incoming)),
    ];
    if agents {
        paths.push(path(OF_AGENTS).open(|incoming| protected_resource(agents::PATH, incoming)));
    }
    paths
}

async fn authorization_server(incoming: Incoming) -> Handled {
    let base = incoming.base_url();
    let document = json!({
        "issuer": base,
        "token_endpoint": format!("{base}/auth/oauth/v2/token"),
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "grant_types_supported": ["client_credentials"],
        "response_types_supported": [],
        "scopes_supported": scopes(),
        "service_documentation": format!("{base}/docs/"),
    });
    served(&incoming, &document)
}

async fn protected_resource(path: &str, incoming: Incoming) -> Handled {
    let base = incoming.base_url();
    let document = json!({
        "resource": format!("{base}{path}"),
        "authorization_servers": [base],
        "bearer_methods_supported": ["header"],
        "scopes_supported": scopes(),
        "resource_documentation": format!("{base}/docs/"),
    });
    served(&incoming, &document)
}

fn scopes() -> Vec<&'static str> {
    Scope::ALL.iter().map(|scope| scope.as_str()).collect()
}

fn served(incoming: &Incoming, document: &Value) -> Handled {
    let text = serde_json::to_vec(document).map_err(|error| Failure::Bug(error.into()))?;
    static_file(incoming, JSON, &text)
}
