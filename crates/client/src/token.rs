//! Access tokens: the OAuth 2.0 client credentials grant with the crate `oauth2`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use oauth2::basic::BasicClient;
use oauth2::{
    AccessToken, ClientId, ClientSecret, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse,
    RequestTokenError, TokenResponse, TokenUrl,
};
use reqwest::header::AUTHORIZATION;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::credential::Credential;
use crate::error::Error;
use crate::private_key::PrivateKey;
use crate::{random, response};

/// The path of the token operation.
const PATH: &str = "/auth/oauth/v2/token";

/// The type of the assertions (RFC 7523, section 2.2).
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The time before the expiry of a token at which the token is renewed. The token then does not expire during
/// a request.
const RENEWAL_MARGIN: Duration = Duration::from_secs(60);

/// The lifetime of a token if the token response does not contain a lifetime.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(240);

/// The maximum size of a token response in bytes. Typical responses have less than 2,000 bytes.
const MAX_RESPONSE: usize = 65_536;

type OAuthClient = BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// The token of a client. The lock is held during a token request, so concurrent requests wait for one token.
pub(crate) struct TokenCache {
    client: OAuthClient,
    signer: Option<AssertionSigner>,
    current: Mutex<Option<Token>>,
}

/// A private key, and the claims that are the same in all of its assertions.
struct AssertionSigner {
    key: PrivateKey,
    client_id: String,
    audience: String,
}

/// A token and the instant at which it is renewed.
struct Token {
    token: AccessToken,
    renewal: Instant,
}

impl TokenCache {
    pub(crate) fn new(base: &Url, client_id: String, credential: Credential, audience: String) -> Self {
        let mut address = base.clone();
        address.set_path(&format!("{}{PATH}", base.path().trim_end_matches('/')));
        let client =
            BasicClient::new(ClientId::new(client_id.clone())).set_token_uri(TokenUrl::from_url(address));
        let (client, signer) = match credential {
            Credential::Secret(secret) => {
                (client.set_client_secret(ClientSecret::new(secret.expose().to_owned())), None)
            }
            Credential::PrivateKey(key) => (client, Some(AssertionSigner { key, client_id, audience })),
        };
        Self { client, signer, current: Mutex::new(None) }
    }

    /// Returns a valid token. `rejected_token` is a token that the server no longer accepts, so it is never
    /// returned.
    ///
    /// # Errors
    /// The error of the token request.
    pub(crate) async fn valid_token(
        &self,
        http: &reqwest::Client,
        rejected_token: Option<&AccessToken>,
    ) -> Result<AccessToken, Error> {
        let mut current = self.current.lock().await;
        let is_rejected = |it: &AccessToken| rejected_token.is_some_and(|bad| bad.secret() == it.secret());
        match &*current {
            Some(it) if it.renewal > Instant::now() && !is_rejected(&it.token) => Ok(it.token.clone()),
            _ => {
                let token = self.request_token(http).await?;
                Ok(current.insert(token).token.clone())
            }
        }
    }

    async fn request_token(&self, http: &reqwest::Client) -> Result<Token, Error> {
        let send = |request| send_token_request(http.clone(), request);
        let mut request = self.client.exchange_client_credentials();
        if let Some(signer) = &self.signer {
            request = request
                .add_extra_param("client_assertion_type", ASSERTION_TYPE)
                .add_extra_param("client_assertion", signer.sign_assertion()?);
        }
        let granted = request.request_async(&send).await;
        // Other errors of `oauth2` can contain the response, and with it a token. The texts of such errors
        // are therefore not used.
        let granted = granted.map_err(|error| match error {
            RequestTokenError::Request(SendError(error)) => error,
            _ => Error::Response("the token response has no valid token".to_owned()),
        })?;
        let lifetime = granted.expires_in().unwrap_or(DEFAULT_LIFETIME);
        // For a short lifetime, as in tests, the margin is at most half of the lifetime.
        let margin = RENEWAL_MARGIN.min(lifetime.checked_div(2).unwrap_or_default());
        let now = Instant::now();
        let renewal = now.checked_add(lifetime.saturating_sub(margin)).unwrap_or(now);
        Ok(Token { token: granted.access_token().clone(), renewal })
    }
}

impl AssertionSigner {
    /// Signs a new assertion. The server accepts each assertion only once, so each attempt needs a new
    /// assertion.
    fn sign_assertion(&self) -> Result<String, Error> {
        #[expect(clippy::disallowed_methods, reason = "an assertion expires at a time of day")]
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        self.key.sign_assertion(&self.client_id, &self.audience, now, &random::random_id()?)
    }
}

/// Sends a token request. A response with an error status becomes an error with the API codes of the
/// response, because `oauth2` does not read these codes.
async fn send_token_request(http: reqwest::Client, request: HttpRequest) -> Result<HttpResponse, SendError> {
    let (mut head, form) = request.into_parts();
    head.headers.get_mut(AUTHORIZATION).into_iter().for_each(|it| it.set_sensitive(true));
    let url = Url::parse(&head.uri.to_string())
        .map_err(|error| SendError(invalid_response_error(&error.to_string())))?;
    let mut request = reqwest::Request::new(head.method, url);
    *request.headers_mut() = head.headers;
    *request.body_mut() = Some(form.into());
    let reply = http.execute(request).await.map_err(|error| SendError(Error::from_http(error)))?;
    let reply = response::read_limited(reply, MAX_RESPONSE).await.map_err(SendError)?;
    Ok(HttpResponse::new(reply.into_success().map_err(SendError)?.body))
}

fn invalid_response_error(fault: &str) -> Error {
    Error::Invalid(format!("the address of the token is invalid: {fault}"))
}

/// An error of a token request, as an error type for `oauth2`.
#[derive(Debug)]
struct SendError(Error);

impl std::fmt::Display for SendError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SendError {}
