//! How a line is paid: by an amount, or by hours or units at a rate (specification §7.8).

use crate::input::Field;
use crate::money::{Amount, Quantity};
use crate::worker::{PayRate, RateType};

use super::applicable_rate::ApplicableRate;
use super::case::LineWithFacts;

/// The hours or units by which a line is paid.
#[derive(Clone, Copy)]
pub(super) struct PaidQuantity {
    pub(super) quantity: Quantity,
    /// The types of rate that can pay this quantity, the preferred one first.
    pub(super) rate_types: &'static [RateType],
}

/// The error for a computed amount that exceeds the range of decimals.
pub(super) struct AmountTooLarge;

impl<'c> LineWithFacts<'c> {
    /// Returns whether the caller chose to pay the line by its amount and not by its hours.
    pub(super) fn is_paid_by_amount(&self) -> bool {
        self.draft.memoed.value().copied().unwrap_or(false)
    }

    /// Returns the hours or units. `None` if the line has both hours and units, neither of the two, or a
    /// value with a fault.
    pub(super) fn find_paid_quantity(&self) -> Option<PaidQuantity> {
        match (&self.draft.pay_hours, &self.draft.pay_units) {
            (Field::Given { value, .. }, Field::Absent) => {
                Some(PaidQuantity { quantity: *value, rate_types: &[RateType::Hourly] })
            }
            (Field::Absent, Field::Given { value, .. }) => {
                Some(PaidQuantity { quantity: *value, rate_types: &[RateType::Piecework, RateType::Daily] })
            }
            _ => None,
        }
    }

    /// Returns a message if members of the line contradict each other. Members with faults are ignored.
    pub(super) fn find_payment_contradiction(&self) -> Option<&'static str> {
        let draft = self.draft;
        let (hours, units) = (draft.pay_hours.is_present(), draft.pay_units.is_present());
        let (rate, rate_id) = (draft.pay_rate.is_present(), draft.pay_rate_id.is_present());
        let only_the_amount =
            draft.pay_amount.is_present() && !draft.memoed.has_fault() && !self.is_paid_by_amount();
        match () {
            () if rate && rate_id => Some("a line can have payRate or payRateId, but not both"),
            () if hours && units => Some("a line can have payHours or payUnits, but not both"),
            () if only_the_amount && (hours || units || rate || rate_id) => {
                Some("a line with payAmount and hours, units or a rate needs memoed to be true")
            }
            () => None,
        }
    }

    /// Returns the rate that applies to the line (specification §7.8).
    pub(super) fn find_applicable_rate(&self) -> ApplicableRate<'c> {
        if self.find_payment_contradiction().is_some() {
            return ApplicableRate::None;
        }
        let measure = self.find_paid_quantity();
        match (&self.draft.pay_rate, &self.draft.pay_rate_id) {
            (Field::Given { value, .. }, Field::Absent) => ApplicableRate::Sent(*value),
            (Field::Absent, Field::Given { .. }) => match self.named_rate {
                Some(rate) if measure.is_none_or(|measure| measure.accepts_rate(rate)) => {
                    ApplicableRate::Named(rate)
                }
                Some(_) | None => ApplicableRate::None,
            },
            (Field::Absent, Field::Absent) if self.needs_rate() => {
                measure.map_or(ApplicableRate::None, |measure| self.find_default_rate(measure))
            }
            _ => ApplicableRate::None,
        }
    }

    /// Returns whether the hours or units of the line need a rate.
    fn needs_rate(&self) -> bool {
        self.draft.pay_amount.is_absent() && !self.draft.memoed.has_fault() && !self.is_paid_by_amount()
    }

    fn find_default_rate(&self, measure: PaidQuantity) -> ApplicableRate<'c> {
        let Some(worker) = self.worker else { return ApplicableRate::None };
        let default = |kind: &RateType| worker.pay_rates.iter().find(|r| r.default && r.rate_type == *kind);
        measure
            .rate_types
            .iter()
            .find_map(default)
            .map_or(ApplicableRate::MissingDefault, ApplicableRate::Default)
    }

    /// Returns the amount that hours or units times rate give. `None` if the line states its amount, has no
    /// hours or units, or has a fault in a value that the computation needs.
    pub(super) fn compute_amount(&self) -> Option<Result<Amount, AmountTooLarge>> {
        if !self.draft.pay_amount.is_absent() {
            return None;
        }
        let too_early = self.rate.as_stored_rate().is_some_and(|rate| self.starts_after_period(rate));
        let rate = self.rate.value().filter(|_| !too_early)?;
        let measure = self.find_paid_quantity()?;
        Some(Amount::from_quantity_and_rate(measure.quantity, rate).ok_or(AmountTooLarge))
    }

    /// Returns whether the rate starts after the last day of the pay period. `false` if the period is
    /// unknown.
    pub(super) fn starts_after_period(&self, rate: &PayRate) -> bool {
        self.period.is_some_and(|period| rate.start_date > period.end_date)
    }
}

impl PaidQuantity {
    /// Returns whether this rate can pay the quantity.
    pub(super) fn accepts_rate(self, rate: &PayRate) -> bool {
        self.rate_types.contains(&rate.rate_type)
    }
}
