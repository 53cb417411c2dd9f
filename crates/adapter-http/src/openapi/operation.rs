//! The declaration of one operation and its conversion to JSON.
//!
//! A declaration contains everything that the route does not define: names, texts, parameters, schemas and
//! specific error codes. The route provides the rest: the security requirement, and the headers and codes
//! that all operations with this method and kind of path share.

use payroll_domain::access::Scope;
use payroll_domain::code::Reason;
use serde_json::{Map, Value, json};

use super::envelope::BodySchema;
use super::errors::ErrorResponses;
use super::examples::ExampleGenerator;
use super::parameters;
use crate::shared::media_type::{CSV, JSON};

/// The properties of an operation that follow from its route.
pub(super) trait DescribedRoute {
    /// Returns the method in capitals.
    fn method(&self) -> &'static str;
    /// Returns the path, with parameter names in braces.
    fn path(&self) -> &'static str;
    /// Returns the names of the query parameters.
    #[cfg(test)]
    fn query(&self) -> &'static [&'static str];
    /// Whether error responses have the OAuth format (RFC 6749).
    fn has_oauth_errors(&self) -> bool;
    /// Returns the security requirement. `other_scope` is an alternative scope, with which a caller may use
    /// only some functions of the operation.
    fn security(&self, other_scope: Option<Scope>) -> Value;
    /// Returns the request headers that all operations with this method and kind of path accept.
    fn header_parameters(&self) -> Vec<Value>;
    /// Returns the error reasons that all operations with this method and kind of path share. `body` is
    /// `true` if the operation has a request body.
    fn common_reasons(&self, body: bool) -> Vec<Reason>;
    /// Returns the headers of a successful response with this status, except the request id.
    fn success_headers(&self, status: u16) -> &'static [&'static str];
}

/// The declaration of an operation.
pub(super) struct OperationDescription {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    id: &'static str,
    summary: &'static str,
    description: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    successes: Vec<SuccessResponse>,
    own_reasons: Vec<Reason>,
    /// Error reasons that this operation reports with an unusual HTTP status, each with that status.
    at_status: Vec<(u16, Reason)>,
    excluded_reasons: Vec<Reason>,
    /// An alternative scope, with which a caller may use only some functions of the operation.
    other_scope: Option<Scope>,
    /// Whether successful responses to GET have no entity tag.
    is_untagged: bool,
}

/// The headers of a response that creates a resource, with their component names.
const NEW_RESOURCE_HEADERS: &[(&str, &str)] = &[("ETag", "NewETag"), ("Location", "NewLocation")];

/// One successful response of an operation, with its status, its contents and its headers.
pub(super) struct SuccessResponse {
    status: u16,
    description: &'static str,
    contents: Vec<(String, BodySchema)>,
    headers: Vec<&'static str>,
    is_for_new_resource: bool,
    links: Map<String, Value>,
}

/// Creates a successful response with this status. Its body has the same schema in each of these media types.
pub(super) fn success(
    status: u16,
    description: &'static str,
    media_types: &[&str],
    content: BodySchema,
) -> SuccessResponse {
    let media = media_types.iter().map(|media_type| ((*media_type).to_owned(), content.clone())).collect();
    SuccessResponse {
        status,
        description,
        contents: media,
        headers: Vec::new(),
        is_for_new_resource: false,
        links: Map::new(),
    }
}

impl SuccessResponse {
    /// Adds a media type in which the body has another schema.
    pub(super) fn with_media_type(mut self, media_type: &str, content: BodySchema) -> Self {
        self.contents.push((media_type.to_owned(), content));
        self
    }

    /// Adds media types whose bodies have the given schema. Media types that were added before keep theirs.
    pub(super) fn with_media_types_of_schema(mut self, media_types: &[&str], content: BodySchema) -> Self {
        self.contents
            .extend(media_types.iter().map(|media_type| ((*media_type).to_owned(), content.clone())));
        self
    }

    /// Adds a header that is defined in the components.
    pub(super) fn with_header(mut self, name: &'static str) -> Self {
        self.headers.push(name);
        self
    }

