//! The rules for partners' changes to a worker.

use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::input::{Node, Value};
use payroll_domain::lookup::{CompanyStatus, LookupObject};
use payroll_domain::resource::Resource;
use payroll_domain::violation::Violation;
use payroll_domain::worker::{CurrentStatus, StatusType, Worker};

use super::status::{self, new_fault};

/// Completes a patch before it is merged. The worker's id in the patch is ignored. A masked tax identity
/// leaves the stored identity unchanged. A middle name is cut to one letter. `statuses` is the company's list
/// of statuses.
///
/// # Errors
/// API-48 if the patch contains only an unknown id of a status, or the id of a status with another type or
/// reason.
pub(super) fn prepare_patch(
    patch: &mut Node<'_>,
    before: &Worker,
    statuses: &[CompanyStatus],
    (ids, today): (&mut IdSequence, Date),
) -> Result<(), Violation> {
    let Value::Object(members) = &mut patch.value else { return Ok(()) };
    let masked = before.legal_id.as_ref().map(|legal_id| legal_id.masked());
    let stored_type = before.legal_id.as_ref().map(|legal_id| legal_id.kind().as_str());
    members.retain(|(name, value)| {
        let sent = value.member("legalIdValue").and_then(Node::as_text);
        let is_same_type = value.member("legalIdType").is_none_or(|it| it.as_text() == stored_type);
        let is_masked = name == "legalId" && is_same_type && sent.is_some() && sent == masked.as_deref();
        name != "workerId" && !is_masked
    });
    let stored = before.name.middle_name.as_deref();
    members
        .iter_mut()
        .filter(|(name, _)| name == "name")
        .for_each(|(_, name)| shorten_middle_name(name, stored));
    let Some((_, status)) = members.iter_mut().find(|(name, _)| name == "currentStatus") else {
        return Ok(());
    };
    if status.value.is_null_or_empty_text() {
        // A null status is invalid. `find_change_faults` reports the null status, but only if the parser
        // accepts the document. The parser rejects a status history without a current status, so the
        // history is removed too.
        members.push(("statuses".into(), Node::from(Value::Null)));
        return Ok(());
    }
    status::complete_status(status, before.current_status.as_ref(), statuses, (ids, today))
}

/// Cuts the middle name to its first letter, because partners can only store an initial. A name that equals
/// the stored name is not cut: an operator may have set a longer name, which a partner sends back unchanged.
fn shorten_middle_name(name: &mut Node<'_>, stored: Option<&str>) {
    let Value::Object(members) = &mut name.value else { return };
    for (_, value) in members.iter_mut().filter(|(member, _)| member == "middleName") {
        let changed = value.as_text().filter(|text| Some(*text) != stored);
        if let Some(letter) = changed.and_then(|text| text.trim_start().chars().next()) {
            value.value = Value::Text(letter.to_string().into());
        }
    }
}

/// Returns the faults of a changed worker that only partners' requests can have.
pub(super) fn find_change_faults(before: &Worker, after: &Worker, today: Date) -> Vec<Violation> {
    let is_active = before.current_status.as_ref().is_some_and(|it| it.status_type == StatusType::Active);
    let fixed = [
        ("workerType", before.worker_type != after.worker_type, false),
        ("jobId", before.job_id != after.job_id, false),
        ("communications", before.communications != after.communications, false),
        ("exemptionType", before.exemption_type != after.exemption_type, true),
        ("ethnicityCode", before.ethnicity_code != after.ethnicity_code, true),
        ("hireDate", before.hire_date != after.hire_date, true),
    ];
    let mut faults: Vec<_> = fixed
        .into_iter()
        .filter(|(_, changed, of_active)| *changed && (is_active || !of_active))
        .map(|(member, _, of_active)| {
            new_fault(Reason::FieldInvalid, member, immutable_member_message(member, of_active))
        })
        .collect();
    faults.extend(find_status_fault(before.current_status.as_ref(), after.current_status.as_ref(), today));
    faults
}

fn immutable_member_message(member: &str, is_active: bool) -> String {
    match (member, is_active) {
        ("communications", _) => {
            "communications cannot be changed here; use /workers/{workerId}/communications".to_owned()
        }
        (_, true) => format!("{member} of an active worker cannot be changed"),
        (_, false) => format!("{member} cannot be changed"),
    }
}

fn find_status_fault(
    before: Option<&CurrentStatus>,
    after: Option<&CurrentStatus>,
    today: Date,
) -> Option<Violation> {
    if before == after {
        return None;
    }
    if before.is_some_and(|status| status.status_type == StatusType::InProgress) {
        let sentence = "currentStatus of a worker who is IN_PROGRESS cannot be changed".to_owned();
        return Some(new_fault(Reason::StateForbids, "currentStatus", sentence));
    }
    let Some(after) = after else {
        return Some(new_fault(
            Reason::NotDeletable,
            "currentStatus",
            "currentStatus cannot be removed".to_owned(),
        ));
    };
    if after.status_type == StatusType::InProgress {
        let sentence = "only a new worker has the status IN_PROGRESS".to_owned();
        return Some(new_fault(Reason::StateForbids, "currentStatus/statusType", sentence));
    }
    let sentence = || format!("effectiveDate must be today, {today}");
    (after.effective_date != today)
        .then(|| new_fault(Reason::DateNotToday, "currentStatus/effectiveDate", sentence()))
}

/// Returns the name of a custom employment type; `None` for another resource.
pub(super) fn employment_type_name(resource: &Resource) -> Option<String> {
    match resource {
        Resource::Lookup(LookupObject::CustomEmploymentType(it)) => {
            Some(it.custom_employment_type_name.clone())
        }
        _ => None,
    }
}
