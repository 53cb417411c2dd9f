//! Runs a row of the table. The command looks up ids, asks for confirmation, sends the request, and prints
//! the result.

use std::collections::BTreeMap;

use clap::ArgMatches;
use serde_json::{Map, Value};

use super::arguments::OperatorCommand;
use super::call::{Invocation, parameter_names};
use super::{
    BodyKind, CommandRow, OutputFormat, Parameter, ParameterTarget, column, column_heads, documents,
    row_cells,
};
use crate::commands::context::CommandContext;
use crate::commands::context::OperatorCommandContext;
use crate::commands::nouns::path_parameter;
use crate::commands::question::{confirm, is_interactive};
use crate::failure::{Failure, Outcome};
use crate::operator::{MERGE_PATCH, Method, OperatorClient, OperatorResponse, Request};

/// Runs the command that a row of the table describes.
///
/// # Errors
/// Returns the error with which the server rejected the request, or the reason why the command could not run.
pub(in crate::commands) async fn run_operator_command(
    context: CommandContext<'_>,
    command: OperatorCommand,
) -> Outcome {
    let OperatorCommand { options: how, row, arguments } = command;
    let mut session = context.into_operator_context(&how).await?;
    let body = row.request_document(&arguments)?;
    let call = resolve_ids(row, arguments, &session.operator).await?;
    if row.needs_confirmation && !call.arguments.get_flag("yes") {
        ask_for_confirmation(row, &call)?;
    }
    if let Some(own) = row.custom {
        return (own.run)(&mut session, &call).await;
    }
    let request = Request::new(row.method, row.request_path(&call));
    let request = match row.read_version(&call, &session).await? {
        Some(version) => request.if_match(version),
        None => request,
    };
    let request = match body {
        Some(body) => request.body(row.media_type(), body),
        None => request,
    };
    let response = session.operator.send(request).await?;
    row.show_response(&mut session, &call, &response)?;
    match row.after_response {
        Some(then) => then(&mut session, &call, &response).await,
        None => Ok(()),
    }
}

/// Looks up the ids for the parameters in the path and in the query.
async fn resolve_ids(
    row: &'static CommandRow,
    arguments: ArgMatches,
    operator: &OperatorClient,
) -> Outcome<Invocation> {
    let invocation = Invocation::new(arguments, BTreeMap::new());
    let mut ids = BTreeMap::new();
    for name in parameter_names(row.path).chain(row.parameters.iter().map(|parameter| parameter.name)) {
        let Some(text) = invocation.optional_text(name) else { continue };
        let id = match path_parameter(name).and_then(|place| place.id_lookup) {
            Some(find) => find(operator, text).await?,
            None => text.to_owned(),
        };
        ids.insert(name, id);
    }
    Ok(Invocation::new(invocation.arguments, ids))
}

/// Asks a person for confirmation.
///
/// # Errors
/// Fails if the reply is no, or if there is no terminal on which to ask.
fn ask_for_confirmation(row: &CommandRow, call: &Invocation) -> Outcome {
    let names: Vec<_> =
        parameter_names(row.path).map(|name| format!("{name} {}", call.required_text(name))).collect();
    let names = match names.is_empty() {
        true => format!("the {}", row.path.split('/').next().unwrap_or_default()),
        false => names.iter().rev().map(String::as_str).collect::<Vec<_>>().join(" of "),
    };
    let verb = row.verb;
    if !is_interactive() {
        return Err(Failure::new(format!(
            "{verb}: cannot ask for confirmation of {names} without a terminal. Use --yes"
        )));
    }
    confirm(&format!("{verb}: {names}. Continue?"), &format!("{verb}: cancelled, {names} is unchanged"))
}

impl CommandRow {
    const fn media_type(&self) -> &'static str {
        if matches!(self.method, Method::Patch) { MERGE_PATCH } else { "application/json" }
    }

    /// Returns the version for `If-Match`: the value of the flag, or without the flag, the version of the
    /// object. In the second case, this function reads the object.
    async fn read_version(
        &self,
        call: &Invocation,
        session: &OperatorCommandContext<'_>,
    ) -> Outcome<Option<String>> {
        if self.version_of.is_empty() {
            return Ok(None);
        }
        if let Some(named) = call.optional_text("if-match") {
            return Ok(Some(named.to_owned()));
        }
        let seen = session.operator.send(Request::get(call.fill_path(self.version_of))).await?;
        Ok(seen.etag().map(str::to_owned))
    }

    fn request_document(&self, arguments: &ArgMatches) -> Outcome<Option<Vec<u8>>> {
        let bytes = |value: Value| value.to_string().into_bytes();
        Ok(match self.body {
            BodyKind::None => None,
            BodyKind::Members => Some(bytes(self.member_values(arguments).into())),
            BodyKind::AnyMembers => Some(self.member_values(arguments))
                .filter(|members| !members.is_empty())
                .map(|it| bytes(it.into())),
            BodyKind::Fixed(document) => Some(document.into()),
            BodyKind::Document => Some(documents::read_document(arguments)?),
            BodyKind::Own(_, read) => Some(bytes(read(arguments)?)),
        })
    }

    /// Returns the members of the body that were given as arguments.
    fn member_values(&self, arguments: &ArgMatches) -> Map<String, Value> {
        let member = |parameter: &Parameter| {
            let text = || arguments.get_one::<String>(parameter.name).cloned().map(Value::from);
            let (name, value) = match parameter.target {
                ParameterTarget::Query(_) | ParameterTarget::Queries(_) | ParameterTarget::Count(_) => {
                    return None;
                }
                ParameterTarget::Member(name) | ParameterTarget::Argument(name) => (name, text()),
                ParameterTarget::Flag(name) => {
                    (name, arguments.get_flag(parameter.name).then_some(true.into()))
                }
                ParameterTarget::Words(name) | ParameterTarget::Members(name) => {
                    let words = arguments.get_many::<String>(parameter.name);
                    (name, words.map(|words| words.cloned().collect::<Vec<_>>().into()))
                }
            };
            value.map(|value| (name.to_owned(), value))
        };
        self.parameters.iter().filter_map(member).collect()
    }

    fn show_response(
        &self,
        session: &mut OperatorCommandContext<'_>,
        call: &Invocation,
        response: &OperatorResponse,
    ) -> Outcome {
        match self.output {
            OutputFormat::Table(columns) => {
                session
                    .output
                    .print_list(response, &column_heads(columns), |element| row_cells(columns, element))
            }
            OutputFormat::Members => session.output.print_object(response),
            OutputFormat::Sentence(sentence) => {
                session.output.print_result(response, fill_sentence(sentence, call, response)?)
            }
        }
    }
}

/// Replaces the names in braces by arguments, and the JSON pointers in braces by values of the response.
fn fill_sentence(sentence: &str, call: &Invocation, response: &OperatorResponse) -> Outcome<String> {
    let object = response.content()?.into_iter().next().unwrap_or_default();
    let mut parts = sentence.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or((part, ""));
        match name.starts_with('/') {
            true => filled.push_str(&column::text_at(&object, name)),
            false => filled.push_str(call.required_text(name)),
        }
        filled.push_str(rest);
    }
    Ok(filled)
}
