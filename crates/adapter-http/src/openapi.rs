//! The OpenAPI 3.1 description of the partner API, made from the code: paths and scopes from the
//! table of routes, media types and headers from the settings, words from the domain's enums, codes
//! and their examples from the table of codes, limits from the constants.
//!
//! What no code knows is declared here: names and sentences of operations (`operations`), and the
//! shapes of what goes in and out (`schemas`). `tests` hold it against the table of routes, the
//! acceptance tests hold every answer that they get against it. It is served by `service`, and
//! printed with default settings as docs/openapi.json.

mod envelope;
mod errors;
mod operation;
mod operations;
mod page;
mod parameters;
mod schema;
mod schemas;
mod security;
pub(crate) mod served;
#[cfg(test)]
mod tests;
mod webhooks;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::partner::{RouteInfo, routes};
use crate::shared::media_type::VendorTypes;
use crate::shared::settings::HttpSettings;
use errors::Errors;
use operations::Area;

/// The version of the interface (specification §12).
const VERSION: &str = "1.0";

/// The description of the partner API with these settings, as indented JSON.
#[must_use]
pub fn openapi(settings: &HttpSettings) -> String {
    format!("{:#}\n", describe(settings))
}

fn describe(settings: &HttpSettings) -> Value {
    let routes = routes();
    let areas = operations::areas(&VendorTypes::new(&settings.vendor));
    let errors = Errors::new(&settings.request_id_header);
    let base = settings.public_base_url.as_deref().unwrap_or_default();
    let paths = paths(&areas, &routes, &errors);
    json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
        "info": info(),
        "servers": [{"url": if base.is_empty() { "/" } else { base }, "description": "This server."}],
        "tags": areas.iter().map(|area| json!({"name": area.name, "description": area.description})).collect::<Vec<_>>(),
        "paths": paths,
        "webhooks": webhooks::webhooks(),
        "components": components(&areas, &routes, errors, settings),
    })
}

fn info() -> Value {
    json!({
        "title": "Payroll integration API",
        "version": VERSION,
        "description": "Through this interface partner applications reach the payroll and the people of companies: they read companies, workers, pay periods and checks, add checks, and are told of changes. Amounts, rates and hours are decimal strings. What is absent is left out and never `null`. Every answer carries the request's id in a header.",
        "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        "contact": {"name": "The operator of this server"},
    })
}

/// Operations by path and method. One that the table of routes lacks is left out; a test finds it.
fn paths(
    areas: &[Area],
    routes: &[RouteInfo],
    errors: &Errors,
) -> BTreeMap<&'static str, Map<String, Value>> {
    let mut paths: BTreeMap<&'static str, Map<String, Value>> = BTreeMap::new();
    for area in areas {
        for operation in &area.operations {
            let same = |route: &&RouteInfo| (route.method, route.path) == (operation.method, operation.path);
            if let Some(route) = routes.iter().find(same) {
                let written = operation.written(area.name, route, errors);
                paths.entry(operation.path).or_default().insert(operation.method.to_lowercase(), written);
            }
        }
    }
    paths
}

fn components(areas: &[Area], routes: &[RouteInfo], errors: Errors, settings: &HttpSettings) -> Value {
    let named = [errors::schemas(), envelope::schemas(), webhooks::schemas(), schemas::all()];
    let mut schemas: BTreeMap<String, Value> =
        named.into_iter().flatten().map(|(name, schema)| (name.to_owned(), schema)).collect();
    for operation in areas.iter().flat_map(|area| &area.operations) {
        schemas.extend(operation.contents().flat_map(envelope::Content::envelopes));
    }
    let (responses, examples) = errors.into_components();
    let base = settings.public_base_url.as_deref().unwrap_or_default();
    json!({
        "schemas": schemas,
        "responses": responses,
        "examples": examples,
        "parameters": parameters::components(routes, settings).into_iter().collect::<BTreeMap<_, _>>(),
        "headers": headers(settings),
        "securitySchemes": security::schemes(base),
    })
}

/// The headers of answers. Those that are required are in each answer that names them.
fn headers(settings: &HttpSettings) -> BTreeMap<String, Value> {
    let may_be_there = [
        ("RateLimit", "Where the caller stands: requests left, and seconds until more are."),
        ("RateLimit-Policy", "How many requests a caller may send in how many seconds."),
        (
            "Retry-After",
            "Seconds to wait before the same is tried again; absent where waiting does not help.",
        ),
        ("Idempotent-Replayed", "`true` where the answer is that of an earlier request with the same key."),
        (
            "InsufficientScope",
            "Which scope is missing in the token or the grant (RFC 6750); absent where something else is.",
        ),
        ("NewETag", "What to send as `If-Match`; absent where the answer is that of an earlier request."),
        ("NewLocation", "Where the new resource is; absent where the answer is that of an earlier request."),
    ];
    let always_there = [
        ("ETag", "What to send as `If-None-Match` or `If-Match`."),
        ("WWW-Authenticate", "How to authenticate."),
        ("Allow", "The methods that the path takes."),
        (
            settings.request_id_header.as_str(),
            "The request's id. Tell it to the operator when something is wrong.",
        ),
    ];
    let header = |(name, description): (&str, &str), required: bool| {
        let mut header = json!({"description": description, "schema": {"type": "string"}});
        if let Some(members) = header.as_object_mut().filter(|_| required) {
            members.insert("required".to_owned(), true.into());
        }
        (name.to_owned(), header)
    };
    let optional = may_be_there.into_iter().map(|row| header(row, false));
    optional.chain(always_there.into_iter().map(|row| header(row, true))).collect()
}
