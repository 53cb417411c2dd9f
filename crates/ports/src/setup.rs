//! The configuration of a company as partners read it: pay periods, pay components, organizations, custom
//! fields and lookup lists.
//!
//! Operators read and write the same objects through the module [`resources`](crate::resources).

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::company::Organization;
use payroll_domain::id::{CompanyId, ComponentId, OrganizationId, PayPeriodId};
use payroll_domain::lookup::LookupKind;
use payroll_domain::pay_component::PayComponent;
use payroll_domain::pay_period::PayPeriod;
use payroll_domain::resource::{Resource, ResourceKind};

use crate::filters::{ComponentFilter, LookupFilter, PeriodFilter};
use crate::resources::Versioned;
use crate::{Listing, StoreError, VersionedWindow, Window};

/// A pay period with the number of its checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodWithCheckCount {
    /// The pay period as it is stored.
    pub period: PayPeriod,
    /// The number of checks in the period.
    pub check_count: u64,
}

/// An organization of a company, with the ids of its direct children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationView {
    /// The organization as it is stored.
    pub organization: Organization,
    /// The ids of the organization's direct children, in the order of their creation.
    pub children: Vec<OrganizationId>,
}

/// A list of a company's configuration objects. The responses of the partner API contain these objects in
/// their stored form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupList {
    /// The lookup objects of the given kind that match the filter.
    Lookup(LookupKind, LookupFilter),
    /// Contact types with their relationship types.
    ContactTypes,
    /// The categories of custom fields.
    CustomFieldCategories,
    /// Custom fields with the choices of drop-downs.
    CustomFields,
}

/// Reads a company's configuration.
///
/// Every method reads the caller's access in the same snapshot as the data.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`] if the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for an invalid row, or [`StoreError::Bug`].
#[async_trait]
pub trait SetupStore: Send + Sync {
    /// Returns the objects of a company's list, in the order of their creation. The version of the list is
    /// the version of the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn setup_list(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        list: SetupList,
        window: Window,
    ) -> Result<Guarded<Listing<Resource>>, StoreError>;

    /// Returns the company's pay periods that match the filter, in the order of their creation. The version
    /// of the list changes with every change of the company's periods or their checks. This includes changes
    /// of periods that do not match the filter. If the filter is empty, the version may cover only the
    /// periods in the window.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pay_periods(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        filter: &PeriodFilter,
        window: VersionedWindow,
    ) -> Result<Guarded<Listing<PeriodWithCheckCount>>, StoreError>;

    /// Reads one pay period. The data is `None` if the company has no period with the given id. A change of
    /// the period's checks also increases the version of the period.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pay_period(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Option<Versioned<PeriodWithCheckCount>>>, StoreError>;

    /// Returns the company's pay components that match the filter, in the order of their creation.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pay_components(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        filter: &ComponentFilter,
        window: Window,
    ) -> Result<Guarded<Listing<PayComponent>>, StoreError>;

    /// Reads one pay component. The data is `None` if the company has no component with the given id.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn pay_component(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        component_id: &ComponentId,
    ) -> Result<Guarded<Option<Versioned<PayComponent>>>, StoreError>;

    /// Returns the company's organizations, in the order of their creation.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn organizations(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        window: Window,
    ) -> Result<Guarded<Listing<OrganizationView>>, StoreError>;

    /// Reads one organization. The data is `None` if the company has no organization with the given id. A
    /// change of the organization's children also increases the version of the organization.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn organization(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        organization_id: &OrganizationId,
    ) -> Result<Guarded<Option<Versioned<OrganizationView>>>, StoreError>;

    /// Reads one object with the version of its row. A later
    /// [write](crate::resources::ResourceStore::write_resource) can require that the row still has this
    /// version. The data is `None` if the object does not exist in the company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn object(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<Guarded<Option<Versioned<Resource>>>, StoreError>;
}
