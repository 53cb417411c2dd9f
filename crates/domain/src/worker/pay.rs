//! The pay of workers: pay rates, and recurring pay components.

use crate::code::Reason;
use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{
    AmountFromZero, Day, Enumeration, Flag, Identifier, OpenEnumeration, QuantityFromZero, RateFromZero,
    RateNumberText, Text,
};
use crate::description::objects::{InParentRow, ListKind, Readable};
use crate::frequency::{FrequencyApplied, FrequencyIntervals};
use crate::id::{ComponentId, RateId, WorkerComponentId};
use crate::lookup::CalculationBaseId;
use crate::money::{Amount, Quantity, Rate};
use crate::named::named_enum;
use crate::object::reader::ObjectReader;
use crate::object::values::MAX_NOTE_LENGTH;
use crate::rate_number::RateNumber;

named_enum! {
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

named_enum! {
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

named_enum! {
    /// The kind of limit at which a recurring component stops.
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

named_enum! {
    /// The checks of a pay period that contain a recurring component.
    EffectedChecks {
        /// Only the first check contains the component.
        FirstCheck = "FIRST_CHECK",
        /// Every check contains the component.
        EveryCheck = "EVERY_CHECK",
    }
}

described! {
    /// A pay rate of a worker.
    pub struct PayRate {
        /// The id of the pay rate.
        "rateId" rate_id: required RateId as Identifier;
        /// The number of the pay rate.
        "rateNumber" rate_number: required RateNumber as RateNumberText;
        /// The unit for which the amount is paid, such as an hour.
        "rateType" rate_type: required RateType as Enumeration;
        /// A note about the pay rate.
        "description" description: optional String as Text<MAX_NOTE_LENGTH>;
        /// The pay for one unit of the rate type, such as for one hour.
        "amount" amount: required Rate as RateFromZero;
        /// The standard hours of the worker in a pay period at this rate.
        "standardHours" standard_hours: optional Quantity as QuantityFromZero;
        /// The standard overtime hours of the worker in a pay period at this rate.
        "standardOvertime" standard_overtime: optional Quantity as QuantityFromZero;
        /// Whether the rate applies to check lines that name no rate.
        "default" default: flag bool as Flag, in "is_default";
        /// The first day on which the pay rate is valid.
        "startDate" start_date: required Date as Day;
        /// The first day on which the current amount of the pay rate is valid.
        "effectiveDate" effective_date: optional Date as Day;
    }
}

described! {
    /// A pay component that the payroll program adds to checks of a worker.
    pub struct RecurringComponent {
        /// The id of the recurring component.
        "workerComponentId" worker_component_id: required WorkerComponentId as Identifier;
        /// The id of the pay component.
        "componentId" component_id: required ComponentId as Identifier;
        /// The method that calculates the amount of the recurring component.
        "calculationType" calculation_type: required CalculationType as Enumeration;
        /// The id of the calculation base. Required, except for a flat amount, which has none.
        "calculationBaseId" calculation_base_id: optional CalculationBaseId as Identifier;
        /// The amount, percentage or rate of the recurring component.
        "value" value: required Rate as RateFromZero;
        /// The first day on which the recurring component is valid.
        "startDate" start_date: optional Date as Day;
        /// The last day on which the recurring component is valid.
        "endDate" end_date: optional Date as Day;
        /// The first day on which the current value of the recurring component is valid.
        "effectiveDate" effective_date: optional Date as Day;
        /// The limit at which the recurring component stops.
        "checkLimit" check_limit: optional_object CheckLimit as InParentRow;
        /// The checks to which the recurring component is added.
        "frequency" frequency: optional_object Frequency as InParentRow;
    }
}

described! {
    /// The limit at which a recurring component stops. The server stores it and does not apply it.
    pub struct CheckLimit {
        /// The kind of limit, which determines the amounts that the limit needs.
        "type" limit_type: required CheckLimitType as Enumeration, in "check_limit_type";
        /// The amount at which the recurring component starts.
        "startsAt" starts_at: optional Amount as AmountFromZero, in "check_limit_starts_at";
        /// The amount at which the recurring component stops.
        "stopsAt" stops_at: optional Amount as AmountFromZero, in "check_limit_stops_at";
        /// The maximum amount of the recurring component in each check.
        "amount" amount: optional Amount as AmountFromZero, in "check_limit_amount";
    }
}

described! {
    /// The checks to which a recurring component is added. The server stores these settings and does not
    /// apply them.
    pub struct Frequency {
        /// The unit in which the frequency counts, such as a pay period.
        "applied" applied: required FrequencyApplied as Enumeration, in "frequency_applied";
        /// How often the recurring component is added, such as EVERY or QUARTERLY.
        "occurrence" occurrence: required String as OpenEnumeration, in "frequency_occurrence";
        /// The pay periods that contain the recurring component.
        "occurrenceIntervals" intervals: optional_object FrequencyIntervals as InParentRow;
        /// The checks of a pay period that contain the recurring component.
        "effectedChecks" effected_checks: optional EffectedChecks as Enumeration, in "effected_checks";
    }
}

impl CheckLimit {
    /// Returns the rule for this type of limit that the amounts break. `None` if the amounts are valid. The
    /// text omits the name of the member, such as `of type STOPS_AT needs stopsAt`.
    fn find_violated_rule(&self) -> Option<&'static str> {
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
        missing.or(falls.then_some("must have a stopsAt that is at least startsAt"))
    }
}

/// Reads the list of a worker's pay rates. Each type of rate has at most one default, so that the applicable
/// rate is unambiguous.
pub(crate) struct PayRateListKind;

impl ListKind<PayRate> for PayRateListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<PayRate>> {
        let mut defaults = Vec::new();
        object.read_list(name, |object| {
            let rate = PayRate::read(object)?;
            if rate.default && defaults.contains(&rate.rate_type) {
                let rule = format!("can be true for only one {} of the worker", rate.rate_type);
                object.report_fault(Reason::FieldInvalid, "default", &rule);
            }
            if rate.default {
                defaults.push(rate.rate_type);
            }
            Some(rate)
        })
    }
}

/// Reads the list of a worker's recurring pay components. Each component requires a calculation base, except
/// a flat amount, which must not have one.
pub(crate) struct RecurringComponentListKind;

impl ListKind<RecurringComponent> for RecurringComponentListKind {
    fn read(object: &mut ObjectReader<'_>, name: &'static str) -> Option<Vec<RecurringComponent>> {
        object.read_list(name, |object| {
            let component = RecurringComponent::read(object)?;
            let flat = component.calculation_type == CalculationType::FlatDollarAmount;
            match (flat, &component.calculation_base_id) {
                (false, None) => {
                    let rule = "is missing: every calculationType except FLAT_DOLLAR_AMOUNT requires a base";
                    object.report_fault(Reason::FieldMissing, "calculationBaseId", rule);
                }
                (true, Some(_)) => {
                    let rule = "must be absent if calculationType is FLAT_DOLLAR_AMOUNT";
                    object.report_fault(Reason::FieldInvalid, "calculationBaseId", rule);
                }
                (false, Some(_)) | (true, None) => {}
            }
            object.check_date_range(component.start_date, component.end_date);
            if let Some(rule) = component.check_limit.as_ref().and_then(CheckLimit::find_violated_rule) {
                object.report_fault(Reason::FieldInvalid, "checkLimit", rule);
            }
            Some(component)
        })
    }
}
