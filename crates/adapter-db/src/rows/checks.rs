//! Rows of checks, their lines and their taxes.

use payroll_domain::check::{
    Check, ComponentLabel, Line, OrganizationLabel, PaidBy, ProcessedCheck, ProcessedLine, Section,
    StoredCheck, TaxLine,
};
use payroll_domain::date::Date;
use payroll_domain::id::{CheckComponentId, PayPeriodId};
use payroll_domain::money::{Amount, Quantity};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_ports::periods::StagedCheck;

use crate::error::Outcome;
use crate::rows::{At, ten_thousandths};
use crate::table::table;

table! {
    /// A check. The ordinal is its place in the period, from 1.
    struct CheckRow in "checks" key "company_id, pay_period_id, ordinal" {
        company_id: text,
        pay_period_id: text,
        ordinal: int,
        paycheck_id: text,
        worker_id: text,
        application_id: text,
        correlation_id: text_or_null,
        block_auto_distribution: bool,
        net_pay: int_or_null,
        gross_earnings: int_or_null,
        check_type: text_or_null,
        check_number: text_or_null,
    }
}

table! {
    /// A line of a check.
    struct LineRow in "check_lines" key "company_id, pay_period_id, ordinal, line" {
        company_id: text,
        pay_period_id: text,
        ordinal: int,
        line: int,
        check_component_id: text,
        section: text,
        component_id: text,
        name: text,
        classification_type: text,
        effect_on_pay: text,
        memoed: bool,
        rate: int_or_null,
        hours: int_or_null,
        units: int_or_null,
        amount: int_or_null,
        line_date: date_or_null,
        job_id: text_or_null,
        labor_assignment_id: text_or_null,
        organization_id: text_or_null,
        organization_name: text_or_null,
        organization_number: text_or_null,
        of_completion: bool,
    }
}

table! {
    /// What completing writes into a check. The id alone finds it, by an index of which any planner
    /// knows that it is unique; beside the columns of the primary key it takes one that is not.
    struct StagedRow in "checks" key "paycheck_id" {
        paycheck_id: text,
        net_pay: int,
        gross_earnings: int,
        check_type: text,
        check_number: text_or_null,
    }
}

table! {
    /// A tax of a processed check.
    struct TaxRow in "check_taxes" key "company_id, pay_period_id, ordinal, line" {
        company_id: text,
        pay_period_id: text,
        ordinal: int,
        line: int,
        name: text,
        amount: int,
        paid_by: text,
    }
}

/// Where a check is: the first three columns of its rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'p> {
    pub(crate) company_id: &'p str,
    pub(crate) pay_period_id: &'p str,
    pub(crate) ordinal: i64,
}

impl CheckRow {
    /// A check of an application as a row.
    pub(crate) fn new(place: Place<'_>, application_id: &str, from: &StoredCheck) -> Self {
        Self {
            company_id: place.company_id.to_owned(),
            pay_period_id: place.pay_period_id.to_owned(),
            ordinal: place.ordinal,
            paycheck_id: from.paycheck_id.to_string(),
            worker_id: from.check.worker_id.to_string(),
            application_id: application_id.to_owned(),
            correlation_id: Some(from.check.correlation_id.clone()),
            block_auto_distribution: from.check.block_auto_distribution,
            net_pay: None,
            gross_earnings: None,
            check_type: None,
            check_number: None,
        }
    }

    /// A processed check of an import as a row.
    pub(crate) fn processed(place: Place<'_>, from: &ProcessedCheck) -> Outcome<Self> {
        Ok(Self {
            company_id: place.company_id.to_owned(),
            pay_period_id: place.pay_period_id.to_owned(),
            ordinal: place.ordinal,
            paycheck_id: from.paycheck_id.to_string(),
            worker_id: from.worker_id.to_string(),
            application_id: String::new(),
            correlation_id: from.correlation_id.clone(),
            block_auto_distribution: false,
            net_pay: Some(ten_thousandths(from.net_pay.to_ten_thousandths())?),
            gross_earnings: Some(ten_thousandths(from.gross_earnings.to_ten_thousandths())?),
            check_type: Some(from.check_type.clone()),
            check_number: from.check_number.clone(),
        })
    }

    /// What the row means in an unprocessed period.
    pub(crate) fn stored_check(
        self,
        pay_period_id: &PayPeriodId,
        check_date: Date,
        lines: Vec<LineRow>,
    ) -> Outcome<StoredCheck> {
        let at = At { table: "checks", key: &self.paycheck_id };
        let correlation_id = self.correlation_id.clone();
        let correlation_id =
            correlation_id.ok_or_else(|| at.corrupt("an open check has no correlation id"))?;
        let check_component_ids = lines.iter().map(LineRow::id).collect::<Outcome<_>>()?;
        Ok(StoredCheck {
            paycheck_id: at.id(&self.paycheck_id)?,
            check_component_ids,
            check: Check {
                worker_id: at.id(&self.worker_id)?,
                pay_period_id: pay_period_id.clone(),
                correlation_id,
                block_auto_distribution: self.block_auto_distribution,
                check_date,
                lines: lines.into_iter().map(LineRow::line).collect::<Outcome<_>>()?,
            },
        })
    }

