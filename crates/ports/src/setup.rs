//! What is set up for a company, as partners read it: pay periods, pay components, organizations,
//! custom fields, and the other short lists.
//!
//! Not here: what the operator reads and writes ([`resources`](crate::resources)).

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::company::Organization;
use payroll_domain::id::{CompanyId, ComponentId, OrganizationId, PayPeriodId};
use payroll_domain::pay_component::PayComponent;
use payroll_domain::pay_period::PayPeriod;
use payroll_domain::plain::PlainKind;
use payroll_domain::resource::{Resource, ResourceKind};

use crate::filters::{ComponentFilter, PeriodFilter, PlainFilter};
use crate::resources::Versioned;
use crate::{Listing, StoreError, VersionedWindow, Window};

/// A pay period, with how many checks it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedPeriod {
    /// The pay period as it is stored.
    pub period: PayPeriod,
    /// How many checks it has.
    pub check_count: u64,
}

/// A unit of a company, with the units right below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationView {
    /// The organization as it is stored.
    pub organization: Organization,
    /// The units right below it, in the order of their creation.
    pub children: Vec<OrganizationId>,
}

/// A list of a company whose objects are shown as they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupList {
    /// Reference data of that kind that the filter includes.
    Plain(PlainKind, PlainFilter),
    /// Contact types with their relationship types.
    ContactTypes,
    /// Categories of custom fields.
    CustomFieldCategories,
    /// Custom fields, drop-downs with their choices.
    CustomFields,
}

/// Reading what is set up for a company.
///
/// Every method reads the caller's access in the same snapshot as the data.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`] when the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for a row that makes no sense, [`StoreError::Bug`] otherwise.
#[async_trait]
pub trait SetupStore: Send + Sync {
    /// The objects of a list of a company, in the order of their creation. The listing's version is the
    /// company's.
    ///
    /// # Errors
    /// Those of the trait.
    async fn setup_list(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        list: SetupList,
        window: Window,
    ) -> Result<Guarded<Listing<Resource>>, StoreError>;

    /// A company's pay periods that are wanted, in the order of their creation. The listing's
    /// version changes with each of the company's periods, wanted or not, and with their checks; where all are
    /// wanted, that of a window may do so with its own alone.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pay_periods(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        filter: &PeriodFilter,
        window: VersionedWindow,
    ) -> Result<Guarded<Listing<CountedPeriod>>, StoreError>;

    /// One pay period; `None` inside when the company has none of that id. Its version grows with
    /// its checks, too.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pay_period(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        pay_period_id: &PayPeriodId,
    ) -> Result<Guarded<Option<Versioned<CountedPeriod>>>, StoreError>;

    /// A company's pay components that are wanted, in the order of their creation.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pay_components(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        filter: &ComponentFilter,
        window: Window,
    ) -> Result<Guarded<Listing<PayComponent>>, StoreError>;

    /// One pay component; `None` inside when the company has none of that id.
    ///
    /// # Errors
    /// Those of the trait.
    async fn pay_component(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        component_id: &ComponentId,
    ) -> Result<Guarded<Option<Versioned<PayComponent>>>, StoreError>;

    /// A company's units, in the order of their creation.
    ///
    /// # Errors
    /// Those of the trait.
    async fn organizations(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        window: Window,
    ) -> Result<Guarded<Listing<OrganizationView>>, StoreError>;

    /// One unit; `None` inside when the company has none of that id. Its version grows with the
    /// units below it, too.
    ///
    /// # Errors
    /// Those of the trait.
    async fn organization(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        organization_id: &OrganizationId,
    ) -> Result<Guarded<Option<Versioned<OrganizationView>>>, StoreError>;

    /// One object, in the version of its row, which a [write](crate::resources::ResourceStore::write) can insist
    /// on; `None` inside when the company has no such object.
    ///
    /// # Errors
    /// Those of the trait.
    async fn object(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
    ) -> Result<Guarded<Option<Versioned<Resource>>>, StoreError>;
}
