//! One operation as it is declared, and how it is written.
//!
//! A declaration says what nobody else knows: names, words, parameters, schemas, and the codes of
//! its own. What follows from the table of routes (the scope, whether a token is needed) and from
//! the method and the path (the codes that every operation like it has) is added here.

use payroll_domain::access::Scope;
use payroll_domain::code::Reason;
use serde_json::{Map, Value, json};

use super::envelope::Content;
use super::errors::Errors;
use super::parameters;
use crate::partner::RouteInfo;

/// An operation.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    id: &'static str,
    summary: &'static str,
    description: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    successes: Vec<Success>,
    own: Vec<Reason>,
    never: Vec<Reason>,
    /// A scope that opens a part of it in place of the route's.
    other_scope: Option<Scope>,
}

/// Headers of what is new, and their names among the components.
const OF_NEW: &[(&str, &str)] = &[("ETag", "NewETag"), ("Location", "NewLocation")];

/// An answer that is no refusal.
pub(super) struct Success {
    status: u16,
    description: &'static str,
    media: Vec<(String, Content)>,
    headers: Vec<&'static str>,
    is_of_new: bool,
    links: Map<String, Value>,
}

/// A success of that status, with its body under each of these media types.
pub(super) fn success(
    status: u16,
    description: &'static str,
    media_types: &[&str],
    content: Content,
) -> Success {
    let media = media_types.iter().map(|media_type| ((*media_type).to_owned(), content.clone())).collect();
    Success { status, description, media, headers: Vec::new(), is_of_new: false, links: Map::new() }
}

impl Success {
    /// The same, with another body under another media type.
    pub(super) fn or(mut self, media_type: &str, content: Content) -> Self {
        self.media.push((media_type.to_owned(), content));
        self
    }

    /// The same, with another body under each of these media types.
    pub(super) fn or_each(mut self, media_types: &[&str], content: Content) -> Self {
        self.media.extend(media_types.iter().map(|media_type| ((*media_type).to_owned(), content.clone())));
        self
    }

    /// The same, with a header among the components.
    pub(super) fn header(mut self, name: &'static str) -> Self {
        self.headers.push(name);
        self
    }

    /// The same, which says where something new is and which version it has; a replay does not.
    pub(super) const fn of_new(mut self) -> Self {
        self.is_of_new = true;
        self
    }

    /// The same, with another operation that goes on from it: `from` is a JSON Pointer into the body.
    pub(super) fn leads_to(mut self, operation: &'static str, parameter: &'static str, from: &str) -> Self {
        let value = format!("$response.body#{from}");
        self.links.insert(
            operation.to_owned(),
            json!({"operationId": operation, "parameters": {parameter: value}}),
        );
        self
    }

    /// The same, where the operation that it leads to last takes a parameter of this request too.
    pub(super) fn keeping(mut self, operation: &str, parameter: &str) -> Self {
        if let Some(parameters) = self.links.get_mut(operation).and_then(|link| link.get_mut("parameters")) {
            let value = format!("$request.path.{parameter}").into();
            parameters.as_object_mut().map(|all| all.insert(parameter.to_owned(), value));
        }
        self
    }

    fn written(&self, common: &[&str], errors: &Errors) -> Value {
        let mut headers = errors.headers(common.iter().chain(&self.headers).copied());
        for (name, component) in OF_NEW.iter().filter(|_| self.is_of_new) {
            headers.insert((*name).to_owned(), json!({"$ref": format!("#/components/headers/{component}")}));
        }
        let mut response = json!({"description": self.description, "headers": headers});
        let content: Map<String, Value> = self
            .media
            .iter()
            .map(|(media_type, content)| (media_type.clone(), json!({"schema": content.schema()})))
            .collect();
        if let Some(members) = response.as_object_mut() {
            if !content.is_empty() {
                members.insert("content".to_owned(), content.into());
            }
            if !self.links.is_empty() {
                members.insert("links".to_owned(), self.links.clone().into());
            }
        }
        response
    }
}

