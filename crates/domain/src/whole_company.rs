//! A company with everything in it, as it is imported.

use crate::check::ProcessedCheck;
use crate::company::{
    CalculationBase, Company, ContactType, CustomEmploymentType, Lock, Organization, Product,
};
use crate::custom_field::{CustomField, CustomFieldCategory};
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;
use crate::worker::Worker;

/// A company with everything in it, as one line of an import file holds it.
///
/// What is `None` was absent from the file and stays as it is stored; in a list, each object
/// replaces the stored one of its id whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeCompany {
    /// The company itself.
    pub company: Company,
    /// Its products; the list is replaced whole.
    pub products: Option<Vec<Product>>,
    /// Its lock.
    pub lock: Option<Lock>,
    /// Its units.
    pub organizations: Vec<Organization>,
    /// Its contact types.
    pub contact_types: Vec<ContactType>,
    /// Its custom employment types.
    pub custom_employment_types: Vec<CustomEmploymentType>,
    /// Its categories of custom fields.
    pub custom_field_categories: Vec<CustomFieldCategory>,
    /// Its custom fields.
    pub custom_fields: Vec<CustomField>,
    /// Its calculation bases.
    pub calculation_bases: Vec<CalculationBase>,
    /// Its pay components.
    pub pay_components: Vec<PayComponent>,
    /// Its pay periods, processed ones with their checks.
    pub pay_periods: Vec<ImportedPeriod>,
    /// Its workers.
    pub workers: Vec<Worker>,
}

/// A pay period of an import file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedPeriod {
    /// The period.
    pub period: PayPeriod,
    /// The checks of a processed period.
    pub processed_checks: Vec<ProcessedCheck>,
}
