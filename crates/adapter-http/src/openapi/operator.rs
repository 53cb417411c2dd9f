//! The OpenAPI description of the operator API: the common properties of its operations, derived from their
//! routes.

mod access;
mod bulk;
mod companies;
mod completion_requests;
mod deposit_requests;
mod documents;
mod hooks;
mod objects;
mod operations;
mod pay_runs;
mod sandbox;
mod schemas;
mod workers;

use payroll_domain::access::Scope;
use payroll_domain::code::Reason;
use serde_json::{Value, json};

use super::interface::ApiDescription;
use super::operation::DescribedRoute;
use super::parameters::{self, PathIdParameter, parameter_reference};
use crate::operator::{
    OperatorRoute, SECURE_SESSION_COOKIE, SESSION_COOKIE, operator_routes, sandbox_routes,
};
use crate::shared::settings::HttpSettings;

/// Path parameters that only the operator API has.
const PATH_IDS: &[PathIdParameter] = &[
    ("contactTypeId", "The contact type.", None),
    ("workerComponentId", "The recurring component.", None),
    ("applicationId", "The application.", Some("demo")),
    ("secretId", "The secret.", None),
    ("accessRequest", "The id of the access request, or the token at the end of its approval link.", None),
    ("keyId", "The operator key.", None),
    ("sessionId", "The session.", None),
];

/// The request headers of the operator API.
const HEADER_PARAMETERS: &[&str] = &["If-None-Match", "If-Match", "Idempotency-Key", "correlation"];

/// Returns the input for the OpenAPI description of the operator API with these settings.
pub(super) fn operator_api_description(settings: &HttpSettings) -> ApiDescription {
    let mut headers = parameters::header_parameters(settings);
    headers.retain(|(name, _)| HEADER_PARAMETERS.contains(&name.as_str()));
    ApiDescription {
        title: "Payroll operator API",
        description: "Operators use this API to maintain companies and their data, pay runs, applications and their permissions, and webhooks. It has its own listener. Amounts, rates and hours are decimal strings. Members without a value are left out. Every response has the id of the request in a header.",
        // The setting `public_base_url` is only for the partners' listener. The settings of the HTTP adapter
        // do not contain the URL of the operators' listener.
        base: String::new(),
        routes: operator_routes()
            .into_iter()
            .chain(sandbox_routes())
            .map(|route| Box::new(route) as Box<dyn DescribedRoute>)
            .collect(),
        areas: operations::operation_areas().into(),
        schemas: schemas::operator_schemas(),
        own_ids: PATH_IDS.into(),
        parameters: headers,
        own_headers: &[
            (
                "Checks-Left-Out",
                "The number of checks that are not in an export because their pay periods are not processed.",
            ),
            ("Content-Disposition", "`attachment` with the name of the file (RFC 6266)."),
        ],
        security: json!({"operatorKey": {
            "type": "http",
            "scheme": "bearer",
            "description": "An operator key. The role and the company restrictions of the key determine the operations that it may call.",
        }, "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": SESSION_COOKIE,
            "description": format!("A browser session that was created with an operator key. Over TLS the cookie is `{SECURE_SESSION_COOKIE}`. The session can call every operation except `signIn` and `createOperatorKey`. Requests that write also need the header `X-CSRF-Token`."),
        }}),
        has_scopes: false,
        webhooks: None,
    }
}

impl DescribedRoute for OperatorRoute {
    fn method(&self) -> &'static str {
        self.method
    }

    fn path(&self) -> &'static str {
        self.path
    }

    #[cfg(test)]
    fn query(&self) -> &'static [&'static str] {
        self.parameters
    }

    fn has_oauth_errors(&self) -> bool {
        false
    }

    fn security(&self, _: Option<Scope>) -> Value {
        if self.path.ends_with("/sessions/current") {
            return json!([{"session": []}]);
        }
        json!([{"operatorKey": []}])
    }

    fn header_parameters(&self) -> Vec<Value> {
        let own: &[&str] = match self.method {
            "GET" => &["If-None-Match"],
            "POST" => &["Idempotency-Key"],
            _ => &[],
        };
        own.iter().chain(&["correlation"]).copied().map(parameter_reference).collect()
    }

    /// Returns the error reasons that specification §10.4 defines for operations of this kind.
    fn common_reasons(&self, body: bool) -> Vec<Reason> {
        use Reason as R;
        let rows: [(bool, &[Reason]); 4] = [
            (
                true,
                &[
                    R::NotAuthenticated,
                    R::NotAuthorized,
                    R::MethodUnsupported,
                    R::NotAcceptable,
                    R::UriTooLong,
                    R::InvalidParameter,
                    R::HeadersTooLarge,
                    R::TooManyRequests,
                    R::Internal,
                    R::Unavailable,
                ],
            ),
            (self.path.contains('{'), &[R::UnknownResource]),
            (body, &[R::BodyTooSlow, R::BodyTooLarge, R::MediaTypeUnsupported]),
            (self.method == "POST" && body, &[R::Conflict, R::IdempotencyKeyReused]),
        ];
        rows.into_iter().filter(|(holds, _)| *holds).flat_map(|(_, some)| some).copied().collect()
    }

    fn success_headers(&self, status: u16) -> &'static [&'static str] {
        match self.method {
            "GET" if status < 300 => &["ETag"],
            "POST" => &["Idempotent-Replayed"],
            _ => &[],
        }
    }
}
