//! Companies as partners read them. The lists of a company are in [`setup`](crate::setup).

use async_trait::async_trait;
use payroll_domain::access::{Access, Caller, Guarded, Scopes};
use payroll_domain::company::{Company, Lineage};
use payroll_domain::custom_field::CustomFieldFacts;
use payroll_domain::id::{CompanyId, WorkerId};

use crate::{Listing, StoreError, VersionedWindow};

/// A company in a list, with the scopes that the caller has for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedCompany {
    /// The company without its products.
    pub company: Company,
    /// The scopes of the application for the company.
    pub granted_scopes: Scopes,
}

/// A company that was requested by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyView {
    /// The company without its products.
    pub company: Company,
    /// The relatives of the company for which the application has `read:companies`. `None` if relatives were
    /// not requested.
    pub lineage: Option<Lineage>,
    /// The version of this view, which increases with every change that is visible in the view. If relatives
    /// were requested, their changes are included.
    pub version: i64,
}

/// Reads companies and the access to them.
///
/// Every method with a `caller` reads the caller's access in the same round trip and the same snapshot as the
/// data.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`] if the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for an invalid row, or [`StoreError::Bug`].
#[async_trait]
pub trait CompanyStore: Send + Sync {
    /// Returns the caller's access without any data. If a company id is given, the method returns the access
    /// to this company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_access(
        &self,
        caller: &Caller,
        company_id: Option<&CompanyId>,
    ) -> Result<Access, StoreError>;

    /// Returns the company of a worker. `None` if no worker has the given id.
    ///
    /// Use this method if a path contains the id of a worker but no company. This method does not verify the
    /// caller's access. Therefore read the data with the caller's access to the returned company.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn company_of_worker(&self, worker_id: &WorkerId) -> Result<Option<CompanyId>, StoreError>;

    /// Returns the companies for which the application has `read:companies`, including companies that have
    /// ended. If a [display key](payroll_domain::company::to_display_key) is given, only companies with this
    /// key are returned.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn companies(
        &self,
        caller: &Caller,
        display_key: Option<&str>,
        window: VersionedWindow,
    ) -> Result<Guarded<Listing<GrantedCompany>>, StoreError>;

    /// Reads one company. The data is `None` if no company has the given id.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn company(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        with_lineage: bool,
    ) -> Result<Guarded<Option<CompanyView>>, StoreError>;

    /// Returns the stored data for validating a new custom field.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn custom_field_validation_data(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
    ) -> Result<Guarded<CustomFieldFacts>, StoreError>;
}
