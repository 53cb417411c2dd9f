//! `period register`: shows the amounts of each check of a period, or writes them as CSV.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use futures_util::FutureExt;
use serde_json::Value;

use super::complete::totals;
use crate::commands::context::Session;
use crate::commands::new_file;
use crate::commands::output::text;
use crate::commands::table::{Column, CustomCommand, Invocation, Row, cells, heads};
use crate::failure::Outcome;
use crate::operator::Request;

const PERIOD: &str = "companies/{company}/payperiods/{period}";
const REGISTER: &str = "companies/{company}/payperiods/{period}/register";

pub(super) const ROW: Row =
    Row::list("register", "Show the amounts of each check of a pay period", REGISTER, COLUMNS)
        .takes(&[])
        .own(CustomCommand {
            arguments: Register::augment_args,
            run: |session, call| register(session, call).boxed_local(),
        });

const COLUMNS: &[Column] = &[
    Column::value("CHECK", "/paycheckId"),
    Column::value("WORKER", "/workerId"),
    Column::computed("NAME", |check| {
        format!("{} {}", text(check, "givenName"), text(check, "familyName")).trim().into()
    }),
    Column::value("GROSS", "/grossEarnings"),
    Column::value("NET", "/netPay"),
    Column::computed("LINES", |check| count(check, &["earnings", "deductions", "informational"])),
    Column::computed("TAXES", |check| count(check, &["taxes"])),
];

/// The arguments of the command `period register`.
#[derive(Debug, Args)]
struct Register {
    /// Write the register as CSV to this file, with a row for each line and tax. `-` is standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    csv: Option<PathBuf>,
    /// Replace an existing file.
    #[arg(long, requires = "csv")]
    force: bool,
}

fn count(check: &Value, lists: &[&str]) -> crate::terminal::Cell {
    let lengths = lists.iter().filter_map(|list| check.get(list)?.as_array().map(Vec::len));
    lengths.sum::<usize>().to_string().into()
}

async fn register(session: &mut Session<'_>, call: &Invocation) -> Outcome {
    let how: Register = call.read()?;
    let request = Request::get(call.path(REGISTER));
    if let Some(file) = how.csv {
        let response = session.operator.send(request.accept("text/csv")).await?;
        return write_csv(session, (&file, how.force), response.body());
    }
    let response = session.operator.send(request).await?;
    session.output.list(&response, &heads(COLUMNS), |check| cells(COLUMNS, check))?;
    if session.output.is_json() {
        return Ok(());
    }
    let period = session.operator.send(Request::get(call.path(PERIOD))).await?;
    session.output.print_line("")?;
    session.output.table(&totals(&period.single_object()?))
}

/// Writes CSV to standard output, or to a file, which is replaced only with `force`.
pub(super) fn write_csv(session: &mut Session<'_>, (file, force): (&Path, bool), csv: &[u8]) -> Outcome {
    if file.as_os_str() == "-" {
        return session.output.bytes(csv);
    }
    let shown = file.display();
    new_file::write(file, force, csv)?;
    if session.output.is_json() {
        Ok(())
    } else {
        session.output.print_line(format_args!("{shown} is written."))
    }
}
