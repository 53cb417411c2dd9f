//! Validates a new or changed line of a stored check. The line is validated in a copy of the stored check
//! that contains no other line. The other lines are not validated again, so their rates and names do not
//! change.

use crate::date::format_date;
use crate::input::{Node, Value};

use super::{Check, Line, Section};

/// Returns a document for [`Batch::read`](super::Batch::read): the stored check with only the given line. If
/// `is_split` is true, the worker's distributions may split the line.
#[must_use]
pub fn create_one_line_document<'n>(
    check: &Check,
    section: Section,
    line: Node<'n>,
    is_split: bool,
) -> Node<'n> {
    let is_blocked = !is_split || check.block_auto_distribution;
    object_node([
        ("workerId", Some(text_node(&check.worker_id))),
        ("payPeriodId", Some(text_node(&check.pay_period_id))),
        ("checkCorrelationId", Some(text_node(&check.correlation_id))),
        ("blockAutoDistribution", Some(Node::from(Value::Bool(is_blocked)))),
        (section.as_str(), Some(Node::from(Value::Array(vec![line])))),
    ])
}

/// Returns a stored line as a caller would send it, for a merge patch. The line contains its rate as an
/// amount and not as an id.
#[must_use]
pub fn to_line_document(line: &Line) -> Node<'static> {
    // A line that was created by splitting may state an amount in addition to its hours or units. The
    // document omits this amount, so that a changed line is paid by its new hours or units.
    let is_timed = line.pay_hours.is_some() || line.pay_units.is_some();
    let amount = line.pay_amount.filter(|_| line.memoed || !is_timed);
    let organization = line.organization.as_ref();
    let organization =
        organization.map(|unit| object_node([("organizationId", Some(text_node(&unit.organization_id)))]));
    object_node([
        ("componentId", Some(text_node(&line.component.component_id))),
        ("payRate", line.pay_rate.map(|rate| text_node(&rate))),
        ("payHours", line.pay_hours.map(|hours| text_node(&hours))),
        ("payUnits", line.pay_units.map(|units| text_node(&units))),
        ("payAmount", amount.map(|amount| text_node(&amount))),
        ("memoed", Some(Node::from(Value::Bool(line.memoed)))),
        ("lineDate", line.line_date.map(|date| text_node(&format_date(date)))),
        ("jobId", line.job_id.as_ref().map(text_node)),
        ("laborAssignmentId", line.labor_assignment_id.as_ref().map(text_node)),
        ("organization", organization),
    ])
}

fn object_node<'n, const N: usize>(members: [(&'static str, Option<Node<'n>>); N]) -> Node<'n> {
    let members = members.into_iter().filter_map(|(name, value)| Some((name.into(), value?)));
    Node::from(Value::Object(members.collect()))
}

fn text_node<'n>(value: &impl ToString) -> Node<'n> {
    Node::from(Value::Text(value.to_string().into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::test_data::{facts, valid_checks, validate_json};
    use crate::check::{Batch, validate};

    #[test]
    fn validating_a_stored_line_again_does_not_change_it() {
        let mut facts = facts();
        let checks = validate_json(&valid_checks().to_string(), &facts).unwrap();
        facts.used_correlation_ids.clear();
        for check in &checks {
            for line in &check.lines {
                let document = create_one_line_document(check, line.section, to_line_document(line), false);
                let again = validate(&Batch::read(&document).unwrap(), &facts).unwrap();
                assert_eq!(again[0].lines, std::slice::from_ref(line));
            }
        }
    }
}
