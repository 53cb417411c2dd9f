//! Partner applications, their secrets and their grants.

use std::fmt;

use async_trait::async_trait;
use payroll_domain::access::Scopes;
pub use payroll_domain::application::{Application, ApplicationSettings, Grant, GrantChange};
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, SecretId};
use sha2::{Digest, Sha256};

use crate::resources::Versioned;
use crate::write::By;
use crate::{Listing, StoreError, Window};

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
    /// Id of the application.
    pub application_id: ApplicationId,
    /// It may get tokens.
    pub enabled: bool,
    /// The secret that was sent, one of its own.
    pub secret_id: SecretId,
    /// The union of its grants and of what is granted to the application itself.
    pub granted: Scopes,
}

/// A secret to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSecret {
    /// Id of the secret.
    pub secret_id: SecretId,
    /// The hash of the secret.
    pub hash: SecretHash,
    /// When it was created.
    pub created: Timestamp,
}

/// An application to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApplication {
    /// Id of the application.
    pub application_id: ApplicationId,
    /// Its API key, unique in the server.
    pub client_id: String,
    /// What is set on it.
    pub settings: ApplicationSettings,
    /// The first secret of the application.
    pub secret: NewSecret,
}

impl NewApplication {
    /// The application as it will be stored.
    #[must_use]
    pub fn application(&self) -> Application {
        Application {
            application_id: self.application_id.clone(),
            client_id: self.client_id.clone(),
            settings: self.settings.clone(),
            secrets: vec![(self.secret.secret_id.clone(), self.secret.created)],
        }
    }
}

/// What a grant is to be before its change, so that two people do not overwrite each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Anything; it is not compared.
    Anything,
    /// There is no grant.
    Nothing,
    /// There is one, of that version if one is named.
    Grant(Option<i64>),
}

/// A change of what an application may do on a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantCall {
    /// Id of the application.
    pub application_id: ApplicationId,
    /// Id of the company.
    pub company_id: CompanyId,
    /// The change of the grant.
    pub change: GrantChange,
    /// What there is to be before.
    pub expected: Expected,
}

/// Why a change to an application was not made. Nothing is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationRefusal {
    /// No application has that id.
    UnknownApplication,
    /// No company has that id.
    UnknownCompany,
    /// The application has no such secret.
    UnknownSecret,
    /// The application has no grant for the company.
    UnknownGrant,
    /// Another application has that name, API key or id.
    Taken,
    /// The application, or the grant, has another version.
    Stale,
    /// The mark of the request's idempotency key was no longer its own.
    MarkLost,
}

/// A change that can be rejected.
pub type Changed<T> = Result<Result<T, ApplicationRefusal>, StoreError>;

/// Stores applications, their secrets and their grants.
///
/// Every change acts on the very next request, on every process, and leaves its rows in the audit
/// trail, without any secret. A change that changes nothing writes nothing.
///
/// An application's version grows with its settings and its secrets, a grant's with its scopes;
/// both begin with the instant of creation in microseconds, as those of
/// [`Versioned`] objects do.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`]; those
/// that change something also [`StoreError::CompanyBusy`] when another writer takes too long.
#[async_trait]
pub trait ApplicationStore: Send + Sync {
    /// The credentials of an API key with a secret; `None` when no application has both. The work for
    /// an unknown key and for a wrong secret is the same: the secret is looked up by its hash first,
    /// and nothing else is read where it is no application's.
    ///
    /// # Errors
    /// Those of the trait.
    async fn credentials(
        &self,
        client_id: &str,
        secret: &SecretHash,
    ) -> Result<Option<Credentials>, StoreError>;

    /// Reads one application by its id.
    ///
    /// # Errors
    /// Those of the trait.
    async fn application(
        &self,
        application_id: &ApplicationId,
    ) -> Result<Option<Versioned<Application>>, StoreError>;

    /// All applications, in the order of their creation.
    ///
    /// # Errors
    /// Those of the trait.
    async fn applications(&self, window: Window) -> Result<Listing<Versioned<Application>>, StoreError>;

    /// Stores a new application; its version.
    ///
    /// # Errors
    /// Those of the trait.
    async fn create_application(&self, new: &NewApplication, by: &By) -> Changed<i64>;

    /// Sets what is set on an application, if it has that version (`None`: any); its version from
    /// now on.
    ///
    /// # Errors
    /// Those of the trait.
    async fn change_application(
        &self,
        application_id: &ApplicationId,
        settings: &ApplicationSettings,
        version: Option<i64>,
        by: &By,
    ) -> Changed<i64>;

    /// Removes an application of that version (`None`: any) with its secrets and its grants, each
    /// of which leaves what it leaves when it is taken away by itself.
    ///
    /// # Errors
    /// Those of the trait.
    async fn delete_application(
        &self,
        application_id: &ApplicationId,
        version: Option<i64>,
        by: &By,
    ) -> Changed<()>;

    /// Adds a secret; the oldest goes where there are more than [`MAX_SECRETS`], and its tokens
    /// with it.
    ///
    /// # Errors
    /// Those of the trait.
    async fn add_secret(&self, application_id: &ApplicationId, secret: &NewSecret, by: &By) -> Changed<()>;

    /// Drops a secret, and its tokens with it. The last one may be dropped too: the application
    /// then gets no token until it has a new one.
    ///
    /// # Errors
    /// Those of the trait.
    async fn drop_secret(&self, application_id: &ApplicationId, secret_id: &SecretId, by: &By)
    -> Changed<()>;

    /// One grant; `None` when the application, or the grant, is not there.
    ///
    /// # Errors
    /// Those of the trait.
    async fn grant_of(
        &self,
        application_id: &ApplicationId,
        company_id: &CompanyId,
    ) -> Result<Option<Versioned<Grant>>, StoreError>;

    /// The grants of an application, by company; `None` when it is not there.
    ///
    /// # Errors
    /// Those of the trait.
    async fn grants(
        &self,
        application_id: &ApplicationId,
        window: Window,
    ) -> Result<Option<Listing<Versioned<Grant>>>, StoreError>;

    /// Changes what an application may do on a company that is there at the commit; the grant from
    /// now on, `None` when there is none. A call that changes something fires one event, for that
    /// application alone.
    ///
    /// # Errors
    /// Those of the trait.
    async fn grant(&self, call: &GrantCall, by: &By) -> Changed<Option<Versioned<Grant>>>;
}
