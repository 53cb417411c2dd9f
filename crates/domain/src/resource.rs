//! What an operator writes: one type for every object of a company.
//!
//! The same few steps serve all of them: read a document into a [`Resource`], compare it with the
//! stored one, say what has happened ([`event`](crate::event)), and write both down.

use crate::company::{Company, ContactType, Organization, Product};
use crate::custom_field::{CustomField, CustomFieldCategory};
use crate::description::{Show, Shown, View};
use crate::named::named_with;
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;
use crate::plain::{PlainKind, PlainObject};
use crate::worker::Worker;

/// Declares the kinds of objects that are not plain: of each its name, what one is called in a sentence, its
/// type, which is boxed where it is large, the member of its document that holds its id, where the type has
/// that, and the member of a company that holds its objects.
macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $kind:ident = $name:literal $words:literal: $object:ty, $id_member:literal $($id:ident).+
            in $list_member:literal;
    )*) => {
        named_with! {
            /// The kinds of objects that an operator keeps.
            ResourceKind { $($(#[$doc])* $kind = $name,)* }
            /// A plain object.
            Plain(PlainKind)
        }

        /// An object that an operator keeps.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Resource {
            $($(#[$doc])* $kind($object),)*
            /// A plain object.
            Plain(PlainObject),
        }

        impl Resource {
            /// What it is.
            #[must_use]
            pub const fn kind(&self) -> ResourceKind {
                match self {
                    $(Self::$kind(_) => ResourceKind::$kind,)*
                    Self::Plain(it) => ResourceKind::Plain(it.kind()),
                }
            }

            /// Its id.
            #[must_use]
            pub fn id(&self) -> &str {
                match self { $(Self::$kind(it) => it.$($id).+.as_str(),)* Self::Plain(it) => it.id() }
            }
        }

        impl ResourceKind {
            /// What one is called in a sentence.
            #[must_use]
            pub const fn words(self) -> &'static str {
                match self { $(Self::$kind => $words,)* Self::Plain(kind) => kind.words() }
            }

            /// The member that holds its id in its document.
            #[must_use]
            pub const fn id_member(self) -> &'static str {
                match self { $(Self::$kind => $id_member,)* Self::Plain(kind) => kind.id_member() }
            }

            /// The member of a company that holds its objects of this kind. A company is in no list of itself.
            #[must_use]
            pub const fn list_member(self) -> &'static str {
                match self { $(Self::$kind => $list_member,)* Self::Plain(kind) => kind.list_member() }
            }
        }

        impl Show for Resource {
            fn show(&self, view: View, show: &mut dyn FnMut(&'static str, Shown<'_>)) {
                match self { $(Self::$kind(it) => it.show(view, show),)* Self::Plain(it) => it.show(view, show) }
            }
        }
    };
}

kinds! {
    /// A company with its products.
    Company = "company" "company": Box<CompanyRecord>, "companyId" company.company_id in "companies";
    /// A unit of a company.
    Organization = "organization" "organization": Organization, "organizationId" organization_id
        in "organizations";
    /// A contact type.
    ContactType = "contactType" "contact type": ContactType, "contactTypeId" contact_type_id
        in "contactTypes";
    /// A category of custom fields.
    CustomFieldCategory = "customFieldCategory" "category of custom fields": CustomFieldCategory,
        "categoryId" category_id in "customFieldCategories";
    /// A custom field.
    CustomField = "customField" "custom field": Box<CustomField>, "customFieldId" custom_field_id
        in "customFields";
    /// A pay component.
    PayComponent = "payComponent" "pay component": Box<PayComponent>, "componentId" component_id
        in "payComponents";
    /// A pay period.
    PayPeriod = "payPeriod" "pay period": Box<PayPeriod>, "payPeriodId" pay_period_id in "payPeriods";
    /// A worker with everything that belongs to them.
    Worker = "worker" "worker": Box<Worker>, "workerId" worker_id in "workers";
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
