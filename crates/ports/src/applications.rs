//! Partner applications, their secrets and their grants.

use std::fmt;

use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payroll_domain::access::Scopes;
pub use payroll_domain::application::{
    Application, ApplicationSecret, ApplicationSettings, Grant, GrantChange, PublicKeyId,
};
use payroll_domain::client_key::ClientKey;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, SecretId};
use sha2::{Digest, Sha256};

use crate::resources::Versioned;
use crate::write::AuditContext;
use crate::{Listing, StoreError, Window};

/// The maximum number of secrets and public keys of one application. Two are enough for a rotation from an
/// old secret to a new one.
pub const MAX_SECRETS: usize = 2;

/// The SHA-256 hash of a client secret. The secret has 256 random bits. `Debug` does not show the hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SecretHash(pub [u8; 32]);

impl SecretHash {
    /// Computes the hash of a secret. `secret` is the text that the application sends, including the prefix.
    #[must_use]
    pub fn from_secret(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }
}

/// Returns the thumbprint of a public key (RFC 7638): the SHA-256 hash of the key's canonical form, in
/// base64url.
#[must_use]
pub fn thumbprint(key: &ClientKey) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(key.to_canonical_text()))
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash")
    }
}

/// The stored data on which the response to a token request depends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The application to which the API key belongs.
    pub application_id: ApplicationId,
    /// Whether the application may request tokens.
    pub enabled: bool,
    /// The id of the secret in the request, or of the public key with which the request is signed.
    pub secret_id: SecretId,
    /// The scopes of all grants of the application, and its own scopes.
    pub granted_scopes: Scopes,
}

/// The stored value that proves an application's identity: the hash of a secret, or a public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretValue {
    /// The hash of a secret that the application sends.
    Hash(SecretHash),
    /// The key that verifies the application's signature.
    PublicKey(ClientKey),
}

/// A secret to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSecret {
    /// The id of the new secret or public key.
    pub secret_id: SecretId,
    /// The hash or the public key that verifies the application.
    pub value: SecretValue,
    /// The instant at which the secret was created.
    pub created: Timestamp,
}

impl NewSecret {
    /// Returns the secret in the form in which it will be stored.
    #[must_use]
    pub fn to_application_secret(&self) -> ApplicationSecret {
        let public_key = match &self.value {
            SecretValue::Hash(_) => None,
            SecretValue::PublicKey(key) => Some(public_key_id(key)),
        };
        ApplicationSecret { secret_id: self.secret_id.clone(), created: self.created, public_key }
    }
}

/// Returns the id and the algorithm of a public key.
#[must_use]
pub fn public_key_id(key: &ClientKey) -> PublicKeyId {
    PublicKeyId { kid: thumbprint(key), algorithm: key.algorithm() }
}

/// An application to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApplication {
    /// The id of the new application.
    pub application_id: ApplicationId,
    /// The API key of the application, unique on the server.
    pub client_id: String,
    /// The settings of the new application.
    pub settings: ApplicationSettings,
    /// The first secret of the application.
    pub secret: NewSecret,
}

impl NewApplication {
    /// Returns the application in the form in which it will be stored.
    #[must_use]
    pub fn to_application(&self) -> Application {
        Application {
            application_id: self.application_id.clone(),
            client_id: self.client_id.clone(),
            settings: self.settings.clone(),
            secrets: vec![self.secret.to_application_secret()],
        }
    }
}

/// The grant that the caller expects before a change. If the stored grant is different, the change is
/// rejected. Two operators therefore cannot overwrite each other's changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedGrant {
    /// The caller expects no particular state, so the stored grant is not compared.
    Anything,
    /// The caller expects that no grant exists.
    Nothing,
    /// The caller expects that a grant exists. If a version is given, the grant must have this version.
    Grant(Option<i64>),
}

/// A change of an application's scopes for a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantUpdate {
    /// The application whose grant changes.
    pub application_id: ApplicationId,
    /// The company for which the scopes change.
    pub company_id: CompanyId,
    /// The change of the scopes.
    pub change: GrantChange,
    /// The expected grant before the change.
    pub expected: ExpectedGrant,
}

