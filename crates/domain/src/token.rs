//! Validates token requests and determines the granted scopes (specification §5.1 to §5.3).
//!
//! There are three steps. [`TokenRequest::read`] reads the request. The adapter then looks up the application
//! and verifies the secret or the signature in the request. [`grant_scopes`] returns the scopes of the token.
//! Other crates hash secrets, compare hashes in constant time and sign tokens.

use std::fmt;

use crate::access::Scopes;
use crate::code::Reason;
use crate::named::named_enum;
use crate::violation::Violation;

/// The only supported grant type.
pub const GRANT_TYPE: &str = "client_credentials";
/// The only supported type of a client assertion (RFC 7523, section 2.2).
pub const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// The names of the form fields with credentials.
const CREDENTIAL_FIELDS: [&str; 3] = ["client_id", "client_secret", "client_assertion"];

named_enum! {
    /// The error names of RFC 6749 §5.2 that the token operation uses.
    OAuthError {
        /// The request does not have the required form.
        InvalidRequest = "invalid_request",
        /// Credentials are missing or wrong.
        InvalidClient = "invalid_client",
        /// The grant type is not supported.
        UnsupportedGrantType = "unsupported_grant_type",
        /// A scope does not exist.
        InvalidScope = "invalid_scope",
    }
}

/// The decoded form, `Authorization` header and query of a token request.
#[derive(Clone, Copy, Default)]
pub struct TokenInput<'a> {
    /// The names and values of the form's fields, in the order of the form.
    pub form: &'a [(String, String)],
    /// The id and secret in the `Authorization: Basic` header. `None` without this header.
    pub basic: Option<(&'a str, &'a str)>,
    /// The parameters of the URL's query, in which credentials are not allowed.
    pub query: &'a [(String, String)],
    /// The client id that the assertion in the form contains, even if its signature is invalid. If the
    /// assertion cannot be parsed, the value is an error text without the name of the field.
    pub assertion_client: Option<Result<&'a str, &'a str>>,
}

/// The proof of the client's identity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ClientProof<'a> {
    /// The secret of the application.
    Secret(&'a str),
    /// A token that the application has signed with its private key.
    Assertion(&'a str),
}

/// A valid token request. `Debug` shows no secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenRequest<'a> {
    /// The API key of the application.
    pub client_id: &'a str,
    /// The proof of the client's identity, which the adapter must verify: a secret or a signed assertion.
    pub proof: ClientProof<'a>,
    /// The requested scopes. With `None`, the request had no scope parameter and therefore requests all
    /// granted scopes.
    pub scopes: Option<Scopes>,
}

/// The reason for rejecting a token request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRefusal {
    /// The error name of RFC 6749.
    pub error: OAuthError,
    /// The `API-…` code and the description of the fault.
    pub violation: Violation,
}

