//! Who may call: OAuth 2.0 client credentials, and what each scope opens (specification §5).

use payroll_domain::access::Scope;
use serde_json::{Map, Value, json};

/// The security schemes; `base` is the address that the token operation's begins with.
pub(super) fn schemes(base: &str) -> Value {
    let scopes: Map<String, Value> =
        Scope::ALL.iter().map(|scope| (scope.as_str().to_owned(), opens(*scope).into())).collect();
    json!({"oauth2": {
        "type": "oauth2",
        "description": "An application's API key is the client id. A token lives for an hour unless the operator has set another time.",
        "flows": {"clientCredentials": {"tokenUrl": format!("{base}/auth/oauth/v2/token"), "scopes": scopes}},
    }})
}

/// What a scope opens, in a sentence.
pub(crate) const fn opens(scope: Scope) -> &'static str {
    match scope {
        Scope::ReadCompanies => {
            "Read companies and their lists: contact types, custom employment types, custom fields, organizations."
        }
        Scope::WriteCompanies => "Change the lists of companies.",
        Scope::ReadPayroll => "Read checks, pay periods, pay components, calculation bases and pay rates.",
        Scope::WritePayroll => "Add and remove checks.",
        Scope::ReadWorkers => "Read workers and their communications.",
        Scope::ReadTaxIds => "See social security numbers whole.",
        Scope::ReadWebhooks => "Read the application's own hooks and what was sent to them.",
        Scope::WriteWebhooks => "Register, change and remove hooks, and have notifications sent again.",
    }
}
