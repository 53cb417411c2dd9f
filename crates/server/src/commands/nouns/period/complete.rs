//! `period complete`: completes a pay period. It shows a preview first, on request or if a person at a
//! terminal must confirm.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use futures_util::FutureExt;
use serde_json::Value;

use crate::commands::context::Session;
use crate::commands::output::text;
use crate::commands::question::{confirm, is_interactive};
use crate::commands::table::{Column, CustomCommand, Invocation, Row, cells, heads, read_file, with_true};
use crate::failure::{Failure, Outcome};
use crate::operator::{ApiPath, Method, OperatorResponse, Request};
use crate::terminal::{Cell, Table, Tone};

const PERIOD: &str = "companies/{company}/payperiods/{period}";
const COMPLETE: &str = "companies/{company}/payperiods/{period}/complete";

pub(super) const ROW: Row = Row::send(
    Method::Post,
    "complete",
    "Complete a period that is in processing. The amounts of its checks are computed and shown to partners",
    COMPLETE,
)
.own(CustomCommand {
    arguments: CompleteArguments::augment_args,
    run: |session, call| complete(session, call).boxed_local(),
});

/// The arguments of the command `period complete`.
#[derive(Debug, Args)]
struct CompleteArguments {
    /// A JSON file with taxes, deductions and numbers of checks. `-` is standard input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    input: Option<PathBuf>,
    /// Show a preview and change nothing. The period may still be open.
    #[arg(long)]
    dry_run: bool,
    /// Complete the period although it has no checks.
    #[arg(long)]
    allow_empty: bool,
    /// Complete without asking for confirmation.
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
}

/// The totals with their labels and their JSON pointers.
const TOTALS: &[(&str, &str)] = &[
    ("Checks", "/checks"),
    ("Workers", "/workers"),
    ("Gross earnings", "/grossEarnings"),
    ("Employee taxes", "/employeeTaxes"),
    ("Deductions", "/deductions"),
    ("Net pay", "/netPay"),
    ("Employer taxes", "/employerTaxes"),
    ("Employer cost", "/employerCost"),
];

const FAULTS: &[Column] = &[
    Column::value("CODE", "/code").with_tone(Tone::Off),
    Column::value("PLACE", "/pointer"),
    Column::value("FAULT", "/description"),
];

const WARNINGS: &[Column] = &[
    Column::value("WARNING", "/warning").with_tone(Tone::Warning),
    Column::value("WORKER", "/workerId"),
    Column::value("CHECK", "/paycheckId"),
    Column::value("DESCRIPTION", "/description"),
];

async fn complete(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    let how: CompleteArguments = call.read()?;
    let document = how.input.as_deref().map(read_file).transpose()?;
    let document = if how.allow_empty { Some(with_true(document, "allowEmpty")?) } else { document };
    if how.dry_run {
        let previewed = read_preview(session, call, COMPLETE, document.as_deref()).await?;
        return show_preview(session, &previewed);
    }
    let period = session.operator.send(Request::get(call.path(PERIOD))).await?;
    let mut version = period.etag().map(str::to_owned);
    // No question is asked about a period that cannot be completed. The server rejects the request.
    if needs_confirmation(session, how.yes) && text(&period.single_object()?, "status") == "PROCESSING" {
        let previewed = read_preview(session, call, COMPLETE, document.as_deref()).await?;
        version = previewed.etag().map(str::to_owned);
        show(session, &previewed)?;
        let period = call.required_text("period");
        confirm(&format!("Complete pay period {period}?"), &format!("pay period {period} is not completed"))?;
    }
    let request = request(call.path(COMPLETE), document.as_deref(), version);
    let completed = session.operator.send(request).await?;
    session.output.print_result(
        &completed,
        format_args!("Pay period {} is completed.", call.required_text("period")),
    )?;
    show_totals(session, &completed)
}

/// Returns whether a person at a terminal must see a preview and confirm it.
pub(super) fn needs_confirmation(session: &Session<'_>, confirmed: bool) -> bool {
    !confirmed && !session.output.is_json() && is_interactive()
}

/// Requests a preview of the completion, as a dry run of this path.
pub(super) async fn read_preview(
    session: &Session<'_>,
    call: &Invocation,
    path: &str,
    document: Option<&[u8]>,
) -> Outcome<OperatorResponse> {
    session.operator.send(request(call.path(path).with("dryrun", Some("true")), document, None)).await
}

/// Creates a POST request with the given document. With a version, the server rejects it if the period has
/// changed since the preview.
pub(super) fn request(path: ApiPath, document: Option<&[u8]>, version: Option<String>) -> Request {
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

/// Prints a preview. With `--json`, it prints the document of a preview without faults.
///
/// # Errors
/// Fails if the preview has faults, because the server would reject the completion.
pub(super) fn show_preview(session: &mut Session<'_>, response: &OperatorResponse) -> Outcome {
    if session.output.is_json() && faults(response)?.is_empty() {
        return session.output.document(response.body());
    }
    show(session, response)
}

/// Prints the totals of the response for people.
pub(super) fn show_totals(session: &mut Session<'_>, response: &OperatorResponse) -> Outcome {
    if session.output.is_json() {
        return Ok(());
    }
    session.output.table(&totals(&response.single_object()?))
}

/// Prints the totals and warnings of a preview for people.
///
/// # Errors
/// Fails if the preview has faults, because the server would reject the completion.
pub(super) fn show(session: &mut Session<'_>, response: &OperatorResponse) -> Outcome {
    let (preview, faults) = (response.single_object()?, faults(response)?);
    if !session.output.is_json() {
        session.output.table(&totals(&preview))?;
        list(session, WARNINGS, &elements(&preview, "warnings"))?;
        match preview.get("warningsLeftOut").and_then(Value::as_u64) {
            None | Some(0) => {}
            Some(more) => session.output.print_line(format_args!("There are {more} more warnings."))?,
        }
        list(session, FAULTS, &faults)?;
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
fn list(session: &mut Session<'_>, columns: &[Column], elements: &[Value]) -> Outcome {
    if elements.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&heads(columns));
    elements.iter().for_each(|element| table.row(cells(columns, element)));
    session.output.print_line("")?;
    session.output.table(&table)
}

/// Returns a table of the totals of a period. Unknown totals are omitted.
pub(super) fn totals(object: &Value) -> Table {
    let mut table = Table::default();
    for (name, pointer) in TOTALS {
        let Some(value) = object.pointer(&format!("/totals{pointer}")) else { continue };
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        table.row([Cell::with_tone(name, Tone::Head), value.into()]);
    }
    table
}

fn faults(response: &OperatorResponse) -> Outcome<Vec<Value>> {
    Ok(elements(&response.single_object()?, "faults"))
}

fn elements(object: &Value, list: &str) -> Vec<Value> {
    object.get(list).and_then(Value::as_array).cloned().unwrap_or_default()
}
