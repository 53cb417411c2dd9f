//! The event domains of a hook.

use super::rank;
use crate::code::Reason;
use crate::event::EventDomain;
use crate::id::MAX_ID_LENGTH;
use crate::input::{Field, Members, Node, Value, values};
use crate::report::{Fault, FaultLocation, Report};
use crate::violation::DocumentPosition;

/// The maximum number of unknown domain names that an error text repeats: as many as there are known domains.
const MAX_REPORTED_DOMAINS: usize = 11;

/// Reads the domains: an array, or one text with commas. Duplicate domains are ignored.
pub(super) fn read_domains(members: Members<'_>, report: &mut Report) -> Field<Vec<EventDomain>> {
    let value = members.read_required("domains", rank::DOMAINS, report, |node| match &node.value {
        value @ (Value::Array(_) | Value::Text(_)) => Ok(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
            Err(Fault::invalid("must be an array of domains, or one string with commas between them"))
        }
    });
    let Field::Given { value, at } = value else { return Field::Failed };
    let spot = members.member_location("domains", at);
    let read = match value {
        Value::Array(elements) => read_domain_array(elements, spot, report),
        Value::Text(text) => read_domain_text(text, spot, report),
        _ => None,
    };
    let Some(read) = read else { return Field::Failed };
    if read.is_empty() {
        report.add_missing_fault(spot, "domains is empty");
        return Field::Failed;
    }
    let value = EventDomain::ALL.iter().copied().filter(|domain| read.contains(domain)).collect();
    Field::Given { value, at }
}

/// Reads the domains of an array. All elements are read even after a fault, so that all faults are reported.
fn read_domain_array(
    elements: &[Node<'_>],
    list: FaultLocation<'_>,
    report: &mut Report,
) -> Option<Vec<EventDomain>> {
    let mut read = Vec::new();
    for (index, node) in elements.iter().enumerate() {
        let domain = values::read_text(node).and_then(|text| {
            EventDomain::parse(text).ok_or_else(|| Fault::invalid(unknown_domains_message(&[text])))
        });
        read.push(domain.map_err(|fault| {
            let place = DocumentPosition { at: node.at, rank: 0 };
            let spot = FaultLocation { path: list.path.with_element(index), position: place, ..list };
            report.add(fault.reason, spot, format!("domains {}", fault.description));
        }));
    }
    read.into_iter().collect::<Result<_, ()>>().ok()
}

fn read_domain_text(text: &str, spot: FaultLocation<'_>, report: &mut Report) -> Option<Vec<EventDomain>> {
    if text.trim().is_empty() {
        return Some(Vec::new());
    }
    let names = || text.split(',').map(str::trim);
    let strange: Vec<_> =
        names().filter(|name| EventDomain::parse(name).is_none()).take(MAX_REPORTED_DOMAINS).collect();
    if !strange.is_empty() {
        report.add(Reason::FieldInvalid, spot, format!("domains {}", unknown_domains_message(&strange)));
        return None;
    }
    Some(names().filter_map(EventDomain::parse).collect())
}

/// Returns the error text for unknown domains. The text repeats only names that consist of letters, digits,
/// `_` and `-`.
fn unknown_domains_message(names: &[&str]) -> String {
    let looks_like_one = |name: &&str| {
        (1..=MAX_ID_LENGTH).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    let shown: Vec<_> = names.iter().copied().filter(looks_like_one).collect();
    let unknown = if shown.is_empty() { String::new() } else { format!("; unknown: {}", shown.join(", ")) };
    let all: Vec<_> = EventDomain::ALL.iter().map(|domain| domain.as_str()).collect();
    format!("must contain only these domains: {}{unknown}", all.join(", "))
}
