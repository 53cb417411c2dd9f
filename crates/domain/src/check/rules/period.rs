//! Rules about the pay period, which all checks of a request share (specification §7.4).

use crate::check::case::BatchCase;
use crate::code::Reason;
use crate::company::PAYROLL_PRODUCT;
use crate::report::{Report, Spot};

/// API-53: every check names the period that the first one names.
pub(in crate::check) fn all_checks_have_the_same(case: &BatchCase<'_>, report: &mut Report) {
    let Some(first) = case.first.and_then(|check| check.pay_period_id.value()) else { return };
    for check in case.checks {
        if check.pay_period_id.value().is_some_and(|id| id != first) {
            let description = "payPeriodId differs from that of the first check";
            report.add(Reason::PeriodsDiffer, check.spot(), description);
        }
    }
}

/// API-40: the period is the company's.
pub(in crate::check) fn is_of_the_company(case: &BatchCase<'_>, report: &mut Report) {
    let Some(spot) = place(case) else { return };
    if case.period.is_none() {
        report.add(Reason::InvalidParameter, spot, "payPeriodId names no pay period of this company");
    }
}

/// API-51: the period is open.
pub(in crate::check) fn is_open(case: &BatchCase<'_>, report: &mut Report) {
    let (Some(spot), Some((_, period))) = (place(case), case.period) else { return };
    if !period.status.is_open() {
        let description =
            format!("payPeriodId names a pay period in state {}, not INITIAL or ENTRY", period.status);
        report.add(Reason::PeriodClosed, spot, description);
    }
}

/// API-65: the company has the payroll product on the period's check date.
pub(in crate::check) fn company_has_payroll_on_its_check_date(case: &BatchCase<'_>, report: &mut Report) {
    let (Some(spot), Some((_, period))) = (place(case), case.period) else { return };
    if !case.facts.has_product(PAYROLL_PRODUCT, period.check_date) {
        let description = format!("the company has no product {PAYROLL_PRODUCT} on the period's check date");
        report.add(Reason::ProductNotSetUp, spot, description);
    }
}

/// Where faults of the period are told: once, at the first check that names it; `None` when the
/// periods differ.
fn place<'c>(case: &BatchCase<'c>) -> Option<Spot<'c>> {
    case.period_id?;
    case.first.map(|first| first.spot_of("payPeriodId", &first.pay_period_id))
}
