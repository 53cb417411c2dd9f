//! The settings of the provider, and the mapping of a token's claims to an identity.

use std::collections::BTreeMap;

use payroll_domain::SecretText;
use payroll_domain::document::MAX_COMPANIES_OF_KEY;
use payroll_domain::id::CompanyId;
use payroll_domain::operator_key::OperatorRole;
use payroll_domain::operator_name::has_only_visible_characters;
use payroll_ports::sign_in::{OperatorIdentity, SignInError};
use serde_json::Value;

use crate::claims::Claims;

/// The claim with the e-mail address. The library provides it as a standard claim.
const EMAIL: &str = "email";
/// The claim with the full name. The library provides it as a standard claim.
const NAME: &str = "name";
/// The claim with the user name. The library provides it as a standard claim.
const USER_NAME: &str = "preferred_username";
/// The maximum number of characters of an operator's name, which is also the limit for the owner of a key.
const MAX_NAME_LENGTH: usize = 100;

/// The value of the company claim that means all companies.
const ALL_COMPANIES: &str = "*";

/// The operator roles by the names of the provider's groups.
pub type RoleMap = BTreeMap<String, OperatorRole>;

/// The settings of an identity provider.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// The issuer: the base URL of the provider's discovery document.
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
    /// The claim with the companies of the operator: the id of one company, or a list of ids. The value `*`
    /// means all companies. `None` gives every operator access to all companies.
    pub company_claim: Option<String>,
}

impl ProviderSettings {
    /// Returns the identity of the operator from verified claims.
    ///
    /// # Errors
    /// [`SignInError::NoRole`] if no group of the operator has a role. [`SignInError::NoName`] if the
    /// claims contain no usable name. [`SignInError::NoCompanies`] if the company claim is not usable.
    pub(crate) fn identity(&self, claims: &Claims) -> Result<OperatorIdentity, SignInError> {
        Ok(OperatorIdentity {
            issuer: self.issuer.clone(),
            subject: claims.subject().as_str().to_owned(),
            name: self.name(claims).ok_or(SignInError::NoName)?,
            role: self.role(claims).ok_or(SignInError::NoRole)?,
            company_ids: self.company_ids(claims).ok_or(SignInError::NoCompanies)?,
        })
    }

    /// Returns the name of the operator. An e-mail address that the provider marks as not verified is not used
    /// as the name, because anyone could claim that address.
    fn name(&self, claims: &Claims) -> Option<String> {
        let name = match self.name_claim.as_str() {
            EMAIL if claims.email_verified() == Some(false) => None,
            EMAIL => claims.email().map(|email| email.as_str()),
            NAME => claims.name().and_then(|name| name.get(None)).map(|name| name.as_str()),
            USER_NAME => claims.preferred_username().map(|name| name.as_str()),
            other => claims.additional_claims().0.get(other).and_then(Value::as_str),
        };
        let name = name?.trim();
        let fits =
            !name.is_empty() && name.chars().count() <= MAX_NAME_LENGTH && has_only_visible_characters(name);
        fits.then(|| name.to_owned())
    }

    /// Returns the companies to which the operator is restricted. The inner `None` means all companies. If
    /// one value is invalid, the entire claim is rejected, because the operator must not get access to
    /// companies that the provider did not intend.
    fn company_ids(&self, claims: &Claims) -> Option<Option<Vec<CompanyId>>> {
        let Some(claim) = &self.company_claim else { return Some(None) };
        let values = match claims.additional_claims().0.get(claim)? {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        let texts: Vec<&str> = values.iter().map(Value::as_str).collect::<Option<_>>()?;
        if texts.contains(&ALL_COMPANIES) {
            return Some(None);
        }
        let mut ids: Vec<CompanyId> =
            texts.into_iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
        ids.sort();
        ids.dedup();
        (1..=MAX_COMPANIES_OF_KEY).contains(&ids.len()).then_some(Some(ids))
    }

    /// Returns the role of the operator. If several groups have a role, the first role in the order of
    /// [`OperatorRole::ALL`] applies.
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
