//! Rules about correlation ids (specification §7.4, §7.11).

use std::collections::HashSet;

use crate::check::case::BatchCase;
use crate::code::Reason;
use crate::report::Report;

/// API-56: no correlation id stands twice in the request; the second and later uses are told.
pub(in crate::check) fn ids_are_used_once_in_the_request(case: &BatchCase<'_>, report: &mut Report) {
    let mut seen = HashSet::with_capacity(case.checks.len());
    for check in case.checks {
        if check.correlation_id.value().is_some_and(|id| !seen.insert(*id)) {
            let spot = check.spot_of("checkCorrelationId", &check.correlation_id);
            let description = "checkCorrelationId is that of an earlier check of this request";
            report.add(Reason::DuplicateCorrelationId, spot, description);
        }
    }
}

/// API-56: no check of the application in this period has the correlation id, where its ids last
/// for the period.
pub(in crate::check) fn ids_are_unused_in_the_period(case: &BatchCase<'_>, report: &mut Report) {
    if case.period.is_none() {
        return;
    }
    for check in case.checks {
        if check.correlation_id.value().is_some_and(|id| case.facts.used_correlation_ids.contains(*id)) {
            let spot = check.spot_of("checkCorrelationId", &check.correlation_id);
            let description = "checkCorrelationId is that of another check in this pay period";
            report.add(Reason::DuplicateCorrelationId, spot, description);
        }
    }
}
