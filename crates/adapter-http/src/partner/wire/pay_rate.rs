//! A pay rate of a worker (specification §11.14).

use std::fmt::{self, Display};

use payroll_domain::id::WorkerId;
use payroll_domain::money::{Quantity, Rate};
use payroll_domain::worker::PayRate;
use serde::Serialize;

use crate::shared::wire::link::{Href, Link};
use crate::shared::wire::value::{Day, Text};

/// Whose rate it is, and what links begin with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PayRateContext<'a> {
    /// The address that links begin with.
    pub(crate) base: &'a str,
    /// The worker.
    pub(crate) worker_id: &'a WorkerId,
}

/// A pay rate.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PayRateResource<'a> {
    rate_id: &'a str,
    rate_number: Text<Number>,
    rate_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    amount: Text<Rate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_hours: Option<Text<Quantity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_overtime: Option<Text<Quantity>>,
    default: bool,
    start_date: Day,
    #[serde(skip_serializing_if = "Option::is_none")]
    effective_date: Option<Day>,
    links: [Link<'a>; 1],
}

/// The number of a rate, written `RATE_1`.
#[derive(Debug, Clone, Copy)]
struct Number(u8);

impl Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RATE_{}", self.0)
    }
}

impl<'a> PayRateResource<'a> {
    /// The rate of that worker.
    pub(crate) fn new(rate: &'a PayRate, context: PayRateContext<'a>) -> Self {
        let PayRateContext { base, worker_id } = context;
        let rate_id = &rate.rate_id;
        Self {
            rate_id: rate_id.as_str(),
            rate_number: Text(Number(rate.rate_number)),
            rate_type: rate.rate_type.as_str(),
            description: rate.description.as_deref(),
            amount: Text(rate.amount),
            standard_hours: rate.standard_hours.map(Text),
            standard_overtime: rate.standard_overtime.map(Text),
            default: rate.default,
            start_date: Day(rate.start_date),
            effective_date: rate.effective_date.map(Day),
            links: [Link::own(Href::PayRate { base, worker_id, rate_id })],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::worker::RateType;

    #[test]
    fn a_pay_rate_shows_its_members_in_order_and_leaves_out_what_it_lacks() {
        let rate = PayRate {
            rate_id: samples::id("R"),
            rate_number: 2,
            rate_type: RateType::Hourly,
            description: None,
            amount: Rate::parse("20.5").unwrap(),
            standard_hours: Some(Quantity::parse("37.50").unwrap()),
            standard_overtime: None,
            default: true,
            start_date: samples::day("2020-01-06"),
            effective_date: None,
        };
        let context = PayRateContext { base: "http://h", worker_id: &samples::id("W1") };
        let expected = concat!(
            r#"{"rateId":"R","rateNumber":"RATE_2","rateType":"HOURLY_RATE","amount":"20.5000","#,
            r#""standardHours":"37.5","default":true,"startDate":"2020-01-06T00:00:00Z","#,
            r#""links":[{"rel":"self","href":"http://h/workers/W1/compensation/payrates/R"}]}"#,
        );
        assert_eq!(serde_json::to_string(&PayRateResource::new(&rate, context)).unwrap(), expected);
    }
}
