//! Replay requests of partners and operators (specification §9.7).
//!
//! The server rejects unknown members and empty values in every replay request. A misspelt or empty limit
//! would otherwise replay too many deliveries.

use crate::code::Reason;
use crate::date::Timestamp;
use crate::input::Node;
use crate::input::values::{read_flag, read_text};
use crate::object::reader::{ObjectReader, read_object, read_struct};
use crate::object::values::read_instant;
use crate::violation::Violations;

/// The deliveries of a hook that are to be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayRequest {
    /// Whether to replay only deliveries that have not been accepted by the receiver.
    pub failed_only: bool,
    /// Replays only deliveries that were queued at the given instant or later.
    pub from: Option<Timestamp>,
    /// Replays only deliveries that were queued before the given instant.
    pub to: Option<Timestamp>,
    /// The cursor from an earlier response, after which the replay continues.
    pub after: Option<String>,
}

/// Reads a replay request. The request must contain at least one limit: `failed`, `from` or `to`.
///
/// # Errors
/// Returns every fault, each with its pointer: `API-46` if there is no limit or a limit is empty, and
/// `API-48` for invalid or unknown members.
///
/// ```
/// use payroll_domain::{document, input};
/// let read = |json: &str| document::read_replay(&input::parse(json.as_bytes()).unwrap());
/// assert!(read(r#"{"failed": true}"#).unwrap().failed_only);
/// let faults = read(r#"{"from": "2026-06-07", "to": "2026-06-07T00:00:00Z"}"#).unwrap_err();
/// assert_eq!(faults.as_slice()[0].to_string(), "API-48 to must be later than from (/to)");
/// ```
pub fn read_replay(node: &Node<'_>) -> Result<ReplayRequest, Violations> {
    read_object(node, |object| {
        let read = read_struct!(ReplayRequest {
            failed_only: object.read_optional_non_empty("failed", read_flag).map(Option::unwrap_or_default),
            from: object.read_optional_non_empty("from", read_instant),
            to: object.read_optional_non_empty("to", read_instant),
            after: object.read_optional_non_empty("after", |node| read_text(node).map(str::to_owned)),
        })?;
        check_limits(&read, object).then_some(read)
    })
}

/// Returns whether the request has at least one limit and `to` is later than `from`. Otherwise reports a
/// fault.
fn check_limits(read: &ReplayRequest, object: &mut ObjectReader<'_>) -> bool {
    if !read.failed_only && read.from.is_none() && read.to.is_none() {
        object.report_fault(
            Reason::FieldMissing,
            "failed",
            "is missing: send at least one of failed, from and to",
        );
        return false;
    }
    if read.from.zip(read.to).is_some_and(|(from, to)| from >= to) {
        object.report_fault(Reason::FieldInvalid, "to", "must be later than from");
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input;

    fn find_faults(json: &str) -> Vec<String> {
        let reported = read_replay(&input::parse(json.as_bytes()).unwrap()).map_err(|faults| {
            let reported = |fault: &crate::violation::Violation| {
                format!("{} {}", fault.reason.code(), fault.pointer.as_deref().unwrap_or_default())
            };
            faults.iter().map(reported).collect::<Vec<_>>()
        });
        reported.err().unwrap_or_default()
    }

    #[test]
    fn rejects_a_replay_without_limits_or_with_unknown_members() {
        for good in [
            r#"{"failed": true}"#,
            r#"{"from": "2026-06-07"}"#,
            r#"{"to": "2026-06-07T10:10:24.000Z", "failed": false}"#,
            r#"{"failed": true, "from": "2026-06-07", "to": "2026-06-08", "after": "x"}"#,
        ] {
            assert_eq!(find_faults(good), Vec::<String>::new(), "{good}");
        }
        for nothing in ["{}", r#"{"failed": false}"#, r#"{"after": "x"}"#, r#"{"from": null}"#] {
            assert_eq!(find_faults(nothing), ["API-46 /failed"], "{nothing}");
        }
        let empty = r#"{"failed": "", "from": "", "to": "2026-06-07", "after": ""}"#;
        assert_eq!(find_faults(empty), ["API-46 /failed", "API-46 /from", "API-46 /after"]);
        assert_eq!(find_faults(r#"{"failed": true, "form": "2026-06-07"}"#), ["API-48 /form"]);
        assert_eq!(find_faults(r#"{"failed": "yes", "to": "yesterday"}"#), ["API-48 /failed", "API-48 /to"]);
        assert_eq!(find_faults(r#"{"from": "2026-06-08", "to": "2026-06-07"}"#), ["API-48 /to"]);
    }
}