impl<'a> TokenRequest<'a> {
    /// Reads a token request.
    ///
    /// # Errors
    /// Returns the first fault that applies, in this order:
    /// * credentials in the query,
    /// * a duplicate field, or credentials in two places,
    /// * a missing or unsupported grant type,
    /// * missing credentials, or an assertion of another type,
    /// * a scope that does not exist.
    ///
    /// ```
    /// use payroll_domain::token::{TokenInput, TokenRequest};
    /// let form = [("grant_type", "client_credentials"), ("client_id", "key"), ("client_secret", "s")]
    ///     .map(|(name, value)| (name.to_owned(), value.to_owned()));
    /// let request = TokenRequest::read(TokenInput { form: &form, ..TokenInput::default() })?;
    /// assert_eq!(request.client_id, "key");
    /// # Ok::<(), payroll_domain::token::TokenRefusal>(())
    /// ```
    pub fn read(input: TokenInput<'a>) -> Result<Self, TokenRefusal> {
        if CREDENTIAL_FIELDS.iter().any(|name| input.query.iter().any(|(key, _)| key == name)) {
            let description = "credentials are in the query string, where logs would keep them; send them in the form or in the Authorization header";
            return Err(token_refusal(OAuthError::InvalidRequest, Reason::InvalidParameter, description));
        }
        let grant_type = find_form_field(input.form, "grant_type")?;
        let sent = FormCredentials::read(input.form)?;
        let scope = find_form_field(input.form, "scope")?;
        let is_twice = match input.basic {
            // Some clients send the client id in the header and also in the form. The request is accepted if
            // the two ids are equal and the form contains no secret or assertion.
            Some((id, _)) => {
                sent.secret.is_some()
                    || sent.assertion.is_some()
                    || sent.client_id.is_some_and(|other| other != id)
            }
            None => sent.secret.is_some() && sent.assertion.is_some(),
        };
        if is_twice {
            let description = "credentials are in two places; send them once: in the header, as a secret in the form, or as an assertion";
            return Err(token_refusal(OAuthError::InvalidRequest, Reason::InvalidParameter, description));
        }
        check_grant_type(grant_type)?;
        let (client_id, proof) = match (sent.assertion, input.basic) {
            (Some(assertion), _) => {
                (sent.find_assertion_client_id(input.assertion_client)?, ClientProof::Assertion(assertion))
            }
            (None, Some((id, secret))) => {
                (require_credential(Some(id))?, ClientProof::Secret(require_credential(Some(secret))?))
            }
            (None, None) => {
                (require_credential(sent.client_id)?, ClientProof::Secret(require_credential(sent.secret)?))
            }
        };
        Ok(Self { client_id, proof, scopes: scope.map(read_scopes).transpose()? })
    }
}

struct FormCredentials<'a> {
    client_id: Option<&'a str>,
    secret: Option<&'a str>,
    assertion: Option<&'a str>,
    assertion_type: Option<&'a str>,
}

impl<'a> FormCredentials<'a> {
    fn read(form: &'a [(String, String)]) -> Result<Self, TokenRefusal> {
        Ok(Self {
            client_id: find_form_field(form, "client_id")?,
            secret: find_form_field(form, "client_secret")?,
            assertion: find_form_field(form, "client_assertion")?,
            assertion_type: find_form_field(form, "client_assertion_type")?,
        })
    }

    /// Returns the client id of an assertion. If the form also contains `client_id`, the two ids must be
    /// equal (RFC 7521, section 4.2).
    fn find_assertion_client_id(
        &self,
        named: Option<Result<&'a str, &'a str>>,
    ) -> Result<&'a str, TokenRefusal> {
        if self.assertion_type != Some(ASSERTION_TYPE) {
            let description = format!("client_assertion_type must be {ASSERTION_TYPE}");
            return Err(token_refusal(OAuthError::InvalidRequest, Reason::FieldInvalid, &description));
        }
        let named = require_credential(named.transpose().map_err(invalid_assertion_refusal)?)?;
        if self.client_id.is_some_and(|other| other != named) {
            Err(wrong_credentials_refusal())
        } else {
            Ok(named)
        }
    }
}

fn require_credential(text: Option<&str>) -> Result<&str, TokenRefusal> {
    text.filter(|text| !text.is_empty()).ok_or_else(wrong_credentials_refusal)
}

/// Creates the error for an assertion that is invalid regardless of its key. `description` contains the
/// reason.
#[must_use]
pub fn invalid_assertion_refusal(description: &str) -> TokenRefusal {
    token_refusal(
        OAuthError::InvalidClient,
        Reason::NotAuthenticated,
        &format!("client_assertion {description}"),
    )
}

/// Determines the scopes of the token.
///
/// `granted` contains the scopes of all grants of the application. `granted` is `None` if the application
/// does not exist or is disabled, or if the secret is wrong. The response does not reveal the reason.
/// Requested scopes that are not granted are omitted.
///
/// # Errors
/// Returns [`OAuthError::InvalidClient`] if `granted` is `None`.
pub fn grant_scopes(requested: Option<Scopes>, granted: Option<Scopes>) -> Result<Scopes, TokenRefusal> {
    let granted = granted.ok_or_else(wrong_credentials_refusal)?;
    Ok(requested.map_or(granted, |requested| requested.intersection(granted)))
}

