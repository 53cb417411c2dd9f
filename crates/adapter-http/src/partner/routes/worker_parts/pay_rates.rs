//! The partners' rules for changing pay rates of a worker.

use payroll_domain::code::Reason;
use payroll_domain::date::Date;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_domain::worker::PayRate;

use super::element::{find_future_effective_date_fault, text_member};
use crate::partner::parts::PartnerListElement;
use crate::shared::media_type::VendorTypes;
use crate::shared::objects::side::ElementChange;

impl PartnerListElement for PayRate {
    const STARTS_TODAY_BY_DEFAULT: bool = true;
    const REASONS: &'static [(&'static str, Reason)] = &[
        ("rateType", Reason::RateTypeInvalid),
        ("amount", Reason::RateAmountInvalid),
        ("description", Reason::TextTooLong),
    ];

    type Facts = ();

    fn media_types(types: &VendorTypes) -> [&str; 2] {
        [&types.pay_rates, &types.pay_rate]
    }

    /// Returns a fault if the change takes effect on a later day. Returns a second fault if the rate number
    /// is a duplicate, because rate numbers are unique per worker.
    fn find_change_faults(change: ElementChange<'_, '_>, today: Date) -> Vec<Violation> {
        let later = find_future_effective_date_fault(change, today).into_iter();
        let Some(number) = change.text("rateNumber") else { return later.collect() };
        let is_taken = change.others.iter().any(|other| text_member(other, "rateNumber") == Some(number));
        let sentence = || format!("rateNumber {number} is used by another pay rate of the worker");
        let fault = is_taken.then(|| Violation::new(Reason::AlreadyUsed, sentence()));
        let fault = fault.map(|fault| fault.at_position("/rateNumber", DocumentPosition::default()));
        later.chain(fault).collect()
    }
}