impl Operation {
    /// An operation: its method and path, as the table of routes has them, its id, and what it does
    /// in a few words.
    pub(super) const fn new(
        method: &'static str,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            method,
            path,
            id,
            summary,
            description: summary,
            parameters: Vec::new(),
            body: None,
            successes: Vec::new(),
            own: Vec::new(),
            never: Vec::new(),
            other_scope: None,
        }
    }

    /// What it does, in sentences. Markdown.
    pub(super) const fn says(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Its parameters, but for ids in the path and headers that every operation takes.
    pub(super) fn takes(mut self, parameters: impl IntoIterator<Item = Value>) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// It answers in pages.
    pub(super) fn pages(self) -> Self {
        self.takes([parameters::named("offset"), parameters::named("limit")])
    }

    /// The body that it needs, under each of these media types, with an example.
    pub(super) fn needs_body(self, media_types: &[&str], schema: &Value, example: &Value) -> Self {
        self.with_body(media_types, schema, Some(example))
    }

    /// It takes an empty body, or an object that is not read.
    pub(super) fn ignores_body(self) -> Self {
        let schema = json!({"type": "object", "description": "Not read. The body may be left out."});
        self.with_body(&[crate::shared::media_type::JSON], &schema, None)
    }

    fn with_body(mut self, media_types: &[&str], schema: &Value, example: Option<&Value>) -> Self {
        let media = |media_type: &&str| {
            let content = match example {
                Some(example) => json!({"schema": schema, "examples": {"example": {"value": example}}}),
                None => json!({"schema": schema}),
            };
            ((*media_type).to_owned(), content)
        };
        let content: Map<String, Value> = media_types.iter().map(media).collect();
        self.body = Some(json!({"required": example.is_some(), "content": content}));
        self
    }

    /// What it answers when it does not refuse.
    pub(super) fn answers(mut self, success: Success) -> Self {
        self.successes.push(success);
        self
    }

    /// Why it refuses, beside what every operation of its kind refuses.
    pub(super) fn refuses(mut self, reasons: &[Reason]) -> Self {
        self.own.extend_from_slice(reasons);
        self
    }

    /// What it never refuses although every other operation of its kind does.
    pub(super) fn never(mut self, reasons: &[Reason]) -> Self {
        self.never.extend_from_slice(reasons);
        self
    }

    /// Another scope opens a part of it, which its description says.
    pub(super) const fn opened_by(mut self, scope: Scope) -> Self {
        self.other_scope = Some(scope);
        self
    }

    /// What its successes are made of.
    pub(super) fn contents(&self) -> impl Iterator<Item = &Content> {
        self.successes.iter().flat_map(|success| success.media.iter().map(|(_, content)| content))
    }

    /// All reasons for which it refuses.
    fn reasons(&self, route: &RouteInfo) -> Vec<Reason> {
        let mut reasons = usual_reasons(route, self.body.is_some());
        reasons.retain(|reason| !self.never.contains(reason));
        reasons
            .extend(self.own.iter().filter(|reason| !reasons.contains(reason)).copied().collect::<Vec<_>>());
        reasons
    }

    /// The operation as the description has it.
    pub(super) fn written(&self, tag: &str, route: &RouteInfo, errors: &Errors) -> Value {
        let mut parameters = parameters::in_path(self.path);
        parameters.extend(self.parameters.iter().cloned());
        parameters.extend(parameters::headers(route));
        let mut operation = json!({
            "operationId": self.id,
            "tags": [tag],
            "summary": self.summary,
            "description": self.description,
            "parameters": parameters,
            "responses": self.responses(route, errors),
            "security": self.security(route),
        });
        if let (Some(members), Some(body)) = (operation.as_object_mut(), &self.body) {
            members.insert("requestBody".to_owned(), body.clone());
        }
        operation
    }

    /// What it needs: the scope of its route or the other one, any token, or none.
    fn security(&self, route: &RouteInfo) -> Value {
        match (route.token, route.scope) {
            (false, _) => json!([]),
            (true, None) => json!([{"oauth2": []}]),
            (true, Some(scope)) => {
                let scopes = std::iter::once(scope).chain(self.other_scope);
                scopes.map(|scope| json!({"oauth2": [scope.as_str()]})).collect()
            }
        }
    }

    /// The headers that its answers of that status have besides the request's id. Of what cannot be
    /// shown there is no version.
    const fn headers(route: &RouteInfo, status: u16) -> &'static [&'static str] {
        match (route.method.as_bytes(), route.token) {
            (b"GET", _) if status < 300 => &["RateLimit", "RateLimit-Policy", "ETag"],
            (b"POST", true) => &["RateLimit", "RateLimit-Policy", "Idempotent-Replayed"],
            _ => &["RateLimit", "RateLimit-Policy"],
        }
    }

    fn responses(&self, route: &RouteInfo, errors: &Errors) -> Map<String, Value> {
        let mut responses = errors.responses(route, &self.reasons(route));
        if route.method == "GET" {
            responses.insert("304".to_owned(), not_modified(errors));
        }
        for success in &self.successes {
            responses.insert(
                success.status.to_string(),
                success.written(Self::headers(route, success.status), errors),
            );
        }
        responses
    }
}

/// The reasons for which every operation of that kind refuses (specification §4.4, §4.6).
fn usual_reasons(route: &RouteInfo, body: bool) -> Vec<Reason> {
    use Reason as R;
    let names_company = route.path.contains("{companyId}") || route.path.contains("{workerId}");
    let keeps_marks = route.method == "POST" && route.token;
    let rows: [(bool, &[Reason]); 7] = [
        (
            true,
            &[R::NotAuthenticated, R::MethodUnsupported, R::NotAcceptable, R::UriTooLong, R::TooManyRequests],
        ),
        // Each of them refuses parameters that it does not know.
        (true, &[R::InvalidParameter, R::HeadersTooLarge, R::Internal, R::Unavailable]),
        (route.token, &[R::NotAuthorized]),
        (names_company, &[R::CompanyEndDated]),
        (route.path.contains('{'), &[R::UnknownResource]),
        (body, &[R::BodyTooSlow, R::BodyTooLarge, R::MediaTypeUnsupported]),
        (keeps_marks, &[R::Conflict, R::IdempotencyKeyReused]),
    ];
    let mut reasons = Vec::new();
    for reason in rows.into_iter().filter(|(holds, _)| *holds).flat_map(|(_, some)| some) {
        if !reasons.contains(reason) {
            reasons.push(*reason);
        }
    }
    reasons
}

fn not_modified(errors: &Errors) -> Value {
    json!({
        "description": "Nothing has changed since the answer whose `ETag` was sent as `If-None-Match`.",
        "headers": errors.headers(["ETag"]),
    })
}
