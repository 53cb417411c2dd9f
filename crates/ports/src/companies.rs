//! Companies, as partners read them. Their lists are next to them ([`setup`](crate::setup)).

use async_trait::async_trait;
use payroll_domain::access::{Access, Caller, Guarded, Scopes};
use payroll_domain::company::{Company, Lineage};
use payroll_domain::custom_field::CustomFieldFacts;
use payroll_domain::id::{CompanyId, WorkerId};

use crate::{Listing, StoreError, VersionedWindow};

/// A company in a list, with what the caller may do with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedCompany {
    /// The company with its members.
    pub company: Company,
    /// The scopes that the application has for it.
    pub granted: Scopes,
}

/// One company that was requested by its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompanyView {
    /// The company with its members.
    pub company: Company,
    /// Its relatives that the application has `read:companies` for; `None` when not requested.
    pub lineage: Option<Lineage>,
    /// Grows with every change that this view could show, of relatives too where they were requested.
    pub version: i64,
}

/// Reads companies and the access to them.
///
/// Every method that takes a `caller` reads the caller's access in the same round trip and the
/// same snapshot as the data.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`] when the storage cannot be reached or is too slow,
/// [`StoreError::Corrupt`] for a row that makes no sense, [`StoreError::Bug`] otherwise.
#[async_trait]
pub trait CompanyStore: Send + Sync {
    /// The caller's access alone, for a company if one is named.
    ///
    /// # Errors
    /// Those of the trait.
    async fn access(&self, caller: &Caller, company_id: Option<&CompanyId>) -> Result<Access, StoreError>;

    /// The company that a worker belongs to; `None` when no worker has that id.
    ///
    /// It does not check access: it is called where a path names a worker, and what is read after it is
    /// guarded by the access to that company.
    ///
    /// # Errors
    /// Those of the trait.
    async fn company_of_worker(&self, worker_id: &WorkerId) -> Result<Option<CompanyId>, StoreError>;

    /// The companies that the application has `read:companies` for, end-dated ones too, whose
    /// [display key](payroll_domain::company::display_key) is the given one, if one is given.
    ///
    /// # Errors
    /// Those of the trait.
    async fn companies(
        &self,
        caller: &Caller,
        display_key: Option<&str>,
        window: VersionedWindow,
    ) -> Result<Guarded<Listing<GrantedCompany>>, StoreError>;

    /// One company; `None` inside when no company has that id.
    ///
    /// # Errors
    /// Those of the trait.
    async fn company(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        with_lineage: bool,
    ) -> Result<Guarded<Option<CompanyView>>, StoreError>;

    /// The data to validate a new custom field.
    ///
    /// # Errors
    /// Those of the trait.
    async fn custom_field_facts(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
    ) -> Result<Guarded<CustomFieldFacts>, StoreError>;
}
