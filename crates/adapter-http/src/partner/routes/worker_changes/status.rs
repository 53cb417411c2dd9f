//! The new status in a partner's change of a worker (specification §6.16).

use payroll_domain::code::Reason;
use payroll_domain::date::{Date, format_date};
use payroll_domain::id::kind::Reference;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::lookup::CompanyStatus;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_domain::worker::CurrentStatus;

const ID: &str = "workerStatusId";
const TYPE: &str = "statusType";
const REASON: &str = "statusReason";
const DATE: &str = "effectiveDate";

/// Completes a status in a patch. If the patch contains only an id, the type and the reason are those of the
/// company's status with this id. By default, a new status starts today and has the id of the company's
/// status with the same type and reason. If only the type changes, the previous reason is removed.
///
/// # Errors
/// API-48 if only an unknown id is sent, or an id of a status with another type or reason.
pub(super) fn complete_status(
    sent: &mut Node<'_>,
    stored: Option<&CurrentStatus>,
    company_statuses: &[CompanyStatus],
    (ids, today): (&mut IdSequence, Date),
) -> Result<(), Violation> {
    let stored_id = stored.map(|it| it.worker_status_id.as_str());
    let id = text(sent, ID);
    if sent.member(TYPE).is_none()
        && sent.member(REASON).is_none()
        && let Some(id) = id.filter(|id| Some(id.as_str()) != stored_id)
    {
        let Some(named) = company_statuses.iter().find(|it| it.worker_status_id.as_str() == id) else {
            let sentence = format!("{ID} {id} is not in the company's list of statuses");
            return Err(new_fault(Reason::FieldInvalid, "currentStatus/workerStatusId", sentence));
        };
        set_text(sent, TYPE, named.status_type.as_str());
        set_text(sent, REASON, &named.status_reason);
    }
    let differs = |member: &str, stored: Option<&str>| {
        sent.member(member).is_some_and(|value| value.as_text() != stored)
    };
    let has_new_type = differs(TYPE, stored.map(|it| it.status_type.as_str()));
    let is_new = has_new_type || differs(REASON, stored.and_then(|it| it.status_reason.as_deref()));
    // A client may send back the stored status unchanged. The stored status remains valid even if the
    // company has since removed the status from its list.
    if (is_new || differs(ID, stored_id))
        && let Some(fault) = find_contradiction(sent, company_statuses)
    {
        return Err(fault);
    }
    if !is_new {
        return Ok(());
    }
    if has_new_type && sent.member(REASON).is_none() {
        set_member(sent, REASON, Value::Null);
    }
    if text(sent, DATE).is_none() {
        set_text(sent, DATE, &format_date(today).to_string());
    }
    if text(sent, ID).is_none() {
        let status_type = text(sent, TYPE).or_else(|| stored.map(|it| it.status_type.to_string()));
        let reason = text(sent, REASON);
        let id = status_id(company_statuses, [status_type.as_deref(), reason.as_deref()], ids);
        set_text(sent, ID, &id);
    }
    Ok(())
}

/// Returns a fault if the sent id belongs to a status of the company with another type or reason than the
/// sent status.
fn find_contradiction(sent: &Node<'_>, company_statuses: &[CompanyStatus]) -> Option<Violation> {
    let id = text(sent, ID)?;
    let named = company_statuses.iter().find(|it| it.worker_status_id.as_str() == id)?;
    let differs = |member: &str, own: &str| text(sent, member).is_some_and(|value| value != own);
    let is_other = differs(TYPE, named.status_type.as_str()) || differs(REASON, &named.status_reason);
    is_other.then(|| {
        let CompanyStatus { status_type, status_reason, .. } = named;
        let sentence = format!("{ID} {id} is the id of another status, {status_type} {status_reason}");
        new_fault(Reason::FieldInvalid, "currentStatus/workerStatusId", sentence)
    })
}

/// Creates a fault with a pointer into the document of the changed worker. `pointer` has no leading slash.
pub(super) fn new_fault(reason: Reason, pointer: &str, sentence: String) -> Violation {
    Violation::new(reason, sentence).at_position(format!("/{pointer}"), DocumentPosition::default())
}

/// Returns the id of the company's status with this type and reason, or a new id if the list has none.
pub(crate) fn status_id(
    company_statuses: &[CompanyStatus],
    type_and_reason: [Option<&str>; 2],
    ids: &mut IdSequence,
) -> String {
    let of = |it: &CompanyStatus| [it.status_type.as_str().to_owned(), it.status_reason.clone()];
    let is_same = |it: &&CompanyStatus| of(it).each_ref().map(|text| Some(text.as_str())) == type_and_reason;
    let known = company_statuses.iter().find(is_same);
    known.map_or_else(|| ids.next_id::<Reference>().to_string(), |it| it.worker_status_id.to_string())
}

/// Returns the text of a member. `None` if the member is missing, null, empty or not a text.
fn text(node: &Node<'_>, member: &str) -> Option<String> {
    node.member(member).and_then(Node::as_text).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn set_text(node: &mut Node<'_>, member: &'static str, value: &str) {
    set_member(node, member, Value::Text(value.to_owned().into()));
}

/// Replaces a member of an object, or adds it.
fn set_member<'n>(node: &mut Node<'n>, member: &'static str, value: Value<'n>) {
    if let Value::Object(members) = &mut node.value {
        members.retain(|(name, _)| name != member);
        members.push((member.into(), Node::from(value)));
    }
}
