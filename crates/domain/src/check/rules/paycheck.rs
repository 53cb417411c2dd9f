//! Rules about the id that a check may already have (specification §7.4).

use crate::check::case::CheckCase;
use crate::code::Reason;
use crate::report::Report;

/// API-51: a check is added, not modified. An id that is not one of the company's checks is
/// ignored, as everything that only the server sets.
pub(in crate::check) fn is_not_there_already(case: &CheckCase<'_>, report: &mut Report) {
    let id = &case.draft.paycheck_id;
    if id.value().is_some_and(|id| case.facts.paychecks.contains(*id)) {
        let description = "paycheckId names a check of this company, and checks cannot be modified here";
        report.add(Reason::CheckNotModifiable, case.draft.spot_of("paycheckId", id), description);
    }
}
