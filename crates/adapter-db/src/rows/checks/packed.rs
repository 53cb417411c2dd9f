//! The stored form of a check's lines and taxes: JSON in the check's own row.
//!
//! A line is never read without its check, so it needs no row, key or index entry of its own. The members
//! have the names of the API. Money, hours and rates are integers in ten-thousandths, as in columns. Absent
//! members are omitted.
//!
//! Equal lines always have the same text. Checks can therefore be compared, and ids can be searched, without
//! parsing the JSON.

use std::borrow::Cow;

use payroll_domain::check::{
    ComponentLabel, Line, OrganizationLabel, PaidBy, ProcessedLine, Section, TaxLine,
};
use payroll_domain::date::{Date, parse_date};
use payroll_domain::id::CheckComponentId;
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use serde::{Deserialize, Serialize};

use crate::error::{Failure, Outcome};
use crate::rows::{RowLocation, require_ten_thousandths};

/// A line of a check. Ids and enumeration values contain no characters that JSON escapes, so the fields can
/// borrow from the JSON text.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PackedLine<'l> {
    pub(crate) check_component_id: &'l str,
    pub(crate) section: &'l str,
    pub(crate) component_id: &'l str,
    pub(crate) name: Cow<'l, str>,
    pub(crate) classification_type: &'l str,
    pub(crate) effect_on_pay: &'l str,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) memoed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rate: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hours: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) units: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) amount: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line_date: Option<Cow<'l, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) job_id: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) labor_assignment_id: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) organization_id: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) organization_name: Option<Cow<'l, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) organization_number: Option<Cow<'l, str>>,
}

/// A tax of a processed check.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PackedTax<'t> {
    pub(crate) name: Cow<'t, str>,
    pub(crate) amount: i64,
    pub(crate) paid_by: &'t str,
}

/// The data that the completion or the import adds to a processed check.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PackedCompletion<'c> {
    #[serde(borrow)]
    pub(crate) deductions: Vec<PackedLine<'c>>,
    #[serde(borrow)]
    pub(crate) taxes: Vec<PackedTax<'c>>,
}

/// Returns the JSON text of a value.
pub(super) fn to_json(packed: &impl Serialize) -> Outcome<String> {
    serde_json::to_string(packed).map_err(|error| Failure::Bug(format!("a check cannot be packed: {error}")))
}

/// Reads a value from its JSON text.
pub(super) fn from_json<'t, T: Deserialize<'t>>(at: RowLocation<'_>, text: &'t str) -> Outcome<T> {
    serde_json::from_str(text)
        .map_err(|error| at.corruption_failure(format!("its lines cannot be read: {error}")))
}

impl<'l> PackedLine<'l> {
    /// Packs a line of a check that an application added.
    pub(super) fn from_line(id: &'l CheckComponentId, from: &'l Line) -> Outcome<Self> {
        let empty = Self::from_component_and_organization(
            id,
            from.section,
            &from.component,
            from.organization.as_ref(),
        );
        Ok(Self {
            memoed: from.memoed,
            rate: from.pay_rate.map(Rate::to_ten_thousandths).map(require_ten_thousandths).transpose()?,
            hours: to_stored_quantity(from.pay_hours)?,
            units: to_stored_quantity(from.pay_units)?,
            amount: from
                .pay_amount
                .map(Amount::to_ten_thousandths)
                .map(require_ten_thousandths)
                .transpose()?,
            line_date: from.line_date.map(|date| date.to_string().into()),
            job_id: from.job_id.as_ref().map(|id| id.as_str()),
            labor_assignment_id: from.labor_assignment_id.as_ref().map(|id| id.as_str()),
            ..empty
        })
    }

    /// Packs a line of a processed check.
    pub(super) fn from_processed_line(from: &'l ProcessedLine) -> Outcome<Self> {
        let id = &from.check_component_id;
        let empty = Self::from_component_and_organization(
            id,
            from.section,
            &from.component,
            from.organization.as_ref(),
        );
        Ok(Self {
            memoed: from.memoed,
            rate: from.rate.map(Rate::to_ten_thousandths).map(require_ten_thousandths).transpose()?,
            hours: to_stored_quantity(from.hours)?,
            units: to_stored_quantity(from.units)?,
            amount: Some(require_ten_thousandths(from.amount.to_ten_thousandths())?),
            line_date: from.line_date.map(|date| date.to_string().into()),
            job_id: from.job_id.as_ref().map(|id| id.as_str()),
            labor_assignment_id: from.labor_assignment_id.as_ref().map(|id| id.as_str()),
            ..empty
        })
    }

