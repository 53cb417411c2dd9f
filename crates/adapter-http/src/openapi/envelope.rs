//! Schemas of successful responses: resources in the envelope of the specification (§2.1), or a schema
//! without envelope. Each combination of envelope and resource is a named component, so that generated
//! clients have a named type for each combination.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema::{integer, list, object, optional, reference, required};

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
            Self::Collection(name) => reference(&collection_name(name)),
            Self::Resource(name) => reference(&response_schema_name(name)),
            Self::WithErrors(name) => reference(&envelope_with_errors_name(name)),
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
    object(
        &format!("A collection of {resource}."),
        [
            required("metadata", reference("Metadata")),
            required(
                "content",
                list("The elements of this response, in the order of their creation.", reference(resource)),
            ),
            required(
                "links",
                list(
                    "Links of the response: itself, the previous page and the next page.",
                    reference("Link"),
                ),
            ),
        ],
    )
}

fn response_schema(resource: &str) -> Value {
    object(
        &format!("{resource}, in the envelope."),
        [
            required("content", list("The resource or resources.", reference(resource))),
            required("links", list("Links of the response.", reference("Link"))),
        ],
    )
}

fn schema_with_errors(resource: &str) -> Value {
    object(
        &format!("{resource}, in the envelope for requests that are stored in part."),
        [
            required("content", list("The resources that are stored.", reference(resource))),
            required("errors", list("The faults of the other elements of the request.", reference("Error"))),
            required("links", list("Links of the response.", reference("Link"))),
        ],
    )
}

/// Returns the schemas that all envelopes share.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let pagination = object(
        "The requested page.",
        [
            required("offset", integer("The position of the first element, from 0.")),
            required("limit", integer("The maximum number of elements of a page. 0 means no limit.")),
            required("itemCount", integer("Elements in the complete collection.")),
            required("total", integer("Elements in the complete collection.")),
        ],
    );
    let metadata = object(
        "The size of the collection.",
        [
            required("contentItemCount", integer("Elements in this response.")),
            optional("pagination", reference("Pagination")),
        ],
    );
    vec![("Pagination", pagination), ("Metadata", metadata)]
}
