//! Refusals: the error envelope (specification §4.1, §5.3), and for each status of an operation the
//! codes that it may have, with an example of each that is made from the table of codes.

use std::cell::RefCell;
use std::collections::BTreeMap;

use payroll_domain::code::Reason;
use payroll_domain::token::OAuthError;
use payroll_domain::violation::Violations;
use serde_json::{Map, Value, json};

use super::schema::{Member, list, object, optional, reference, required, text, with, word};
use crate::shared::error::status;
use crate::shared::media_type::JSON;

/// Reasons of one status up to which the response has a name among the components, since other
/// operations have the same one.
const NAMED_UP_TO: usize = 3;

/// The refusals that operations need among the components, collected as they are described.
pub(super) struct Errors {
    /// The header with the request's id, which every answer has.
    request_id_header: String,
    /// A 403 may say which scope is missing (RFC 6750).
    has_scopes: bool,
    responses: RefCell<BTreeMap<String, Value>>,
    examples: RefCell<BTreeMap<String, Value>>,
}

impl Errors {
    /// No refusal so far.
    pub(super) fn new(request_id_header: &str, has_scopes: bool) -> Self {
        Self {
            request_id_header: request_id_header.to_owned(),
            has_scopes,
            responses: RefCell::default(),
            examples: RefCell::default(),
        }
    }

    /// The headers of an answer: these, and the request's id.
    pub(super) fn headers<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Map<String, Value> {
        let one = |name: &str| (name.to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
        names.into_iter().chain([self.request_id_header.as_str()]).map(one).collect()
    }

    /// The refusals of an operation by their status; `beside` are reported under the status of others. Those
    /// of the token operation are of another form.
    pub(super) fn responses(
        &self,
        is_token: bool,
        reasons: &[Reason],
        beside: &[(u16, Reason)],
    ) -> Map<String, Value> {
        let mut by_status: BTreeMap<u16, Vec<Reason>> = BTreeMap::new();
        let usual = reasons.iter().map(|reason| (status(reason.kind()).as_u16(), *reason));
        for (status, reason) in usual.chain(beside.iter().copied()) {
            by_status.entry(status).or_default().push(reason);
        }
        let written = |(status, reasons): (u16, Vec<Reason>)| {
            (status.to_string(), self.response(is_token, status, &reasons))
        };
        by_status.into_iter().map(written).collect()
    }

    /// What is needed among the components.
    pub(super) fn into_components(self) -> (BTreeMap<String, Value>, BTreeMap<String, Value>) {
        (self.responses.into_inner(), self.examples.into_inner())
    }

    fn response(&self, is_token: bool, status: u16, reasons: &[Reason]) -> Value {
        let response = self.written(is_token, status, reasons);
        if is_token || reasons.len() > NAMED_UP_TO {
            return response;
        }
        let names: Vec<_> = reasons.iter().map(|reason| format!("{reason:?}")).collect();
        let name = names.join("Or");
        let reference = json!({"$ref": format!("#/components/responses/{name}")});
        self.responses.borrow_mut().insert(name, response);
        reference
    }

    fn written(&self, is_token: bool, status: u16, reasons: &[Reason]) -> Value {
        let schema = if is_token { "TokenErrors" } else { "Errors" };
        let lines = reasons.iter().map(|reason| format!("* `{}`: {}", reason.code(), reason.summary()));
        json!({
            "description": lines.collect::<Vec<_>>().join("\n"),
            "headers": self.headers_of(status),
            "content": {JSON: {"schema": reference(schema), "examples": self.examples(is_token, reasons)}},
        })
    }

    /// The headers of a refusal of that status.
    fn headers_of(&self, status: u16) -> Map<String, Value> {
        let mut headers = self.headers(header_of(status));
        if status == 403 && self.has_scopes {
            let reference = json!({"$ref": "#/components/headers/InsufficientScope"});
            headers.insert("WWW-Authenticate".to_owned(), reference);
        }
        headers
    }

    fn examples(&self, is_token: bool, reasons: &[Reason]) -> Map<String, Value> {
        let one = |reason: &Reason| {
            let name = format!("{reason:?}");
            if is_token {
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

/// The body of a refusal with that reason alone.
fn example(reason: Reason) -> Value {
    json!(Violations::from(reason))
}

/// The same on the token operation.
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

/// The header that comes with a status.
const fn header_of(status: u16) -> Option<&'static str> {
    match status {
        401 => Some("WWW-Authenticate"),
        405 => Some("Allow"),
        409 | 423 | 429 | 503 => Some("Retry-After"),
        _ => None,
    }
}

/// The schemas of refusals.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let mut codes: Vec<&str> = Vec::new();
    for reason in Reason::ALL {
        if !codes.contains(&reason.code()) {
            codes.push(reason.code());
        }
    }
    let element = object(
        "One thing that is wrong.",
        [
            required("code", word("What is wrong, for programs.", codes)),
            required("description", text("What is wrong, for people.")),
            optional("resolution", text("What to do about it.")),
            optional("pointer", text("Where in the body: a JSON Pointer (RFC 6901).")),
            optional("correlationId", text("The correlation id of the check concerned.")),
        ],
    );
    vec![("Error", element), ("Errors", object("The reason for a rejected request.", [errors()]))]
}

/// The schema of refusals of the token operation.
pub(super) fn token_schemas() -> Vec<(&'static str, Value)> {
    let token = [
        errors(),
        optional("error", word("The error code of RFC 6749.", OAuthError::ALL)),
        optional("error_description", text("The description of the first error, as RFC 6749 has it.")),
    ];
    vec![("TokenErrors", object("Why no token was given.", token))]
}

fn errors() -> Member {
    let all = list("All that is wrong, in the order of the document.", reference("Error"));
    required("errors", with(all, "minItems", 1))
}
