//! The pay standards of a worker, and the amounts that are computed from the standards and the pay rates
//! (specification §6.26).

use rust_decimal::Decimal;
use time::Duration;

use crate::date::Date;
use crate::description::described;
use crate::description::kinds::{Enumeration, QuantityFromZero};
use crate::money::{Amount, Quantity};
use crate::named::named_enum;
use crate::worker::{PayRate, RateType};

named_enum! {
    /// The frequency at which a worker is paid.
    StandardFrequency {
        /// The worker is paid 52 times a year.
        Weekly = "WEEKLY",
        /// The worker is paid 26 times a year.
        BiWeekly = "BI_WEEKLY",
        /// The worker is paid 24 times a year.
        SemiMonthly = "SEMI_MONTHLY",
        /// The worker is paid 12 times a year.
        Monthly = "MONTHLY",
    }
}

impl StandardFrequency {
    /// Returns the number of pay periods in a year.
    #[must_use]
    pub const fn periods_per_year(self) -> u32 {
        match self {
            Self::Weekly => 52,
            Self::BiWeekly => 26,
            Self::SemiMonthly => 24,
            Self::Monthly => 12,
        }
    }
}

described! {
    /// The standard pay frequency, hours and overtime factor of a worker.
    pub struct PayStandards {
        /// The frequency at which the worker is paid.
        "payFrequency" pay_frequency: required StandardFrequency as Enumeration, in "standard_pay_frequency";
        /// The standard hours of a pay period for pay rates that have none of their own.
        "standardHours" standard_hours: optional Quantity as QuantityFromZero, in "standard_hours";
        /// The factor by which overtime is paid, such as 1.5.
        "overtimeFactor" overtime_factor: optional Quantity as QuantityFromZero, in "overtime_factor";
    }
}

/// Amounts that are computed from pay standards and pay rates. An amount is `None` if a value for its
/// computation is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CalculatedPay {
    /// The pay of one pay period.
    pub pay_period: Option<Amount>,
    /// The pay of one year.
    pub annual_salary: Option<Amount>,
}

/// The length of the pay history that is shown for a worker: one year.
const HISTORY_DURATION: Duration = Duration::days(365);

/// Returns the first day of the year that a worker's pay history covers. The last day is `today`.
///
/// ```
/// use payroll_domain::date::parse_date;
/// use payroll_domain::worker::first_day_of_pay_history;
/// let first_day = first_day_of_pay_history(parse_date("2026-05-04").unwrap());
/// assert_eq!(first_day, parse_date("2025-05-05").unwrap());
/// ```
#[must_use]
pub fn first_day_of_pay_history(today: Date) -> Date {
    today.checked_sub(HISTORY_DURATION).and_then(Date::next_day).unwrap_or(Date::MIN)
}

impl PayStandards {
    /// Returns the amounts on a day. The amounts are computed from a default rate (hourly, per pay period or
    /// annual) that has started. If there are several such rates, the rate with the lowest number is used.
    /// Each amount is rounded once, at the end.
    ///
    /// ```
    /// use payroll_domain::date::parse_date;
    /// use payroll_domain::money::{Quantity, Rate};
    /// use payroll_domain::worker::{PayRate, PayStandards, RateNumber, RateType, StandardFrequency};
    ///
    /// let rate = PayRate {
    ///     rate_id: "R-1".parse()?,
    ///     rate_number: RateNumber::new(1).unwrap(),
    ///     rate_type: RateType::Hourly,
    ///     description: None,
    ///     amount: Rate::parse("20.3333").unwrap(),
    ///     standard_hours: None,
    ///     standard_overtime: None,
    ///     default: true,
    ///     start_date: parse_date("2026-01-01").unwrap(),
    ///     effective_date: None,
    /// };
    /// let standards = PayStandards {
    ///     pay_frequency: StandardFrequency::Weekly,
    ///     standard_hours: Some(Quantity::parse("40").unwrap()),
    ///     overtime_factor: None,
    /// };
    /// let pay = standards.calculate_pay_at(&[rate], parse_date("2026-05-04").unwrap());
    /// assert_eq!(pay.pay_period.unwrap().to_string(), "813.33");
    /// assert_eq!(pay.annual_salary.unwrap().to_string(), "42293.26");
    /// # Ok::<(), payroll_domain::id::InvalidId>(())
    /// ```
    #[must_use]
    pub fn calculate_pay_at(&self, rates: &[PayRate], day: Date) -> CalculatedPay {
        let by_time = |rate: &&PayRate| !matches!(rate.rate_type, RateType::Piecework | RateType::Daily);
        let applying = rates.iter().filter(|rate| rate.default && rate.start_date <= day).filter(by_time);
        let Some(rate) = applying.min_by_key(|rate| rate.rate_number.get()) else {
            return CalculatedPay::default();
        };
        let periods = Decimal::from(self.pay_frequency.periods_per_year());
        let (period, year) = match rate.rate_type {
            RateType::AnnualSalary => {
                let year = rate.amount.value();
                (year.checked_div(periods), Some(year))
            }
            RateType::PerPayPeriodSalary => {
                let period = rate.amount.value();
                (Some(period), period.checked_mul(periods))
            }
            RateType::Hourly => {
                let period = self.calculate_hourly_pay(rate);
                (period, period.and_then(|period| period.checked_mul(periods)))
            }
            RateType::Piecework | RateType::Daily => (None, None),
        };
        CalculatedPay {
            pay_period: period.map(Amount::round_to_cents),
            annual_salary: year.map(Amount::round_to_cents),
        }
    }

