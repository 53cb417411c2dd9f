//! `period …`: pay periods and their life.

use serde_json::Value;

use crate::commands::output::text;
use crate::commands::table::{Body, Column, Noun, Objects, Row};
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
            Row::send(
                Method::Post,
                "process",
                "Close an open period, so that it can be completed; its company is locked until then",
                "companies/{company}/payperiods/{period}/process",
            )
            .sees(ONE)
            .says("Pay period {period} is closed and waits for its completion."),
            Row::send(
                Method::Post,
                "complete",
                "Complete a period in processing: what its checks come to is computed and shown to partners",
                "companies/{company}/payperiods/{period}/complete",
            )
            .body(Body::Input(
                "A JSON file with taxes, deductions and numbers of checks; `-` reads standard input",
            ))
            .sees(ONE)
            .says("Pay period {period} is completed."),
            Row::send(
                Method::Post,
                "reopen",
                "Open a period in processing again",
                "companies/{company}/payperiods/{period}/reopen",
            )
            .sees(ONE)
            .says("Pay period {period} is open again."),
        ],
    ],
};

fn status(period: &Value) -> Cell {
    let status = text(period, "status");
    let tone = match status {
        "INITIAL" | "ENTRY" => Tone::Good,
        "PROCESSING" => Tone::Warning,
        _ => Tone::Plain,
    };
    Cell::toned(status, tone)
}
