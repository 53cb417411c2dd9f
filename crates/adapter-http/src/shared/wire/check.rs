//! A check of an unprocessed pay period (specification §11.5, §11.6).

use payroll_domain::check::{Check, Line, OrganizationLabel, Section, StoredCheck};
use payroll_domain::id::CheckComponentId;
use payroll_domain::money::{Amount, Quantity, Rate};
use serde::{Serialize, Serializer};

use super::link::{Href, Link};
use super::value::{Day, DisplayedText, is_false};

/// A stored or previewed check in a response.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckResource<'a> {
    worker_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    paycheck_id: Option<&'a str>,
    pay_period_id: &'a str,
    check_correlation_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reversal_of: Option<&'a str>,
    #[serde(skip_serializing_if = "is_false")]
    block_auto_distribution: bool,
    check_date: Day,
    #[serde(skip_serializing_if = "SectionLines::is_empty")]
    earnings: SectionLines<'a>,
    #[serde(skip_serializing_if = "SectionLines::is_empty")]
    deductions: SectionLines<'a>,
    #[serde(skip_serializing_if = "SectionLines::is_empty")]
    informational: SectionLines<'a>,
    /// The link to the check; `None` for a check without a URL, whose list of links is empty.
    #[serde(serialize_with = "serialize_link_as_list")]
    links: Option<Link<'a>>,
}

impl<'a> CheckResource<'a> {
    /// Creates the resource of a check that is stored or about to be stored. `base` is the start of its link;
    /// `None` if the API has no URL for one check.
    pub(crate) fn from_stored(stored: &'a StoredCheck, base: Option<&'a str>) -> Self {
        let (worker_id, paycheck_id) = (&stored.check.worker_id, &stored.paycheck_id);
        let own = |base| Link::to_self(Href::Check { base, worker_id, paycheck_id });
        Self {
            paycheck_id: Some(paycheck_id.as_str()),
            reversal_of: stored.reversal.as_deref().map(|reversal| reversal.original.as_str()),
            links: base.map(own),
            ..Self::with_ids(&stored.check, &stored.check_component_ids)
        }
    }

    /// Creates the resource of a previewed check, which has no ids and no URL.
    pub(crate) fn from_preview(check: &'a Check) -> Self {
        Self::with_ids(check, &[])
    }

    fn with_ids(check: &'a Check, ids: &'a [CheckComponentId]) -> Self {
        let lines = |section| SectionLines { lines: &check.lines, ids, section };
        Self {
            worker_id: check.worker_id.as_str(),
            paycheck_id: None,
            pay_period_id: check.pay_period_id.as_str(),
            check_correlation_id: &check.correlation_id,
            reversal_of: None,
            block_auto_distribution: check.block_auto_distribution,
            check_date: Day(check.check_date),
            earnings: lines(Section::Earnings),
            deductions: lines(Section::Deductions),
            informational: lines(Section::Informational),
            links: None,
        }
    }
}

pub(super) fn serialize_link_as_list<S: Serializer>(
    link: &Option<Link<'_>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    link.as_slice().serialize(serializer)
}

/// The check lines of one section, such as the earnings.
#[derive(Debug)]
struct SectionLines<'a> {
    lines: &'a [Line],
    /// The ids of the lines. The list is empty if the check is not stored.
    ids: &'a [CheckComponentId],
    section: Section,
}

impl SectionLines<'_> {
    fn is_empty(&self) -> bool {
        !self.lines.iter().any(|line| line.section == self.section)
    }
}

impl Serialize for SectionLines<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids = self.ids.iter().map(Some).chain(std::iter::repeat(None));
        let numbered = self.lines.iter().zip(ids).filter(|(line, _)| line.section == self.section);
        serializer.collect_seq(numbered.map(|(line, id)| LineResource::new(line, id)))
    }
}

/// A line of a check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LineResource<'a> {
    component_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_component_id: Option<&'a str>,
    name: &'a str,
    classification_type: &'static str,
    effect_on_pay: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pay_rate: Option<DisplayedText<Rate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pay_hours: Option<DisplayedText<Quantity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pay_units: Option<DisplayedText<Quantity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pay_amount: Option<DisplayedText<Amount>>,
    memoed: bool,
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
    /// Creates a line. `id` is `None` if the line is not stored.
    pub(crate) fn new(line: &'a Line, id: Option<&'a CheckComponentId>) -> Self {
        Self {
            component_id: line.component.component_id.as_str(),
            check_component_id: id.map(CheckComponentId::as_str),
            name: &line.component.name,
            classification_type: line.component.classification_type.as_str(),
            effect_on_pay: line.component.effect_on_pay.as_str(),
            pay_rate: line.pay_rate.map(DisplayedText),
            pay_hours: line.pay_hours.map(DisplayedText),
            pay_units: line.pay_units.map(DisplayedText),
            pay_amount: line.pay_amount.map(DisplayedText),
            memoed: line.memoed,
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
}

impl<'a> OrganizationResource<'a> {
    fn new(label: &'a OrganizationLabel) -> Self {
        Self { organization_id: label.organization_id.as_str(), name: &label.name }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn a_stored_check_has_its_ids_its_link_and_decimals_as_strings() {
        let check = samples::check();
        let json =
            serde_json::to_string(&CheckResource::from_stored(&check, Some("https://api.example.org")))
                .unwrap();
        let expected = concat!(
            r#"{"workerId":"W1","paycheckId":"P1","payPeriodId":"PP","checkCorrelationId":"a\"1","#,
            r#""checkDate":"2026-05-12T00:00:00Z","earnings":[{"componentId":"HOURLY","#,
            r#""checkComponentId":"L1","name":"Hourly","classificationType":"REGULAR","#,
            r#""effectOnPay":"ADDITION","payRate":"20.0000","payHours":"8","memoed":false,"#,
            r#""lineDate":"2026-05-04T00:00:00Z","jobId":"J1","laborAssignmentId":"A1","#,
            r#""organization":{"organizationId":"O1","name":"Ovens"}}],"informational":["#,
            r#"{"componentId":"HOURLY","checkComponentId":"L2","name":"Hourly","#,
            r#""classificationType":"REGULAR","effectOnPay":"ADDITION","payUnits":"2.5","#,
            r#""payAmount":"120.50","memoed":true}],"links":[{"rel":"self","#,
            r#""href":"https://api.example.org/workers/W1/checks/P1"}]}"#,
        );
        assert_eq!(json, expected);
    }

    #[test]
    fn a_check_that_is_not_stored_has_no_ids_and_no_links() {
        let check = samples::check().check;
        let json = serde_json::to_value(CheckResource::from_preview(&check)).unwrap();
        assert!(json.get("paycheckId").is_none() && json["earnings"][0].get("checkComponentId").is_none());
        assert_eq!(json["links"], serde_json::json!([]));
    }

    #[test]
    fn automatic_distribution_is_shown_only_if_it_is_blocked() {
        let mut check = samples::check();
        let shown = |check: &StoredCheck| {
            let json = serde_json::to_value(CheckResource::from_stored(check, None)).unwrap();
            json.get("blockAutoDistribution").cloned()
        };
        assert_eq!(shown(&check), None);
        check.check.block_auto_distribution = true;
        assert_eq!(shown(&check), Some(true.into()));
    }
}
