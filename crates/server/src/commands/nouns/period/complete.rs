//! `period complete`: completes a pay period. With `--dry-run`, the command only shows a preview. At a
//! terminal, the command shows a preview and asks for confirmation first.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use futures_util::FutureExt;
use serde_json::Value;

use crate::commands::context::OperatorCommandContext;
use crate::commands::output::text_member;
use crate::commands::question::{confirm, is_interactive};
use crate::commands::table::{
    CommandRow, CustomCommand, Invocation, TableColumn, column_heads, read_file, row_cells, with_true_member,
};
use crate::failure::{Failure, Outcome};
use crate::operator::{ApiPath, Method, OperatorResponse, Request};
use crate::terminal::{Cell, Table, TextTone};

const PERIOD_PATH: &str = "companies/{company}/payperiods/{period}";
const COMPLETE_PATH: &str = "companies/{company}/payperiods/{period}/complete";

pub(super) const COMPLETE_ROW: CommandRow = CommandRow::send(
    Method::Post,
    "complete",
    "Complete a pay period that is in processing. Partners can then read the amounts of its checks",
    COMPLETE_PATH,
)
.with_custom_command(CustomCommand {
    arguments: CompleteArguments::augment_args,
    run: |session, call| complete_period(session, call).boxed_local(),
});

