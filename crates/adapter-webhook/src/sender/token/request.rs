//! A token request. The crate `oauth2` serializes the request and parses its response. [`TokenRequest::send`]
//! passes the request to the HTTP client of this crate. The rules for all requests of the sender therefore
//! apply: the validated address, the time limits and the retry.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AccessToken, Client, ClientId, ClientSecret, HttpRequest, HttpResponse, RefreshToken, RequestTokenError,
    Scope, StandardRevocableToken, TokenUrl,
};
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::OAuthClient;
use reqwest::header::{AUTHORIZATION, HOST};
use reqwest::{Method, Request, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sender::client::HttpClients;
use crate::sender::resolver::AddressResolver;
use crate::sender::route::ReceiverRoute;

/// The maximum size of a token response in bytes. Typical responses have a few thousand bytes.
const MAX_RESPONSE_BYTES: usize = 64 * 1_024;
/// The maximum lifetime of a token in seconds, even if the response contains a longer lifetime.
const MAX_LIFETIME_SECONDS: f64 = 86_400.0;

/// The part of a token request that contains the client id and the client secret.
#[derive(Clone, Copy)]
pub(in crate::sender) enum CredentialsPosition {
    Header,
    Query,
}

/// The data for requesting a token.
pub(super) struct TokenRequest {
    client: OAuthClient,
    credentials: CredentialsPosition,
    /// The route of the request. If the client id and the secret are sent in the query, the URL of the route
    /// contains them.
    route: Result<ReceiverRoute, ErrorClass>,
}

impl TokenRequest {
    pub(super) fn new(
        client: &OAuthClient,
        credentials: CredentialsPosition,
        resolver: &AddressResolver,
    ) -> Self {
        let mut route = ReceiverRoute::for_address(&client.token_url, resolver);
        if let (CredentialsPosition::Query, Ok(route)) = (credentials, &mut route) {
            let mut query = route.url.query_pairs_mut();
            query.append_pair("client_id", &client.client_id);
            query.append_pair("client_secret", client.client_secret.expose());
        }
        Self { client: client.clone(), credentials, route }
    }

    /// Requests a token from the token URL of the hook.
    ///
    /// # Errors
    /// The class of the error if no token was granted.
    pub(super) async fn request_token(
        self: Arc<Self>,
        clients: Arc<HttpClients>,
    ) -> Result<GrantedToken, ErrorClass> {
        let client = TokenClient::new(ClientId::new(self.client.client_id.clone()))
            .set_client_secret(ClientSecret::new(self.client.client_secret.expose().to_owned()))
            .set_token_uri(TokenUrl::from_url(self.client.token_url.url().clone()));
        let scope = self.client.scope.clone().map(Scope::new);
        let send = |request| Arc::clone(&self).send(Arc::clone(&clients), request);
        let granted = client.exchange_client_credentials().add_scopes(scope).request_async(&send).await;
        // Errors of `oauth2` contain the response, possibly with a token, so they are never logged.
        let granted = granted.map_err(|error| match error {
            RequestTokenError::Request(SendError(error)) => error,
            _ => ErrorClass::InvalidAnswer,
        })?;
        let is_empty = granted.access_token.secret().is_empty();
        if is_empty { Err(ErrorClass::InvalidAnswer) } else { Ok(granted) }
    }

    /// Sends the request to the validated address. The body of a successful response is returned with the
    /// status 200 and without a media type, because `oauth2` rejects other statuses and media types.
    async fn send(
        self: Arc<Self>,
        clients: Arc<HttpClients>,
        request: HttpRequest,
    ) -> Result<HttpResponse, SendError> {
        let route = self.route.as_ref().map_err(|error| SendError(*error))?;
        let (mut head, form) = request.into_parts();
        match self.credentials {
            CredentialsPosition::Query => drop(head.headers.remove(AUTHORIZATION)),
            CredentialsPosition::Header => {
                head.headers.values_mut().for_each(|value| value.set_sensitive(true))
            }
        }
        head.headers.extend(route.host.clone().map(|host| (HOST, host)));
        let make = || {
            let mut request = Request::new(Method::POST, route.url.clone());
            *request.headers_mut() = head.headers.clone();
            *request.body_mut() = Some(form.clone().into());
            Ok(request)
        };
        let response = clients.execute(route, make).await.map_err(SendError)?;
        if !response.status().is_success() {
            return Err(SendError(ErrorClass::Status));
        }
        read_complete_body(response).await.map(HttpResponse::new).ok_or(SendError(ErrorClass::InvalidAnswer))
    }
}

/// Returns the complete body of a response; `None` if it is incomplete or too long.
async fn read_complete_body(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}

/// Wraps the class of an error that occurred before a response, as the error type that `oauth2` requires.
#[derive(Debug)]
struct SendError(ErrorClass);

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl std::error::Error for SendError {}

/// The client type of `oauth2` with the token response [`GrantedToken`].
type TokenClient = Client<
    BasicErrorResponse,
    GrantedToken,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
>;

/// A token response (RFC 6749 §5.1). The token response of `oauth2` requires `token_type`, and an integer in
/// `expires_in`. Some servers omit `token_type`, or send `expires_in` as a string or a fraction.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct GrantedToken {
    access_token: AccessToken,
    #[serde(default)]
    expires_in: Option<Value>,
}

impl oauth2::TokenResponse for GrantedToken {
    type TokenType = BasicTokenType;

    fn access_token(&self) -> &AccessToken {
        &self.access_token
    }

    fn token_type(&self) -> &BasicTokenType {
        &BasicTokenType::Bearer
    }

    fn expires_in(&self) -> Option<Duration> {
        let seconds: f64 = match self.expires_in.as_ref()? {
            Value::Number(number) => number.as_f64()?,
            Value::String(text) => text.trim().parse().ok()?,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        Duration::try_from_secs_f64(seconds.clamp(0.0, MAX_LIFETIME_SECONDS)).ok()
    }

    fn refresh_token(&self) -> Option<&RefreshToken> {
        None
    }

    fn scopes(&self) -> Option<&Vec<Scope>> {
        None
    }
}
