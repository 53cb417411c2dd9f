//! One type for every object of a company that operators write.
//!
//! All these objects are processed in the same way. A document is read into a [`Resource`] and compared with
//! the stored object. The events are derived from the difference ([`event`](crate::event)). The object and
//! its events are then stored.

use crate::company::{Company, ContactType, Organization, Product};
use crate::custom_field::{CustomField, CustomFieldCategory};
use crate::description::{MemberSource, MemberValue, MemberView};
use crate::lookup::{LookupKind, LookupObject};
use crate::named::named_enum_extending;
use crate::pay_component::PayComponent;
use crate::pay_period::PayPeriod;
use crate::worker::Worker;

/// Declares the kinds of objects that are not lookup objects. Each declaration contains, in this order, the
/// name of the kind, its display name, and its Rust type (boxed if large). The JSON member with the id and
/// the name of the list in a company's document follow.
macro_rules! declare_resource_kinds {
    ($(
        $(#[$doc:meta])*
        $kind:ident = $name:literal $words:literal: $object:ty, $id_member:literal $($id:ident).+
            in $list_member:literal;
    )*) => {
        named_enum_extending! {
            /// The kinds of objects that operators manage.
            ResourceKind { $($(#[$doc])* $kind = $name,)* }
            /// A lookup object of one kind.
            Lookup(LookupKind)
        }

        /// An object that operators manage.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Resource {
            $($(#[$doc])* $kind($object),)*
            /// A lookup object of any kind.
            Lookup(LookupObject),
        }

        impl Resource {
            /// Returns the kind of the object.
            #[must_use]
            pub const fn kind(&self) -> ResourceKind {
                match self {
                    $(Self::$kind(_) => ResourceKind::$kind,)*
                    Self::Lookup(it) => ResourceKind::Lookup(it.kind()),
                }
            }

            /// Returns the id of the object.
            #[must_use]
            pub fn id(&self) -> &str {
                match self { $(Self::$kind(it) => it.$($id).+.as_str(),)* Self::Lookup(it) => it.id() }
            }
        }

        impl ResourceKind {
            /// Returns the name of the kind for error texts and documentation, such as "pay component".
            #[must_use]
            pub const fn display_name(self) -> &'static str {
                match self { $(Self::$kind => $words,)* Self::Lookup(kind) => kind.display_name() }
            }

            /// Returns the name of the member with the id.
            #[must_use]
            pub const fn id_member(self) -> &'static str {
                match self { $(Self::$kind => $id_member,)* Self::Lookup(kind) => kind.id_member() }
            }

            /// Returns the name of the list of objects of this kind in a company's document. For companies,
            /// the name does not occur in any document.
            #[must_use]
            pub const fn list_member(self) -> &'static str {
                match self { $(Self::$kind => $list_member,)* Self::Lookup(kind) => kind.list_member() }
            }
        }

        impl MemberSource for Resource {
            fn visit_members(&self, view: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
                match self {
                    $(Self::$kind(it) => it.visit_members(view, show),)*
                    Self::Lookup(it) => it.visit_members(view, show),
                }
            }
        }
    };
}

declare_resource_kinds! {
    /// A company with its products.
    Company = "company" "company": Box<CompanyRecord>, "companyId" company.company_id in "companies";
    /// An organizational unit of a company.
    Organization = "organization" "organization": Organization, "organizationId" organization_id
        in "organizations";
    /// A contact type of a company.
    ContactType = "contactType" "contact type": ContactType, "contactTypeId" contact_type_id
        in "contactTypes";
    /// A category of custom fields.
    CustomFieldCategory = "customFieldCategory" "category of custom fields": CustomFieldCategory,
        "categoryId" category_id in "customFieldCategories";
    /// A custom field of a company.
    CustomField = "customField" "custom field": Box<CustomField>, "customFieldId" custom_field_id
        in "customFields";
    /// A pay component of a company.
    PayComponent = "payComponent" "pay component": Box<PayComponent>, "componentId" component_id
        in "payComponents";
    /// A pay period of a company.
    PayPeriod = "payPeriod" "pay period": Box<PayPeriod>, "payPeriodId" pay_period_id in "payPeriods";
    /// A worker with all data that belongs to the worker.
    Worker = "worker" "worker": Box<Worker>, "workerId" worker_id in "workers";
}

/// A company with the data that is stored together with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyRecord {
    /// The company without its products.
    pub company: Company,
    /// The products of the company, with their periods.
    pub products: Vec<Product>,
}

impl MemberSource for CompanyRecord {
    fn visit_members(&self, view: MemberView, show: &mut dyn FnMut(&'static str, MemberValue<'_>)) {
        self.company.visit_members(view, show);
        let products: Vec<&dyn MemberSource> =
            self.products.iter().map(|product| -> &dyn MemberSource { product }).collect();
        show("products", MemberValue::Objects(&products));
    }
}