/// Returns the value of a form field. `None` if the field is missing or empty. A duplicate field is an error.
fn find_form_field<'a>(form: &'a [(String, String)], name: &str) -> Result<Option<&'a str>, TokenRefusal> {
    let mut values = form.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str());
    match (values.next(), values.next()) {
        (_, Some(_)) => {
            let description = format!("{name} occurs more than once");
            Err(token_refusal(OAuthError::InvalidRequest, Reason::FieldAmbiguous, &description))
        }
        (value, None) => Ok(value.filter(|value| !value.is_empty())),
    }
}

fn check_grant_type(grant_type: Option<&str>) -> Result<(), TokenRefusal> {
    match grant_type {
        Some(GRANT_TYPE) => Ok(()),
        Some(_) => {
            let description = format!("grant_type must be {GRANT_TYPE}");
            Err(token_refusal(OAuthError::UnsupportedGrantType, Reason::FieldInvalid, &description))
        }
        None => Err(token_refusal(OAuthError::InvalidRequest, Reason::FieldMissing, "grant_type is missing")),
    }
}

fn read_scopes(text: &str) -> Result<Scopes, TokenRefusal> {
    Scopes::parse(text).map_err(|_| {
        let description = format!("scope contains an unknown scope; the scopes are {}", Scopes::all());
        token_refusal(OAuthError::InvalidScope, Reason::FieldInvalid, &description)
    })
}

fn wrong_credentials_refusal() -> TokenRefusal {
    let description =
        "client id, client secret or client assertion is missing or wrong, or the application is not enabled";
    token_refusal(OAuthError::InvalidClient, Reason::NotAuthenticated, description)
}

fn token_refusal(error: OAuthError, reason: Reason, description: &str) -> TokenRefusal {
    TokenRefusal { error, violation: Violation::new(reason, description) }
}

