//! Import: a company with everything in it, stored all or nothing.

use async_trait::async_trait;
use payroll_domain::company::WholeCompany;
use payroll_domain::date::Timestamp;

use crate::StoreError;

/// What an import of one company did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// Objects that were not there.
    pub created: u64,
    /// Objects that were there and differed.
    pub changed: u64,
    /// Objects that were there, the same.
    pub unchanged: u64,
}

/// What became of one company of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    /// It is stored.
    Stored(ImportCounts),
    /// The company is locked; nothing is stored.
    Locked,
    /// It does not go together with what is stored; nothing is stored. Each sentence names an
    /// object and what is wrong with it: an id that another company has, a reference to nothing, a
    /// pay period with checks whose state the file would change.
    Refused(Vec<String>),
}

/// Storing whole companies.
#[async_trait]
pub trait ImportStore: Send + Sync {
    /// Stores a company in one transaction. An object of the file replaces the stored one of its
    /// id whole; what is absent from the file stays; an object that is the same is not written.
    /// Versions grow where something changed.
    ///
    /// What the file refers to and does not hold itself, as
    /// [`open_references`](payroll_domain::document::open_references) lists it, must be stored
    /// already, or the company is refused.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`], [`StoreError::CompanyBusy`], [`StoreError::Corrupt`] or
    /// [`StoreError::Bug`].
    async fn import_company(&self, whole: &WholeCompany, now: Timestamp) -> Result<Imported, StoreError>;
}
