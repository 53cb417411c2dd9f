//! The server's authentication to the receiver of a hook.

use crate::named::named;
use crate::secret_text::SecretText;

use super::Address;

named! {
    /// The methods of authentication to a receiver.
    AuthType {
        /// User name and password are sent with each request.
        Basic = "BASIC_AUTH",
        /// A key is sent in a header of each request.
        ApiKey = "APIKEY",
        /// A token is fetched, with id and secret as query parameters.
        OAuth2 = "OAUTH2",
        /// A token is fetched, with id and secret in the `Authorization` header.
        OAuth2Basic = "OAUTH2_BASIC",
    }
}

/// The method of authentication with its credentials. `Debug` shows no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authentication {
    /// User name and password are sent with each request.
    Basic {
        /// The user name, without a colon.
        username: String,
        /// The password of the user.
        password: SecretText,
    },
    /// A key is sent in a header of each request.
    ApiKey {
        /// The name of the header, in lower case.
        header: String,
        /// The key that is sent.
        key: SecretText,
    },
    /// A token is fetched, with id and secret as query parameters.
    OAuth2(OAuthClient),
    /// A token is fetched, with id and secret in the `Authorization` header.
    OAuth2Basic(OAuthClient),
}

/// The client credentials for fetching a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthClient {
    /// The address of the token endpoint, validated by [`Address::parse_token_url`].
    pub token_url: Address,
    /// The client id of the server at the token endpoint.
    pub client_id: String,
    /// The client secret of the server at the token endpoint.
    pub client_secret: SecretText,
    /// The scope that is requested, if any.
    pub scope: Option<String>,
}

impl Authentication {
    /// The method without its credentials.
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
