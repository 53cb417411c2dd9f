//! `period journal`: shows the debits and credits of a period, or writes them as CSV.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use futures_util::FutureExt;
use serde_json::Value;

use super::register::write_csv;
use crate::commands::context::Session;
use crate::commands::output::text;
use crate::commands::table::{Column, CustomCommand, Invocation, Row, cells, heads};
use crate::failure::Outcome;
use crate::operator::Request;
use crate::terminal::{Cell, Table, Tone};

const JOURNAL: &str = "companies/{company}/payperiods/{period}/journal";

pub(super) const ROW: Row =
    Row::get("journal", "Show the debits and credits of a processed pay period", JOURNAL).own(
        CustomCommand {
            arguments: Journal::augment_args,
            run: |session, call| journal(session, call).boxed_local(),
        },
    );

const COLUMNS: &[Column] = &[
    Column::value("ACCOUNT", "/account"),
    Column::value("DEBIT", "/debit"),
    Column::value("CREDIT", "/credit"),
    Column::value("NAME", "/name"),
    Column::computed("PAID BY", |entry| match text(entry, "paidBy") {
        "EMPLOYEE_WITHHOLDING" => "worker".into(),
        "EMPLOYER_LIABILITY" => "company".into(),
        other => other.into(),
    }),
    Column::value("ORGANIZATION", "/organizationName"),
];

/// The arguments of the command `period journal`.
#[derive(Debug, Args)]
struct Journal {
    /// Write the journal as CSV to this file, with a row for each debit and credit. `-` is standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    csv: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long, requires = "csv")]
    force: bool,
}

async fn journal(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    let how: Journal = call.read()?;
    let request = Request::get(call.path(JOURNAL));
    if let Some(file) = how.csv {
        let response = session.operator.send(request.accept("text/csv")).await?;
        return write_csv(session, (&file, how.force), response.body());
    }
    let response = session.operator.send(request).await?;
    if session.output.is_json() {
        return session.output.document(response.body());
    }
    session.output.table(&table(&response.single_object()?))
}

/// Returns a table of the entries, followed by the sums of debits and credits.
fn table(journal: &Value) -> Table {
    let mut table = Table::new(&heads(COLUMNS));
    for entry in journal.get("entries").and_then(Value::as_array).into_iter().flatten() {
        table.row(cells(COLUMNS, entry));
    }
    let sum = |member| Cell::with_tone(text(journal, member), Tone::Head);
    table.row([Cell::with_tone("Sum", Tone::Head), sum("totalDebit"), sum("totalCredit")]);
    table
}