/// The arguments of the command `period complete`.
#[derive(Debug, Args)]
struct CompleteArguments {
    /// A JSON file with taxes, deductions and numbers of checks. `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// Show a preview and change nothing. The pay period may still be open.
    #[arg(long)]
    dry_run: bool,
    /// Complete the pay period although it has no checks.
    #[arg(long)]
    allow_empty: bool,
    /// Complete without asking for confirmation.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

/// The totals with their labels and their JSON pointers.
const TOTALS_LINES: &[(&str, &str)] = &[
    ("Checks", "/checks"),
    ("Workers", "/workers"),
    ("Gross earnings", "/grossEarnings"),
    ("Employee taxes", "/employeeTaxes"),
    ("Deductions", "/deductions"),
    ("Net pay", "/netPay"),
    ("Employer taxes", "/employerTaxes"),
    ("Employer cost", "/employerCost"),
];

const FAULT_COLUMNS: &[TableColumn] = &[
    TableColumn::value("CODE", "/code").with_tone(TextTone::Off),
    TableColumn::value("PLACE", "/pointer"),
    TableColumn::value("FAULT", "/description"),
];

const WARNING_COLUMNS: &[TableColumn] = &[
    TableColumn::value("WARNING", "/warning").with_tone(TextTone::Warning),
    TableColumn::value("WORKER", "/workerId"),
    TableColumn::value("CHECK", "/paycheckId"),
    TableColumn::value("DESCRIPTION", "/description"),
];

async fn complete_period(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let how: CompleteArguments = call.read()?;
    let document = how.input.as_deref().map(read_file).transpose()?;
    let document = if how.allow_empty { Some(with_true_member(document, "allowEmpty")?) } else { document };
    if how.dry_run {
        let previewed = read_preview(session, call, COMPLETE_PATH, document.as_deref()).await?;
        return show_preview(session, &previewed);
    }
    let period = session.operator.send(Request::get(call.fill_path(PERIOD_PATH))).await?;
    let mut version = period.etag().map(str::to_owned);
    // If the period is not in processing, the command does not ask for confirmation, because the server will
    // reject the completion.
    if needs_confirmation(session, how.yes) && text_member(&period.single_object()?, "status") == "PROCESSING"
    {
        let previewed = read_preview(session, call, COMPLETE_PATH, document.as_deref()).await?;
        version = previewed.etag().map(str::to_owned);
        show_result(session, &previewed)?;
        let period = call.required_text("period");
        confirm(
            &format!("Complete pay period {period}?"),
            &format!("pay period {period} was not completed"),
        )?;
    }
    let request = completion_request(call.fill_path(COMPLETE_PATH), document.as_deref(), version);
    let completed = session.operator.send(request).await?;
    session.output.print_result(
        &completed,
        format_args!("Pay period {} is completed.", call.required_text("period")),
    )?;
    show_totals(session, &completed)
}

/// Returns whether a person at a terminal must see a preview and confirm it.
pub(super) fn needs_confirmation(session: &OperatorCommandContext<'_>, confirmed: bool) -> bool {
    !confirmed && !session.output.is_json() && is_interactive()
}

/// Requests a preview of the completion: sends the request for `path` with the query parameter `dryrun=true`.
pub(super) async fn read_preview(
    session: &OperatorCommandContext<'_>,
    call: &Invocation,
    path: &str,
    document: Option<&[u8]>,
) -> Outcome<OperatorResponse> {
    session
        .operator
        .send(completion_request(call.fill_path(path).with_query("dryrun", Some("true")), document, None))
        .await
}

/// Creates a POST request with the given document. `version` is the version of the period in the preview. If
/// it is given, the server rejects the request if the period has changed since the preview.
pub(super) fn completion_request(path: ApiPath, document: Option<&[u8]>, version: Option<String>) -> Request {
    let request = Request::new(Method::Post, path);
    let request = match version {
        Some(version) => request.if_match(version),
        None => request,
    };
    match document {
        Some(document) => request.body("application/json", document.to_vec()),
        None => request,
    }
}

/// Prints a preview. With `--json`, a preview that has no faults is printed as its JSON document.
///
/// # Errors
/// Fails if the preview has faults, because the server would reject the completion.
pub(super) fn show_preview(session: &mut OperatorCommandContext<'_>, response: &OperatorResponse) -> Outcome {
    if session.output.is_json() && read_faults(response)?.is_empty() {
        return session.output.print_document(response.body());
    }
    show_result(session, response)
}

/// Prints the totals of the response as a table. Prints nothing with `--json`.
pub(super) fn show_totals(session: &mut OperatorCommandContext<'_>, response: &OperatorResponse) -> Outcome {
    if session.output.is_json() {
        return Ok(());
    }
    session.output.print_table(&totals_table(&response.single_object()?))
}

/// Prints the totals, warnings and faults of a preview, unless the output is JSON.
///
/// # Errors
/// Fails if the preview has faults, because the server would reject the completion.
pub(super) fn show_result(session: &mut OperatorCommandContext<'_>, response: &OperatorResponse) -> Outcome {
    let (preview, faults) = (response.single_object()?, read_faults(response)?);
    if !session.output.is_json() {
        session.output.print_table(&totals_table(&preview))?;
        print_list(session, WARNING_COLUMNS, &list_elements(&preview, "warnings"))?;
        match preview.get("warningsLeftOut").and_then(Value::as_u64) {
            None | Some(0) => {}
            Some(more) => session.output.print_line(format_args!("There are {more} more warnings."))?,
        }
        print_list(session, FAULT_COLUMNS, &faults)?;
    }
    match faults.len() {
        0 => Ok(()),
        count => {
            let document = String::from_utf8_lossy(response.body()).into_owned();
            let message = format!("the completion would be rejected. Faults: {count}");
            Err(Failure::refused(message).with_document(document))
        }
    }
}

/// Prints a table below the previous output, unless the table is empty.
fn print_list(
    session: &mut OperatorCommandContext<'_>,
    columns: &[TableColumn],
    elements: &[Value],
) -> Outcome {
    if elements.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&column_heads(columns));
    elements.iter().for_each(|element| table.add_row(row_cells(columns, element)));
    session.output.print_line("")?;
    session.output.print_table(&table)
}

/// Returns a table of the totals of a period. Unknown totals are omitted.
pub(super) fn totals_table(object: &Value) -> Table {
    let mut table = Table::default();
    for (name, pointer) in TOTALS_LINES {
        let Some(value) = object.pointer(&format!("/totals{pointer}")) else { continue };
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        table.add_row([Cell::with_tone(name, TextTone::Head), value.into()]);
    }
    table
}

fn read_faults(response: &OperatorResponse) -> Outcome<Vec<Value>> {
    Ok(list_elements(&response.single_object()?, "faults"))
}

fn list_elements(object: &Value, list: &str) -> Vec<Value> {
    object.get(list).and_then(Value::as_array).cloned().unwrap_or_default()
}
