//! Reveals values that are otherwise masked, and records each disclosure in the audit log.

use async_trait::async_trait;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::ResourceKind;
use payroll_domain::tax_id::LegalId;

use crate::StoreError;
use crate::write::AuditContext;

/// Reveals values that are otherwise masked.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait DisclosureStore: Send + Sync {
    /// Returns the tax ID of a company or a worker. The same transaction writes an audit row with the actor,
    /// the instant and the object, but not the tax ID. If the object does not exist or has no tax ID, the
    /// result is `None` and no row is written.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn reveal_tax_id(
        &self,
        company_id: &CompanyId,
        kind: ResourceKind,
        id: &str,
        audit: &AuditContext,
    ) -> Result<Option<LegalId>, StoreError>;

    /// Writes the audit row for the complete export of a company. If the company does not exist, the result
    /// is `false` and no row is written.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn record_export(&self, company_id: &CompanyId, audit: &AuditContext) -> Result<bool, StoreError>;
}
