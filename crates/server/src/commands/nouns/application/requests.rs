//! `app requests`: the recent requests of an application.

use serde_json::Value;

use crate::commands::table::{Column, LIMIT, Parameter, Row};
use crate::terminal::{Cell, Tone};

/// The lowest HTTP status that means an error.
const REFUSED: u64 = 400;

pub(super) const ROW: Row = Row::list(
    "requests",
    "Show the recent requests of an application",
    "applications/{app}/requests",
    &[
        Column::value("TIME", "/date"),
        Column::computed("STATUS", status),
        Column::value("CODES", "/codes"),
        Column::value("METHOD", "/method"),
        Column::value("ROUTE", "/route"),
        Column::value("COMPANY", "/companyId"),
        Column::value("REQUEST", "/requestId"),
        Column::value("LEFT OUT BEFORE", "/skipped"),
    ],
)
.takes(&[
    Parameter::query(
        "status",
        "STATUS",
        "status",
        "Only requests with this response status, such as 404, or class, such as 4xx",
    ),
    LIMIT.meaning("The maximum number of requests"),
]);

fn status(request: &Value) -> Cell {
    let status = request.get("status").and_then(Value::as_u64).unwrap_or_default();
    Cell::with_tone(status.to_string(), if status >= REFUSED { Tone::Warning } else { Tone::Good })
}
