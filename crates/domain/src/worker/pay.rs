//! The pay of workers: pay rates, and recurring pay components.

use crate::code::Reason;
use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{
    AmountFromZero, Day, Flag, Identifier, NumberOfRate, OpenWord, QuantityFromZero, RateFromZero, Text, Word,
};
use crate::description::objects::{ListKind, Readable, SameRow};
use crate::frequency::{FrequencyApplied, FrequencyIntervals};
use crate::id::{ComponentId, RateId, WorkerComponentId};
use crate::money::{Amount, Quantity, Rate};
use crate::named::named;
use crate::object::reader::ObjectReader;
use crate::object::values::NOTE;
use crate::plain::CalculationBaseId;
use crate::rate_number::RateNumber;

named! {
    /// The unit that a pay rate pays for.
    RateType {
        /// The rate is paid per hour.
        Hourly = "HOURLY_RATE",
        /// The rate is paid per pay period.
        PerPayPeriodSalary = "PER_PAY_PERIOD_SALARY",
        /// The rate is paid per year.
        AnnualSalary = "ANNUAL_SALARY",
        /// The rate is paid per piece.
        Piecework = "PIECEWORK_RATE",
        /// The rate is paid per day.
        Daily = "DAILY_RATE",
    }
}

named! {
    /// The calculation of a recurring component.
    CalculationType {
        /// A fixed amount in dollars.
        FlatDollarAmount = "FLAT_DOLLAR_AMOUNT",
        /// A percentage of the calculation base.
        Percentage = "PERCENTAGE",
        /// A rate for each unit.
        RateXUnits = "RATE_X_UNITS",
        /// A rate for each hour.
        RateXHours = "RATE_X_HOURS",
        /// An amount from a schedule.
        ScheduledAmount = "SCHEDULED_AMOUNT",
    }
}

named! {
    /// The limit at which a recurring component stops.
    CheckLimitType {
        /// The component never stops.
        None = "NONE",
        /// The component stops at a total of `stopsAt`.
        StopsAt = "STOPS_AT",
        /// The component stops at a new total of `stopsAt`, counted from `startsAt`.
        StopsAtNewAmount = "STOPS_AT_NEW_AMOUNT",
        /// The component depends on the year-to-date cash wages, from `startsAt`.
        BasedOnYearToDateWages = "BASED_ON_YTD_CASH_WAGES",
        /// The component stops at `amount` in each check.
        AmountPerCheck = "AMOUNT_PER_CHECK",
    }
}

named! {
    /// The checks of a pay period that contain a recurring component.
    EffectedChecks {
        /// Only the first check contains it.
        FirstCheck = "FIRST_CHECK",
        /// Every check contains it.
        EveryCheck = "EVERY_CHECK",
    }
}

described! {
    /// What a worker is paid by.
    pub struct PayRate {
        /// Its id.
        "rateId" rate_id: required RateId as Identifier;
        /// Its number.
        "rateNumber" rate_number: required RateNumber as NumberOfRate;
        /// What it pays for.
        "rateType" rate_type: required RateType as Word;
        /// A note.
        "description" description: optional String as Text<NOTE>;
        /// Money for each of what it pays for.
        "amount" amount: required Rate as RateFromZero;
        /// Hours that are usual.
        "standardHours" standard_hours: optional Quantity as QuantityFromZero;
        /// Hours of overtime that are usual.
        "standardOvertime" standard_overtime: optional Quantity as QuantityFromZero;
        /// Whether it applies where no rate is named.
        "default" default: flag bool as Flag, in "is_default";
        /// The first day on which it applies.
        "startDate" start_date: required Date as Day;
        /// The day on which its present amount came into force.
        "effectiveDate" effective_date: optional Date as Day;
    }
}

described! {
    /// A pay component that comes with every check of a worker.
    pub struct RecurringComponent {
        /// Its id.
        "workerComponentId" worker_component_id: required WorkerComponentId as Identifier;
        /// The pay component.
        "componentId" component_id: required ComponentId as Identifier;
        /// How it is calculated.
        "calculationType" calculation_type: required CalculationType as Word;
        /// What it is calculated from: for all but flat amounts.
        "calculationBaseId" calculation_base_id: optional CalculationBaseId as Identifier;
        /// The amount, percentage or rate.
        "value" value: required Rate as RateFromZero;
        /// The first day.
        "startDate" start_date: optional Date as Day;
        /// The last day.
        "endDate" end_date: optional Date as Day;
        /// The day on which its present value came into force.
        "effectiveDate" effective_date: optional Date as Day;
        /// When it stops.
        "checkLimit" check_limit: optional_object CheckLimit as SameRow;
        /// Which checks it comes with.
        "frequency" frequency: optional_object Frequency as SameRow;
    }
}

