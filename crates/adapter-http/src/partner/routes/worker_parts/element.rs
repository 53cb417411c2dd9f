//! Helpers for the elements of a worker's list in the parsed tree of a document.

use payroll_domain::code::Reason;
use payroll_domain::date::{Date, parse_date};
use payroll_domain::input::Node;
use payroll_domain::violation::{DocumentPosition, Violation};

use crate::shared::objects::side::ElementChange;

/// Whether two elements are effective on a common day. A missing or malformed date counts as unlimited.
pub(super) fn periods_overlap(one: &Node<'_>, other: Option<&Node<'_>>) -> bool {
    let Some(other) = other else { return false };
    let begins_by_the_end = |one: &Node<'_>, other: &Node<'_>| match (
        date_member(one, "startDate"),
        date_member(other, "endDate"),
    ) {
        (Some(start), Some(end)) => start <= end,
        (_, _) => true,
    };
    begins_by_the_end(one, other) && begins_by_the_end(other, one)
}

/// Returns a fault if a change sets `effectiveDate` to a later day than today. The change takes effect
/// immediately, so the worker would be paid by the changed values before this day.
pub(super) fn find_future_effective_date_fault(
    change: ElementChange<'_, '_>,
    today: Date,
) -> Option<Violation> {
    let stored = date_member(change.before?, "effectiveDate");
    let sent = date_member(change.after?, "effectiveDate")?;
    (sent > today && stored != Some(sent)).then(|| {
        let sentence = format!(
            "effectiveDate must not be after today, {today}, because the change takes effect immediately"
        );
        Violation::new(Reason::FieldInvalid, sentence)
            .at_position("/effectiveDate", DocumentPosition::default())
    })
}

pub(super) fn has_member(node: &Node<'_>, member: &str) -> bool {
    node.member(member).is_some_and(|value| !value.value.is_null_or_empty_text())
}

pub(super) fn date_member(node: &Node<'_>, member: &str) -> Option<Date> {
    text_member(node, member).and_then(|text| parse_date(text).ok())
}

pub(super) fn text_member<'t>(node: &'t Node<'_>, member: &str) -> Option<&'t str> {
    node.member(member).and_then(Node::as_text)
}