    /// Adds the headers `Location` and `ETag` of a new resource. A stored response that is repeated for an
    /// idempotency key lacks both headers.
    pub(super) const fn with_new_resource_headers(mut self) -> Self {
        self.is_for_new_resource = true;
        self
    }

    /// Adds a link to a follow-up operation. `from` is a JSON Pointer into the body. The value at this
    /// pointer is the parameter of the linked operation.
    pub(super) fn with_link(mut self, operation: &'static str, parameter: &'static str, from: &str) -> Self {
        let value = format!("$response.body#{from}");
        self.links.insert(
            operation.to_owned(),
            json!({"operationId": operation, "parameters": {parameter: value}}),
        );
        self
    }

    /// Passes a path parameter of this request to the linked operation.
    pub(super) fn with_parameter_passed_to(mut self, operation: &str, parameter: &str) -> Self {
        if let Some(parameters) = self.links.get_mut(operation).and_then(|link| link.get_mut("parameters")) {
            let value = format!("$request.path.{parameter}").into();
            parameters.as_object_mut().map(|all| all.insert(parameter.to_owned(), value));
        }
        self
    }

    /// Returns the schema from which the example of a body is generated. The plain JSON schema can cover
    /// several vendor media types, such as checks before and after processing. Its example uses the schema of
    /// the first vendor media type and therefore shows only one of these states.
    fn example_schema(&self, media_type: &str, content: &BodySchema) -> Value {
        let other = self.contents.iter().find(|(other, _)| media_type == JSON && other.ends_with("+json"));
        other.map_or(content, |(_, other)| other).schema()
    }

    fn to_json(&self, common: &[&str], errors: &ErrorResponses, examples: &ExampleGenerator<'_>) -> Value {
        let mut headers = errors.headers(common.iter().chain(&self.headers).copied());
        for (name, component) in NEW_RESOURCE_HEADERS.iter().filter(|_| self.is_for_new_resource) {
            headers.insert((*name).to_owned(), json!({"$ref": format!("#/components/headers/{component}")}));
        }
        let mut response = json!({"description": self.description, "headers": headers});
        let with_example = |(media_type, content): &(String, BodySchema)| {
            (
                media_type.clone(),
                examples.media_type_object(&content.schema(), &self.example_schema(media_type, content)),
            )
        };
        let content: Map<String, Value> = self.contents.iter().map(with_example).collect();
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

impl OperationDescription {
    /// Creates an operation with its method and path in the route table, its id and its summary.
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
            own_reasons: Vec::new(),
            at_status: Vec::new(),
            excluded_reasons: Vec::new(),
            other_scope: None,
            is_untagged: false,
        }
    }