    /// Returns the unrounded pay for the standard hours and the standard overtime of a pay period. `None` if
    /// the standard hours are unknown.
    fn calculate_hourly_pay(&self, rate: &PayRate) -> Option<Decimal> {
        let hours = rate.standard_hours.or(self.standard_hours)?;
        let pay = hours.value().checked_mul(rate.amount.value())?;
        let Some(overtime) = rate.standard_overtime.filter(|hours| *hours != Quantity::ZERO) else {
            return Some(pay);
        };
        let factor = self.overtime_factor.map_or(Decimal::ONE, Quantity::value);
        let extra = overtime.value().checked_mul(factor)?.checked_mul(rate.amount.value())?;
        pay.checked_add(extra)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::parse_date;
    use crate::money::Rate;
    use crate::worker::RateNumber;

    fn pay_rate(number: u8, rate_type: RateType, amount: &str) -> PayRate {
        PayRate {
            rate_id: "R".parse().unwrap(),
            rate_number: RateNumber::new(number).unwrap(),
            rate_type,
            description: None,
            amount: Rate::parse(amount).unwrap(),
            standard_hours: None,
            standard_overtime: None,
            default: true,
            start_date: parse_date("2026-01-01").unwrap(),
            effective_date: None,
        }
    }

    fn calculated_amounts(standards: &PayStandards, rates: &[PayRate]) -> [String; 2] {
        let CalculatedPay { pay_period, annual_salary } =
            standards.calculate_pay_at(rates, parse_date("2026-05-04").unwrap());
        [pay_period, annual_salary].map(|amount| amount.map_or("-".to_owned(), |amount| amount.to_string()))
    }

    fn pay_standards_with_frequency(pay_frequency: StandardFrequency) -> PayStandards {
        PayStandards { pay_frequency, standard_hours: None, overtime_factor: None }
    }

    #[test]
    fn a_salary_is_divided_or_multiplied_and_rounded_once() {
        let semi_monthly = pay_standards_with_frequency(StandardFrequency::SemiMonthly);
        assert_eq!(
            calculated_amounts(&semi_monthly, &[pay_rate(1, RateType::AnnualSalary, "50000")]),
            ["2083.33", "50000.00"]
        );
        assert_eq!(
            calculated_amounts(&semi_monthly, &[pay_rate(1, RateType::PerPayPeriodSalary, "0.0052")]),
            ["0.01", "0.12"],
            "half a cent is rounded up"
        );
        let monthly = pay_standards_with_frequency(StandardFrequency::Monthly);
        assert_eq!(
            calculated_amounts(&monthly, &[pay_rate(1, RateType::AnnualSalary, "0.06")]),
            ["0.01", "0.06"]
        );
    }

    #[test]
    fn overtime_is_paid_by_its_factor() {
        let mut hourly = pay_rate(1, RateType::Hourly, "20");
        hourly.standard_hours = Some(Quantity::parse("40").unwrap());
        hourly.standard_overtime = Some(Quantity::parse("2").unwrap());
        let mut weekly = pay_standards_with_frequency(StandardFrequency::Weekly);
        assert_eq!(calculated_amounts(&weekly, std::slice::from_ref(&hourly)), ["840.00", "43680.00"]);
        weekly.overtime_factor = Some(Quantity::parse("1.5").unwrap());
        weekly.standard_hours = Some(Quantity::parse("1").unwrap());
        assert_eq!(
            calculated_amounts(&weekly, &[hourly]),
            ["860.00", "44720.00"],
            "hours of the rate come first"
        );
    }

    #[test]
    fn uses_only_a_default_rate_that_has_started() {
        let biweekly = pay_standards_with_frequency(StandardFrequency::BiWeekly);
        let mut later = pay_rate(1, RateType::PerPayPeriodSalary, "9");
        later.start_date = parse_date("2026-06-01").unwrap();
        let mut other = pay_rate(2, RateType::PerPayPeriodSalary, "8");
        other.default = false;
        let piece = pay_rate(3, RateType::Piecework, "7");
        let rates = [
            pay_rate(5, RateType::AnnualSalary, "260"),
            later,
            other,
            piece,
            pay_rate(4, RateType::Hourly, "1"),
        ];
        assert_eq!(calculated_amounts(&biweekly, &rates), ["-", "-"], "the hourly rate has no hours");
        assert_eq!(calculated_amounts(&biweekly, &rates[..4]), ["10.00", "260.00"]);
        assert_eq!(calculated_amounts(&biweekly, &rates[1..4]), ["-", "-"]);
    }
}
