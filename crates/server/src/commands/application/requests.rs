//! What an application has asked of late.

use serde_json::Value;

use super::find::{find, of};
use crate::commands::context::Session;
use crate::commands::output::text;
use crate::failure::Outcome;
use crate::operator::Request;
use crate::terminal::{Cell, Tone};

/// The first status of a refusal.
const REFUSED: u64 = 400;

/// `app requests`.
pub(super) async fn list(
    session: &mut Session<'_>,
    said: &str,
    (status, limit): (Option<String>, Option<u32>),
) -> Outcome {
    let application = find(&session.operator, said).await?;
    let log = of(&application, &["requests"]).with("status", status).with("limit", limit);
    let answer = session.operator.send(Request::get(log)).await?;
    let head = ["TIME", "STATUS", "CODES", "METHOD", "ROUTE", "COMPANY", "REQUEST", "LEFT OUT BEFORE"];
    session.output.list(&answer, head, |request| {
        let status = request.get("status").and_then(Value::as_u64).unwrap_or_default();
        let tone = if status >= REFUSED { Tone::Warning } else { Tone::Good };
        let codes = request.get("codes").and_then(Value::as_array).into_iter().flatten();
        [
            text(request, "date").into(),
            Cell::toned(status.to_string(), tone),
            codes.filter_map(Value::as_str).collect::<Vec<_>>().join(" ").into(),
            text(request, "method").into(),
            text(request, "route").into(),
            text(request, "companyId").into(),
            text(request, "requestId").into(),
            request.get("skipped").map(Value::to_string).unwrap_or_default().into(),
        ]
    })
}
