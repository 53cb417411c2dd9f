//! One operation as it is declared, and how it is written.
//!
//! A declaration says what is known only here: names, words, parameters, schemas, and the codes of its own.
//! What follows from the table of routes (who may call) and from the method and the path (the headers and
//! codes that every operation like it has) is said by the route of its side.

use payroll_domain::access::Scope;
use payroll_domain::code::Reason;
use serde_json::{Map, Value, json};

use super::envelope::Content;
use super::errors::Errors;
use super::examples::Examples;
use super::parameters;
use crate::shared::media_type::{CSV, JSON};

/// What an operation has because of its place in the table of routes of its side.
pub(super) trait DescribedRoute {
    /// Its method, in capitals.
    fn method(&self) -> &'static str;
    /// Its path, with names in braces in place of ids.
    fn path(&self) -> &'static str;
    /// The names of what its query may hold.
    #[cfg(test)]
    fn query(&self) -> &'static [&'static str];
    /// Its refusals are those of OAuth (RFC 6749).
    fn is_token(&self) -> bool;
    /// Who may call; the scope opens a part of it in place of the route's.
    fn security(&self, other_scope: Option<Scope>) -> Value;
    /// The headers that every request like it may have.
    fn header_parameters(&self) -> Vec<Value>;
    /// The reasons for which every operation like it refuses; `body` is whether it takes one.
    fn usual_reasons(&self, body: bool) -> Vec<Reason>;
    /// The headers of a success of that status, beside the request's id.
    fn success_headers(&self, status: u16) -> &'static [&'static str];
}

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
    /// Reasons that it reports beside others of another status.
    beside: Vec<(u16, Reason)>,
    never: Vec<Reason>,
    /// A scope that opens a part of it in place of the route's.
    other_scope: Option<Scope>,
    /// Its answers to GET have no entity tag.
    is_untagged: bool,
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

    /// The schema of which an example is made: plain JSON has one schema for what the vendor's media types
    /// distinguish, such as checks before and after their pay period is processed.
    fn narrower(&self, media_type: &str, content: &Content) -> Value {
        let other = self.media.iter().find(|(other, _)| media_type == JSON && other.ends_with("+json"));
        other.map_or(content, |(_, other)| other).schema()
    }

    fn written(&self, common: &[&str], errors: &Errors, examples: &Examples<'_>) -> Value {
        let mut headers = errors.headers(common.iter().chain(&self.headers).copied());
        for (name, component) in OF_NEW.iter().filter(|_| self.is_of_new) {
            headers.insert((*name).to_owned(), json!({"$ref": format!("#/components/headers/{component}")}));
        }
        let mut response = json!({"description": self.description, "headers": headers});
        let with_example = |(media_type, content): &(String, Content)| {
            (media_type.clone(), examples.content(&content.schema(), &self.narrower(media_type, content)))
        };
        let content: Map<String, Value> = self.media.iter().map(with_example).collect();
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
            beside: Vec::new(),
            never: Vec::new(),
            other_scope: None,
            is_untagged: false,
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

    /// Its body may be CSV in the place of JSON, such as the example.
    pub(super) fn or_csv(self, example: &str) -> Self {
        let rows = json!({"type": "string", "description": "A header and rows (RFC 4180), as docs/import.md describes."});
        self.or_body(CSV, &rows, &example.into())
    }

    /// Its body may be of another media type too.
    pub(super) fn or_body(mut self, media_type: &str, schema: &Value, example: &Value) -> Self {
        let content = json!({"schema": schema, "examples": {"example": {"value": example}}});
        if let Some(kinds) =
            self.body.as_mut().and_then(|body| body.get_mut("content")).and_then(Value::as_object_mut)
        {
            kinds.insert(media_type.to_owned(), content);
        }
        self
    }

    /// The body that it may have, under each of these media types, with an example.
    pub(super) fn may_have_body(self, media_types: &[&str], schema: &Value, example: &Value) -> Self {
        let mut operation = self.with_body(media_types, schema, Some(example));
        if let Some(members) = operation.body.as_mut().and_then(Value::as_object_mut) {
            members.insert("required".to_owned(), false.into());
        }
        operation
    }

    /// It takes an empty body, or an object that is not read.
    pub(super) fn ignores_body(self) -> Self {
        let schema = json!({"type": "object", "description": "Not read. The body may be left out."});
        self.with_body(&[JSON], &schema, None)
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

    /// A reason that it reports with others, under their status.
    pub(super) fn tells_beside(mut self, status: u16, reason: Reason) -> Self {
        self.beside.push((status, reason));
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

    /// Its answers have no entity tag, so none of them is 304.
    pub(super) const fn untagged(mut self) -> Self {
        self.is_untagged = true;
        self
    }

    /// What its successes are made of.
    pub(super) fn contents(&self) -> impl Iterator<Item = &Content> {
        self.successes.iter().flat_map(|success| success.media.iter().map(|(_, content)| content))
    }

    /// All reasons for which it refuses.
    fn reasons(&self, route: &dyn DescribedRoute) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        let usual = route.usual_reasons(self.body.is_some());
        let usual = usual.iter().filter(|reason| !self.never.contains(reason));
        for reason in usual.chain(&self.own) {
            if !reasons.contains(reason) {
                reasons.push(*reason);
            }
        }
        reasons
    }

    /// The operation as the description has it.
    pub(super) fn written(
        &self,
        tag: &str,
        route: &dyn DescribedRoute,
        errors: &Errors,
        examples: &Examples<'_>,
    ) -> Value {
        let mut parameters = parameters::in_path(self.path);
        parameters.extend(self.parameters.iter().cloned());
        let mut headers = route.header_parameters();
        headers.retain(|header| !(self.is_untagged && *header == parameters::named("If-None-Match")));
        parameters.extend(headers);
        let mut operation = json!({
            "operationId": self.id,
            "tags": [tag],
            "summary": self.summary,
            "description": self.description,
            "parameters": parameters,
            "responses": self.responses(route, errors, examples),
            "security": route.security(self.other_scope),
        });
        if let (Some(members), Some(body)) = (operation.as_object_mut(), &self.body) {
            members.insert("requestBody".to_owned(), body.clone());
        }
        operation
    }

    fn responses(
        &self,
        route: &dyn DescribedRoute,
        errors: &Errors,
        examples: &Examples<'_>,
    ) -> Map<String, Value> {
        let mut responses = errors.responses(route.is_token(), &self.reasons(route), &self.beside);
        if route.method() == "GET" && !self.is_untagged {
            responses.insert("304".to_owned(), not_modified(errors));
        }
        for success in &self.successes {
            let common = route.success_headers(success.status).iter().copied();
            let common: Vec<_> = common.filter(|name| !(self.is_untagged && *name == "ETag")).collect();
            responses.insert(success.status.to_string(), success.written(&common, errors, examples));
        }
        responses
    }
}

fn not_modified(errors: &Errors) -> Value {
    json!({
        "description": "Nothing has changed since the response with the `ETag` that `If-None-Match` contains.",
        "headers": errors.headers(["ETag"]),
    })
}
