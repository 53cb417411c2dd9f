//! The server's authentication to the receiver of a hook.

use crate::named::named_enum;
use crate::secret_text::SecretText;

use super::Address;

named_enum! {
    /// The methods of authentication to a receiver.
    AuthType {
        /// The user name and the password are sent with each request.
        Basic = "BASIC_AUTH",
        /// A key is sent in a header of each request.
        ApiKey = "APIKEY",
        /// The server fetches a token, with the client id and the client secret as query parameters.
        OAuth2 = "OAUTH2",
        /// The server fetches a token, with the client id and the client secret in the `Authorization`
        /// header.
        OAuth2Basic = "OAUTH2_BASIC",
    }
}

/// The method of authentication with its credentials. `Debug` shows no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authentication {
    /// The user name and the password are sent with each request.
    Basic {
        /// The user name, without a colon.
        username: String,
        /// The password that is sent with the user name.
        password: SecretText,
    },
    /// A key is sent in a header of each request.
    ApiKey {
        /// The name of the header, in lower case.
        header: String,
        /// The secret key, which is the value of the header.
        key: SecretText,
    },
    /// The server fetches a token, with the client id and the client secret as query parameters.
    OAuth2(OAuthClient),
    /// The server fetches a token, with the client id and the client secret in the `Authorization` header.
    OAuth2Basic(OAuthClient),
}

/// The client credentials with which the server fetches a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthClient {
    /// The address of the token endpoint, validated by [`Address::parse_token_url`].
    pub token_url: Address,
    /// The client id of the server at the token endpoint.
    pub client_id: String,
    /// The client secret of the server at the token endpoint.
    pub client_secret: SecretText,
    /// The scope that is requested for the token. `None` requests the default scope of the endpoint.
    pub scope: Option<String>,
}

impl Authentication {
    /// Returns the method without its credentials.
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
