//! A pay period (specification §11.12). The number of its checks comes after the other members.

use payroll_domain::description::{MemberSource, MemberValue, MemberView};
use payroll_domain::id::CompanyId;
use payroll_ports::setup::PeriodWithCheckCount;

use crate::shared::wire::described_resource::DescribedResource;
use crate::shared::wire::link::{Href, Link};

/// Writes a pay period of this company. `base` is the base URL of links.
pub(crate) fn write_pay_period(
    counted: &PeriodWithCheckCount,
    base: &str,
    company_id: &CompanyId,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let id = counted.period.pay_period_id.as_str();
    let own = Link::to_self(Href::InCompany { base, company_id, list: "payperiods", id });
    serde_json::to_writer(out, &DescribedResource::with_links(&CountedPeriodResource(counted), vec![own]))
}

struct CountedPeriodResource<'a>(&'a PeriodWithCheckCount);

impl MemberSource for CountedPeriodResource<'_> {
    fn visit_members(&self, view: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
        self.0.period.visit_members(view, show);
        show("checkCount", MemberValue::Number(self.0.check_count.try_into().unwrap_or(i64::MAX)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples;
    use payroll_domain::pay_period::{IntervalCode, PayPeriod, PeriodStatus};

    #[test]
    fn a_pay_period_has_its_members_in_order_and_omits_absent_ones() {
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
        let counted = PeriodWithCheckCount { period, check_count: 3 };
        let expected = concat!(
            r#"{"payPeriodId":"PP","intervalCode":"BI_WEEKLY","status":"ENTRY","#,
            r#""startDate":"2026-05-04T00:00:00Z","endDate":"2026-05-17T00:00:00Z","#,
            r#""checkDate":"2026-05-22T00:00:00Z","checkCount":3,"#,
            r#""links":[{"rel":"self","href":"http://h/companies/ACME/payperiods/PP"}]}"#,
        );
        let acme = samples::id("ACME");
        let mut out = Vec::new();
        write_pay_period(&counted, "http://h", &acme, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
