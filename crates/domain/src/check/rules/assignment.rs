//! Rules about the job and the labor assignment to which a line is booked (specification §7.4).

use crate::check::MaintainedList;
use crate::check::case::LineWithFacts;
use crate::code::Reason;
use crate::id::ReferenceId;
use crate::input::Field;
use crate::report::Report;

/// API-48: the job must be in the company's list, if the company maintains this list.
pub(in crate::check) fn require_job_of_the_company(case: &LineWithFacts<'_>, report: &mut Report) {
    let description = "jobId is unknown: this company has no such job";
    report_unaccepted_id(case, ("jobId", &case.draft.job_id, &case.facts.jobs), description, report);
}

/// API-48: the labor assignment must be in the company's list, if the company maintains this list.
pub(in crate::check) fn require_labor_assignment_of_the_company(
    case: &LineWithFacts<'_>,
    report: &mut Report,
) {
    let assignment = &case.draft.labor_assignment_id;
    let description = "laborAssignmentId is unknown: this company has no such labor assignment";
    let list = &case.facts.labor_assignments;
    report_unaccepted_id(case, ("laborAssignmentId", assignment, list), description, report);
}

fn report_unaccepted_id(
    case: &LineWithFacts<'_>,
    (member, field, list): (&'static str, &Field<ReferenceId>, &MaintainedList),
    description: &str,
    report: &mut Report,
) {
    if field.value().is_some_and(|id| !list.accepts(id)) {
        report.add(Reason::FieldInvalid, case.draft.member_location(member, field), description);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check::test_data::{check_with_line, find_faults_after_change};

    #[test]
    fn rejects_unknown_jobs_and_labor_assignments_of_maintained_lists() {
        let list = || MaintainedList::Internal(["known".to_owned()].into());
        for (job, assignment, expected) in [
            ("known", "known", &[][..]),
            ("other", "known", &["API-48 /0/earnings/0/jobId"]),
            ("known", "other", &["API-48 /0/earnings/0/laborAssignmentId"]),
        ] {
            let request = check_with_line(json!({"componentId": "hourly", "payHours": "8", "jobId": job,
                "laborAssignmentId": assignment}));
            let faults = find_faults_after_change(&request, |facts| {
                (facts.jobs, facts.labor_assignments) = (list(), list());
            });
            assert_eq!(faults, expected, "{job} {assignment}");
            assert_eq!(
                find_faults_after_change(&request, |_| ()),
                Vec::<String>::new(),
                "both lists are kept elsewhere"
            );
        }
    }
}
