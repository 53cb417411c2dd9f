//! Rules about the way in which a line is paid (specification §7.8).

use crate::check::case::{LineCase, TooLarge};
use crate::code::Reason;
use crate::money::Amount;
use crate::report::Report;

/// API-47: a line says one thing.
pub(in crate::check) fn says_one_thing(case: &LineCase<'_>, report: &mut Report) {
    if let Some(contradiction) = case.contradiction() {
        report.add(Reason::FieldAmbiguous, case.draft.spot(), contradiction);
    }
}

/// API-46, API-54: a line has hours, units or an amount, and a memoed one has an amount.
pub(in crate::check) fn has_a_way_to_pay(case: &LineCase<'_>, report: &mut Report) {
    let draft = case.draft;
    let measured = !draft.pay_hours.is_absent() || !draft.pay_units.is_absent();
    if draft.pay_amount.is_absent() && (case.is_memoed() || !measured) {
        let description = if case.is_memoed() {
            "a memoed line needs payAmount"
        } else {
            "a line needs payHours, payUnits or payAmount"
        };
        report.add_missing(draft.spot(), description);
    }
}

/// API-28: hours or units at the rate that applies come to an amount that a line may have. An
/// amount that was sent is judged where it is read.
pub(in crate::check) fn computes_to_an_amount_in_range(case: &LineCase<'_>, report: &mut Report) {
    match case.computed_amount() {
        None => (),
        Some(Ok(amount)) if amount.fits_line() => (),
        Some(Ok(_) | Err(TooLarge)) => {
            let description = format!("the line comes to more than {}", Amount::MAX_OF_LINE);
            report.add(Reason::AmountOutOfRange, case.draft.spot(), description);
        }
    }
}
