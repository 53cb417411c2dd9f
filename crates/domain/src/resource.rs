//! What an operator writes, whatever it is: one type for every object of a company.
//!
//! The same few steps serve all of them: read a document into a [`Resource`], compare it with the
//! stored one, say what has happened ([`event`](crate::event)), and write both down.

use crate::company::{CalculationBase, Company, ContactType, CustomEmploymentType, Organization, Product};
use crate::custom_field::{CustomField, CustomFieldCategory};
use crate::named::named;
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;
use crate::worker::Worker;

named! {
    /// The kinds of objects that an operator keeps.
    ResourceKind {
        /// A company with its products.
        Company = "company",
        /// A unit of a company.
        Organization = "organization",
        /// A contact type.
        ContactType = "contactType",
        /// A custom employment type.
        CustomEmploymentType = "customEmploymentType",
        /// A category of custom fields.
        CustomFieldCategory = "customFieldCategory",
        /// A custom field.
        CustomField = "customField",
        /// A calculation base.
        CalculationBase = "calculationBase",
        /// A pay component.
        PayComponent = "payComponent",
        /// A pay period.
        PayPeriod = "payPeriod",
        /// A worker with everything that belongs to them.
        Worker = "worker",
    }
}

/// A company with what is written together with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyRecord {
    /// The company.
    pub company: Company,
    /// Its products.
    pub products: Vec<Product>,
}

/// An object that an operator keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resource {
    /// A company with its products.
    Company(Box<CompanyRecord>),
    /// A unit of a company.
    Organization(Organization),
    /// A contact type.
    ContactType(ContactType),
    /// A custom employment type.
    CustomEmploymentType(CustomEmploymentType),
    /// A category of custom fields.
    CustomFieldCategory(CustomFieldCategory),
    /// A custom field.
    CustomField(Box<CustomField>),
    /// A calculation base.
    CalculationBase(CalculationBase),
    /// A pay component.
    PayComponent(Box<PayComponent>),
    /// A pay period.
    PayPeriod(Box<PayPeriod>),
    /// A worker with everything that belongs to them.
    Worker(Box<Worker>),
}

impl Resource {
    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> ResourceKind {
        match self {
            Self::Company(_) => ResourceKind::Company,
            Self::Organization(_) => ResourceKind::Organization,
            Self::ContactType(_) => ResourceKind::ContactType,
            Self::CustomEmploymentType(_) => ResourceKind::CustomEmploymentType,
            Self::CustomFieldCategory(_) => ResourceKind::CustomFieldCategory,
            Self::CustomField(_) => ResourceKind::CustomField,
            Self::CalculationBase(_) => ResourceKind::CalculationBase,
            Self::PayComponent(_) => ResourceKind::PayComponent,
            Self::PayPeriod(_) => ResourceKind::PayPeriod,
            Self::Worker(_) => ResourceKind::Worker,
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Company(it) => it.company.company_id.as_str(),
            Self::Organization(it) => it.organization_id.as_str(),
            Self::ContactType(it) => it.contact_type_id.as_str(),
            Self::CustomEmploymentType(it) => it.custom_employment_type_id.as_str(),
            Self::CustomFieldCategory(it) => it.category_id.as_str(),
            Self::CustomField(it) => it.custom_field_id.as_str(),
            Self::CalculationBase(it) => it.calculation_base_id.as_str(),
            Self::PayComponent(it) => it.component_id.as_str(),
            Self::PayPeriod(it) => it.pay_period_id.as_str(),
            Self::Worker(it) => it.worker_id.as_str(),
        }
    }
}

impl ResourceKind {
    /// The member that holds its id in its document.
    #[must_use]
    pub const fn id_member(self) -> &'static str {
        match self {
            Self::Company => "companyId",
            Self::Organization => "organizationId",
            Self::ContactType => "contactTypeId",
            Self::CustomEmploymentType => "customEmploymentTypeId",
            Self::CustomFieldCategory => "categoryId",
            Self::CustomField => "customFieldId",
            Self::CalculationBase => "calculationBaseId",
            Self::PayComponent => "componentId",
            Self::PayPeriod => "payPeriodId",
            Self::Worker => "workerId",
        }
    }
}