    /// Sets the description, in Markdown.
    pub(super) const fn with_description(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Adds parameters, except for path parameters and common headers.
    pub(super) fn with_parameters(mut self, parameters: impl IntoIterator<Item = Value>) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// Adds the parameters for paging.
    pub(super) fn with_paging(self) -> Self {
        self.with_parameters([
            parameters::parameter_reference("offset"),
            parameters::parameter_reference("limit"),
        ])
    }

    /// Sets the required body under each of these media types, with an example.
    pub(super) fn with_required_body(self, media_types: &[&str], schema: &Value, example: &Value) -> Self {
        self.with_body(media_types, schema, Some(example))
    }

    /// Allows CSV as an alternative body, with an example.
    pub(super) fn with_csv_alternative(self, example: &str) -> Self {
        let rows = json!({"type": "string", "description": "A header and rows (RFC 4180), as docs/import.md describes."});
        self.with_body_alternative(CSV, &rows, &example.into())
    }

    /// Allows an alternative body under another media type.
    pub(super) fn with_body_alternative(mut self, media_type: &str, schema: &Value, example: &Value) -> Self {
        let content = json!({"schema": schema, "examples": {"example": {"value": example}}});
        if let Some(kinds) =
            self.body.as_mut().and_then(|body| body.get_mut("content")).and_then(Value::as_object_mut)
        {
            kinds.insert(media_type.to_owned(), content);
        }
        self
    }

    /// Sets an optional body under each of these media types, with an example.
    pub(super) fn with_optional_body(self, media_types: &[&str], schema: &Value, example: &Value) -> Self {
        let mut operation = self.with_body(media_types, schema, Some(example));
        if let Some(members) = operation.body.as_mut().and_then(Value::as_object_mut) {
            members.insert("required".to_owned(), false.into());
        }
        operation
    }

    /// Declares that the server ignores the body. The body may be empty or an object.
    pub(super) fn with_ignored_body(self) -> Self {
        let schema =
            json!({"type": "object", "description": "The server does not read the body. You can omit it."});
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

    /// Adds a successful response.
    pub(super) fn with_success(mut self, success: SuccessResponse) -> Self {
        self.successes.push(success);
        self
    }

    /// Adds error reasons of this operation to the reasons that similar operations share.
    pub(super) fn with_reasons(mut self, reasons: &[Reason]) -> Self {
        self.own_reasons.extend_from_slice(reasons);
        self
    }

    /// Adds an error reason that this operation reports with a status other than the reason's usual status.
    pub(super) fn with_reason_at_status(mut self, status: u16, reason: Reason) -> Self {
        self.at_status.push((status, reason));
        self
    }

    /// Removes shared error reasons that this operation never reports.
    pub(super) fn without_reasons(mut self, reasons: &[Reason]) -> Self {
        self.excluded_reasons.extend_from_slice(reasons);
        self
    }

    /// Adds an alternative scope, which the description explains.
    pub(super) const fn with_alternative_scope(mut self, scope: Scope) -> Self {
        self.other_scope = Some(scope);
        self
    }

    /// Declares that responses have no entity tag, so there is no 304.
    pub(super) const fn without_etag(mut self) -> Self {
        self.is_untagged = true;
        self
    }

    /// Returns the contents of the successful responses.
    pub(super) fn body_schemas(&self) -> impl Iterator<Item = &BodySchema> {
        self.successes.iter().flat_map(|success| success.contents.iter().map(|(_, content)| content))
    }

    /// Returns all error reasons of the operation.
    fn reasons(&self, route: &dyn DescribedRoute) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        let usual = route.common_reasons(self.body.is_some());
        let usual = usual.iter().filter(|reason| !self.excluded_reasons.contains(reason));
        for reason in usual.chain(&self.own_reasons) {
            if !reasons.contains(reason) {
                reasons.push(*reason);
            }
        }
        reasons
    }

    /// Converts the operation to JSON.
    pub(super) fn to_json(
        &self,
        tag: &str,
        route: &dyn DescribedRoute,
        errors: &ErrorResponses,
        examples: &ExampleGenerator<'_>,
    ) -> Value {
        let mut parameters = parameters::path_parameter_references(self.path);
        parameters.extend(self.parameters.iter().cloned());
        let mut headers = route.header_parameters();
        headers.retain(|header| {
            !(self.is_untagged && *header == parameters::parameter_reference("If-None-Match"))
        });
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
        errors: &ErrorResponses,
        examples: &ExampleGenerator<'_>,
    ) -> Map<String, Value> {
        let mut responses = errors.responses(route.has_oauth_errors(), &self.reasons(route), &self.at_status);
        if route.method() == "GET" && !self.is_untagged {
            responses.insert("304".to_owned(), not_modified_response(errors));
        }
        for success in &self.successes {
            let common = route.success_headers(success.status).iter().copied();
            let common: Vec<_> = common.filter(|name| !(self.is_untagged && *name == "ETag")).collect();
            responses.insert(success.status.to_string(), success.to_json(&common, errors, examples));
        }
        responses
    }
}

fn not_modified_response(errors: &ErrorResponses) -> Value {
    json!({
        "description": "Nothing has changed since the response with the `ETag` that `If-None-Match` contains.",
        "headers": errors.headers(["ETag"]),
    })
}
