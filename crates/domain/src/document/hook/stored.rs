//! The stored form of a hook's authentication, which is encrypted.
//!
//! The members have the same names as in a registration. The method is stored separately without encryption,
//! because it is not a secret.

use crate::hook::{Address, AuthType, Authentication, OAuthClient};
use crate::input::{Node, parse};
use crate::object::writer::{ObjectWriter, TaxIdMasking};
use crate::secret_text::SecretText;

impl Authentication {
    /// Returns the text to encrypt and store: a JSON object with all members except the method.
    ///
    /// ```
    /// use payroll_domain::SecretText;
    /// use payroll_domain::hook::Authentication;
    /// let basic =
    ///     Authentication::Basic { username: "ann".to_owned(), password: SecretText::new("secret") };
    /// let stored = basic.to_stored();
    /// assert_eq!(stored.expose(), r#"{"username":"ann","password":"secret"}"#);
    /// assert_eq!(Authentication::from_stored(basic.auth_type(), stored.expose()), Some(basic));
    /// ```
    #[must_use]
    pub fn to_stored(&self) -> SecretText {
        let text = ObjectWriter::write_document(TaxIdMasking::Masked, |object| match self {
            Self::Basic { username, password } => {
                object.write_text("username", username);
                object.write_text("password", password.expose());
            }
            Self::ApiKey { header, key } => {
                object.write_text("apiKeyHeader", header);
                object.write_text("apiKey", key.expose());
            }
            Self::OAuth2(client) | Self::OAuth2Basic(client) => {
                object.write_text("tokenUrl", client.token_url.as_str());
                object.write_text("clientId", &client.client_id);
                object.write_text("clientSecret", client.client_secret.expose());
                object.write_optional("scope", client.scope.as_deref());
            }
        });
        SecretText::new(text)
    }

    /// Returns the authentication with this method and stored text. `None` if the method and the text do not
    /// match. The values were validated before they were stored and are not validated again.
    #[must_use]
    pub fn from_stored(auth_type: AuthType, text: &str) -> Option<Self> {
        let document = parse(text.as_bytes()).ok()?;
        let secret = |name| find_text_member(&document, name).map(SecretText::new);
        let client = || {
            Some(OAuthClient {
                token_url: Address::from_stored(find_text_member(&document, "tokenUrl")?)?,
                client_id: find_text_member(&document, "clientId")?.to_owned(),
                client_secret: secret("clientSecret")?,
                scope: find_text_member(&document, "scope").map(str::to_owned),
            })
        };
        Some(match auth_type {
            AuthType::Basic => Self::Basic {
                username: find_text_member(&document, "username")?.to_owned(),
                password: secret("password")?,
            },
            AuthType::ApiKey => Self::ApiKey {
                header: find_text_member(&document, "apiKeyHeader")?.to_owned(),
                key: secret("apiKey")?,
            },
            AuthType::OAuth2 => Self::OAuth2(client()?),
            AuthType::OAuth2Basic => Self::OAuth2Basic(client()?),
        })
    }
}

fn find_text_member<'n>(document: &'n Node<'_>, name: &str) -> Option<&'n str> {
    document.member(name)?.as_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oauth_client(scope: Option<&str>) -> OAuthClient {
        OAuthClient {
            token_url: Address::from_stored("https://login.example:8443/token?tenant=\"a\"").unwrap(),
            client_id: "id".to_owned(),
            client_secret: SecretText::new("se\"cr\\et\u{1}ü"),
            scope: scope.map(str::to_owned),
        }
    }

    #[test]
    fn every_authentication_method_survives_storage() {
        let all = [
            Authentication::Basic { username: "ü \"x\"".to_owned(), password: SecretText::new("p\\") },
            Authentication::ApiKey { header: "x-api-key".to_owned(), key: SecretText::new("k") },
            Authentication::OAuth2(oauth_client(None)),
            Authentication::OAuth2Basic(oauth_client(Some("a b"))),
        ];
        for authentication in all {
            let stored = authentication.to_stored();
            let read = Authentication::from_stored(authentication.auth_type(), stored.expose());
            assert_eq!(read.as_ref(), Some(&authentication));
            assert!(!format!("{authentication:?}{stored:?}").contains("se\\"), "{authentication:?}");
        }
    }

    #[test]
    fn rejects_the_stored_text_of_another_method() {
        let basic = Authentication::Basic { username: "a".to_owned(), password: SecretText::new("b") };
        for auth_type in [AuthType::ApiKey, AuthType::OAuth2, AuthType::OAuth2Basic] {
            assert_eq!(Authentication::from_stored(auth_type, basic.to_stored().expose()), None);
        }
        for text in ["", "[]", "{}", r#"{"username": 5, "password": "b"}"#, r#"{"username": "a"}"#] {
            assert_eq!(Authentication::from_stored(AuthType::Basic, text), None, "{text}");
        }
    }
}
