//! Schemas of successful responses: resources in the envelope of the specification (§2.1), or a schema
//! without envelope. Each combination of envelope and resource is a named component, so that generated
//! clients have a named type for each combination.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema::{integer_schema, list_schema, object_schema, optional, required, schema_reference};

/// The form of the body of a successful response: with or without envelope and `metadata`.
#[derive(Debug, Clone)]
pub(super) enum BodySchema {
    /// A list of resources of this schema in an envelope with `metadata`.
    Collection(&'static str),
    /// One or more resources of this schema in an envelope without `metadata`.
    Resource(&'static str),
    /// An envelope with resources of this schema, and with the errors of rejected elements.
    WithErrors(&'static str),
    /// A body that this schema describes directly, without an envelope.
    Bare(Value),
    /// The response has no body.
    Nothing,
}

impl BodySchema {
    /// Returns the schema of the body.
    pub(super) fn schema(&self) -> Value {
        match self {
            Self::Collection(name) => schema_reference(&collection_name(name)),
            Self::Resource(name) => schema_reference(&response_schema_name(name)),
            Self::WithErrors(name) => schema_reference(&envelope_with_errors_name(name)),
            Self::Bare(schema) => schema.clone(),
            Self::Nothing => Value::Null,
        }
    }

    /// Returns the schemas of the envelopes that the body refers to, by component name.
    pub(super) fn envelope_schemas(&self) -> BTreeMap<String, Value> {
        match self {
            Self::Collection(name) => [(collection_name(name), collection_schema(name))].into(),
            Self::Resource(name) => [(response_schema_name(name), response_schema(name))].into(),
            Self::WithErrors(name) => [(envelope_with_errors_name(name), schema_with_errors(name))].into(),
            Self::Bare(_) | Self::Nothing => BTreeMap::new(),
        }
    }
}

fn collection_name(resource: &str) -> String {
    format!("{resource}Collection")
}

fn response_schema_name(resource: &str) -> String {
    format!("{resource}Answer")
}

fn envelope_with_errors_name(resource: &str) -> String {
    format!("{resource}WithErrors")
}

fn collection_schema(resource: &str) -> Value {
    object_schema(
        &format!("A page of a list whose elements are `{resource}`."),
        [
            required("metadata", schema_reference("Metadata")),
            required(
                "content",
                list_schema(
                    "The elements of this response, in the order of their creation.",
                    schema_reference(resource),
                ),
            ),
            required(
                "links",
                list_schema(
                    "Links to this page, the previous page and the next page.",
                    schema_reference("Link"),
                ),
            ),
        ],
    )
}

fn response_schema(resource: &str) -> Value {
    object_schema(
        &format!("The response envelope with `{resource}` in `content`."),
        [
            required(
                "content",
                list_schema("The resources that the request reads or changes.", schema_reference(resource)),
            ),
            required("links", list_schema("Links to related resources.", schema_reference("Link"))),
        ],
    )
}

fn schema_with_errors(resource: &str) -> Value {
    object_schema(
        &format!("The response to a request that was stored in part, with `{resource}` as its content."),
        [
            required(
                "content",
                list_schema("The resources that the server has stored.", schema_reference(resource)),
            ),
            required(
                "errors",
                list_schema(
                    "The faults of the elements that the server has not stored.",
                    schema_reference("Error"),
                ),
            ),
            required("links", list_schema("Links to related resources.", schema_reference("Link"))),
        ],
    )
}

/// Returns the schemas that all envelopes share.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let pagination = object_schema(
        "The position of this page in the complete list.",
        [
            required(
                "offset",
                integer_schema("The position of the first element of this page, counted from 0."),
            ),
            required(
                "limit",
                integer_schema("The maximum number of elements on this page. 0 means no limit."),
            ),
            required("itemCount", integer_schema("The number of elements in the complete list.")),
            required("total", integer_schema("The number of elements in the complete list.")),
        ],
    );
    let metadata = object_schema(
        "The number of elements on this page and in the complete list.",
        [
            required("contentItemCount", integer_schema("The number of elements in this response.")),
            optional("pagination", schema_reference("Pagination")),
        ],
    );
    vec![("Pagination", pagination), ("Metadata", metadata)]
}
