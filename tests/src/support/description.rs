//! The OpenAPI descriptions in docs/openapi.json and docs/operator-openapi.json, and the validation of
//! responses and notifications against them.
//!
//! The test client validates each response, and the receiver validates each notification. Every test
//! therefore also tests the descriptions. Responses of paths that are not operations are not validated.
//! Requests are not validated, because tests send invalid ones on purpose.

mod operations;
mod schemas;

use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use super::received::Received;
use super::request::Request;
use super::response::Response;
use operations::{DescribedResponse, Operation, Webhook};
use schemas::SchemaCompiler;

/// A media type with one JSON document per line.
const NDJSON_MEDIA_TYPE: &str = "application/x-ndjson";
/// The media type of CSV tables. The descriptions contain no schema for tables.
const CSV_MEDIA_TYPE: &str = "text/csv";
/// The media type of files with any content.
const OCTET_STREAM: &str = "application/octet-stream";

/// The maximum number of characters of a displayed fault. A fault may quote a complete value, so it is
/// shortened.
const MAX_SHOWN_CHARACTERS: usize = 300;

/// An OpenAPI description against which responses are validated.
pub(crate) struct Description {
    operations: Vec<Operation>,
    webhooks: Vec<Webhook>,
}

/// The description of the partner API, compiled once for all tests.
static PARTNER_DESCRIPTION: LazyLock<Description> =
    LazyLock::new(|| Description::read(Description::PARTNER_TEXT));
/// The description of the operator API, compiled once for all tests.
static OPERATOR_DESCRIPTION: LazyLock<Description> =
    LazyLock::new(|| Description::read(Description::OPERATOR_DESCRIPTION_TEXT));

/// Validates a response against the description with the default settings.
///
/// # Panics
/// The response differs from the description.
pub(crate) fn check_response(request: &Request, response: &Response) {
    let faults = Description::for_request(request).faults(request, response);
    assert!(faults.is_empty(), "not as described: {faults:#?} in the answer to {request:?}:\n{response:?}");
}

impl Description {
    /// The text of docs/openapi.json, the description of the partner API with the default settings.
    pub(crate) const PARTNER_TEXT: &str = include_str!("../../../docs/openapi.json");

    /// The text of docs/operator-openapi.json, the description of the operator API with the default settings.
    pub(crate) const OPERATOR_DESCRIPTION_TEXT: &str = include_str!("../../../docs/operator-openapi.json");

    /// Returns the compiled description of the partner API.
    pub(crate) fn partner_description() -> &'static Self {
        &PARTNER_DESCRIPTION
    }

    /// Returns the description of the API to which a request is sent.
    pub(crate) fn for_request(request: &Request) -> &'static Self {
        if request.is_for_operator_api() { &OPERATOR_DESCRIPTION } else { Self::partner_description() }
    }

    /// Returns the operation of a request, by its method and path.
    pub(crate) fn operation(&self, request: &Request) -> Option<String> {
        let method = request.method.as_str();
        let operation = Operation::find(&self.operations, method, request.path())?;
        Some(format!("{method} {}", operation.path))
    }

    /// Reads a description and compiles its schemas.
    pub(crate) fn read(text: &str) -> Self {
        let mut document: Value = serde_json::from_str(text).expect("a description is JSON");
        schemas::forbid_other_members(&mut document);
        let mut compiler = SchemaCompiler::new(&document);
        let operations = operations::operations(&document, &mut compiler);
        let webhooks = operations::webhooks(&document, &mut compiler);
        Self { operations, webhooks }
    }

    /// Returns the differences between the body examples of a description and their schemas.
    pub(crate) fn find_example_faults(text: &str) -> Vec<String> {
        let mut document: Value = serde_json::from_str(text).expect("a description is JSON");
        schemas::forbid_other_members(&mut document);
        let mut compiler = SchemaCompiler::new(&document);
        operations::examples(&document)
            .into_iter()
            .flat_map(|(at, schema, value)| {
                let faults = schemas::faults(&compiler.compile_once(schema), value);
                faults.into_iter().map(move |fault| shorten_fault(format!("{at}{fault}")))
            })
            .collect()
    }

    /// Returns the differences between the response and the description. Each difference has the operation,
    /// the status and a pointer.
    pub(crate) fn faults(&self, request: &Request, response: &Response) -> Vec<String> {
        let method = request.method.as_str();
        let Some(operation) = Operation::find(&self.operations, method, request.path()) else {
            return Vec::new();
        };
        let reported = match operation.responses.get(&response.status) {
            Some(described) => response_faults(described, method == "HEAD", response),
            None => vec![": this status is not described".to_owned()],
        };
        let at = format!("{method} {} {}", operation.path, response.status);
        reported.into_iter().map(|fault| shorten_fault(format!("{at}{fault}"))).collect()
    }

    /// Returns the differences between a received notification and the description. Each difference has the
    /// domain and a pointer. Other requests are not validated.
    pub(crate) fn notification_faults(&self, received: &Received) -> Vec<String> {
        // All notifications have this header. Other requests to the receiver, such as token requests, do not
        // have this header.
        if received.header("webhook-id").is_empty() {
            return Vec::new();
        }
        let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
        let domain = body["domains"][0].as_str().unwrap_or_default();
        let webhook = self.webhooks.iter().find(|it| it.name == domain && it.method == received.method);
        let reported = match webhook {
            Some(webhook) => webhook_faults(webhook, received, &body),
            None => vec![": this webhook is not described".to_owned()],
        };
        reported
            .into_iter()
            .map(|fault| shorten_fault(format!("{} {domain:?}{fault}", received.method)))
            .collect()
    }
}

