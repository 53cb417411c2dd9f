//! `period journal`: shows the debits and credits of a period, or writes them as CSV.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use futures_util::FutureExt;
use serde_json::Value;

use super::register::write_csv;
use crate::commands::context::OperatorCommandContext;
use crate::commands::output::text_member;
use crate::commands::table::{CommandRow, CustomCommand, Invocation, TableColumn, column_heads, row_cells};
use crate::failure::Outcome;
use crate::operator::Request;
use crate::terminal::{Cell, Table, TextTone};

const JOURNAL_PATH: &str = "companies/{company}/payperiods/{period}/journal";

pub(super) const JOURNAL_ROW: CommandRow =
    CommandRow::get("journal", "Show the debits and credits of a processed pay period", JOURNAL_PATH)
        .with_custom_command(CustomCommand {
            arguments: JournalArguments::augment_args,
            run: |session, call| show_journal(session, call).boxed_local(),
        });

const JOURNAL_COLUMNS: &[TableColumn] = &[
    TableColumn::value("ACCOUNT", "/account"),
    TableColumn::value("DEBIT", "/debit"),
    TableColumn::value("CREDIT", "/credit"),
    TableColumn::value("NAME", "/name"),
    TableColumn::computed("PAID BY", |entry| match text_member(entry, "paidBy") {
        "EMPLOYEE_WITHHOLDING" => "worker".into(),
        "EMPLOYER_LIABILITY" => "company".into(),
        other => other.into(),
    }),
    TableColumn::value("ORGANIZATION", "/organizationName"),
];

/// The arguments of the command `period journal`.
#[derive(Debug, Args)]
struct JournalArguments {
    /// Write the journal as CSV to this file, with a row for each debit and credit. `-` is standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    csv: Option<PathBuf>,
    /// Replace the CSV file if it exists.
    #[arg(long, requires = "csv")]
    force: bool,
}

async fn show_journal(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let how: JournalArguments = call.read()?;
    let request = Request::get(call.fill_path(JOURNAL_PATH));
    if let Some(file) = how.csv {
        let response = session.operator.send(request.accept("text/csv")).await?;
        return write_csv(session, (&file, how.force), response.body());
    }
    let response = session.operator.send(request).await?;
    if session.output.is_json() {
        return session.output.print_document(response.body());
    }
    session.output.print_table(&journal_table(&response.single_object()?))
}

/// Returns a table of the entries, followed by the sums of debits and credits.
fn journal_table(journal: &Value) -> Table {
    let mut table = Table::new(&column_heads(JOURNAL_COLUMNS));
    for entry in journal.get("entries").and_then(Value::as_array).into_iter().flatten() {
        table.add_row(row_cells(JOURNAL_COLUMNS, entry));
    }
    let sum = |member| Cell::with_tone(text_member(journal, member), TextTone::Head);
    table.add_row([Cell::with_tone("Sum", TextTone::Head), sum("totalDebit"), sum("totalCredit")]);
    table
}