described! {
    /// When a recurring component stops. This server stores the limit and does not apply it.
    pub struct CheckLimit {
        /// The kind of limit.
        "type" limit_type: required CheckLimitType as Word, in "check_limit_type";
        /// The amount from which it applies.
        "startsAt" starts_at: optional Amount as AmountFromZero, in "check_limit_starts_at";
        /// The amount at which it stops.
        "stopsAt" stops_at: optional Amount as AmountFromZero, in "check_limit_stops_at";
        /// The amount of each check.
        "amount" amount: optional Amount as AmountFromZero, in "check_limit_amount";
    }
}

described! {
    /// Which checks a recurring component comes with. This server stores the frequency and does not apply it.
    pub struct Frequency {
        /// What the frequency counts.
        "applied" applied: required FrequencyApplied as Word, in "frequency_applied";
        /// How often, such as EVERY or QUARTERLY.
        "occurrence" occurrence: required String as OpenWord, in "frequency_occurrence";
        /// Which of the pay periods.
        "occurrenceIntervals" intervals: optional_object FrequencyIntervals as SameRow;
        /// Which checks of a pay period.
        "effectedChecks" effected_checks: optional EffectedChecks as Word, in "effected_checks";
    }
}

impl CheckLimit {
    /// The rule that the amounts break for this type of limit. The sentence continues after the member's
    /// name.
    fn broken_rule(&self) -> Option<&'static str> {
        let missing = |amount: &Option<Amount>, rule| if amount.is_none() { Some(rule) } else { None };
        let missing = match self.limit_type {
            CheckLimitType::None => None,
            CheckLimitType::StopsAt => missing(&self.stops_at, "of type STOPS_AT needs stopsAt"),
            CheckLimitType::StopsAtNewAmount => {
                missing(&self.stops_at, "of type STOPS_AT_NEW_AMOUNT needs stopsAt")
            }
            CheckLimitType::BasedOnYearToDateWages => {
                missing(&self.starts_at, "of type BASED_ON_YTD_CASH_WAGES needs startsAt")
            }
            CheckLimitType::AmountPerCheck => missing(&self.amount, "of type AMOUNT_PER_CHECK needs amount"),
        };
        let falls = self.starts_at.zip(self.stops_at).is_some_and(|(starts, stops)| stops < starts);
        missing.or(falls.then_some("must not stop below the amount that it starts at"))
    }
}

/// The pay rates of a worker. Each type has at most one default, so that the applicable rate is unambiguous.
pub(crate) struct PayRates;

impl ListKind<PayRate> for PayRates {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<PayRate>> {
        let mut defaults = Vec::new();
        object.list(name, |object| {
            let rate = PayRate::read(object)?;
            if rate.default && defaults.contains(&rate.rate_type) {
                let rule = format!("must be true for one {} of the worker only", rate.rate_type);
                object.fault(Reason::FieldInvalid, "default", &rule);
            }
            if rate.default {
                defaults.push(rate.rate_type);
            }
            Some(rate)
        })
    }
}

/// The recurring pay components of a worker. All except flat amounts require a calculation base.
pub(crate) struct RecurringComponents;

impl ListKind<RecurringComponent> for RecurringComponents {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<RecurringComponent>> {
        object.list(name, |object| {
            let component = RecurringComponent::read(object)?;
            let flat = component.calculation_type == CalculationType::FlatDollarAmount;
            match (flat, &component.calculation_base_id) {
                (false, None) => {
                    let rule = "is missing: only FLAT_DOLLAR_AMOUNT has no base";
                    object.fault(Reason::FieldMissing, "calculationBaseId", rule);
                }
                (true, Some(_)) => {
                    let rule = "must be absent: FLAT_DOLLAR_AMOUNT has no base";
                    object.fault(Reason::FieldInvalid, "calculationBaseId", rule);
                }
                (false, Some(_)) | (true, None) => {}
            }
            object.ends_after_it_starts(component.start_date, component.end_date);
            if let Some(rule) = component.check_limit.as_ref().and_then(CheckLimit::broken_rule) {
                object.fault(Reason::FieldInvalid, "checkLimit", rule);
            }
            Some(component)
        })
    }
}
