//! Parameters: ids in paths, paging, and the headers that many operations accept. An operation declares its
//! own parameters with [`query_parameter`].

use std::collections::BTreeMap;

use payroll_domain::id::MAX_ID_LENGTH;
use serde_json::{Value, json};

use super::schema;
use crate::shared::lookup;
use crate::shared::settings::HttpSettings;

/// A comma-separated list of entity tags, or `*` (RFC 9110, section 13.1.1).
const ETAG_LIST_PATTERN: &str = r#"^(\*|(W/)?"[^" ]*"( *, *(W/)?"[^" ]*")*)$"#;

/// The name, the description and an example of a path parameter. The example is from the demo data; `None` if
/// the id is generated.
pub(super) type PathIdParameter = (&'static str, &'static str, Option<&'static str>);

/// The path parameters that both APIs have.
const PATH_IDS: &[PathIdParameter] = &[
    ("companyId", "The company.", Some("00DEMO0001COMPANY001")),
    ("workerId", "The worker.", Some("00DEMO0001WORKER0001")),
    ("rateId", "The pay rate.", Some("851000000003001")),
    ("workerComponentId", "The recurring component.", Some("851000000005001")),
    ("directDepositId", "The direct deposit.", Some("851000000023001")),
    ("contactId", "The contact.", Some("851000000019001")),
    ("workerCustomFieldId", "The value of a custom field for a worker.", Some("851000000018001")),
    ("payPeriodId", "The pay period.", Some("851000000002008")),
    ("componentId", "The pay component.", Some("851000000001001")),
    ("paycheckId", "The check.", None),
    ("checkId", "The check.", None),
    ("checkComponentId", "The line of the check.", None),
    ("organizationId", "The organizational unit.", Some("851000000023001")),
    ("customFieldId", "The custom field.", Some("1-FIELD-1")),
    ("categoryId", "The category of custom fields.", Some("1-CATEGORY-2")),
    ("communicationId", "The communication.", Some("851000000008004")),
    ("documentId", "The document.", None),
    ("hookId", "The hook.", Some("demo")),
    ("deliveryId", "The delivery.", None),
    ("requestId", "The id that the server assigned to the request.", None),
];

/// Returns the names of the path parameters.
fn path_parameter_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

/// Returns references to the path parameters.
pub(super) fn path_parameter_references(path: &str) -> Vec<Value> {
    path_parameter_names(path).map(parameter_reference).collect()
}

/// Returns a reference to a parameter in the components.
pub(super) fn parameter_reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}

/// Returns an optional query parameter.
pub(super) fn query_parameter(name: &str, description: &str, schema: Value) -> Value {
    json!({"name": name, "in": "query", "description": description, "schema": schema})
}

/// Makes a parameter required.
pub(super) fn to_required_parameter(mut parameter: Value) -> Value {
    if let Some(members) = parameter.as_object_mut() {
        members.insert("required".to_owned(), true.into());
    }
    parameter
}

/// Adds an example to a parameter. The value is valid in the demo.
pub(super) fn with_example(mut parameter: Value, value: impl Into<Value>) -> Value {
    if let Some(members) = parameter.as_object_mut() {
        members.insert("example".to_owned(), value.into());
    }
    parameter
}

/// Returns the parameter components by name: the ids that occur in `paths`, and the request headers.
/// `own_ids` are the path parameters that only this API has.
pub(super) fn parameter_components(
    paths: &[&str],
    own_ids: &[PathIdParameter],
    headers: Vec<(String, Value)>,
) -> BTreeMap<String, Value> {
    let of_lookup =
        lookup::all_lookup_lists().map(|(_, spec)| (spec.id.name, spec.id.about, spec.id.example));
    let ids = PATH_IDS.iter().chain(own_ids).copied().chain(of_lookup);
    let ids =
        ids.filter(|(name, ..)| paths.iter().any(|path| path_parameter_names(path).any(|one| one == *name)));
    let ids =
        ids.map(|(name, description, example)| (name.to_owned(), id_parameter(name, description, example)));
    ids.chain(paging_parameters()).chain(headers).collect()
}

fn id_parameter(name: &str, description: &str, value: Option<&str>) -> Value {
    let id = schema::id_description(description);
    let parameter = json!({
        "name": name, "in": "path", "required": true,
        "description": format!("{id} It has 1 to {MAX_ID_LENGTH} of the characters A-Z, a-z, 0-9, _ and -."),
        "schema": schema::id_schema(description),
    });
    match value {
        Some(value) => with_example(parameter, value),
        None => parameter,
    }
}

fn paging_parameters() -> Vec<(String, Value)> {
    let number =
        || json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": i32::MAX, "default": 0});
    let offset = query_parameter(
        "offset",
        "The position of the first element to return, counted from 0. A position after the last element \
         returns an empty list.",
        number(),
    );
    let limit = query_parameter(
        "limit",
        "The maximum number of elements to return. 0, which is the default, means no limit.",
        number(),
    );
    vec![("offset".to_owned(), with_example(offset, 0)), ("limit".to_owned(), with_example(limit, 10))]
}

/// Returns the request headers, by component name.
pub(super) fn header_parameters(settings: &HttpSettings) -> Vec<(String, Value)> {
    let header = |name: &str, description: &str, schema: Value| json!({"name": name, "in": "header", "description": description, "schema": schema});
    let text = || json!({"type": "string"});
    let tags = || json!({"type": "string", "pattern": ETAG_LIST_PATTERN});
    let key = json!({"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"});
    vec![
        (
            "If-None-Match".to_owned(),
            header(
                "If-None-Match",
                "The `ETag` of an earlier response. If the resource has not changed since that response, the \
                 response is 304 without a body.",
                text(),
            ),
        ),
        (
            "If-Match".to_owned(),
            header(
                "If-Match",
                "The `ETag` of the version that you want to change, or `*` for any version. The response is \
                 412 if the object has another version.",
                tags(),
            ),
        ),
        (
            "Idempotency-Key".to_owned(),
            header(
                "Idempotency-Key",
                "A key that you choose for this request. Within 24 hours, a retry with the same key gets \
                 the stored response and does not change anything.",
                key,
            ),
        ),
        (
            "notification".to_owned(),
            header(
                &settings.notification_header,
                "The id of the notification that caused this request. The delivery of the notification then \
                 lists this request.",
                text(),
            ),
        ),
        (
            "correlation".to_owned(),
            header(
                &settings.correlation_header,
                "Your own id of the request, 1 to 128 visible ASCII characters. The response repeats it.",
                text(),
            ),
        ),
    ]
}
