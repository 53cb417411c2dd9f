//! Companies and tax IDs.

use serde::Deserialize;

use super::Link;
use crate::hidden::Secret;

/// A company, which employs workers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Company {
    /// The id of the company, as in paths.
    pub company_id: String,
    /// The full account number of the company.
    pub display_id: String,
    /// The legal name of the company.
    pub legal_name: String,
    /// Whether your application has access to the company.
    pub has_permission: bool,
    /// The tax ID of the company.
    pub legal_id: Option<LegalId>,
    /// The links to the company and its workers.
    #[serde(default)]
    pub links: Vec<Link>,
}

/// A tax ID of a company or a worker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LegalId {
    /// The kind of the tax ID: `FEIN` or `SSN`.
    pub legal_id_type: String,
    /// The nine digits. An SSN is masked if your application lacks the scope `read:taxids`.
    pub legal_id_value: Secret,
}
