//! Rules about the worker of a check (specification §7.4).

use crate::check::case::CheckCase;
use crate::code::Reason;
use crate::report::Report;

/// API-55: the worker is the company's, whatever their status.
pub(in crate::check) fn is_of_the_company(case: &CheckCase<'_>, report: &mut Report) {
    if case.draft.worker_id.is_given() && case.worker.is_none() {
        let spot = case.draft.spot_of("workerId", &case.draft.worker_id);
        report.add(Reason::ForeignWorker, spot, "workerId names no worker of this company");
    }
}
