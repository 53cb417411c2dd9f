//! One operation as a tool: its arguments, and the data that a request needs.

use payroll_domain::access::Scope;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::offered::is_json;
use super::schema::Schemas;

/// The maximum size in bytes of the definitions in a tool's input schema. Most tools need a fifth of this
/// size.
const MAX_INPUT_BYTES: usize = 16 * 1024;

/// The maximum size in bytes of the definitions in a tool's output schema. A larger schema is omitted,
/// because a model understands the result without it.
const MAX_OUTPUT_BYTES: usize = 2 * 1024;

/// The page size that is sent if the caller sets no limit. Without a limit, the API returns the complete
/// list, which may be too long for a model.
pub(crate) const DEFAULT_LIMIT: u32 = 50;

/// An operation of the API that is offered as a tool.
pub(crate) struct ToolOperation {
    pub(crate) tool: Tool,
    /// The method in upper case.
    pub(crate) method: String,
    /// The path, with parameter names in braces.
    pub(crate) path: String,
    pub(crate) tag: Option<String>,
    /// The scope that a token needs.
    pub(crate) scope: Option<Scope>,
    pub(crate) arguments: Vec<ToolArgument>,
    pub(crate) body: Option<OperationBody>,
    /// The media type of the response.
    pub(crate) accept: String,
    pub(crate) has_dry_run: bool,
}

/// An argument of a tool that is not the request body.
pub(crate) struct ToolArgument {
    /// The name of the tool's argument.
    pub(crate) name: String,
    /// The name of the parameter in the API request.
    pub(crate) parameter: String,
    pub(crate) position: ArgumentPosition,
    pub(crate) is_required: bool,
}

/// The part of the API request that contains a tool argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArgumentPosition {
    /// A parameter of the path, which contains the name in braces.
    Path,
    /// A parameter of the query.
    Query,
    /// A header of the API request.
    Header,
}

/// The request body of an operation.
pub(crate) struct OperationBody {
    pub(crate) media_type: String,
    pub(crate) is_required: bool,
}

/// A parameter of the API description, with its schema for the tool.
struct Parameter {
    argument: ToolArgument,
    schema: Value,
}

impl ToolOperation {
    /// Reads an operation of the API description. `common` contains the description's shared parameters, to
    /// which operations refer.
    pub(super) fn from_openapi(
        (path, method): (&str, &str),
        declared: &Value,
        common: &Value,
        schemas: &Schemas<'_>,
    ) -> Option<Self> {
        let name = text_member(declared, "operationId")?.to_owned();
        let reads = method == "get";
        let listed = declared.get("parameters").and_then(Value::as_array);
        let parameters: Vec<_> =
            listed.into_iter().flatten().filter_map(|it| read_parameter(it, common)).collect();
        let has_dry_run = parameters.iter().any(|it| it.argument.parameter == "dryrun");
        let parameters: Vec<_> =
            parameters.into_iter().filter(|it| it.argument.parameter != "dryrun").collect();
        let (body, body_schema) = read_body(declared).unzip();
        let input =
            input_schema(&parameters, body.as_ref().zip(body_schema), (!reads).then_some(has_dry_run));
        let about = tool_description(declared, reads, has_dry_run);
        let mut tool = Tool::new(name, about, schemas.with_definitions(input, MAX_INPUT_BYTES));
        tool.title = text_member(declared, "summary").map(str::to_owned);
        tool.output_schema = output_schema(declared, schemas).map(Into::into);
        let annotations = ToolAnnotations::new().read_only(reads).open_world(false);
        tool.annotations = Some(match method {
            "get" => annotations,
            // A POST with a body adds an object, so it is not destructive. A POST without a body is a step of
            // a pay run, which can be destructive.
            _ => annotations.destructive(method != "post" || body.is_none()).idempotent(method != "post"),
        });
        Some(Self {
            tool,
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            tag: declared.pointer("/tags/0").and_then(Value::as_str).map(str::to_owned),
            scope: required_scope(declared).and_then(Scope::parse),
            arguments: parameters.into_iter().map(|it| it.argument).collect(),
            body,
            accept: response_media_type(declared),
            has_dry_run,
        })
    }

    /// Returns whether the operation only reads data.
    pub(crate) fn is_read_only(&self) -> bool {
        self.method == "GET"
    }
}

fn text_member<'v>(value: &'v Value, member: &str) -> Option<&'v str> {
    value.get(member)?.as_str()
}

/// Returns the scope that a token needs for the operation.
fn required_scope(declared: &Value) -> Option<&str> {
    declared.pointer("/security/0/oauth2/0").and_then(Value::as_str)
}

/// Returns the description of the tool for the model.
fn tool_description(declared: &Value, reads: bool, has_dry_run: bool) -> String {
    let mut parts = vec![format!("{}.", text_member(declared, "summary").unwrap_or_default())];
    parts.extend(text_member(declared, "description").map(str::to_owned));
    parts.extend(required_scope(declared).map(|scope| format!("Needs the scope `{scope}`.")));
    if !reads {
        let sentence = match has_dry_run {
            true => "Without `execute: true`, the call is a dry run, which stores nothing.",
            false => "The operation has no dry run. Without `execute: true`, no request is sent.",
        };
        parts.push(sentence.to_owned());
    }
    parts.join(" ")
}

