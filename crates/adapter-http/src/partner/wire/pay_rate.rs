//! A pay rate of a worker (specification §11.14).

use payroll_domain::id::WorkerId;
use payroll_domain::worker::PayRate;

use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::{Href, Link};

/// The context in which a pay rate is shown: the worker, and the base URL of links.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PayRateContext<'a> {
    /// The base URL of links.
    pub(crate) base: &'a str,
    /// The worker to whom the rate belongs.
    pub(crate) worker_id: &'a WorkerId,
}

/// Writes a pay rate of this worker.
pub(crate) fn write_pay_rate(
    rate: &PayRate,
    PayRateContext { base, worker_id }: PayRateContext<'_>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let own = Link::to_self(Href::PayRate { base, worker_id, rate_id: &rate.rate_id });
    serde_json::to_writer(out, &DescribedResource::with_links(rate, vec![own]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::money::{Quantity, Rate};
    use payroll_domain::worker::{RateNumber, RateType};

    #[test]
    fn a_pay_rate_has_its_members_in_order_and_omits_absent_ones() {
        let rate = PayRate {
            rate_id: samples::id("R"),
            rate_number: RateNumber::new(2).unwrap(),
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
        let mut out = Vec::new();
        write_pay_rate(&rate, context, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
