//! `app requests`: the recent requests of an application.

use serde_json::Value;

use crate::commands::table::{CommandRow, LIMIT_PARAMETER, Parameter, TableColumn};
use crate::terminal::{Cell, TextTone};

/// The lowest HTTP status that means an error.
const LOWEST_ERROR_STATUS: u64 = 400;

pub(super) const REQUESTS_ROW: CommandRow = CommandRow::list(
    "requests",
    "Show the recent requests of an application",
    "applications/{app}/requests",
    &[
        TableColumn::value("TIME", "/date"),
        TableColumn::computed("STATUS", status_cell),
        TableColumn::value("CODES", "/codes"),
        TableColumn::value("METHOD", "/method"),
        TableColumn::value("ROUTE", "/route"),
        TableColumn::value("COMPANY", "/companyId"),
        TableColumn::value("REQUEST", "/requestId"),
        TableColumn::value("OMITTED BEFORE", "/skipped"),
    ],
)
.with_parameters(&[
    Parameter::query(
        "status",
        "STATUS",
        "status",
        "Show only requests with this response status, such as 404, or class, such as 4xx",
    ),
    LIMIT_PARAMETER.with_help("The maximum number of requests"),
]);

fn status_cell(request: &Value) -> Cell {
    let status = request.get("status").and_then(Value::as_u64).unwrap_or_default();
    Cell::with_tone(
        status.to_string(),
        if status >= LOWEST_ERROR_STATUS { TextTone::Warning } else { TextTone::Good },
    )
}
