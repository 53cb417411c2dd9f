//! Partner applications as the operator manages them (specification §5.4, §5.5).
//!
//! The module [`access`](crate::access) decides what a caller may do now.

use crate::access::Scopes;
use crate::client_key::KeyAlgorithm;
use crate::date::Timestamp;
use crate::id::{AccessRequestId, ApplicationId, CompanyId, SecretId};

/// The settings of an application that an operator controls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationSettings {
    /// The application's name, unique on the server.
    pub name: String,
    /// Whether the application can request and use tokens.
    pub enabled: bool,
    /// Whether correlation ids must be unique per pay period and not only per request.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// The application's own rate limit in requests per minute. `None` if the server's default applies.
    pub rate_limit_per_minute: Option<u32>,
    /// The scopes that the application itself has, for example for its webhooks: a subset of
    /// [`Scopes::for_applications`].
    pub webhook_scopes: Scopes,
}

/// An application with the ids of its secrets. Secret values are not included. Grants are not included
/// either, because there may be many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// The id of the application, which the operator may choose.
    pub application_id: ApplicationId,
    /// The API key, which is the `client_id` of OAuth.
    pub client_id: String,
    /// The settings of the application.
    pub settings: ApplicationSettings,
    /// The valid secrets and public keys, oldest first.
    pub secrets: Vec<ApplicationSecret>,
}

/// A secret of an application without its value, or a public key in place of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationSecret {
    /// The id of the secret, which operators use to revoke it.
    pub secret_id: SecretId,
    /// The instant at which the secret or the public key was added.
    pub created: Timestamp,
    /// The key that verifies token requests. `None` if the application sends a secret.
    pub public_key: Option<PublicKeyId>,
}

/// The id and the algorithm of an application's public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKeyId {
    /// The thumbprint of the key (RFC 7638). Token requests identify the key by this thumbprint.
    pub kid: String,
    /// The algorithm of the signatures that the key verifies.
    pub algorithm: KeyAlgorithm,
}

/// The scopes of an application for a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The application that has the grant.
    pub application_id: ApplicationId,
    /// The company on which the scopes are granted.
    pub company_id: CompanyId,
    /// The granted scopes, at least one: a subset of [`Scopes::for_companies`].
    pub scopes: Scopes,
}

/// An application's request for access to a company. An operator approves or rejects the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRequest {
    /// The id of the access request.
    pub access_request_id: AccessRequestId,
    /// The application that requests access.
    pub application_id: ApplicationId,
    /// The name of the application, for display.
    pub application_name: String,
    /// The company to which access is requested.
    pub company_id: CompanyId,
    /// The company's display id.
    pub display_id: String,
    /// The legal name of the company, for display.
    pub legal_name: String,
    /// The requested scopes, at least one.
    pub scopes: Scopes,
    /// The instant at which access was requested.
    pub created: Timestamp,
    /// The instant at which the access request expires.
    pub expires: Timestamp,
}

/// A change of the scopes that an application has for a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantChange {
    /// Replaces all scopes of the grant with the given scopes. An empty set revokes the grant.
    Set(Scopes),
    /// Adds these scopes to the grant.
    Add(Scopes),
    /// Removes these scopes from the grant.
    Remove(Scopes),
}

impl GrantChange {
    /// Returns the scopes of the grant after the change.
    ///
    /// ```
    /// use payroll_domain::access::{Scope, Scopes};
    /// use payroll_domain::application::GrantChange;
    /// let read: Scopes = [Scope::ReadCompanies].into_iter().collect();
    /// assert_eq!(GrantChange::Add(read).apply_to(Scopes::NONE), read);
    /// assert_eq!(GrantChange::Remove(Scopes::all()).apply_to(read), Scopes::NONE);
    /// ```
    #[must_use]
    pub const fn apply_to(self, current: Scopes) -> Scopes {
        match self {
            Self::Set(scopes) => scopes,
            Self::Add(scopes) => current.union(scopes),
            Self::Remove(scopes) => current.difference(scopes),
        }
    }
}