/// The reason for rejecting a change of an application. Nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationRefusal {
    /// No application has the given id.
    UnknownApplication,
    /// No company has the given id.
    UnknownCompany,
    /// The application has no secret with the given id.
    UnknownSecret,
    /// The application has no grant for the company.
    UnknownGrant,
    /// Another application has the given name, API key or id, or the application already has that public key.
    Taken,
    /// The application or the grant does not have the expected version.
    Stale,
    /// The lease of the idempotency record has ended, so the record no longer belongs to this request.
    RecordLost,
}

/// The result of a change that can be rejected.
pub type ApplicationChangeResult<T> = Result<Result<T, ApplicationRefusal>, StoreError>;

/// Stores applications, their secrets and their grants.
///
/// Every change takes effect on the next request in every process. A change writes audit rows, which contain
/// no secrets. A change that is equal to the stored data writes nothing.
///
/// The version of an application increases with its settings and secrets, and the version of a grant with its
/// scopes. Each of the two versions starts with the instant of creation in microseconds, as for [`Versioned`]
/// objects.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
/// Methods that write can also return [`StoreError::CompanyBusy`] if another writer takes too long.
#[async_trait]
pub trait ApplicationStore: Send + Sync {
    /// Returns the credentials for an API key and a secret. `None` if no application has both.
    ///
    /// The secret is looked up first, by its hash. If the secret does not exist, nothing else is read. An
    /// unknown API key and a wrong secret therefore cause the same work. The response time does not reveal
    /// which of the two is wrong.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn find_credentials(
        &self,
        client_id: &str,
        secret: &SecretHash,
    ) -> Result<Option<Credentials>, StoreError>;

    /// Returns the credentials for an API key and the public key with the given thumbprint, together with the
    /// public key. `None` if no application has both. The caller must verify the signature of the request.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn find_key_credentials(
        &self,
        client_id: &str,
        kid: &str,
    ) -> Result<Option<(Credentials, ClientKey)>, StoreError>;

    /// Reads one application by its id.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn application(
        &self,
        application_id: &ApplicationId,
    ) -> Result<Option<Versioned<Application>>, StoreError>;

    /// Returns the applications in the window, in the order of their creation.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn applications(&self, window: Window) -> Result<Listing<Versioned<Application>>, StoreError>;

    /// Stores a new application and returns its version.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn create_application(
        &self,
        new: &NewApplication,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<i64>;

    /// Sets the settings of an application if the application has the given version. If `version` is `None`,
    /// any version is accepted. Returns the new version.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn change_application(
        &self,
        application_id: &ApplicationId,
        settings: &ApplicationSettings,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<i64>;

    /// Deletes an application with its secrets and grants, if the application has the given version. If
    /// `version` is `None`, any version is accepted. Each grant is revoked with the same audit rows and
    /// events as in a separate revocation.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_application(
        &self,
        application_id: &ApplicationId,
        version: Option<i64>,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<()>;

    /// Adds a secret or a public key. If the application then has more than [`MAX_SECRETS`], the oldest one
    /// is revoked together with the tokens that were issued with it. A key that the application already has
    /// is rejected with [`ApplicationRefusal::Taken`].
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn add_secret(
        &self,
        application_id: &ApplicationId,
        secret: &NewSecret,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<()>;

    /// Revokes a secret and the tokens that were issued with it. If this was the last secret, the application
    /// cannot get tokens until a new secret is added.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn revoke_secret(
        &self,
        application_id: &ApplicationId,
        secret_id: &SecretId,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<()>;

    /// Reads one grant. `None` if the application or the grant does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn find_grant(
        &self,
        application_id: &ApplicationId,
        company_id: &CompanyId,
    ) -> Result<Option<Versioned<Grant>>, StoreError>;

    /// Returns the grants of an application, ordered by company. `None` if the application does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn grants(
        &self,
        application_id: &ApplicationId,
        window: Window,
    ) -> Result<Option<Listing<Versioned<Grant>>>, StoreError>;

    /// Changes the scopes of an application for a company, which must still exist at the commit. Returns the
    /// new grant, or `None` if the application then has no grant. A call that changes the scopes fires one
    /// event, for that application only.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn update_grant(
        &self,
        call: &GrantUpdate,
        audit: &AuditContext,
    ) -> ApplicationChangeResult<Option<Versioned<Grant>>>;
}