    fn from_component_and_organization(
        id: &'l CheckComponentId,
        section: Section,
        component: &'l ComponentLabel,
        organization: Option<&'l OrganizationLabel>,
    ) -> Self {
        Self {
            check_component_id: id.as_str(),
            section: section.as_str(),
            component_id: component.component_id.as_str(),
            name: component.name.as_str().into(),
            classification_type: component.classification_type.as_str(),
            effect_on_pay: component.effect_on_pay.as_str(),
            memoed: false,
            rate: None,
            hours: None,
            units: None,
            amount: None,
            line_date: None,
            job_id: None,
            labor_assignment_id: None,
            organization_id: organization.map(|unit| unit.organization_id.as_str()),
            organization_name: organization.map(|unit| unit.name.as_str().into()),
            organization_number: organization.and_then(|unit| unit.number.as_deref()).map(Cow::from),
        }
    }

    /// Returns the id of the line.
    pub(super) fn parse_id(&self, at: RowLocation<'_>) -> Outcome<CheckComponentId> {
        at.parse_id(self.check_component_id)
    }

    /// Converts the packed form to a line of an unprocessed period.
    pub(super) fn into_line(self, at: RowLocation<'_>) -> Outcome<Line> {
        Ok(Line {
            section: at.parse_text(self.section, Section::parse)?,
            organization: self.read_organization(at)?,
            pay_rate: at.read_optional_rate(self.rate)?,
            pay_hours: at.read_optional_quantity(self.hours)?,
            pay_units: at.read_optional_quantity(self.units)?,
            pay_amount: at.read_optional_amount(self.amount)?,
            memoed: self.memoed,
            line_date: self.read_line_date(at)?,
            job_id: at.parse_optional_id(self.job_id)?,
            labor_assignment_id: at.parse_optional_id(self.labor_assignment_id)?,
            component: self.into_component_label(at)?,
        })
    }

    /// Converts the packed form to a line of a processed period.
    pub(super) fn into_processed_line(self, at: RowLocation<'_>) -> Outcome<ProcessedLine> {
        Ok(ProcessedLine {
            section: at.parse_text(self.section, Section::parse)?,
            check_component_id: self.parse_id(at)?,
            organization: self.read_organization(at)?,
            memoed: self.memoed,
            amount: self.read_amount(at)?,
            rate: at.read_optional_rate(self.rate)?,
            hours: at.read_optional_quantity(self.hours)?,
            units: at.read_optional_quantity(self.units)?,
            line_date: self.read_line_date(at)?,
            job_id: at.parse_optional_id(self.job_id)?,
            labor_assignment_id: at.parse_optional_id(self.labor_assignment_id)?,
            component: self.into_component_label(at)?,
        })
    }

    /// Returns the amount of the line. A line with hours or units is stored without an amount. Its amount is
    /// computed from the rate.
    fn read_amount(&self, at: RowLocation<'_>) -> Outcome<Amount> {
        if let Some(amount) = at.read_optional_amount(self.amount)? {
            return Ok(amount);
        }
        let quantity = at.read_optional_quantity(self.hours.or(self.units))?;
        let computed = quantity
            .zip(at.read_optional_rate(self.rate)?)
            .and_then(|(of, rate)| Amount::from_quantity_and_rate(of, rate));
        computed.ok_or_else(|| at.corruption_failure("the amount of a line cannot be computed"))
    }

    fn read_line_date(&self, at: RowLocation<'_>) -> Outcome<Option<Date>> {
        let date = |text| parse_date(text).map_err(|_| at.corruption_failure("a date is malformed"));
        self.line_date.as_deref().map(date).transpose()
    }

    fn read_organization(&self, at: RowLocation<'_>) -> Outcome<Option<OrganizationLabel>> {
        let Some(id) = self.organization_id else { return Ok(None) };
        Ok(Some(OrganizationLabel {
            organization_id: at.parse_id(id)?,
            name: self.organization_name.as_deref().unwrap_or_default().to_owned(),
            number: self.organization_number.as_deref().map(str::to_owned),
        }))
    }

    fn into_component_label(self, at: RowLocation<'_>) -> Outcome<ComponentLabel> {
        Ok(ComponentLabel {
            component_id: at.parse_id(self.component_id)?,
            name: self.name.into_owned(),
            classification_type: at.parse_text(self.classification_type, ClassificationType::parse)?,
            effect_on_pay: at.parse_text(self.effect_on_pay, EffectOnPay::parse)?,
        })
    }
}

impl<'t> PackedTax<'t> {
    /// Packs a tax of a processed check.
    pub(super) fn new(from: &'t TaxLine) -> Outcome<Self> {
        Ok(Self {
            name: from.name.as_str().into(),
            amount: require_ten_thousandths(from.amount.to_ten_thousandths())?,
            paid_by: from.paid_by.as_str(),
        })
    }

    /// Returns the tax line of the packed form.
    pub(super) fn into_tax_line(self, at: RowLocation<'_>) -> Outcome<TaxLine> {
        Ok(TaxLine {
            amount: at.read_amount(self.amount)?,
            paid_by: at.parse_text(self.paid_by, PaidBy::parse)?,
            name: self.name.into_owned(),
        })
    }
}

fn to_stored_quantity(quantity: Option<Quantity>) -> Outcome<Option<i64>> {
    quantity.map(|quantity| require_ten_thousandths(quantity.to_ten_thousandths())).transpose()
}
