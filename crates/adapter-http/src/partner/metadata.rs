//! Documents at well-known paths. A client discovers the token endpoint by the metadata of the authorization
//! server (RFC 8414) and of the protected resource (RFC 9728): this server has both roles. `security.txt`
//! (RFC 9116) says where to report a vulnerability.

use payroll_domain::access::Scope;
use serde_json::{Value, json};

use crate::shared::agents;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::incoming::Incoming;
use crate::shared::media_type::{JSON, PLAIN_TEXT};
use crate::shared::route_table::{Route, path};
use crate::shared::service::ServiceHandler;
use crate::shared::static_file::static_file;

/// The path of the metadata of `/mcp` (RFC 9728, section 3.1), which is a resource of its own for clients.
pub(crate) const OF_AGENTS: &str = "/.well-known/oauth-protected-resource/mcp";

const SECONDS_OF_A_DAY: i64 = 86_400;

/// The days until `security.txt` expires, from the day on which it is read. RFC 9116 recommends less than a
/// year. The contact is as current as the settings of the running server.
const SECURITY_TXT_DAYS: i64 = 180;

/// The paths of the documents, with or without the one of `/mcp` and the one with contacts.
pub(crate) fn services(agents: bool, contacts: bool) -> Vec<Route<ServiceHandler>> {
    let mut paths = vec![
        path("/.well-known/oauth-authorization-server").open(authorization_server),
        path("/.well-known/oauth-protected-resource").open(|incoming| protected_resource("", incoming)),
    ];
    if agents {
        paths.push(path(OF_AGENTS).open(|incoming| protected_resource(agents::PATH, incoming)));
    }
    if contacts {
        paths.push(path("/.well-known/security.txt").open(security_txt));
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

async fn security_txt(incoming: Incoming) -> Handled {
    let contacts = incoming.api.settings.security_contacts.iter();
    let mut text: String = contacts.map(|contact| format!("Contact: {contact}\n")).collect();
    let expires = incoming.api.now().plus_seconds(SECURITY_TXT_DAYS * SECONDS_OF_A_DAY).date();
    text += &format!("Expires: {expires}T00:00:00Z\nPreferred-Languages: en\n");
    if let Some(base) = &incoming.api.settings.public_base_url {
        text += &format!("Canonical: {}/.well-known/security.txt\n", base.trim_end_matches('/'));
    }
    static_file(&incoming, PLAIN_TEXT, text.as_bytes())
}

fn scopes() -> Vec<&'static str> {
    Scope::ALL.iter().map(|scope| scope.as_str()).collect()
}

fn served(incoming: &Incoming, document: &Value) -> Handled {
    let text = serde_json::to_vec(document).map_err(|error| Failure::Bug(error.into()))?;
    static_file(incoming, JSON, &text)
}
