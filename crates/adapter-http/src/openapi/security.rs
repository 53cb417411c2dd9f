//! Authentication: OAuth 2.0 client credentials, and the scopes (specification §5).

use payroll_domain::access::Scope;
use serde_json::{Map, Value, json};

use crate::shared::scope::scope_description;

/// Returns the security schemes. `base` is the base URL of the token operation.
pub(super) fn security_schemes(base: &str) -> Value {
    let scopes: Map<String, Value> = Scope::ALL
        .iter()
        .map(|scope| (scope.as_str().to_owned(), scope_description(*scope).into()))
        .collect();
    json!({"oauth2": {
        "type": "oauth2",
        "description": "The client id is the API key of the application. A token expires after an hour, \
         unless the operator has set another lifetime.",
        "flows": {"clientCredentials": {"tokenUrl": format!("{base}/auth/oauth/v2/token"), "scopes": scopes}},
    }})
}
