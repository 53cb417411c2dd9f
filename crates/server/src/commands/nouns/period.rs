//! `period …`: pay periods and their states.

mod complete;
mod journal;
mod register;
mod two_operators;

use serde_json::Value;

use crate::commands::output::text_member;
use crate::commands::table::{
    BodyKind, CHANGED_SINCE_PARAMETER, CommandNoun, CommandRow, LIMIT_PARAMETER, OFFSET_PARAMETER,
    ObjectCommands, Parameter, ParameterTarget, TableColumn,
};
use crate::operator::Method;
use crate::terminal::{Cell, TextTone};

const PERIOD_PATH: &str = "companies/{company}/payperiods/{period}";

pub(in crate::commands) const PERIOD: CommandNoun = CommandNoun {
    name: "period",
    about: "Manage pay periods, and process, complete and reopen them",
    extra_help: "",
    example: "period complete EXAMPLE-1 2026-11-A --input taxes.json",
    rows: &[
        &ObjectCommands {
            about: [
                "List the pay periods of a company",
                "Show a pay period",
                "Create a pay period",
                "Change fields of a pay period",
                "Delete a pay period",
            ],
            list: "companies/{company}/payperiods",
            object_path: PERIOD_PATH,
            filters: &[
                Parameter::queries(
                    "status",
                    "STATUS",
                    "status",
                    "Show only pay periods in this state. You can repeat this option",
                ),
                Parameter::query("from", "DATE", "from", "Show only pay periods that begin on this day or later"),
                Parameter::query("to", "DATE", "to", "Show only pay periods that end on this day or earlier"),
                CHANGED_SINCE_PARAMETER,
                OFFSET_PARAMETER,
                LIMIT_PARAMETER,
            ],
            columns: &[
                TableColumn::value("PERIOD", "/payPeriodId"),
                TableColumn::computed("STATUS", status_cell),
                TableColumn::day("START", "/startDate"),
                TableColumn::day("END", "/endDate"),
                TableColumn::day("CHECK DATE", "/checkDate"),
                TableColumn::value("INTERVAL", "/intervalCode"),
                TableColumn::value("DESCRIPTION", "/description"),
            ],
            messages: [
                "Pay period {/payPeriodId} was created.",
                "Pay period {period} was changed.",
                "Pay period {period} was deleted.",
            ],
        }
        .rows(),
        &[
            CommandRow::list(
                "checks",
                "List the checks of a pay period",
                "companies/{company}/payperiods/{period}/checks",
                &[
                    TableColumn::value("CHECK", "/paycheckId"),
                    TableColumn::value("WORKER", "/workerId"),
                    TableColumn::value("NUMBER", "/checkNumber"),
                    TableColumn::value("CORRELATION ID", "/checkCorrelationId"),
                ],
            ),
            register::REGISTER_ROW,
            journal::JOURNAL_ROW,
            CommandRow::send(
                Method::Post,
                "process",
                "Close an open period, so that it can be completed. Its company is locked until the period \
                 is completed or reopened",
                "companies/{company}/payperiods/{period}/process",
            )
            .with_version_path(PERIOD_PATH)
            .with_sentence("Pay period {period} is in PROCESSING and can be completed."),
            complete::COMPLETE_ROW,
            CommandRow::send(
                Method::Post,
                "reopen",
                "Reopen a pay period that is in processing",
                "companies/{company}/payperiods/{period}/reopen",
            )
            .with_version_path(PERIOD_PATH)
            .with_sentence("Pay period {period} is open again."),
            REVERSE_ROW,
            CommandRow {
                needs_confirmation: true,
                ..CommandRow::send(
                    Method::Delete,
                    "remove-reversal",
                    "Delete a reversal from an open pay period. The original check can then be reversed again",
                    "companies/{company}/payperiods/{period}/reversals/{check}",
                )
                .with_version_path(PERIOD_PATH)
                .with_sentence("Check {check} was removed.")
            },
            CommandRow {
                needs_confirmation: true,
                ..CommandRow::send(
                    Method::Delete,
                    "remove-check",
                    "Remove a check from an open pay period, even if an application added it",
                    "companies/{company}/payperiods/{period}/checks/{check}",
                )
                .with_version_path(PERIOD_PATH)
                .with_sentence("Check {check} was removed.")
            },
            CommandRow {
                needs_confirmation: true,
                ..CommandRow::send(
                    Method::Delete,
                    "remove-imported",
                    "Remove the checks that operators added to an open pay period with `import` or the API",
                    "companies/{company}/payperiods/{period}/checks?deletebyoperators=true",
                )
                .with_version_path(PERIOD_PATH)
                .with_sentence("The checks that operators added to pay period {period} are removed.")
            },
        ],
        two_operators::TWO_OPERATOR_ROWS,
    ],
};

const REVERSE_ROW: CommandRow = CommandRow::send(
    Method::Post,
    "reverse",
    "Reverse a completed check, by adding a check with negated amounts to an open pay period",
    "companies/{company}/payperiods/{period}/reversals",
)
.with_parameters(&[Parameter {
    name: "original",
    value: "CHECK",
    help: "The id of the check to reverse",
    target: ParameterTarget::Argument("paycheckId"),
}])
.with_body(BodyKind::Members)
.with_sentence(
    "Check {/paycheckId} reverses {/reversalOf}. It takes effect when pay period {period} is completed.",
);

fn status_cell(period: &Value) -> Cell {
    let status = text_member(period, "status");
    let tone = match status {
        "INITIAL" | "ENTRY" => TextTone::Good,
        "PROCESSING" => TextTone::Warning,
        _ => TextTone::Plain,
    };
    Cell::with_tone(status, tone)
}
