//! Rows of the lists that belong to a company.

use payroll_domain::company::{
    CalculationBase, ContactType, CustomEmploymentType, Organization, RelationshipType,
};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use payroll_domain::pay_period::{IntervalCode, PayPeriod, PeriodStatus};
use payroll_domain::worker::WorkerType;

use crate::error::Outcome;
use crate::rows::At;
use crate::table::table;

table! {
    /// A unit of a company.
    struct OrganizationRow in "organizations" key "company_id, organization_id" {
        company_id: text,
        organization_id: text,
        created: int,
        name: text,
        number: text_or_null,
        level: int_or_null,
        parent_organization_id: text_or_null,
        version: int,
    }
}

table! {
    /// A calculation base.
    struct CalculationBaseRow in "calculation_bases" key "company_id, calculation_base_id" {
        company_id: text,
        calculation_base_id: text,
        created: int,
        calculation_base_name: text,
        version: int,
    }
}

table! {
    /// A contact type.
    struct ContactTypeRow in "contact_types" key "company_id, contact_type_id" {
        company_id: text,
        contact_type_id: text,
        created: int,
        contact_type_name: text,
        version: int,
    }
}

table! {
    /// A relationship type of a contact type.
    struct RelationshipTypeRow in "relationship_types"
        key "company_id, contact_type_id, relationship_type_id"
    {
        company_id: text,
        contact_type_id: text,
        relationship_type_id: text,
        position: int,
        relationship_type_name: text,
    }
}

table! {
    /// A custom employment type.
    struct CustomEmploymentTypeRow in "custom_employment_types"
        key "company_id, custom_employment_type_id"
    {
        company_id: text,
        custom_employment_type_id: text,
        created: int,
        custom_employment_type_name: text,
        version: int,
    }
}

table! {
    /// A pay component.
    struct PayComponentRow in "pay_components" key "company_id, component_id" {
        company_id: text,
        component_id: text,
        created: int,
        name: text,
        code: text_or_null,
        classification_type: text,
        description: text_or_null,
        effect_on_pay: text,
        start_date: date_or_null,
        end_date: date_or_null,
        applies_to_worker_types: text,
        overtime: bool,
        required_product: text_or_null,
        version: int,
    }
}

table! {
    /// A pay period.
    struct PayPeriodRow in "pay_periods" key "company_id, pay_period_id" {
        company_id: text,
        pay_period_id: text,
        created: int,
        interval_code: text,
        status: text,
        description: text_or_null,
        start_date: date,
        end_date: date,
        submit_by_date: date_or_null,
        check_date: date,
        check_count: int,
        removed_checks: int,
        version: int,
    }
}

impl OrganizationRow {
    /// A unit as a row.
    pub(crate) fn new(company_id: &str, created: i64, from: &Organization) -> Self {
        Self {
            company_id: company_id.to_owned(),
            organization_id: from.organization_id.to_string(),
            created,
            name: from.name.clone(),
            number: from.number.clone(),
            level: from.level.map(i64::from),
            parent_organization_id: from.parent_organization_id.as_ref().map(ToString::to_string),
            version: created,
        }
    }

    /// What the row means.
    pub(crate) fn organization(self) -> Outcome<Organization> {
        let at = At { table: "organizations", key: &self.organization_id };
        Ok(Organization {
            organization_id: at.id(&self.organization_id)?,
            level: self.level.map(|level| at.number(level)).transpose()?,
            parent_organization_id: at.id_or_none(self.parent_organization_id.as_deref())?,
            name: self.name,
            number: self.number,
        })
    }
}

impl CalculationBaseRow {
    /// A calculation base as a row.
    pub(crate) fn new(company_id: &str, created: i64, from: &CalculationBase) -> Self {
        Self {
            company_id: company_id.to_owned(),
            calculation_base_id: from.calculation_base_id.to_string(),
            created,
            calculation_base_name: from.calculation_base_name.clone(),
            version: created,
        }
    }

    /// What the row means.
    pub(crate) fn calculation_base(self) -> Outcome<CalculationBase> {
        let at = At { table: "calculation_bases", key: &self.calculation_base_id };
        Ok(CalculationBase {
            calculation_base_id: at.id(&self.calculation_base_id)?,
            calculation_base_name: self.calculation_base_name,
        })
    }
}

impl ContactTypeRow {
    /// A contact type as a row.
    pub(crate) fn new(company_id: &str, created: i64, from: &ContactType) -> Self {
        Self {
            company_id: company_id.to_owned(),
            contact_type_id: from.contact_type_id.to_string(),
            created,
            contact_type_name: from.contact_type_name.clone(),
            version: created,
        }
    }

    /// What the row means, with its relationship types.
    pub(crate) fn contact_type(self, relationship_types: Vec<RelationshipType>) -> Outcome<ContactType> {
        let at = At { table: "contact_types", key: &self.contact_type_id };
        Ok(ContactType {
            contact_type_id: at.id(&self.contact_type_id)?,
            contact_type_name: self.contact_type_name,
            relationship_types,
        })
    }
}

