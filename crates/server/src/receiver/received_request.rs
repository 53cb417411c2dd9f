//! The output for a received request: a row of a human-readable table, or a JSON document with `--json`.

use payroll_domain::date::Timestamp;
use serde_json::{Map, Value};

use super::signature::Verdict;
use crate::terminal::{Cell, TextTone};

/// The maximum number of characters that are printed of each text from a sender. Ids are shorter.
const MAX_CHARACTERS_SHOWN: usize = 120;

/// A request with the result of its verification.
#[derive(Debug)]
pub(crate) struct ReceivedRequest {
    at: Timestamp,
    path: String,
    /// The status with which the receiver responds.
    status: u16,
    content: RequestContent,
    /// Whether an earlier notification with a valid signature had the same id.
    pub(super) is_duplicate: bool,
}

#[derive(Debug)]
enum RequestContent {
    Notification { id: String, body: Option<Map<String, Value>>, verdict: Verdict },
    Refused(&'static str),
}

impl ReceivedRequest {
    /// Creates the result for a request that is not a valid notification.
    pub(super) const fn rejected(at: Timestamp, path: String, status: u16, reason: &'static str) -> Self {
        Self { at, path, status, content: RequestContent::Refused(reason), is_duplicate: false }
    }

    /// Creates the result for a request with a complete body. The notification id comes from the signed
    /// header, or from the body if the header is missing.
    pub(super) fn notification(
        at: Timestamp,
        path: &str,
        status: u16,
        verdict: Verdict,
        (id, body): (&[u8], &[u8]),
    ) -> Self {
        let body: Option<Map<String, Value>> = serde_json::from_slice(body).ok();
        let mut id = String::from_utf8_lossy(id).into_owned();
        if id.is_empty() {
            id = member_text(body.as_ref(), "notificationId").to_owned();
        }
        let what = RequestContent::Notification { id, body, verdict };
        Self { at, path: path.to_owned(), status, content: what, is_duplicate: false }
    }

    /// Returns the id of the notification, or an empty text if there is no id.
    pub(super) fn id(&self) -> &str {
        match &self.content {
            RequestContent::Notification { id, .. } => id,
            RequestContent::Refused(_) => "",
        }
    }

    /// Returns whether the signature or its timestamp is wrong, or the request was rejected.
    pub(super) const fn is_untrusted(&self) -> bool {
        matches!(
            self.content,
            RequestContent::Notification { verdict: Verdict::Wrong(_), .. } | RequestContent::Refused(_)
        )
    }

    /// Returns the row of the table that is printed without `--json`.
    pub(crate) fn table_row(&self) -> Vec<Cell> {
        let mut row = vec![self.at.to_string().into()];
        row.extend((!self.path.is_empty()).then(|| truncated_cell(&self.path)));
        match &self.content {
            RequestContent::Notification { id, body, verdict } => {
                row.extend((!id.is_empty()).then(|| truncated_cell(id)));
                row.extend(summary_cells(body.as_ref()));
                row.push(verdict_cell(verdict));
                row.extend(self.is_duplicate.then(|| Cell::with_tone("a repeat", TextTone::Warning)));
            }
            RequestContent::Refused(reason) => {
                row.push(Cell::with_tone(format!("responded with {}: {reason}", self.status), TextTone::Off));
            }
        }
        row
    }

    /// Returns the JSON document that is printed with `--json`. Missing values have no member.
    pub(crate) fn document(&self) -> Value {
        let mut document = Map::new();
        let mut put = |name: &str, value: Value| drop(document.insert(name.to_owned(), value));
        put("receivedDate", self.at.to_string().into());
        put("path", self.path.as_str().into());
        put("status", self.status.into());
        match &self.content {
            RequestContent::Refused(reason) => put("refused", (*reason).into()),
            RequestContent::Notification { id, body, verdict } => {
                put("notificationId", id.as_str().into());
                put("repeat", self.is_duplicate.into());
                body.iter().for_each(|body| put("notification", body.clone().into()));
                put("signature", verdict_name(verdict).into());
                if let Verdict::Wrong(fault) = verdict {
                    put("fault", fault.as_str().into());
                }
            }
        }
        document.into()
    }
}

/// Returns the cells with the event and the ids of its subject.
fn summary_cells(body: Option<&Map<String, Value>>) -> Vec<Cell> {
    let Some(body) = body else {
        return vec![Cell::with_tone("the body is not a JSON object", TextTone::Off)];
    };
    let domain = body.get("domains").and_then(|domains| domains.get(0)).and_then(Value::as_str);
    let what = format!("{} {}", domain.unwrap_or_default(), member_text(Some(body), "action"));
    let mut cells = vec![Cell::with_tone(truncate(what.trim()), TextTone::Head)];
    for (member, name) in [("companyId", "company"), ("workerId", "worker"), ("payperiodId", "period")] {
        let value = member_text(Some(body), member);
        cells.extend((!value.is_empty()).then(|| Cell::from(format!("{name} {}", truncate(value)))));
    }
    if body.get("test") == Some(&Value::Bool(true)) {
        cells.push(Cell::with_tone("a test", TextTone::Warning));
    }
    cells
}

const fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Verified => "VERIFIED",
        Verdict::Wrong(_) => "WRONG",
        Verdict::NotChecked => "NOT_CHECKED",
    }
}

fn verdict_cell(verdict: &Verdict) -> Cell {
    match verdict {
        Verdict::Verified => Cell::with_tone("signature verified", TextTone::Good),
        Verdict::NotChecked => Cell::from("signature not checked: no secret given"),
        Verdict::Wrong(fault) => Cell::with_tone(format!("not verified: {fault}"), TextTone::Off),
    }
}

fn member_text<'b>(body: Option<&'b Map<String, Value>>, member: &str) -> &'b str {
    body.and_then(|body| body.get(member)).and_then(Value::as_str).unwrap_or_default()
}

fn truncated_cell(text: &str) -> Cell {
    truncate(text).into()
}

fn truncate(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARACTERS_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