fn response_faults(described: &DescribedResponse, is_head: bool, response: &Response) -> Vec<String> {
    let absent = described.headers.iter().filter(|name| !response.headers.contains_key(name.as_str()));
    let mut faults: Vec<_> = absent.map(|name| format!(": there is no header {name}")).collect();
    let media_type = response.header("content-type");
    let schema = described.content.get(media_type);
    if schema.is_none() && !media_type.is_empty() {
        faults.push(format!(": the Content-Type {media_type} is not described"));
    }
    match schema {
        // A response to HEAD has the headers of a GET but no body, so its body is not validated.
        _ if is_head => {}
        _ if response.body.is_empty() && !described.content.is_empty() => {
            faults.push(": there is no body".to_owned());
        }
        Some(schema) => faults.extend(body_faults(described, media_type, schema, &response.body)),
        // The unknown media type was already reported above.
        None if response.body.is_empty() || !media_type.is_empty() => {}
        None => faults.push(": its body is not described".to_owned()),
    }
    faults
}

fn body_faults(
    response: &DescribedResponse,
    media_type: &str,
    schema: &Validator,
    body: &[u8],
) -> Vec<String> {
    match media_type {
        // A successful response with one document per line may contain errors with any code, so the codes are
        // not validated.
        NDJSON_MEDIA_TYPE => json_lines(body).flat_map(|line| schemas::faults(schema, &line)).collect(),
        CSV_MEDIA_TYPE | OCTET_STREAM => Vec::new(),
        _ => value_faults(response, schema, body),
    }
}

/// Parses a body with one JSON document per line. Invalid JSON becomes a value that matches no schema.
fn json_lines(body: &[u8]) -> impl Iterator<Item = Value> {
    let lines = body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).unwrap_or_default())
}

fn value_faults(response: &DescribedResponse, schema: &Validator, body: &[u8]) -> Vec<String> {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(fault) => return vec![format!(": not JSON: {fault}")],
    };
    let mut faults = schemas::faults(schema, &value);
    let errors = value["errors"].as_array().into_iter().flatten().enumerate();
    let codes = errors.filter_map(|(at, error)| Some((at, error["code"].as_str()?)));
    let others = codes.filter(|(_, code)| !response.codes.contains(*code));
    faults.extend(
        others.map(|(at, code)| format!(" /errors/{at}/code: {code} is not described for this status")),
    );
    faults
}

fn webhook_faults(webhook: &Webhook, received: &Received, body: &Value) -> Vec<String> {
    let absent = webhook.headers.iter().filter(|name| received.header(name).is_empty());
    let mut faults: Vec<_> = absent.map(|name| format!(": there is no header {name}")).collect();
    match webhook.content.get(received.header("content-type")) {
        Some(schema) => faults.extend(schemas::faults(schema, body)),
        None => faults.push(": its Content-Type is not described".to_owned()),
    }
    faults
}

fn shorten_fault(fault: String) -> String {
    match fault.char_indices().nth(MAX_SHOWN_CHARACTERS) {
        Some((at, _)) => format!("{}…", &fault[..at]),
        None => fault,
    }
}
