//! Rows of the lists that belong to a company.

use payroll_domain::company::{
    CalculationBase, ContactType, CustomEmploymentType, Organization, RelationshipType,
};
use payroll_domain::custom_field::CustomFieldCategory;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::pay_period::{IntervalCode, PayPeriod, PeriodStatus};

use crate::error::Outcome;
use crate::rows::At;
use crate::rows::parts::{PartRow, parts};
use crate::rows::resources::{ResourceRow, resources};
use crate::table::table;

resources! {
    Organization in "organizations" key "company_id, organization_id";
    CalculationBase in "calculation_bases" key "company_id, calculation_base_id";
    CustomEmploymentType in "custom_employment_types" key "company_id, custom_employment_type_id";
    CustomFieldCategory in "custom_field_categories" key "company_id, category_id";
    ContactType in "contact_types" key "company_id, contact_type_id";
    PayComponent in "pay_components" key "company_id, component_id" modified;
}

parts! {
    RelationshipType in "relationship_types" of "contact_type_id" as list
        key "company_id, contact_type_id, relationship_type_id";
}

/// A unit of a company.
pub(crate) type OrganizationRow = ResourceRow<Organization>;
/// A calculation base.
pub(crate) type CalculationBaseRow = ResourceRow<CalculationBase>;
/// A custom employment type.
pub(crate) type CustomEmploymentTypeRow = ResourceRow<CustomEmploymentType>;
/// A category of custom fields.
pub(crate) type CategoryRow = ResourceRow<CustomFieldCategory>;
/// A pay component.
pub(crate) type PayComponentRow = ResourceRow<PayComponent>;
/// A contact type; its relationship types are rows of their own.
pub(crate) type ContactTypeRow = ResourceRow<ContactType>;
/// A relationship type of a contact type.
pub(crate) type RelationshipTypeRow = PartRow<RelationshipType>;

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
        modified: int,
    }
}

impl PayPeriodRow {
    /// The id of the object.
    pub(crate) fn id(&self) -> &str {
        &self.pay_period_id
    }

    /// A pay period without checks as a row.
    pub(crate) fn new(company_id: &str, created: i64, from: &PayPeriod) -> Outcome<Self> {
        Ok(Self {
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
            modified: created,
        })
    }

    /// Says when the period was changed.
    pub(crate) fn set_modified(&mut self, at: i64) {
        self.modified = at;
    }

    /// How many checks the period has: the count hands out ordinals, also those of checks that are
    /// gone again.
    pub(crate) const fn checks(&self) -> i64 {
        self.check_count - self.removed_checks
    }

    /// What the row means.
    pub(crate) fn value(&self) -> Outcome<PayPeriod> {
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
