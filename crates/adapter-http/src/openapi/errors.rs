//! Schemas of error responses (specification §4.1, §5.3). Each status of an operation lists the possible
//! codes. The table of codes provides an example for each code.

use std::cell::RefCell;
use std::collections::BTreeMap;

use payroll_domain::code::Reason;
use payroll_domain::token::OAuthError;
use payroll_domain::violation::Violations;
use serde_json::{Map, Value, json};

use super::schema::{
    ObjectMember, enumeration_schema, list_schema, object_schema, optional, required, schema_reference,
    text_schema, with_keyword,
};
use crate::shared::error::status_for_kind;
use crate::shared::media_type::JSON;

/// An error response with at most this number of error codes becomes a named component of the description.
/// Operations often share a response with few codes, but rarely a response with many.
const MAX_CODES_OF_NAMED_RESPONSE: usize = 3;

/// Collects the error responses that operations refer to as named components.
pub(super) struct ErrorResponses {
    /// The response header with the request id, which every response has.
    request_id_header: String,
    /// Whether a 403 can have the header `WWW-Authenticate` with a challenge for a missing scope (RFC 6750).
    has_scopes: bool,
    responses: RefCell<BTreeMap<String, Value>>,
    examples: RefCell<BTreeMap<String, Value>>,
}

impl ErrorResponses {
    /// Creates a collection that contains no error responses yet.
    pub(super) fn new(request_id_header: &str, has_scopes: bool) -> Self {
        Self {
            request_id_header: request_id_header.to_owned(),
            has_scopes,
            responses: RefCell::default(),
            examples: RefCell::default(),
        }
    }

    /// Returns references to the headers of a response: those in `names`, and the request id.
    pub(super) fn headers<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Map<String, Value> {
        let one = |name: &str| (name.to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
        names.into_iter().chain([self.request_id_header.as_str()]).map(one).collect()
    }

    /// Returns the error responses of an operation by HTTP status. `at_status` contains further reasons
    /// that this operation returns with another status than other operations do. With `has_oauth_errors`, the responses have the OAuth
    /// format of the token operation.
    pub(super) fn responses(
        &self,
        has_oauth_errors: bool,
        reasons: &[Reason],
        at_status: &[(u16, Reason)],
    ) -> Map<String, Value> {
        let mut by_status: BTreeMap<u16, Vec<Reason>> = BTreeMap::new();
        let usual = reasons.iter().map(|reason| (status_for_kind(reason.kind()).as_u16(), *reason));
        for (status, reason) in usual.chain(at_status.iter().copied()) {
            by_status.entry(status).or_default().push(reason);
        }
        let written = |(status, reasons): (u16, Vec<Reason>)| {
            (status.to_string(), self.response(has_oauth_errors, status, &reasons))
        };
        by_status.into_iter().map(written).collect()
    }

    /// Returns the responses and the examples for the components.
    pub(super) fn into_responses_and_examples(self) -> (BTreeMap<String, Value>, BTreeMap<String, Value>) {
        (self.responses.into_inner(), self.examples.into_inner())
    }

    fn response(&self, has_oauth_errors: bool, status: u16, reasons: &[Reason]) -> Value {
        let response = self.inline_response(has_oauth_errors, status, reasons);
        if has_oauth_errors || reasons.len() > MAX_CODES_OF_NAMED_RESPONSE {
            return response;
        }
        let names: Vec<_> = reasons.iter().map(|reason| format!("{reason:?}")).collect();
        let name = names.join("Or");
        let reference = json!({"$ref": format!("#/components/responses/{name}")});
        self.responses.borrow_mut().insert(name, response);
        reference
    }

    fn inline_response(&self, has_oauth_errors: bool, status: u16, reasons: &[Reason]) -> Value {
        let schema = if has_oauth_errors { "TokenErrors" } else { "Errors" };
        let lines = reasons.iter().map(|reason| format!("* `{}`: {}", reason.code(), reason.summary()));
        json!({
            "description": lines.collect::<Vec<_>>().join("\n"),
            "headers": self.error_headers(status),
            "content": {JSON: {
                "schema": schema_reference(schema),
                "examples": self.examples(has_oauth_errors, reasons),
            }},
        })
    }

    /// Returns the headers of an error response with this status.
    fn error_headers(&self, status: u16) -> Map<String, Value> {
        let mut headers = self.headers(header_for_status(status));
        if status == 403 && self.has_scopes {
            let reference = json!({"$ref": "#/components/headers/InsufficientScope"});
            headers.insert("WWW-Authenticate".to_owned(), reference);
        }
        headers
    }

    fn examples(&self, has_oauth_errors: bool, reasons: &[Reason]) -> Map<String, Value> {
        let one = |reason: &Reason| {
            let name = format!("{reason:?}");
            if has_oauth_errors {
                return (name, json!({"summary": reason.code(), "value": token_example(*reason)}));
            }
            let reference = json!({"$ref": format!("#/components/examples/{name}")});
            self.examples
                .borrow_mut()
                .insert(name.clone(), json!({"summary": reason.code(), "value": example(*reason)}));
            (name, reference)
        };
        reasons.iter().map(one).collect()
    }
}

/// Returns the body of an error response with only this reason.
fn example(reason: Reason) -> Value {
    json!(Violations::from(reason))
}

/// Returns the body of the token operation's error response with this reason.
fn token_example(reason: Reason) -> Value {
    let mut body = example(reason);
    let error = match reason {
        Reason::NotAuthenticated => OAuthError::InvalidClient,
        Reason::FieldInvalid => OAuthError::UnsupportedGrantType,
        _ => OAuthError::InvalidRequest,
    };
    if let Some(members) = body.as_object_mut() {
        members.insert("error".to_owned(), error.as_str().into());
        members.insert("error_description".to_owned(), reason.summary().into());
    }
    body
}

/// Returns the header that responses with this status have, if any.
const fn header_for_status(status: u16) -> Option<&'static str> {
    match status {
        401 => Some("WWW-Authenticate"),
        405 => Some("Allow"),
        409 | 423 | 429 | 503 => Some("Retry-After"),
        _ => None,
    }
}

/// Returns the schemas of error responses.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let mut codes: Vec<&str> = Vec::new();
    for reason in Reason::ALL {
        if !codes.contains(&reason.code()) {
            codes.push(reason.code());
        }
    }
    let element = object_schema(
        "An error in the request.",
        [
            required("code", enumeration_schema("The API code of the error, for programs.", codes)),
            required("description", text_schema("The description of the error, for a person to read.")),
            optional("resolution", text_schema("The advice on how to resolve the error.")),
            optional(
                "pointer",
                text_schema("The position of the error in the request body, as a JSON Pointer (RFC 6901)."),
            ),
            optional(
                "correlationId",
                text_schema("The correlation id of the check or worker with the error."),
            ),
        ],
    );
    vec![
        ("Error", element),
        (
            "Errors",
            object_schema("The errors because of which the server rejected the request.", [errors_member()]),
        ),
    ]
}

/// Returns the schemas of the token operation's error responses.
pub(super) fn token_schemas() -> Vec<(&'static str, Value)> {
    let token = [
        errors_member(),
        optional("error", enumeration_schema("The error code that RFC 6749 defines.", OAuthError::ALL)),
        optional(
            "error_description",
            text_schema("The description of the first error, in the member that RFC 6749 defines."),
        ),
    ];
    vec![("TokenErrors", object_schema("The errors because of which the server issued no token.", token))]
}

fn errors_member() -> ObjectMember {
    let all =
        list_schema("All errors, in the order of their positions in the request.", schema_reference("Error"));
    required("errors", with_keyword(all, "minItems", 1))
}
