//! Partner applications as their operator keeps them (specification §5.4, §5.5).
//!
//! What a caller may do right now is decided in [`access`](crate::access), not here.

use crate::access::Scopes;
use crate::date::Timestamp;
use crate::id::{AccessRequestId, ApplicationId, CompanyId, SecretId};

/// What an operator sets on an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationSettings {
    /// Its name, unique in the server.
    pub name: String,
    /// It may get tokens and use them.
    pub enabled: bool,
    /// Correlation ids are unique per pay period, not only per request.
    pub correlation_ids_last_for_the_pay_period: bool,
    /// Requests per minute, when it has a limit of its own.
    pub rate_limit_per_minute: Option<u32>,
    /// The scopes of [`Scopes::of_applications`] that it has.
    pub webhook_scopes: Scopes,
}

/// An application with its secrets, without their values, and without its grants, which may be
/// many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub application_id: ApplicationId,
    /// Its API key, the `client_id` of OAuth.
    pub client_id: String,
    /// What is set on it.
    pub settings: ApplicationSettings,
    /// Its valid secrets with the instants of their creation, oldest first.
    pub secrets: Vec<(SecretId, Timestamp)>,
}

/// What an application may do on a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The application.
    pub application_id: ApplicationId,
    /// The company.
    pub company_id: CompanyId,
    /// The scopes of [`Scopes::of_companies`] that it has there; never none.
    pub scopes: Scopes,
}

/// An application's request for access to a company, on which an operator decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessRequest {
    /// Its id.
    pub access_request_id: AccessRequestId,
    /// The application that requests access.
    pub application_id: ApplicationId,
    /// The application's name.
    pub application_name: String,
    /// For which company.
    pub company_id: CompanyId,
    /// As people name the company.
    pub display_id: String,
    /// The company's name.
    pub legal_name: String,
    /// What it wants to do there; never none.
    pub scopes: Scopes,
    /// When it was requested.
    pub created: Timestamp,
    /// When the request ends.
    pub expires: Timestamp,
}

/// A change of the scopes that an application has on a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantChange {
    /// It has these, in place of all others; none takes the grant away.
    Set(Scopes),
    /// It has these too.
    Add(Scopes),
    /// It no longer has these.
    Remove(Scopes),
}

impl GrantChange {
    /// The scopes afterwards.
    ///
    /// ```
    /// use payroll_domain::access::{Scope, Scopes};
    /// use payroll_domain::application::GrantChange;
    /// let read: Scopes = [Scope::ReadCompanies].into_iter().collect();
    /// assert_eq!(GrantChange::Add(read).of(Scopes::NONE), read);
    /// assert_eq!(GrantChange::Remove(Scopes::all()).of(read), Scopes::NONE);
    /// ```
    #[must_use]
    pub const fn of(self, held: Scopes) -> Scopes {
        match self {
            Self::Set(scopes) => scopes,
            Self::Add(scopes) => held.union(scopes),
            Self::Remove(scopes) => held.difference(scopes),
        }
    }
}
