//! Reveals values that are otherwise masked, which leaves a row in the trail although nothing changes.

use async_trait::async_trait;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::ResourceKind;
use payroll_domain::tax_id::LegalId;

use crate::StoreError;
use crate::write::By;

/// Reveals values that are otherwise masked.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait DisclosureStore: Send + Sync {
    /// The tax identity of a company or a worker, read in the transaction that leaves the row: who saw it,
    /// when, of which object, and nothing of the identity itself. `None`, and no row, where there is no such
    /// object or it has none.
    ///
    /// # Errors
    /// Those of the trait.
    async fn reveal_tax_id(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
        by: &By,
    ) -> Result<Option<LegalId>, StoreError>;

    /// Leaves the row of a company that is exported completely; `false`, and no row, where there is no such
    /// company.
    ///
    /// # Errors
    /// Those of the trait.
    async fn note_export(&self, company_id: &CompanyId, by: &By) -> Result<bool, StoreError>;
}
