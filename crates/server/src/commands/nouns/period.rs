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
    about: "Keep pay periods, and process, complete and reopen them",
    more: "",
    example: "period complete EXAMPLE-1 2026-11-A --input taxes.json",
    rows: &[
        &Objects {
            about: [
                "List the pay periods of a company",
                "Show a pay period",
                "Create a pay period",
                "Change members of a pay period",
                "Delete a pay period",
            ],
            list: "companies/{company}/payperiods",
            one: ONE,
            filters: &[
                Parameter::queries(
                    "status",
                    "STATUS",
                    "status",
                    "Only pay periods in this state. Can be repeated",
                ),
                Parameter::query("from", "DATE", "from", "Only those that begin on this day or later"),
                Parameter::query("to", "DATE", "to", "Only those that end on this day or earlier"),
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
            done: [
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
                "Close an open period, so that it can be completed; its company is locked until then",
                "companies/{company}/payperiods/{period}/process",
            )
            .sees(ONE)
            .says("Pay period {period} is closed and waits for its completion."),
            complete::ROW,
            Row::send(
                Method::Post,
                "reopen",
                "Open a period in processing again",
                "companies/{company}/payperiods/{period}/reopen",
            )
            .sees(ONE)
            .says("Pay period {period} is open again."),
            REVERSE,
            Row {
                asks: true,
                ..Row::send(
                    Method::Delete,
                    "remove-reversal",
                    "Remove a reversal from an open period; the original may be taken back again",
                    "companies/{company}/payperiods/{period}/reversals/{check}",
                )
                .sees(ONE)
                .says("Check {check} is removed.")
            },
            Row {
                asks: true,
                ..Row::send(
                    Method::Delete,
                    "remove-check",
                    "Remove a check from an open period, also one that an application added",
                    "companies/{company}/payperiods/{period}/checks/{check}",
                )
                .sees(ONE)
                .says("Check {check} is removed.")
            },
            Row {
                asks: true,
                ..Row::send(
                    Method::Delete,
                    "remove-imported",
                    "Remove the checks that operators have added to an open period, by `import` or by the API",
                    "companies/{company}/payperiods/{period}/checks?deletebyoperators=true",
                )
                .sees(ONE)
                .says("What operators have added to pay period {period} is removed.")
            },
        ],
        two_operators::ROWS,
    ],
};

const REVERSE: Row = Row::send(
    Method::Post,
    "reverse",
    "Take back a completed check, by one in an open period whose amounts are below zero",
    "companies/{company}/payperiods/{period}/reversals",
)
.takes(&[Parameter {
    name: "original",
    value: "CHECK",
    help: "The id of the check that is taken back",
    target: Target::Argument("paycheckId"),
}])
.body(Body::Members)
.says("Check {/paycheckId} takes back {/reversalOf}; completing pay period {period} settles it.");

fn status(period: &Value) -> Cell {
    let status = text(period, "status");
    let tone = match status {
        "INITIAL" | "ENTRY" => Tone::Good,
        "PROCESSING" => Tone::Warning,
        _ => Tone::Plain,
    };
    Cell::toned(status, tone)
}