impl fmt::Debug for TokenRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenRequest")
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Scope;

    fn parse_form(text: &str) -> Vec<(String, String)> {
        let pair = |field: &str| {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            (name.to_owned(), value.to_owned())
        };
        text.split('&').map(pair).collect()
    }

    const VALID_FORM: &str = "grant_type=client_credentials&client_id=key&client_secret=secret";

    fn find_refusal_text(input: TokenInput<'_>) -> String {
        let refusal = TokenRequest::read(input).unwrap_err();
        format!("{} {}", refusal.violation.reason.code(), refusal.error)
    }

    fn find_refusal_text_of_form(text: &str) -> String {
        find_refusal_text(TokenInput { form: &parse_form(text), ..TokenInput::default() })
    }

    #[test]
    fn each_invalid_request_has_its_code_and_its_oauth_error() {
        let credentials = "client_id=key&client_secret=secret";
        let grant = "grant_type=client_credentials";
        assert_eq!(find_refusal_text_of_form(credentials), "API-46 invalid_request");
        assert_eq!(
            find_refusal_text_of_form(&format!("{credentials}&grant_type=")),
            "API-46 invalid_request"
        );
        assert_eq!(
            find_refusal_text_of_form(&format!("{credentials}&grant_type=password")),
            "API-48 unsupported_grant_type"
        );
        assert_eq!(find_refusal_text_of_form(&format!("{grant}&client_id=key")), "API-102 invalid_client");
        assert_eq!(find_refusal_text_of_form(&format!("{grant}&client_secret=s")), "API-102 invalid_client");
        assert_eq!(
            find_refusal_text_of_form(&format!("{VALID_FORM}&scope=read:all")),
            "API-48 invalid_scope"
        );
        for name in ["grant_type", "client_id", "client_secret"] {
            assert_eq!(
                find_refusal_text_of_form(&format!("{VALID_FORM}&{name}=again")),
                "API-47 invalid_request",
                "{name}"
            );
        }
        assert_eq!(
            find_refusal_text_of_form(&format!("{VALID_FORM}&scope=a&scope=b")),
            "API-47 invalid_request"
        );
    }

    #[test]
    fn accepts_credentials_in_form_or_header_and_never_in_the_query() {
        let (with, without) = (parse_form(VALID_FORM), parse_form("grant_type=client_credentials"));
        let basic = Some(("key", "secret"));
        let by_header = TokenInput { form: &without, basic, ..TokenInput::default() };
        assert!(TokenRequest::read(by_header).unwrap().proof == ClientProof::Secret("secret"));
        assert_eq!(find_refusal_text(TokenInput { form: &with, ..by_header }), "API-40 invalid_request");
        let query = parse_form("client_secret=secret");
        assert_eq!(find_refusal_text(TokenInput { query: &query, ..by_header }), "API-40 invalid_request");
        let id_beside = parse_form("grant_type=client_credentials&client_id=key");
        assert!(TokenRequest::read(TokenInput { form: &id_beside, ..by_header }).is_ok());
    }

    #[test]
    fn an_assertion_replaces_the_secret() {
        let with = |more: &str| {
            parse_form(&format!(
                "grant_type=client_credentials&client_assertion=a.b.c&client_assertion_type={ASSERTION_TYPE}{more}"
            ))
        };
        fn token_input(form: &[(String, String)]) -> TokenInput<'_> {
            TokenInput { form, assertion_client: Some(Ok("key")), ..TokenInput::default() }
        }
        for more in ["", "&client_id=key", "&client_secret="] {
            let form = with(more);
            let request = TokenRequest::read(token_input(&form)).unwrap();
            assert!(request.client_id == "key" && request.proof == ClientProof::Assertion("a.b.c"), "{more}");
        }
        assert_eq!(find_refusal_text(token_input(&with("&client_id=other"))), "API-102 invalid_client");
        assert_eq!(
            find_refusal_text(TokenInput { assertion_client: None, ..token_input(&with("")) }),
            "API-102 invalid_client"
        );
        assert_eq!(find_refusal_text(token_input(&with("&client_secret=s"))), "API-40 invalid_request");
        let basic = Some(("key", "secret"));
        assert_eq!(
            find_refusal_text(TokenInput { basic, ..token_input(&with("")) }),
            "API-40 invalid_request"
        );
        assert_eq!(
            find_refusal_text(token_input(&with("&client_assertion=again"))),
            "API-47 invalid_request"
        );
        for kind in ["", "&client_assertion_type=saml"] {
            let form = parse_form(&format!("grant_type=client_credentials&client_assertion=a.b.c{kind}"));
            assert_eq!(find_refusal_text(token_input(&form)), "API-48 invalid_request", "{kind}");
        }
        let query = parse_form("client_assertion=a.b.c");
        assert_eq!(
            find_refusal_text(TokenInput { query: &query, ..token_input(&with("")) }),
            "API-40 invalid_request"
        );
    }

    #[test]
    fn a_token_gets_the_requested_scopes_that_are_granted() {
        let granted = Scopes::from_iter([Scope::ReadPayroll, Scope::WritePayroll]);
        let requested = Scopes::from_iter([Scope::ReadPayroll, Scope::ReadWorkers]);
        assert_eq!(grant_scopes(None, Some(granted)).unwrap(), granted);
        assert_eq!(
            grant_scopes(Some(requested), Some(granted)).unwrap(),
            Scopes::from_iter([Scope::ReadPayroll])
        );
        assert_eq!(grant_scopes(Some(requested), None).unwrap_err().error, OAuthError::InvalidClient);
    }

    #[test]
    fn debug_output_of_a_token_request_shows_no_secret() {
        let good = parse_form(VALID_FORM);
        let request = TokenRequest::read(TokenInput { form: &good, ..TokenInput::default() }).unwrap();
        assert!(!format!("{request:?}").contains("secret\""));
    }
}
