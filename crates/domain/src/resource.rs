//! What an operator writes: one type for every object of a company.
//!
//! The same few steps serve all of them: read a document into a [`Resource`], compare it with the
//! stored one, say what has happened ([`event`](crate::event)), and write both down.

use crate::company::{CalculationBase, Company, ContactType, CustomEmploymentType, Organization, Product};
use crate::custom_field::{CustomField, CustomFieldCategory};
use crate::description::{Show, Shown, View};
use crate::named::named;
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;
use crate::worker::Worker;

/// Declares the kinds of objects: of each its name, its type, which is boxed where it is large, the member of
/// its document that holds its id, and where the type has that.
macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $kind:ident = $name:literal: $object:ty, $id_member:literal $($id:ident).+;
    )*) => {
        named! {
            /// The kinds of objects that an operator keeps.
            ResourceKind { $($(#[$doc])* $kind = $name,)* }
        }

        /// An object that an operator keeps.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Resource { $($(#[$doc])* $kind($object),)* }

        impl Resource {
            /// What it is.
            #[must_use]
            pub const fn kind(&self) -> ResourceKind {
                match self { $(Self::$kind(_) => ResourceKind::$kind,)* }
            }

            /// Its id.
            #[must_use]
            pub fn id(&self) -> &str {
                match self { $(Self::$kind(it) => it.$($id).+.as_str(),)* }
            }
        }

        impl ResourceKind {
            /// The member that holds its id in its document.
            #[must_use]
            pub const fn id_member(self) -> &'static str {
                match self { $(Self::$kind => $id_member,)* }
            }
        }

        impl Show for Resource {
            fn show(&self, view: View, show: &mut dyn FnMut(&'static str, Shown<'_>)) {
                match self { $(Self::$kind(it) => it.show(view, show),)* }
            }
        }
    };
}

kinds! {
    /// A company with its products.
    Company = "company": Box<CompanyRecord>, "companyId" company.company_id;
    /// A unit of a company.
    Organization = "organization": Organization, "organizationId" organization_id;
    /// A contact type.
    ContactType = "contactType": ContactType, "contactTypeId" contact_type_id;
    /// A custom employment type.
    CustomEmploymentType = "customEmploymentType": CustomEmploymentType,
        "customEmploymentTypeId" custom_employment_type_id;
    /// A category of custom fields.
    CustomFieldCategory = "customFieldCategory": CustomFieldCategory, "categoryId" category_id;
    /// A custom field.
    CustomField = "customField": Box<CustomField>, "customFieldId" custom_field_id;
    /// A calculation base.
    CalculationBase = "calculationBase": CalculationBase, "calculationBaseId" calculation_base_id;
    /// A pay component.
    PayComponent = "payComponent": Box<PayComponent>, "componentId" component_id;
    /// A pay period.
    PayPeriod = "payPeriod": Box<PayPeriod>, "payPeriodId" pay_period_id;
    /// A worker with everything that belongs to them.
    Worker = "worker": Box<Worker>, "workerId" worker_id;
}

/// A company with what is written together with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyRecord {
    /// The company.
    pub company: Company,
    /// Its products.
    pub products: Vec<Product>,
}

impl Show for CompanyRecord {
    fn show(&self, view: View, show: &mut dyn FnMut(&'static str, Shown<'_>)) {
        self.company.show(view, show);
        let products: Vec<&dyn Show> = self.products.iter().map(|product| -> &dyn Show { product }).collect();
        show("products", Shown::Objects(&products));
    }
}
