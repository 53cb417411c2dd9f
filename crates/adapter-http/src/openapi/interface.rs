//! Assembles the OpenAPI description of one API from its routes, operations, schemas and headers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::envelope;
use super::errors::{self, ErrorResponses};
use super::examples::ExampleGenerator;
use super::operation::DescribedRoute;
use super::operations::OperationArea;
use super::parameters::{self, PathIdParameter};
use crate::shared::settings::HttpSettings;

/// The version of the API (specification §12).
const API_VERSION: &str = "1.0";

/// The input for the OpenAPI description of one API.
pub(super) struct ApiDescription {
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// The base URL of the server; empty if it is unknown.
    pub(super) base: String,
    /// The table of routes.
    pub(super) routes: Vec<Box<dyn DescribedRoute>>,
    pub(super) areas: Vec<OperationArea>,
    /// The schemas of requests and responses, by name.
    pub(super) schemas: Vec<(&'static str, Value)>,
    /// Path parameters that only this API has.
    pub(super) own_ids: Vec<PathIdParameter>,
    /// The header parameters of requests, by the names of their components.
    pub(super) parameters: Vec<(String, Value)>,
    /// Optional response headers that only this API has.
    pub(super) own_headers: &'static [(&'static str, &'static str)],
    /// The security schemes for the components.
    pub(super) security: Value,
    /// Whether the callers of this API have scopes.
    pub(super) has_scopes: bool,
    /// The notifications that the server sends to hooks. `None` if this API describes none.
    pub(super) webhooks: Option<Map<String, Value>>,
}

impl ApiDescription {
    /// Generates the description as JSON.
    pub(super) fn into_openapi(self, settings: &HttpSettings) -> Value {
        let errors = ErrorResponses::new(&settings.request_id_header, self.has_scopes);
        let named = [errors::schemas(), envelope::schemas(), self.schemas];
        let mut schemas: BTreeMap<String, Value> =
            named.into_iter().flatten().map(|(name, schema)| (name.to_owned(), schema)).collect();
        for operation in self.areas.iter().flat_map(|area| &area.operations) {
            schemas.extend(operation.body_schemas().flat_map(envelope::BodySchema::envelope_schemas));
        }
        let paths = path_items(&self.areas, &self.routes, &errors, &ExampleGenerator::new(&schemas));
        let (responses, examples) = errors.into_responses_and_examples();
        let tags = self.areas.iter().map(|area| json!({"name": area.name, "description": area.description}));
        let in_table: Vec<_> = self.routes.iter().map(|route| route.path()).collect();
        let mut description = json!({
            "openapi": "3.1.0",
            "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
            "info": info_object(self.title, self.description),
            "servers": [{
                "url": if self.base.is_empty() { "/" } else { &self.base },
                "description": "This server.",
            }],
            "tags": tags.collect::<Vec<_>>(),
            "paths": paths,
            "components": {
                "schemas": schemas,
                "responses": responses,
                "examples": examples,
                "parameters": parameters::parameter_components(&in_table, &self.own_ids, self.parameters),
                "headers": response_headers(settings, self.own_headers),
                "securitySchemes": self.security,
            },
        });
        if let Some((webhooks, members)) = self.webhooks.zip(description.as_object_mut()) {
            members.insert("webhooks".to_owned(), webhooks.into());
        }
        description
    }
}

fn info_object(title: &str, description: &str) -> Value {
    json!({
        "title": title,
        "version": API_VERSION,
        "description": description,
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        "contact": {"name": "The operator of this server"},
    })
}

/// Returns the operations by path and method. An operation without a route is omitted, and a test reports the
/// omission.
fn path_items(
    areas: &[OperationArea],
    routes: &[Box<dyn DescribedRoute>],
    errors: &ErrorResponses,
    examples: &ExampleGenerator<'_>,
) -> BTreeMap<&'static str, Map<String, Value>> {
    let mut paths: BTreeMap<&'static str, Map<String, Value>> = BTreeMap::new();
    for area in areas {
        for operation in &area.operations {
            let mut routes = routes.iter().map(AsRef::as_ref);
            let same = |route: &&dyn DescribedRoute| {
                (route.method(), route.path()) == (operation.method, operation.path)
            };
            if let Some(route) = routes.find(same) {
                let written = operation.to_json(area.name, route, errors, examples);
                paths.entry(operation.path).or_default().insert(operation.method.to_lowercase(), written);
            }
        }
    }
    paths
}

/// Returns the response headers, by component name. A header is declared as required if every response that
/// lists the header contains it.
fn response_headers(settings: &HttpSettings, own: &[(&str, &str)]) -> BTreeMap<String, Value> {
    let may_be_there = [
        ("Retry-After", "Seconds to wait before you retry the request. Absent if waiting does not help."),
        ("Idempotent-Replayed", "`true` if the response is that of an earlier request with the same key."),
        ("NewETag", "The value for `If-Match`. Absent if the response is that of an earlier request."),
        (
            "NewLocation",
            "The address of the new resource. Absent if the response is that of an earlier request.",
        ),
    ];
    let always_there = [
        ("ETag", "The value for `If-None-Match` or `If-Match`."),
        ("WWW-Authenticate", "The way in which the caller must authenticate."),
        ("Allow", "The methods that the path supports."),
        (
            settings.request_id_header.as_str(),
            "The id of the request. Include it when you report a problem to the operator.",
        ),
    ];
    let header = |(name, description): (&str, &str), required: bool| {
        let mut header = json!({"description": description, "schema": {"type": "string"}});
        if let Some(members) = header.as_object_mut().filter(|_| required) {
            members.insert("required".to_owned(), true.into());
        }
        (name.to_owned(), header)
    };
    let optional = may_be_there.iter().chain(own).map(|row| header(*row, false));
    optional.chain(always_there.into_iter().map(|row| header(row, true))).collect()
}