    /// What the row means in a processed period.
    pub(crate) fn processed_check(
        self,
        pay_period_id: &PayPeriodId,
        check_date: Date,
        lines: Vec<LineRow>,
        taxes: Vec<TaxRow>,
    ) -> Outcome<ProcessedCheck> {
        let at = At { table: "checks", key: &self.paycheck_id };
        let amount = |stored: Option<i64>| {
            at.amount(stored.ok_or_else(|| at.corrupt("a processed check has no pay"))?)
        };
        let lines = lines.into_iter().map(LineRow::processed_line).collect::<Outcome<_>>()?;
        let check_type = self.check_type.clone();
        Ok(ProcessedCheck {
            paycheck_id: at.id(&self.paycheck_id)?,
            worker_id: at.id(&self.worker_id)?,
            pay_period_id: pay_period_id.clone(),
            correlation_id: self.correlation_id.clone(),
            check_date,
            net_pay: amount(self.net_pay)?,
            gross_earnings: amount(self.gross_earnings)?,
            check_type: check_type.ok_or_else(|| at.corrupt("a processed check has no type"))?,
            check_number: self.check_number.clone(),
            lines,
            taxes: taxes.into_iter().map(TaxRow::tax_line).collect::<Outcome<_>>()?,
        })
    }
}

impl StagedRow {
    /// What a check comes to, as a row.
    pub(crate) fn new(from: &StagedCheck) -> Outcome<Self> {
        Ok(Self {
            paycheck_id: from.paycheck_id.to_string(),
            net_pay: ten_thousandths(from.pay.net_pay.to_ten_thousandths())?,
            gross_earnings: ten_thousandths(from.pay.gross_earnings.to_ten_thousandths())?,
            check_type: from.check_type.clone(),
            check_number: from.check_number.clone(),
        })
    }
}

/// What the lines of both kinds of check have in common.
struct Common<'l> {
    id: &'l CheckComponentId,
    section: Section,
    component: &'l ComponentLabel,
    memoed: bool,
    numbers: [Option<i64>; 4],
    line_date: Option<Date>,
    job_id: Option<String>,
    labor_assignment_id: Option<String>,
    organization: Option<&'l OrganizationLabel>,
}

impl LineRow {
    /// A line of a check as a row.
    pub(crate) fn new(place: Place<'_>, line: i64, id: &CheckComponentId, from: &Line) -> Outcome<Self> {
        let common = Common {
            id,
            section: from.section,
            component: &from.component,
            memoed: from.memoed,
            numbers: [
                from.pay_rate.map(|rate| ten_thousandths(rate.to_ten_thousandths())).transpose()?,
                quantity(from.pay_hours)?,
                quantity(from.pay_units)?,
                from.pay_amount.map(|amount| ten_thousandths(amount.to_ten_thousandths())).transpose()?,
            ],
            line_date: from.line_date,
            job_id: from.job_id.as_ref().map(ToString::to_string),
            labor_assignment_id: from.labor_assignment_id.as_ref().map(ToString::to_string),
            organization: from.organization.as_ref(),
        };
        Ok(Self::of(place, line, common))
    }

    /// A deduction that came with the completion, as a row.
    pub(crate) fn of_completion(place: Place<'_>, line: i64, from: &ProcessedLine) -> Outcome<Self> {
        Ok(Self { of_completion: true, ..Self::processed(place, line, from)? })
    }

    /// A line of a processed check as a row.
    pub(crate) fn processed(place: Place<'_>, line: i64, from: &ProcessedLine) -> Outcome<Self> {
        let common = Common {
            id: &from.check_component_id,
            section: from.section,
            component: &from.component,
            memoed: from.memoed,
            numbers: [
                from.rate.map(|rate| ten_thousandths(rate.to_ten_thousandths())).transpose()?,
                quantity(from.hours)?,
                quantity(from.units)?,
                Some(ten_thousandths(from.amount.to_ten_thousandths())?),
            ],
            line_date: from.line_date,
            job_id: from.job_id.as_ref().map(ToString::to_string),
            labor_assignment_id: from.labor_assignment_id.as_ref().map(ToString::to_string),
            organization: from.organization.as_ref(),
        };
        Ok(Self::of(place, line, common))
    }