/// Converts a parameter of the API description to a tool argument. Returns `None` for a header, unless it
/// makes a change safe, such as `Idempotency-Key`.
fn read_parameter(declared: &Value, common: &Value) -> Option<Parameter> {
    let reference = text_member(declared, "$ref").and_then(|it| it.rsplit('/').next());
    let declared = match reference {
        Some(name) => common.get(name)?,
        None => declared,
    };
    let parameter = text_member(declared, "name")?.to_owned();
    let (name, position) = match (text_member(declared, "in")?, parameter.as_str()) {
        ("path", _) => (parameter.clone(), ArgumentPosition::Path),
        ("query", _) => (parameter.clone(), ArgumentPosition::Query),
        ("header", "If-Match") => ("ifMatch".to_owned(), ArgumentPosition::Header),
        ("header", "Idempotency-Key") => ("idempotencyKey".to_owned(), ArgumentPosition::Header),
        _ => return None,
    };
    let mut schema = declared.get("schema").cloned().unwrap_or_else(|| json!({}));
    if let Some(members) = schema.as_object_mut() {
        if let Some(about) = text_member(declared, "description") {
            members.insert("description".to_owned(), about.into());
        }
        if parameter == "limit" && position == ArgumentPosition::Query {
            members.insert("default".to_owned(), DEFAULT_LIMIT.into());
            members.insert("description".to_owned(), "The maximum number of elements of a page.".into());
        }
    }
    let is_required = declared.get("required").and_then(Value::as_bool).unwrap_or(false);
    Some(Parameter { argument: ToolArgument { name, parameter, position, is_required }, schema })
}

/// Returns the request body and its schema. The media type is `application/json` if the operation accepts it,
/// and otherwise the first JSON media type.
fn read_body(declared: &Value) -> Option<(OperationBody, Value)> {
    let content = declared.pointer("/requestBody/content")?.as_object()?;
    let json = content.get_key_value("application/json");
    let (media_type, described) = json.or_else(|| content.iter().find(|(it, _)| is_json(it)))?;
    let is_required = declared.pointer("/requestBody/required").and_then(Value::as_bool).unwrap_or(false);
    let schema = described.get("schema").cloned().unwrap_or_else(|| json!({}));
    Some((OperationBody { media_type: media_type.clone(), is_required }, schema))
}

/// Returns the media type of a successful response.
fn response_media_type(declared: &Value) -> String {
    let json = "application/json";
    let contents = success_contents(declared);
    let is_offered = contents.is_empty() || contents.iter().any(|content| content.contains_key(json));
    let other = || contents.iter().flat_map(|content| content.keys()).find(|it| is_json(it));
    match is_offered {
        true => json.to_owned(),
        false => other().map_or(json, String::as_str).to_owned(),
    }
}

/// Returns the `content` objects of all successful responses, which map media types to schemas.
fn success_contents(declared: &Value) -> Vec<&Map<String, Value>> {
    let responses = declared.get("responses").and_then(Value::as_object);
    let successes = responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
    successes.filter_map(|(_, response)| response.get("content")?.as_object()).collect()
}

/// Returns the input schema of the tool. `dry_run` is `None` for a tool that only reads. For every other
/// tool, it contains whether the tool supports a dry run.
fn input_schema(
    parameters: &[Parameter],
    body: Option<(&OperationBody, Value)>,
    dry_run: Option<bool>,
) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required: Vec<Value> = Vec::new();
    for Parameter { argument, schema } in parameters {
        properties.insert(argument.name.clone(), schema.clone());
        if argument.is_required {
            required.push(argument.name.as_str().into());
        }
    }
    if let Some((body, schema)) = body {
        properties.insert("body".to_owned(), schema);
        if body.is_required {
            required.push("body".into());
        }
    }
    if let Some(has_dry_run) = dry_run {
        let otherwise = if has_dry_run { "the call is a dry run" } else { "no request is sent" };
        let about = format!("Whether the change is carried out. If not true, {otherwise}.");
        let schema = json!({"type": "boolean", "default": false, "description": about});
        properties.insert("execute".to_owned(), schema);
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), Value::Array(required));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// Returns the output schema of the tool, if it is small and all successful responses have the same schema.
fn output_schema(declared: &Value, schemas: &Schemas<'_>) -> Option<Map<String, Value>> {
    let accept = response_media_type(declared);
    let contents = success_contents(declared);
    let mut bodies = contents.iter().filter_map(|content| content.get(&accept)?.get("schema"));
    let body = bodies.next()?;
    if bodies.any(|other| other != body) {
        return None;
    }
    let schema = json!({
        "type": "object",
        "properties": {
            "status": {"type": "integer", "description": "The HTTP status."},
            "etag": {"type": "string", "description": "The version (ETag) of the object, to send as \
             `ifMatch`."},
            "dryRun": {"type": "boolean", "description": "Whether nothing was stored."},
            "body": body,
        },
        "required": ["status"],
    });
    let complete = schemas.with_definitions(schema.as_object()?.clone(), usize::MAX);
    let bytes = complete.get("$defs").map_or(0, |defs| defs.to_string().len());
    (bytes <= MAX_OUTPUT_BYTES).then_some(complete)
}
