//! Partner applications, their secrets and their grants.

use std::fmt;

use async_trait::async_trait;
use payroll_domain::access::Scopes;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, SecretId};
use sha2::{Digest, Sha256};

use crate::StoreError;

/// Secrets that an application may have at once: the old and the new one of a rotation.
pub const MAX_SECRETS: usize = 2;

/// SHA-256 of a client secret, which is 256 random bits. `Debug` shows nothing of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecretHash(pub [u8; 32]);

impl SecretHash {
    /// The hash of a secret as its owner sends it, prefix and all.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash")
    }
}

/// What a token request is decided on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The application.
    pub application_id: ApplicationId,
    /// It may get tokens.
    pub enabled: bool,
    /// Its valid secrets.
    pub secrets: Vec<(SecretId, SecretHash)>,
    /// The union of its grants and of what is granted to the application itself.
    pub granted: Scopes,
}

/// An application as its operator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub application_id: ApplicationId,
    /// Its name.
    pub name: String,
    /// Its API key, the `client_id` of OAuth.
    pub client_id: String,
    /// It may get tokens and use them.
    pub enabled: bool,
    /// Correlation ids are unique per pay period, not only per request.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// Requests per minute, when it has a limit of its own.
    pub rate_limit_per_minute: Option<u32>,
    /// Its valid secrets, oldest first.
    pub secrets: Vec<(SecretId, Timestamp)>,
    /// Its grants.
    pub grants: Vec<(CompanyId, Scopes)>,
}

/// A secret to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSecret {
    /// Its name.
    pub secret_id: SecretId,
    /// Its hash.
    pub hash: SecretHash,
    /// When it was made.
    pub created: Timestamp,
}

/// An application to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApplication {
    /// Its id.
    pub application_id: ApplicationId,
    /// Its name, unique in the server.
    pub name: String,
    /// Its API key, unique in the server.
    pub client_id: String,
    /// Correlation ids are unique per pay period, not only per request.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// Requests per minute, when it has a limit of its own.
    pub rate_limit_per_minute: Option<u32>,
    /// Its first secret.
    pub secret: NewSecret,
}

/// Why a change to an application was not made. Nothing is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationRefusal {
    /// No application has that id.
    UnknownApplication,
    /// No company has that id.
    UnknownCompany,
    /// Another application has that name, API key or id.
    Taken,
}

/// Keeping applications. Every change acts on the very next request, on every process.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait ApplicationStore: Send + Sync {
    /// The credentials of an API key; `None` when no application has it.
    ///
    /// # Errors
    /// See the trait.
    async fn credentials(&self, client_id: &str) -> Result<Option<Credentials>, StoreError>;

    /// All applications, by name.
    ///
    /// # Errors
    /// See the trait.
    async fn applications(&self) -> Result<Vec<Application>, StoreError>;

    /// Stores a new application.
    ///
    /// # Errors
    /// See the trait.
    async fn create_application(
        &self,
        new: &NewApplication,
    ) -> Result<Result<(), ApplicationRefusal>, StoreError>;

    /// Adds a secret; the oldest goes where there are more than [`MAX_SECRETS`], and its tokens
    /// with it.
    ///
    /// # Errors
    /// See the trait.
    async fn add_secret(
        &self,
        application_id: &ApplicationId,
        secret: &NewSecret,
    ) -> Result<Result<(), ApplicationRefusal>, StoreError>;

    /// Enables or disables an application.
    ///
    /// # Errors
    /// See the trait.
    async fn set_enabled(
        &self,
        application_id: &ApplicationId,
        enabled: bool,
    ) -> Result<Result<(), ApplicationRefusal>, StoreError>;

    /// Grants the application these scopes for the company, in place of those it had; none takes
    /// the grant away.
    ///
    /// # Errors
    /// See the trait.
    async fn grant(
        &self,
        application_id: &ApplicationId,
        company_id: &CompanyId,
        scopes: Scopes,
    ) -> Result<Result<(), ApplicationRefusal>, StoreError>;
}