    fn of(place: Place<'_>, line: i64, from: Common<'_>) -> Self {
        let [rate, hours, units, amount] = from.numbers;
        Self {
            company_id: place.company_id.to_owned(),
            pay_period_id: place.pay_period_id.to_owned(),
            ordinal: place.ordinal,
            line,
            check_component_id: from.id.to_string(),
            section: from.section.as_str().to_owned(),
            component_id: from.component.component_id.to_string(),
            name: from.component.name.clone(),
            classification_type: from.component.classification_type.as_str().to_owned(),
            effect_on_pay: from.component.effect_on_pay.as_str().to_owned(),
            memoed: from.memoed,
            rate,
            hours,
            units,
            amount,
            line_date: from.line_date,
            job_id: from.job_id,
            labor_assignment_id: from.labor_assignment_id,
            organization_id: from.organization.map(|unit| unit.organization_id.to_string()),
            organization_name: from.organization.map(|unit| unit.name.clone()),
            organization_number: from.organization.and_then(|unit| unit.number.clone()),
            of_completion: false,
        }
    }

    fn at(&self) -> At<'_> {
        At { table: "check_lines", key: &self.check_component_id }
    }

    fn id(&self) -> Outcome<CheckComponentId> {
        self.at().id(&self.check_component_id)
    }

    fn label(&self) -> Outcome<ComponentLabel> {
        let at = self.at();
        Ok(ComponentLabel {
            component_id: at.id(&self.component_id)?,
            name: self.name.clone(),
            classification_type: at.word(&self.classification_type, ClassificationType::parse)?,
            effect_on_pay: at.word(&self.effect_on_pay, EffectOnPay::parse)?,
        })
    }

    fn organization(&self) -> Outcome<Option<OrganizationLabel>> {
        let Some(id) = self.organization_id.as_deref() else { return Ok(None) };
        Ok(Some(OrganizationLabel {
            organization_id: self.at().id(id)?,
            name: self.organization_name.clone().unwrap_or_default(),
            number: self.organization_number.clone(),
        }))
    }

    fn line(self) -> Outcome<Line> {
        let at = self.at();
        Ok(Line {
            section: at.word(&self.section, Section::parse)?,
            component: self.label()?,
            pay_rate: at.rate_or_none(self.rate)?,
            pay_hours: at.quantity_or_none(self.hours)?,
            pay_units: at.quantity_or_none(self.units)?,
            pay_amount: at.amount_or_none(self.amount)?,
            memoed: self.memoed,
            line_date: self.line_date,
            job_id: at.id_or_none(self.job_id.as_deref())?,
            labor_assignment_id: at.id_or_none(self.labor_assignment_id.as_deref())?,
            organization: self.organization()?,
        })
    }

    /// What the line comes to: a line that was added with hours or units is stored without it.
    fn amount(&self) -> Outcome<Amount> {
        let at = self.at();
        if let Some(amount) = at.amount_or_none(self.amount)? {
            return Ok(amount);
        }
        let quantity = at.quantity_or_none(self.hours.or(self.units))?;
        let computed = quantity.zip(at.rate_or_none(self.rate)?).and_then(|(of, rate)| Amount::of(of, rate));
        computed.ok_or_else(|| at.corrupt("a line comes to no amount"))
    }

    fn processed_line(self) -> Outcome<ProcessedLine> {
        let at = self.at();
        Ok(ProcessedLine {
            section: at.word(&self.section, Section::parse)?,
            check_component_id: self.id()?,
            component: self.label()?,
            memoed: self.memoed,
            amount: self.amount()?,
            rate: at.rate_or_none(self.rate)?,
            hours: at.quantity_or_none(self.hours)?,
            units: at.quantity_or_none(self.units)?,
            line_date: self.line_date,
            job_id: at.id_or_none(self.job_id.as_deref())?,
            labor_assignment_id: at.id_or_none(self.labor_assignment_id.as_deref())?,
            organization: self.organization()?,
        })
    }
}

impl TaxRow {
    /// A tax of a processed check as a row.
    pub(crate) fn new(place: Place<'_>, line: i64, from: &TaxLine) -> Outcome<Self> {
        Ok(Self {
            company_id: place.company_id.to_owned(),
            pay_period_id: place.pay_period_id.to_owned(),
            ordinal: place.ordinal,
            line,
            name: from.name.clone(),
            amount: ten_thousandths(from.amount.to_ten_thousandths())?,
            paid_by: from.paid_by.as_str().to_owned(),
        })
    }

    fn tax_line(self) -> Outcome<TaxLine> {
        let at = At { table: "check_taxes", key: &self.pay_period_id };
        Ok(TaxLine {
            amount: at.amount(self.amount)?,
            paid_by: at.word(&self.paid_by, PaidBy::parse)?,
            name: self.name,
        })
    }
}

fn quantity(quantity: Option<Quantity>) -> Outcome<Option<i64>> {
    quantity.map(|quantity| ten_thousandths(quantity.to_ten_thousandths())).transpose()
}