impl RelationshipTypeRow {
    /// A relationship type, at its position, as a row.
    pub(crate) fn new(
        company_id: &str,
        contact_type_id: &str,
        position: i64,
        from: &RelationshipType,
    ) -> Self {
        Self {
            company_id: company_id.to_owned(),
            contact_type_id: contact_type_id.to_owned(),
            relationship_type_id: from.relationship_type_id.to_string(),
            position,
            relationship_type_name: from.relationship_type_name.clone(),
        }
    }

    /// What the row means.
    pub(crate) fn relationship_type(self) -> Outcome<RelationshipType> {
        let at = At { table: "relationship_types", key: &self.relationship_type_id };
        Ok(RelationshipType {
            relationship_type_id: at.id(&self.relationship_type_id)?,
            relationship_type_name: self.relationship_type_name,
        })
    }
}

impl CustomEmploymentTypeRow {
    /// A custom employment type as a row.
    pub(crate) fn new(company_id: &str, created: i64, from: &CustomEmploymentType) -> Self {
        Self {
            company_id: company_id.to_owned(),
            custom_employment_type_id: from.custom_employment_type_id.to_string(),
            created,
            custom_employment_type_name: from.custom_employment_type_name.clone(),
            version: created,
        }
    }

    /// What the row means.
    pub(crate) fn custom_employment_type(self) -> Outcome<CustomEmploymentType> {
        let at = At { table: "custom_employment_types", key: &self.custom_employment_type_id };
        Ok(CustomEmploymentType {
            custom_employment_type_id: at.id(&self.custom_employment_type_id)?,
            custom_employment_type_name: self.custom_employment_type_name,
        })
    }
}

impl PayComponentRow {
    /// A pay component as a row.
    pub(crate) fn new(company_id: &str, created: i64, from: &PayComponent) -> Self {
        let types: Vec<&str> = from.applies_to_worker_types.iter().map(|kind| kind.as_str()).collect();
        Self {
            company_id: company_id.to_owned(),
            component_id: from.component_id.to_string(),
            created,
            name: from.name.clone(),
            code: from.code.clone(),
            classification_type: from.classification_type.as_str().to_owned(),
            description: from.description.clone(),
            effect_on_pay: from.effect_on_pay.as_str().to_owned(),
            start_date: from.start_date,
            end_date: from.end_date,
            applies_to_worker_types: types.join(" "),
            overtime: from.overtime,
            required_product: from.required_product.clone(),
            version: created,
        }
    }

    /// What the row means.
    pub(crate) fn pay_component(self) -> Outcome<PayComponent> {
        let at = At { table: "pay_components", key: &self.component_id };
        let types = self.applies_to_worker_types.split_whitespace();
        let types = types.map(|word| at.word(word, WorkerType::parse)).collect::<Outcome<_>>()?;
        Ok(PayComponent {
            component_id: at.id(&self.component_id)?,
            classification_type: at.word(&self.classification_type, ClassificationType::parse)?,
            effect_on_pay: at.word(&self.effect_on_pay, EffectOnPay::parse)?,
            applies_to_worker_types: types,
            name: self.name,
            code: self.code,
            description: self.description,
            start_date: self.start_date,
            end_date: self.end_date,
            overtime: self.overtime,
            required_product: self.required_product,
        })
    }
}

impl PayPeriodRow {
    /// A pay period without checks as a row.
    pub(crate) fn new(company_id: &str, created: i64, from: &PayPeriod) -> Self {
        Self {
            company_id: company_id.to_owned(),
            pay_period_id: from.pay_period_id.to_string(),
            created,
            interval_code: from.interval_code.as_str().to_owned(),
            status: from.status.as_str().to_owned(),
            description: from.description.clone(),
            start_date: from.start_date,
            end_date: from.end_date,
            submit_by_date: from.submit_by_date,
            check_date: from.check_date,
            check_count: 0,
            removed_checks: 0,
            version: created,
        }
    }

    /// How many checks the period has: the count hands out ordinals, also those of checks that are
    /// gone again.
    pub(crate) const fn checks(&self) -> i64 {
        self.check_count - self.removed_checks
    }

    /// What the row means.
    pub(crate) fn pay_period(&self) -> Outcome<PayPeriod> {
        let at = At { table: "pay_periods", key: &self.pay_period_id };
        Ok(PayPeriod {
            pay_period_id: at.id(&self.pay_period_id)?,
            interval_code: at.word(&self.interval_code, IntervalCode::parse)?,
            status: at.word(&self.status, PeriodStatus::parse)?,
            description: self.description.clone(),
            start_date: self.start_date,
            end_date: self.end_date,
            submit_by_date: self.submit_by_date,
            check_date: self.check_date,
        })
    }

    /// Where the period is in its life.
    pub(crate) fn status(&self) -> Outcome<PeriodStatus> {
        let at = At { table: "pay_periods", key: &self.pay_period_id };
        at.word(&self.interval_code, IntervalCode::parse)?;
        at.word(&self.status, PeriodStatus::parse)
    }
}
