//! Documents at well-known paths. Clients discover the token endpoint by the metadata of the authorization
//! server (RFC 8414) and of the protected resource (RFC 9728). This server has both roles. Other documents
//! contain the public keys that verify access tokens (RFC 7517) and notifications. `security.txt` (RFC 9116)
//! contains the contacts for reports of vulnerabilities.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use payroll_domain::access::Scope;
use payroll_domain::client_key::KeyAlgorithm;
use payroll_ports::keys::{CurrentKeys, KeyDerived, KeyPurpose, KeySet};
use payroll_ports::signing::SigningPair;
use serde_json::{Value, json};

use crate::partner::routes::token;
use crate::shared::agents;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::media_type::JSON;
use crate::shared::route_table::{Route, route};
use crate::shared::service::ServiceHandler;
use crate::shared::settings::{HttpSettings, TokenSignature};
use crate::shared::static_file::{PLAIN_TEXT, static_file_response};

/// All paths of this module, even if the settings disable some of them.
pub(crate) const METADATA_PATHS: [&str; 6] = [
    AUTHORIZATION_SERVER_PATH,
    PROTECTED_RESOURCE_PATH,
    MCP_RESOURCE_PATH,
    TOKEN_KEYS_PATH,
    WEBHOOK_KEYS_PATH,
    SECURITY_TXT_PATH,
];
/// The path of the metadata of the authorization server (RFC 8414).
const AUTHORIZATION_SERVER_PATH: &str = "/.well-known/oauth-authorization-server";
/// The path of the metadata of the protected resource (RFC 9728).
const PROTECTED_RESOURCE_PATH: &str = "/.well-known/oauth-protected-resource";
/// The path of the metadata of `/mcp` (RFC 9728, section 3.1). To clients, `/mcp` is a separate resource.
pub(crate) const MCP_RESOURCE_PATH: &str = "/.well-known/oauth-protected-resource/mcp";

const SECONDS_PER_DAY: i64 = 86_400;

/// The number of days until `security.txt` expires, counted from the request. RFC 9116 recommends less than a
/// year. Each request gets a new expiry, because the contacts come from the current settings.
const SECURITY_TXT_LIFETIME_DAYS: i64 = 180;

/// The path of the public keys that verify access tokens (RFC 7517).
const TOKEN_KEYS_PATH: &str = "/.well-known/jwks.json";
/// The path of the public keys that verify notifications.
const WEBHOOK_KEYS_PATH: &str = "/.well-known/webhook-keys";
/// The path of the contacts for vulnerabilities (RFC 9116).
const SECURITY_TXT_PATH: &str = "/.well-known/security.txt";

/// The prefix of a public key in the format of Standard Webhooks.
const PUBLIC_KEY_PREFIX: &str = "whpk_";

/// Returns the paths of the documents that the settings enable. If `agents` is true, the paths include the
/// metadata of `/mcp`. `keys` is the key set whose public keys are published.
pub(crate) fn service_routes(
    settings: &HttpSettings,
    agents: bool,
    keys: &CurrentKeys,
) -> Vec<Route<ServiceHandler>> {
    let derived = |make: fn(&KeySet) -> Value| {
        let keys = Arc::new(KeyDerived::new(keys.clone(), make));
        move |incoming| serve_keys(Arc::clone(&keys), incoming)
    };
    let mut paths = vec![
        route(AUTHORIZATION_SERVER_PATH).get_without_authentication(serve_authorization_server),
        route(PROTECTED_RESOURCE_PATH)
            .get_without_authentication(|incoming| serve_protected_resource("", incoming)),
    ];
    if agents {
        paths.push(
            route(MCP_RESOURCE_PATH)
                .get_without_authentication(|incoming| serve_protected_resource(agents::MCP_PATH, incoming)),
        );
    }
    paths.push(route(WEBHOOK_KEYS_PATH).get_without_authentication(derived(webhook_keys_document)));
    if settings.token_signature == TokenSignature::EdDsa {
        paths.push(route(TOKEN_KEYS_PATH).get_without_authentication(derived(token_keys_document)));
    }
    if !settings.security_contacts.is_empty() {
        paths.push(route(SECURITY_TXT_PATH).get_without_authentication(serve_security_txt));
    }
    paths
}

