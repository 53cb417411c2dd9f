//! A check of a processed pay period (specification §11.7). The member names of its lines differ from those
//! of [an unprocessed check](super::CheckResource), so the two kinds of checks share no types.

use payroll_domain::check::{OrganizationLabel, ProcessedCheck, ProcessedLine, Section, TaxLine};
use payroll_domain::money::{Amount, Quantity, Rate};
use serde::{Serialize, Serializer};

use super::check::serialize_link_as_list;
use super::link::{Href, Link};
use super::value::{Day, DisplayedText};

/// A check of a processed pay period.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProcessedCheckResource<'a> {
    pay_period_id: &'a str,
    paycheck_id: &'a str,
    worker_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_correlation_id: Option<&'a str>,
    check_date: Day,
    net_pay: DisplayedText<Amount>,
    gross_earnings: DisplayedText<Amount>,
    check_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reversal_of: Option<&'a str>,
    #[serde(skip_serializing_if = "ProcessedCheckSectionLines::is_empty")]
    earnings: ProcessedCheckSectionLines<'a>,
    #[serde(skip_serializing_if = "ProcessedCheckSectionLines::is_empty")]
    deductions: ProcessedCheckSectionLines<'a>,
    #[serde(skip_serializing_if = "ProcessedCheckSectionLines::is_empty")]
    informational: ProcessedCheckSectionLines<'a>,
    #[serde(skip_serializing_if = "Taxes::is_empty")]
    taxes: Taxes<'a>,
    #[serde(serialize_with = "serialize_link_as_list")]
    links: Option<Link<'a>>,
}

impl<'a> ProcessedCheckResource<'a> {
    /// Creates the check with a link that begins with `base`, or without a link.
    pub(crate) fn new(check: &'a ProcessedCheck, base: Option<&'a str>) -> Self {
        let lines = |section| ProcessedCheckSectionLines::in_section(&check.lines, section);
        let (worker_id, paycheck_id) = (&check.worker_id, &check.paycheck_id);
        let own = |base| Link::to_self(Href::Check { base, worker_id, paycheck_id });
        Self {
            pay_period_id: check.pay_period_id.as_str(),
            paycheck_id: paycheck_id.as_str(),
            worker_id: worker_id.as_str(),
            check_correlation_id: check.correlation_id.as_deref(),
            check_date: Day(check.check_date),
            net_pay: DisplayedText(check.net_pay),
            gross_earnings: DisplayedText(check.gross_earnings),
            check_type: &check.check_type,
            check_number: check.check_number.as_deref(),
            reversal_of: check.reversal_of.as_ref().map(|id| id.as_str()),
            earnings: lines(Section::Earnings),
            deductions: lines(Section::Deductions),
            informational: lines(Section::Informational),
            taxes: Taxes::new(&check.taxes),
            links: base.map(own),
        }
    }
}

/// The lines of one section of a processed check, such as the earnings.
#[derive(Debug)]
pub(crate) struct ProcessedCheckSectionLines<'a> {
    lines: &'a [ProcessedLine],
    section: Section,
}

impl<'a> ProcessedCheckSectionLines<'a> {
    pub(crate) const fn in_section(lines: &'a [ProcessedLine], section: Section) -> Self {
        Self { lines, section }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.lines.iter().any(|line| line.section == self.section)
    }
}

impl Serialize for ProcessedCheckSectionLines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = self.lines.iter().filter(|line| line.section == self.section);
        serializer.collect_seq(lines.map(LineResource::new))
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LineResource<'a> {
    component_id: &'a str,
    check_component_id: &'a str,
    name: &'a str,
    classification_type: &'static str,
    effect_on_pay: &'static str,
    memoed: bool,
    amount: DisplayedText<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<DisplayedText<Rate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<DisplayedText<Quantity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<DisplayedText<Quantity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_date: Option<Day>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labor_assignment_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization: Option<OrganizationResource<'a>>,
}

impl<'a> LineResource<'a> {
    fn new(line: &'a ProcessedLine) -> Self {
        Self {
            component_id: line.component.component_id.as_str(),
            check_component_id: line.check_component_id.as_str(),
            name: &line.component.name,
            classification_type: line.component.classification_type.as_str(),
            effect_on_pay: line.component.effect_on_pay.as_str(),
            memoed: line.memoed,
            amount: DisplayedText(line.amount),
            rate: line.rate.map(DisplayedText),
            hours: line.hours.map(DisplayedText),
            units: line.units.map(DisplayedText),
            line_date: line.line_date.map(Day),
            job_id: line.job_id.as_ref().map(|id| id.as_str()),
            labor_assignment_id: line.labor_assignment_id.as_ref().map(|id| id.as_str()),
            organization: line.organization.as_ref().map(OrganizationResource::new),
        }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OrganizationResource<'a> {
    organization_id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<&'a str>,
}

impl<'a> OrganizationResource<'a> {
    fn new(label: &'a OrganizationLabel) -> Self {
        Self {
            organization_id: label.organization_id.as_str(),
            name: &label.name,
            number: label.number.as_deref(),
        }
    }
}

/// The taxes of a check.
#[derive(Debug)]
pub(crate) struct Taxes<'a>(&'a [TaxLine]);

impl<'a> Taxes<'a> {
    pub(crate) const fn new(taxes: &'a [TaxLine]) -> Self {
        Self(taxes)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Taxes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(TaxResource::new))
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TaxResource<'a> {
    name: &'a str,
    paid_by: &'static str,
    amount: DisplayedText<Amount>,
}

impl<'a> TaxResource<'a> {
    fn new(tax: &'a TaxLine) -> Self {
        Self { name: &tax.name, paid_by: tax.paid_by.as_str(), amount: DisplayedText(tax.amount) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn processed_check_has_different_member_names_in_lines() {
        let check = samples::processed_check();
        let json = serde_json::to_string(&ProcessedCheckResource::new(&check, Some("http://h"))).unwrap();
        let expected = concat!(
            r#"{"payPeriodId":"PP","paycheckId":"P1","workerId":"W1","checkDate":"2026-05-12T00:00:00Z","#,
            r#""netPay":"371.67","grossEarnings":"400.00","checkType":"Regular","checkNumber":"1","#,
            r#""earnings":[{"componentId":"HOURLY","checkComponentId":"L1","name":"Hourly","#,
            r#""classificationType":"REGULAR","effectOnPay":"ADDITION","memoed":false,"#,
            r#""amount":"400.00","rate":"20.0000","hours":"20","#,
            r#""organization":{"organizationId":"O1","name":"Ovens","number":"7"}}],"#,
            r#""taxes":[{"name":"Federal Income Tax","paidBy":"EMPLOYEE_WITHHOLDING","amount":"28.33"}],"#,
            r#""links":[{"rel":"self","href":"http://h/workers/W1/checks/P1"}]}"#,
        );
        assert_eq!(json, expected);
    }
}
