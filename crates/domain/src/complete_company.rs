//! A company with all its objects, as it is imported.

use crate::check::ProcessedCheck;
use crate::company::{Company, ContactType, Lock, Organization, Product};
use crate::custom_field::{CustomField, CustomFieldCategory};
use crate::lookup::LookupLists;
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;
#[cfg(feature = "server")]
use crate::resource::{CompanyRecord, Resource};
use crate::worker::Worker;

/// A company with all its objects, as one line of an import file.
///
/// If `products` or `lock` is `None`, the file omits the member, and the stored value does not change. Each
/// object in another list completely replaces the stored object with the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteCompany {
    /// The company without its lists.
    pub company: Company,
    /// The products, which replace all stored products.
    pub products: Option<Vec<Product>>,
    /// The operator's lock of the company. `None` leaves a stored lock unchanged.
    pub lock: Option<Lock>,
    /// The organizations of the company.
    pub organizations: Vec<Organization>,
    /// The contact types of the company.
    pub contact_types: Vec<ContactType>,
    /// The lookup objects of the company.
    pub lookups: LookupLists,
    /// The categories of custom fields.
    pub custom_field_categories: Vec<CustomFieldCategory>,
    /// The custom fields of the company.
    pub custom_fields: Vec<CustomField>,
    /// The pay components of the company.
    pub pay_components: Vec<PayComponent>,
    /// The pay periods. Processed periods include their checks.
    pub pay_periods: Vec<ImportedPeriod>,
    /// The workers of the company.
    pub workers: Vec<Worker>,
}

#[cfg(feature = "server")]
impl CompleteCompany {
    /// Returns every object of the company, in the order of a line of an import file. Processed checks and
    /// the lock are not included.
    #[must_use]
    pub fn resources(&self) -> Vec<Resource> {
        let products = self.products.clone().unwrap_or_default();
        let record = CompanyRecord { company: self.company.clone(), products };
        let mut all = vec![Resource::Company(Box::new(record))];
        all.extend(self.organizations.iter().cloned().map(Resource::Organization));
        all.extend(self.contact_types.iter().cloned().map(Resource::ContactType));
        all.extend(self.lookups.objects().map(Resource::Lookup));
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
    /// The pay period without its checks.
    pub period: PayPeriod,
    /// The checks of the period. Empty unless the period is processed.
    pub processed_checks: Vec<ProcessedCheck>,
}
