//! The OpenAPI description of the partner API: the common properties of its operations, derived from their
//! routes.

use payroll_domain::access::Scope;
use payroll_domain::code::Reason;
use serde_json::{Value, json};

use super::interface::ApiDescription;
use super::operation::DescribedRoute;
use super::parameters::{self, parameter_reference};
use super::{errors, operations, schemas, security, webhooks};
use crate::partner::{RouteInfo, routes};
use crate::shared::media_type::VendorTypes;
use crate::shared::settings::HttpSettings;

/// Returns the input for the OpenAPI description of the partner API with these settings.
pub(super) fn partner_api_description(settings: &HttpSettings) -> ApiDescription {
    let base = settings.public_base_url.clone().unwrap_or_default();
    ApiDescription {
        title: "Payroll integration API",
        description: "Partner applications use this API to read companies, workers, pay periods and checks, to add checks, to change workers, and to receive notifications of changes. Amounts, rates and hours are decimal strings. Members without a value are left out and are never `null`. Every response has the id of the request in a header.",
        routes: routes().into_iter().map(|route| Box::new(route) as Box<dyn DescribedRoute>).collect(),
        areas: operations::operation_areas(&VendorTypes::new(&settings.vendor)).into(),
        schemas: [schemas::all_schemas(), webhooks::schemas(), errors::token_schemas()].concat(),
        own_ids: Vec::new(),
        parameters: parameters::header_parameters(settings),
        own_headers: &[
            ("Content-Disposition", "`attachment` with the name of the file (RFC 6266)."),
            ("RateLimit", "The remaining requests of the caller, and the seconds until the limit is reset."),
            (
                "RateLimit-Policy",
                "The number of requests that a caller may send, and the time window in seconds.",
            ),
            (
                "InsufficientScope",
                "The scope that the token or the grant lacks (RFC 6750). Absent if there is another reason.",
            ),
        ],
        security: security::security_schemes(&base),
        has_scopes: true,
        webhooks: Some(webhooks::webhooks()),
        base,
    }
}

impl DescribedRoute for RouteInfo {
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
        !self.token
    }

    /// Returns the security requirement of the route: a token with the scope or the alternative scope, a
    /// token with any scopes, or no token.
    fn security(&self, other_scope: Option<Scope>) -> Value {
        match (self.token, self.scope) {
            (false, _) => json!([]),
            (true, None) => json!([{"oauth2": []}]),
            (true, Some(scope)) => {
                let scopes = std::iter::once(scope).chain(other_scope);
                scopes.map(|scope| json!({"oauth2": [scope.as_str()]})).collect()
            }
        }
    }

    fn header_parameters(&self) -> Vec<Value> {
        let own: &[&str] = match (self.method, self.token) {
            ("GET", _) => &["If-None-Match"],
            ("POST", true) => &["Idempotency-Key"],
            _ => &[],
        };
        let noted: &[&str] = if self.token { &["notification", "correlation"] } else { &["correlation"] };
        own.iter().chain(noted).copied().map(parameter_reference).collect()
    }

    /// Returns the error reasons that specification §4.4 and §4.6 define for operations of this kind.
    fn common_reasons(&self, body: bool) -> Vec<Reason> {
        use Reason as R;
        let names_company =
            ["{companyId}", "{workerId}", "{checkId}"].iter().any(|id| self.path.contains(id));
        let keeps_marks = self.method == "POST" && self.token;
        let rows: [(bool, &[Reason]); 7] = [
            (
                true,
                &[
                    R::NotAuthenticated,
                    R::MethodUnsupported,
                    R::NotAcceptable,
                    R::UriTooLong,
                    R::TooManyRequests,
                ],
            ),
            // All operations reject unknown query parameters, so they all have the reason `InvalidParameter`.
            (true, &[R::InvalidParameter, R::HeadersTooLarge, R::Internal, R::Unavailable]),
            (self.token, &[R::NotAuthorized]),
            (names_company, &[R::CompanyEndDated]),
            (self.path.contains('{'), &[R::UnknownResource]),
            (body, &[R::BodyTooSlow, R::BodyTooLarge, R::MediaTypeUnsupported]),
            (keeps_marks, &[R::Conflict, R::IdempotencyKeyReused]),
        ];
        rows.into_iter().filter(|(holds, _)| *holds).flat_map(|(_, some)| some).copied().collect()
    }

    /// Returns the headers of a successful response. Only responses to GET have an entity tag.
    fn success_headers(&self, status: u16) -> &'static [&'static str] {
        match (self.method, self.token) {
            ("GET", _) if status < 300 => &["RateLimit", "RateLimit-Policy", "ETag"],
            ("POST", true) => &["RateLimit", "RateLimit-Policy", "Idempotent-Replayed"],
            _ => &["RateLimit", "RateLimit-Policy"],
        }
    }
}
