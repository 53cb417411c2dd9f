//! Rules about the unit that a line is booked on (specification §7.4).

use crate::check::case::LineCase;
use crate::code::Reason;
use crate::report::Report;

/// API-40: the unit is the company's.
pub(in crate::check) fn is_of_the_company(case: &LineCase<'_>, report: &mut Report) {
    if case.draft.organization_id.is_given() && case.organization.is_none() {
        let description = "organizationId names no organization of this company";
        report.add(Reason::InvalidParameter, case.draft.spot_of_organization_id(), description);
    }
}
