//! A pay period (specification §11.12).

use payroll_domain::id::CompanyId;
use payroll_ports::setup::CountedPeriod;
use serde::Serialize;

use crate::shared::wire::link::{Href, Link};
use crate::shared::wire::value::Day;

/// A pay period.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PayPeriodResource<'a> {
    pay_period_id: &'a str,
    interval_code: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    start_date: Day,
    end_date: Day,
    #[serde(skip_serializing_if = "Option::is_none")]
    submit_by_date: Option<Day>,
    check_date: Day,
    check_count: u64,
    links: [Link<'a>; 1],
}

impl<'a> PayPeriodResource<'a> {
    /// The period of that company; `base` is the address that links begin with.
    pub(crate) fn new(counted: &'a CountedPeriod, base: &'a str, company_id: &'a CompanyId) -> Self {
        let period = &counted.period;
        let id = period.pay_period_id.as_str();
        Self {
            pay_period_id: id,
            interval_code: period.interval_code.as_str(),
            status: period.status.as_str(),
            description: period.description.as_deref(),
            start_date: Day(period.start_date),
            end_date: Day(period.end_date),
            submit_by_date: period.submit_by_date.map(Day),
            check_date: Day(period.check_date),
            check_count: counted.check_count,
            links: [Link::own(Href::InCompany { base, company_id, list: "payperiods", id })],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::pay_period::{IntervalCode, PayPeriod, PeriodStatus};

    #[test]
    fn a_pay_period_shows_its_members_in_order_and_leaves_out_what_it_lacks() {
        let period = PayPeriod {
            pay_period_id: samples::id("PP"),
            interval_code: IntervalCode::BiWeekly,
            status: PeriodStatus::Entry,
            description: None,
            start_date: samples::day("2026-05-04"),
            end_date: samples::day("2026-05-17"),
            submit_by_date: None,
            check_date: samples::day("2026-05-22"),
        };
        let counted = CountedPeriod { period, check_count: 3 };
        let expected = concat!(
            r#"{"payPeriodId":"PP","intervalCode":"BI_WEEKLY","status":"ENTRY","#,
            r#""startDate":"2026-05-04T00:00:00Z","endDate":"2026-05-17T00:00:00Z","#,
            r#""checkDate":"2026-05-22T00:00:00Z","checkCount":3,"#,
            r#""links":[{"rel":"self","href":"http://h/companies/ACME/payperiods/PP"}]}"#,
        );
        let acme = samples::id("ACME");
        let json = serde_json::to_string(&PayPeriodResource::new(&counted, "http://h", &acme));
        assert_eq!(json.unwrap(), expected);
    }
}
