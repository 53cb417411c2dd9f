//! How the server shows a receiver who it is.

use crate::named::named;
use crate::secret_text::SecretText;

use super::Address;

named! {
    /// The methods by which the server shows a receiver who it is.
    AuthType {
        /// User name and password with each request.
        Basic = "BASIC_AUTH",
        /// A key in a header of each request.
        ApiKey = "APIKEY",
        /// A token, fetched with id and secret as parameters of the query.
        OAuth2 = "OAUTH2",
        /// A token, fetched with id and secret in the `Authorization` header.
        OAuth2Basic = "OAUTH2_BASIC",
    }
}

/// How the server shows a receiver who it is, with what it shows. `Debug` shows no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authentication {
    /// User name and password with each request.
    Basic {
        /// The user name, without a colon.
        username: String,
        /// The password.
        password: SecretText,
    },
    /// A key in a header of each request.
    ApiKey {
        /// The header's name, in small letters.
        header: String,
        /// The key.
        key: SecretText,
    },
    /// A token, fetched with id and secret as parameters of the query.
    OAuth2(OAuthClient),
    /// A token, fetched with id and secret in the `Authorization` header.
    OAuth2Basic(OAuthClient),
}

/// What a token for a receiver is fetched with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthClient {
    /// Where; under the rules of [`Address::of_tokens`].
    pub token_url: Address,
    /// The server's name there.
    pub client_id: String,
    /// Its secret.
    pub client_secret: SecretText,
    /// The scope that is requested, if any.
    pub scope: Option<String>,
}

impl Authentication {
    /// The method.
    #[must_use]
    pub const fn auth_type(&self) -> AuthType {
        match self {
            Self::Basic { .. } => AuthType::Basic,
            Self::ApiKey { .. } => AuthType::ApiKey,
            Self::OAuth2(_) => AuthType::OAuth2,
            Self::OAuth2Basic(_) => AuthType::OAuth2Basic,
        }
    }
}