async fn serve_authorization_server(incoming: IncomingRequest) -> HandlerResult {
    let base = incoming.base_url();
    // Assertions are only offered if the address of the server is known. Otherwise the server cannot verify
    // the audience of an assertion.
    let accepts_assertions = token::assertion_audience(&incoming).is_some();
    let mut methods = vec!["client_secret_basic", "client_secret_post"];
    methods.extend(accepts_assertions.then_some("private_key_jwt"));
    let mut document = json!({
        "issuer": base,
        "token_endpoint": format!("{base}{}", token::TOKEN_PATH),
        "token_endpoint_auth_methods_supported": methods,
        "grant_types_supported": ["client_credentials"],
        "response_types_supported": [],
        "scopes_supported": supported_scopes(),
        "service_documentation": format!("{base}/docs/"),
    });
    if let Some(members) = document.as_object_mut() {
        if accepts_assertions {
            let algorithms: Vec<&str> = KeyAlgorithm::ALL.iter().map(|it| it.as_str()).collect();
            members.insert("token_endpoint_auth_signing_alg_values_supported".to_owned(), json!(algorithms));
        }
        if incoming.api.settings.token_signature == TokenSignature::EdDsa {
            members.insert("jwks_uri".to_owned(), json!(format!("{base}{TOKEN_KEYS_PATH}")));
        }
    }
    serve_json(&incoming, &document)
}

async fn serve_protected_resource(path: &str, incoming: IncomingRequest) -> HandlerResult {
    let base = incoming.base_url();
    let document = json!({
        "resource": format!("{base}{path}"),
        "authorization_servers": [base],
        "bearer_methods_supported": ["header"],
        "scopes_supported": supported_scopes(),
        "resource_documentation": format!("{base}/docs/"),
    });
    serve_json(&incoming, &document)
}

async fn serve_keys(keys: Arc<KeyDerived<Value>>, incoming: IncomingRequest) -> HandlerResult {
    serve_json(&incoming, &keys.current_with_generation().1)
}

/// Returns the public keys that verify notifications. The public key that belongs to the active key of the
/// key set is first.
fn webhook_keys_document(keys: &KeySet) -> Value {
    let pairs = SigningPair::derive_all(keys, KeyPurpose::WebhookSigning);
    let key = |pair: &SigningPair| {
        let public = format!("{PUBLIC_KEY_PREFIX}{}", STANDARD.encode(pair.public_key()));
        json!({ "id": pair.id(), "algorithm": "Ed25519", "publicKey": public })
    };
    json!({ "keys": pairs.iter().map(key).collect::<Vec<_>>() })
}

/// Returns the public keys that verify access tokens, as a JSON Web Key Set (RFC 7517, RFC 8037).
fn token_keys_document(keys: &KeySet) -> Value {
    let pairs = SigningPair::derive_all(keys, KeyPurpose::TokenPair);
    let key = |pair: &SigningPair| {
        let x = URL_SAFE_NO_PAD.encode(pair.public_key());
        json!({ "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": pair.id(), "x": x })
    };
    json!({ "keys": pairs.iter().map(key).collect::<Vec<_>>() })
}

async fn serve_security_txt(incoming: IncomingRequest) -> HandlerResult {
    let contacts = incoming.api.settings.security_contacts.iter();
    let mut text: String = contacts.map(|contact| format!("Contact: {contact}\n")).collect();
    let expires = incoming.api.now().plus_seconds(SECURITY_TXT_LIFETIME_DAYS * SECONDS_PER_DAY).date();
    text += &format!("Expires: {expires}T00:00:00Z\nPreferred-Languages: en\n");
    if let Some(base) = &incoming.api.settings.public_base_url {
        text += &format!("Canonical: {}{SECURITY_TXT_PATH}\n", base.trim_end_matches('/'));
    }
    static_file_response(&incoming, PLAIN_TEXT, text.as_bytes())
}

fn supported_scopes() -> Vec<&'static str> {
    Scope::ALL.iter().map(|scope| scope.as_str()).collect()
}

fn serve_json(incoming: &IncomingRequest, document: &Value) -> HandlerResult {
    let text = serde_json::to_vec(document).map_err(|error| Failure::Bug(error.into()))?;
    static_file_response(incoming, JSON, &text)
}
