//! A company with everything in it, as it is imported.

use crate::check::ProcessedCheck;
use crate::company::{Company, ContactType, Lock, Organization, Product};
use crate::custom_field::{CustomField, CustomFieldCategory};
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;
use crate::plain::PlainLists;
#[cfg(feature = "server")]
use crate::resource::{CompanyRecord, Resource};
use crate::worker::Worker;

/// A company with everything in it, as one line of an import file holds it.
///
/// What is `None` was absent from the file and stays as it is stored; in a list, each object
/// replaces the stored one of its id completely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholeCompany {
    /// The company itself.
    pub company: Company,
    /// Its products; the list is replaced completely.
    pub products: Option<Vec<Product>>,
    /// Its lock.
    pub lock: Option<Lock>,
    /// Its units.
    pub organizations: Vec<Organization>,
    /// Its contact types.
    pub contact_types: Vec<ContactType>,
    /// Its plain objects.
    pub plain: PlainLists,
    /// Its categories of custom fields.
    pub custom_field_categories: Vec<CustomFieldCategory>,
    /// Its custom fields.
    pub custom_fields: Vec<CustomField>,
    /// Its pay components.
    pub pay_components: Vec<PayComponent>,
    /// Its pay periods, processed ones with their checks.
    pub pay_periods: Vec<ImportedPeriod>,
    /// Its workers.
    pub workers: Vec<Worker>,
}

#[cfg(feature = "server")]
impl WholeCompany {
    /// Every object of it, in the order of a line of an import file; processed checks and the lock are none.
    #[must_use]
    pub fn resources(&self) -> Vec<Resource> {
        let products = self.products.clone().unwrap_or_default();
        let record = CompanyRecord { company: self.company.clone(), products };
        let mut all = vec![Resource::Company(Box::new(record))];
        all.extend(self.organizations.iter().cloned().map(Resource::Organization));
        all.extend(self.contact_types.iter().cloned().map(Resource::ContactType));
        all.extend(self.plain.objects().map(Resource::Plain));
        all.extend(self.custom_field_categories.iter().cloned().map(Resource::CustomFieldCategory));
        all.extend(self.custom_fields.iter().cloned().map(Box::new).map(Resource::CustomField));
        all.extend(self.pay_components.iter().cloned().map(Box::new).map(Resource::PayComponent));
        let periods = self.pay_periods.iter().map(|imported| imported.period.clone());
        all.extend(periods.map(Box::new).map(Resource::PayPeriod));
        all.extend(self.workers.iter().cloned().map(Box::new).map(Resource::Worker));
        all
    }
}

/// A pay period of an import file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedPeriod {
    /// The period.
    pub period: PayPeriod,
    /// The checks of a processed period.
    pub processed_checks: Vec<ProcessedCheck>,
}
