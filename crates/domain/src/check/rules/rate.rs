//! Rules about the rate of a line (specification §7.4, §7.8).

use crate::check::case::{ApplyingRate, LineCase};
use crate::code::Reason;
use crate::report::Report;

/// API-48: the rate that the line names is the worker's.
pub(in crate::check) fn is_of_the_worker(case: &LineCase<'_>, report: &mut Report) {
    let id = &case.draft.pay_rate_id;
    if id.is_given() && case.worker.is_some() && case.named_rate.is_none() {
        let spot = case.draft.spot_of("payRateId", id);
        report.add(Reason::FieldInvalid, spot, "payRateId names no pay rate of the worker");
    }
}

/// API-48: hours take an hourly rate, units a piecework or daily rate.
pub(in crate::check) fn is_of_the_right_kind(case: &LineCase<'_>, report: &mut Report) {
    let (Some(rate), Some(measure)) = (case.named_rate, case.measure()) else { return };
    if case.contradiction().is_none() && !measure.takes(rate) {
        let kinds: Vec<_> = measure.rate_types.iter().map(|kind| kind.as_str()).collect();
        let spot = case.draft.spot_of("payRateId", &case.draft.pay_rate_id);
        let description =
            format!("payRateId names a rate of type {}, not {}", rate.rate_type, kinds.join(" or "));
        report.add(Reason::FieldInvalid, spot, description);
    }
}

/// API-69: the rate that applies starts before the period is over.
pub(in crate::check) fn starts_by_the_end_of_the_period(case: &LineCase<'_>, report: &mut Report) {
    let (rate, spot) = match case.rate {
        ApplyingRate::Named(rate) => (rate, case.draft.spot_of("payRateId", &case.draft.pay_rate_id)),
        ApplyingRate::Default(rate) => (rate, case.draft.spot()),
        ApplyingRate::Sent(_) | ApplyingRate::Lacking | ApplyingRate::None => return,
    };
    if case.starts_later(rate) {
        report.add(Reason::RateStartsLater, spot, "the pay rate starts after the pay period ends");
    }
}

/// API-70: hours or units without a rate fall back on the worker's default of the right kind.
pub(in crate::check) fn has_a_default_where_none_is_sent(case: &LineCase<'_>, report: &mut Report) {
    if matches!(case.rate, ApplyingRate::Lacking) {
        let what = if case.draft.pay_hours.is_given() { "hours" } else { "units" };
        let description =
            format!("the line has {what} and no rate, and the worker has no default rate for {what}");
        report.add(Reason::NoDefaultRate, case.draft.spot(), description);
    }
}
