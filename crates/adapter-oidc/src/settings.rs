//! The settings of the provider, and the identity that they derive from the claims of a token.

use std::collections::BTreeMap;

use payroll_domain::SecretText;
use payroll_domain::operator_key::OperatorRole;
use payroll_domain::operator_name::is_readable;
use payroll_ports::sign_in::{Identity, SignInError};
use serde_json::Value;

use crate::claims::Claims;

/// The claim with the e-mail address, which the library reads itself.
const EMAIL: &str = "email";
/// The claim with the full name, which the library reads itself.
const NAME: &str = "name";
/// The claim with the user name, which the library reads itself.
const USER_NAME: &str = "preferred_username";
/// The maximum number of characters in the name of an operator, as for the owner of a key.
const MAX_NAME: usize = 100;

/// Groups at the provider and their roles.
pub type RoleMap = BTreeMap<String, OperatorRole>;

/// The settings of an identity provider.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The issuer: the URL below which the provider has its discovery document.
    pub issuer: String,
    /// The id of this server at the provider.
    pub client_id: String,
    /// The secret of this server at the provider. A public client has none.
    pub client_secret: Option<SecretText>,
    /// The requested scopes in addition to `openid`.
    pub scopes: Vec<String>,
    /// The claim with the name of the operator.
    pub name_claim: String,
    /// The claim with the groups of the operator: a text or a list of texts.
    pub role_claim: String,
    /// The role of each group.
    pub roles: RoleMap,
}

impl ProviderSettings {
    /// The operator that verified claims identify.
    ///
    /// # Errors
    /// [`SignInError::NoRole`] without a group that has a role, and [`SignInError::NoName`] without a usable name.
    pub(crate) fn identity(&self, claims: &Claims) -> Result<Identity, SignInError> {
        Ok(Identity {
            issuer: self.issuer.clone(),
            subject: claims.subject().as_str().to_owned(),
            name: self.name(claims).ok_or(SignInError::NoName)?,
            role: self.role(claims).ok_or(SignInError::NoRole)?,
        })
    }

    /// The name of the operator. An e-mail address that the provider has not verified is not used, because
    /// anybody could claim it.
    fn name(&self, claims: &Claims) -> Option<String> {
        let name = match self.name_claim.as_str() {
            EMAIL if claims.email_verified() == Some(false) => None,
            EMAIL => claims.email().map(|email| email.as_str()),
            NAME => claims.name().and_then(|name| name.get(None)).map(|name| name.as_str()),
            USER_NAME => claims.preferred_username().map(|name| name.as_str()),
            other => claims.additional_claims().0.get(other).and_then(Value::as_str),
        };
        let name = name?.trim();
        let fits = !name.is_empty() && name.chars().count() <= MAX_NAME && is_readable(name);
        fits.then(|| name.to_owned())
    }

    /// The role of the operator. With several groups, the first role in the order of [`OperatorRole::ALL`]
    /// counts.
    fn role(&self, claims: &Claims) -> Option<OperatorRole> {
        let groups = match claims.additional_claims().0.get(&self.role_claim)? {
            Value::String(group) => vec![group.as_str()],
            Value::Array(groups) => groups.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let roles: Vec<OperatorRole> =
            groups.into_iter().filter_map(|group| self.roles.get(group)).copied().collect();
        OperatorRole::ALL.iter().copied().find(|role| roles.contains(role))
    }
}
