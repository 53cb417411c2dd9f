//! `period …`: pay periods and their states.

mod complete;
mod journal;
mod register;
mod two_operators;

use serde_json::Value;

use crate::commands::output::text;
use crate::commands::table::{
    Body, CHANGED_SINCE, Column, LIMIT, Noun, OFFSET, Objects, Parameter, Row, Target,
};
use crate::operator::Method;
use crate::terminal::{Cell, Tone};

const ONE: &str = "companies/{company}/payperiods/{period}";

pub(in crate::commands) const PERIOD: Noun = Noun {
    name: "period",
    about: "Manage pay periods, and process, complete and reopen them",
    extra_help: "",
    example: "period complete EXAMPLE-1 2026-11-A --input taxes.json",
    rows: &[
        &Objects {
            about: [
                "List the pay periods of a company",
                "Show a pay period",
                "Create a pay period",
                "Change fields of a pay period",
                "Delete a pay period",
            ],
            list: "companies/{company}/payperiods",
            object_path: ONE,
            filters: &[
                Parameter::queries(
                    "status",
                    "STATUS",
                    "status",
                    "Only pay periods in this state. Can be repeated",
                ),
                Parameter::query("from", "DATE", "from", "Only pay periods that begin on this day or later"),
                Parameter::query("to", "DATE", "to", "Only pay periods that end on this day or earlier"),
                CHANGED_SINCE,
                OFFSET,
                LIMIT,
            ],
            columns: &[
                Column::value("PERIOD", "/payPeriodId"),
                Column::computed("STATUS", status),
                Column::day("START", "/startDate"),
                Column::day("END", "/endDate"),
                Column::day("CHECK DATE", "/checkDate"),
                Column::value("INTERVAL", "/intervalCode"),
                Column::value("DESCRIPTION", "/description"),
            ],
            messages: [
                "Pay period {/payPeriodId} is created.",
                "Pay period {period} is changed.",
                "Pay period {period} is deleted.",
            ],
        }
        .rows(),
        &[
            Row::list(
                "checks",
                "List the checks of a pay period",
                "companies/{company}/payperiods/{period}/checks",
                &[
                    Column::value("CHECK", "/paycheckId"),
                    Column::value("WORKER", "/workerId"),
                    Column::value("NUMBER", "/checkNumber"),
                    Column::value("CORRELATION ID", "/checkCorrelationId"),
                ],
            ),
            register::ROW,
            journal::ROW,
            Row::send(
                Method::Post,
                "process",
                "Close an open period for completion. Its company is locked until the period is completed",
                "companies/{company}/payperiods/{period}/process",
            )
            .reads_version_at(ONE)
            .says("Pay period {period} is closed and can be completed."),
            complete::ROW,
            Row::send(
                Method::Post,
                "reopen",
                "Reopen a period that is in processing",
                "companies/{company}/payperiods/{period}/reopen",
            )
            .reads_version_at(ONE)
            .says("Pay period {period} is open again."),
            REVERSE,
            Row {
                needs_confirmation: true,
                ..Row::send(
                    Method::Delete,
                    "remove-reversal",
                    "Remove a reversal from an open period. The original check can then be reversed again",
                    "companies/{company}/payperiods/{period}/reversals/{check}",
                )
                .reads_version_at(ONE)
                .says("Check {check} is removed.")
            },
            Row {
                needs_confirmation: true,
                ..Row::send(
                    Method::Delete,
                    "remove-check",
                    "Remove a check from an open period, including one that an application added",
                    "companies/{company}/payperiods/{period}/checks/{check}",
                )
                .reads_version_at(ONE)
                .says("Check {check} is removed.")
            },
            Row {
                needs_confirmation: true,
                ..Row::send(
                    Method::Delete,
                    "remove-imported",
                    "Remove the checks that operators have added to an open period, by `import` or by the API",
                    "companies/{company}/payperiods/{period}/checks?deletebyoperators=true",
                )
                .reads_version_at(ONE)
                .says("The checks that operators added to pay period {period} are removed.")
            },
        ],
        two_operators::ROWS,
    ],
};

const REVERSE: Row = Row::send(
    Method::Post,
    "reverse",
    "Reverse a completed check: add a check with negative amounts to an open period",
    "companies/{company}/payperiods/{period}/reversals",
)
.takes(&[Parameter {
    name: "original",
    value: "CHECK",
    help: "The id of the check to reverse",
    target: Target::Argument("paycheckId"),
}])
.body(Body::Members)
.says("Check {/paycheckId} reverses {/reversalOf}. It takes effect when pay period {period} is completed.");

fn status(period: &Value) -> Cell {
    let status = text(period, "status");
    let tone = match status {
        "INITIAL" | "ENTRY" => Tone::Good,
        "PROCESSING" => Tone::Warning,
        _ => Tone::Plain,
    };
    Cell::with_tone(status, tone)
}
