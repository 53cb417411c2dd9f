//! Tools that combine several API requests, or that send a request as a dry run to validate it.

mod draft_checks;
mod explain_error;
mod failure;
mod find_worker;
mod hook_report;
mod reading;

use payroll_ports::api_calls::ApiCaller;
use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use crate::catalog::{ToolCatalog, ToolOperation};
use crate::exact::{BODY_ARGUMENT, CHECKS_ARGUMENT};
use crate::result::{ArgumentFault, error_content, invalid_arguments, not_sent_result};
use crate::side::Api;
use failure::ToolFailure;

/// A tool that sends several requests. The requests change no data. Drafts of pay checks, for example, are
/// sent as a dry run.
pub(crate) struct CompositeTool {
    pub(crate) tool: Tool,
    task: CompositeTask,
}

impl CompositeTool {
    /// Returns the ids of the operations that the tool uses in the partner or the operator API. The caller
    /// needs the scopes of all these operations.
    pub(crate) const fn operations(&self) -> &'static [&'static str] {
        match self.task {
            CompositeTask::FindWorker => &["listWorkers"],
            CompositeTask::DraftChecks => &["addChecks", "addChecksOfOperator"],
            CompositeTask::ExplainError => &[],
            CompositeTask::WhyWasHookNotCalled => &["getHook", "listDeliveries"],
        }
    }
}

/// The task that a composite tool performs.
#[derive(Debug, Clone, Copy)]
enum CompositeTask {
    FindWorker,
    DraftChecks,
    ExplainError,
    WhyWasHookNotCalled,
}

/// Returns all composite tools of an API.
pub(crate) fn all_tools(side: Api, catalog: &ToolCatalog) -> Vec<CompositeTool> {
    let company = ("companyId", json!({"type": "string", "description": "The company."}), true);
    let find = create_composite_tool(
        CompositeTask::FindWorker,
        "find_worker",
        "Find the workers of a company by a name or a part of it. Returns the workers' ids, names and \
         states.",
        &[
            company.clone(),
            ("name", json!({"type": "string", "description": "A name, such as `Ada Sample`."}), true),
        ],
    );
    let explain = create_composite_tool(
        CompositeTask::ExplainError,
        "explain_error",
        "Explain an error code, such as API-48: its meaning and how to resolve it.",
        &[("code", json!({"type": "string", "description": "The code, such as `API-48`."}), true)],
    );
    let hook = ("hookId", json!({"type": "string", "description": "The hook."}), true);
    let application = ("applicationId", json!({"type": "string", "description": "Its application."}), true);
    let hook: &[_] = match side {
        Api::Partner => &[hook],
        Api::Operator => &[application, hook],
    };
    let why = create_composite_tool(
        CompositeTask::WhyWasHookNotCalled,
        "why_was_hook_not_called",
        "Find out why a hook's receiver gets no notifications. Returns whether the hook is enabled, and the \
         results of its last deliveries.",
        hook,
    );
    let mut tools = vec![find, explain, why];
    let checks = catalog.operation(draft_checks::add_checks_operation(side));
    tools.extend(checks.map(|checks| draft_checks_tool(side, company, checks)));
    tools
}

/// Creates the tool that drafts checks, with the schema of the operation that adds checks.
fn draft_checks_tool(side: Api, company: ToolParameter, checks: &ToolOperation) -> CompositeTool {
    let input = &checks.tool.input_schema;
    let body = input.get("properties").and_then(|it| it.get(BODY_ARGUMENT)).cloned().unwrap_or_default();
    let mut parameters = vec![company];
    if side == Api::Operator {
        let period = json!({"type": "string", "description": "The pay period."});
        parameters.push(("payPeriodId", period, true));
    }
    parameters.push((CHECKS_ARGUMENT, body, true));
    let mut draft = create_composite_tool(
        CompositeTask::DraftChecks,
        "draft_checks",
        &format!(
            "Check a batch of checks without storing it. Returns totals, or every fault with its position. Send \
             the same checks with `{}` and `execute: true` to store them.",
            checks.tool.name
        ),
        &parameters,
    );
    if let Some(definitions) = input.get("$defs") {
        let mut schema = (*draft.tool.input_schema).clone();
        schema.insert("$defs".to_owned(), definitions.clone());
        draft.tool.input_schema = schema.into();
    }
    draft
}

/// The name of an argument, its schema, and whether it is required.
type ToolParameter = (&'static str, Value, bool);

fn create_composite_tool(
    question: CompositeTask,
    name: &'static str,
    about: &str,
    parameters: &[ToolParameter],
) -> CompositeTool {
    let properties: Map<String, Value> =
        parameters.iter().map(|(name, schema, _)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> =
        parameters.iter().filter(|(_, _, required)| *required).map(|(name, ..)| *name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    schema.insert("required".to_owned(), required.into());
    schema.insert("additionalProperties".to_owned(), false.into());
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    let tool = Tool::new(name, about.to_owned(), schema).with_annotations(annotations);
    CompositeTool { tool, task: question }
}

/// Executes a tool. A failure is returned as a tool result, so that the model can read it.
pub(crate) async fn execute_composite_tool(
    tool: &CompositeTool,
    (side, catalog): (Api, &ToolCatalog),
    arguments: &JsonObject,
    api: &dyn ApiCaller,
) -> CallToolResult {
    let faults = unknown_arguments(tool, arguments);
    if !faults.is_empty() {
        return invalid_arguments(&faults);
    }
    let answered = match tool.task {
        CompositeTask::FindWorker => find_worker::run_find_worker(side, arguments, api).await,
        CompositeTask::DraftChecks => draft_checks::run_draft_checks((side, catalog), arguments, api).await,
        CompositeTask::ExplainError => explain_error::run_explain_error(arguments),
        CompositeTask::WhyWasHookNotCalled => hook_report::run_hook_report(side, arguments, api).await,
    };
    match answered {
        Ok(response) => response,
        Err(ToolFailure::Faults(faults)) => invalid_arguments(&faults),
        Err(ToolFailure::Rejected(response)) => CallToolResult::structured_error(error_content(&response)),
        Err(ToolFailure::Failed(error)) => not_sent_result(error.to_string()),
    }
}

/// Returns a fault for each argument that is unknown to the tool.
fn unknown_arguments(composite: &CompositeTool, arguments: &JsonObject) -> Vec<ArgumentFault> {
    let Some(known) = composite.tool.input_schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let names = || known.keys().cloned().collect::<Vec<_>>().join(", ");
    let unknown = arguments.keys().filter(|name| !known.contains_key(*name));
    unknown
        .map(|name| {
            ArgumentFault::new(name, format!("the tool has no such argument. Its arguments are: {}", names()))
        })
        .collect()
}
