//! Single sign-on: an external identity provider identifies an operator.

use std::fmt;

use async_trait::async_trait;
use payroll_domain::id::CompanyId;
use payroll_domain::operator_key::OperatorRole;

use crate::BoxError;

/// An operator's identity, as the identity provider reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorIdentity {
    /// The URL of the provider that identified the operator.
    pub issuer: String,
    /// The permanent id of the operator at the provider.
    pub subject: String,
    /// The name of the operator, which is recorded in the audit log. When two operators must complete a pay
    /// period, their names must be different.
    pub name: String,
    /// The role to which the settings map the operator's groups.
    pub role: OperatorRole,
    /// The companies to which the operator is restricted, sorted and without duplicates. `None` means all
    /// companies.
    pub company_ids: Option<Vec<CompanyId>>,
}

/// A sign-in that was started. The browser stores `state`, `nonce` and `verifier` until the provider
/// redirects the browser to the server.
#[derive(Clone)]
pub struct StartedSignIn {
    /// The page of the provider that the browser opens.
    pub url: String,
    /// A random value that the provider returns together with the authorization code.
    pub state: String,
    /// The value that the identity token must contain.
    pub nonce: String,
    /// The PKCE code verifier (RFC 7636), which proves that the same browser starts and finishes the sign-in.
    pub verifier: String,
}

impl fmt::Debug for StartedSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StartedSignIn")
    }
}

/// The provider's response: the authorization code, together with the secrets of the started sign-in.
#[derive(Clone, Copy)]
pub struct SignInCallback<'a> {
    /// The authorization code of the provider.
    pub code: &'a str,
    /// The nonce of the started sign-in, which the identity token must contain.
    pub nonce: &'a str,
    /// The PKCE code verifier of the started sign-in (RFC 7636). The provider verifies that it matches the
    /// start of the sign-in.
    pub verifier: &'a str,
}

impl fmt::Debug for SignInCallback<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SignInCallback")
    }
}

/// The reason why a sign-in failed.
#[derive(Debug)]
pub enum SignInError {
    /// The provider cannot be reached, or its documents are invalid.
    Unavailable(BoxError),
    /// The provider did not accept the code, or its identity token is invalid.
    Rejected(BoxError),
    /// None of the operator's groups is mapped to a role.
    NoRole,
    /// The identity token contains no usable name of the operator.
    NoName,
    /// The identity token does not contain the operator's companies, although the settings require them.
    NoCompanies,
}

/// Signs operators in with an identity provider.
#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Starts a sign-in. After the sign-in, the provider redirects the browser to `redirect_url`.
    ///
    /// # Errors
    /// Returns [`SignInError::Unavailable`] if the provider cannot be reached.
    async fn start_sign_in(&self, redirect_url: &str) -> Result<StartedSignIn, SignInError>;

    /// Finishes a sign-in that was started with the same `redirect_url`.
    ///
    /// # Errors
    /// Returns any [`SignInError`], such as [`SignInError::Rejected`] for a wrong code.
    async fn finish_sign_in(
        &self,
        redirect_url: &str,
        response: SignInCallback<'_>,
    ) -> Result<OperatorIdentity, SignInError>;
}
