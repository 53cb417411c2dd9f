//! `period register`: shows the amounts of each check of a period, or writes them as CSV.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use futures_util::FutureExt;
use serde_json::Value;

use super::complete::totals_table;
use crate::commands::context::OperatorCommandContext;
use crate::commands::new_file;
use crate::commands::output::text_member;
use crate::commands::table::{CommandRow, CustomCommand, Invocation, TableColumn, column_heads, row_cells};
use crate::failure::Outcome;
use crate::operator::Request;

const PERIOD_PATH: &str = "companies/{company}/payperiods/{period}";
const REGISTER_PATH: &str = "companies/{company}/payperiods/{period}/register";

pub(super) const REGISTER_ROW: CommandRow = CommandRow::list(
    "register",
    "Show the amounts of each check of a pay period",
    REGISTER_PATH,
    REGISTER_COLUMNS,
)
.with_parameters(&[])
.with_custom_command(CustomCommand {
    arguments: RegisterArguments::augment_args,
    run: |session, call| show_register(session, call).boxed_local(),
});

const REGISTER_COLUMNS: &[TableColumn] = &[
    TableColumn::value("CHECK", "/paycheckId"),
    TableColumn::value("WORKER", "/workerId"),
    TableColumn::computed("NAME", |check| {
        format!("{} {}", text_member(check, "givenName"), text_member(check, "familyName")).trim().into()
    }),
    TableColumn::value("GROSS", "/grossEarnings"),
    TableColumn::value("NET", "/netPay"),
    TableColumn::computed("LINES", |check| {
        count_elements(check, &["earnings", "deductions", "informational"])
    }),
    TableColumn::computed("TAXES", |check| count_elements(check, &["taxes"])),
];

/// The arguments of the command `period register`.
#[derive(Debug, Args)]
struct RegisterArguments {
    /// Write the register as CSV to this file, with a row for each line and tax. `-` is standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    csv: Option<PathBuf>,
    /// Replace the CSV file if it exists.
    #[arg(long, requires = "csv")]
    force: bool,
}

fn count_elements(check: &Value, lists: &[&str]) -> crate::terminal::Cell {
    let lengths = lists.iter().filter_map(|list| check.get(list)?.as_array().map(Vec::len));
    lengths.sum::<usize>().to_string().into()
}

async fn show_register(session: &mut OperatorCommandContext<'_>, call: &Invocation) -> Outcome {
    let how: RegisterArguments = call.read()?;
    let request = Request::get(call.fill_path(REGISTER_PATH));
    if let Some(file) = how.csv {
        let response = session.operator.send(request.accept("text/csv")).await?;
        return write_csv(session, (&file, how.force), response.body());
    }
    let response = session.operator.send(request).await?;
    session
        .output
        .print_list(&response, &column_heads(REGISTER_COLUMNS), |check| row_cells(REGISTER_COLUMNS, check))?;
    if session.output.is_json() {
        return Ok(());
    }
    let period = session.operator.send(Request::get(call.fill_path(PERIOD_PATH))).await?;
    session.output.print_line("")?;
    session.output.print_table(&totals_table(&period.single_object()?))
}

/// Writes CSV to standard output, or to a file, which is replaced only with `force`.
pub(super) fn write_csv(
    session: &mut OperatorCommandContext<'_>,
    (file, force): (&Path, bool),
    csv: &[u8],
) -> Outcome {
    if file.as_os_str() == "-" {
        return session.output.print_bytes(csv);
    }
    let shown = file.display();
    new_file::write(file, force, csv)?;
    if session.output.is_json() {
        Ok(())
    } else {
        session.output.print_line(format_args!("{shown} is written."))
    }
}
