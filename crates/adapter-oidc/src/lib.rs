//! Single sign-on of operators with OpenID Connect: the authorization code flow with PKCE. The crate
//! `openidconnect` builds the requests and verifies the identity tokens.
//!
//! [`Provider`] reads the metadata and keys of the identity provider and caches them for five minutes.
//! [`settings`] maps the groups of an operator to a role. [`http`] sends the requests and limits their time
//! and the size of the responses.

mod claims;
mod http;
mod settings;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openidconnect::core::{CoreAuthenticationFlow, CoreProviderMetadata};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, TokenResponse,
};
use payroll_ports::sign_in::{
    IdentityProvider, OperatorIdentity, SignInCallback, SignInError, StartedSignIn,
};
use payroll_ports::{BoxError, Clock};
use tokio::sync::Mutex;

pub use settings::{ProviderSettings, RoleMap};

use claims::{Client, to_library_time};
use http::ProviderHttpClient;

/// The time for which the provider's metadata and keys are cached. This time suffices, because providers
/// usually publish a new key some time before they sign with it. A token with an unknown key also makes the
/// server read the keys again.
const METADATA_LIFETIME: Duration = Duration::from_secs(300);
/// The minimum age of the cached metadata at which an invalid token makes the server read the metadata again.
/// This age limits the requests that invalid tokens cause.
const MIN_METADATA_AGE_FOR_RELOAD: Duration = Duration::from_secs(10);

/// An identity provider that supports OpenID Connect Discovery.
pub struct Provider {
    settings: ProviderSettings,
    issuer: IssuerUrl,
    http: ProviderHttpClient,
    clock: Arc<dyn Clock>,
    /// The metadata and keys of the provider, and the time at which they were read, by the monotonic clock.
    metadata: Mutex<Option<(Duration, CoreProviderMetadata)>>,
}

impl Provider {
    /// Creates a client for the provider in the settings, without sending a request.
    ///
    /// # Errors
    /// An error if the issuer is not a URL.
    pub fn new(
        settings: ProviderSettings,
        client: reqwest::Client,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, BoxError> {
        let issuer = IssuerUrl::new(settings.issuer.clone())?;
        Ok(Self {
            settings,
            issuer,
            http: ProviderHttpClient::new(client),
            clock,
            metadata: Mutex::default(),
        })
    }

    /// Returns the metadata and keys of the provider, from the cache if they are not older than `max_age`.
    async fn load_metadata(&self, max_age: Duration) -> Result<CoreProviderMetadata, SignInError> {
        let mut cached = self.metadata.lock().await;
        let now = self.clock.monotonic_time();
        if let Some((read, metadata)) = &*cached
            && now.saturating_sub(*read) < max_age
        {
            return Ok(metadata.clone());
        }
        let send = self.http.request_function();
        let read = CoreProviderMetadata::discover_async(self.issuer.clone(), &send).await;
        let metadata = read.map_err(|error| SignInError::Unavailable(error.into()))?;
        *cached = Some((now, metadata.clone()));
        Ok(metadata)
    }

    fn create_client(
        &self,
        metadata: CoreProviderMetadata,
        redirect_url: &str,
    ) -> Result<Client, SignInError> {
        let redirect = RedirectUrl::new(redirect_url.to_owned());
        let redirect = redirect.map_err(|error| SignInError::Unavailable(error.into()))?;
        let secret = self.settings.client_secret.as_ref();
        let secret = secret.map(|secret| ClientSecret::new(secret.expose().to_owned()));
        let client_id = ClientId::new(self.settings.client_id.clone());
        Ok(claims::create_client(metadata, client_id, secret).set_redirect_uri(redirect))
    }

    /// Verifies the identity token. If the verification fails with cached metadata, the provider may have a
    /// new key. The metadata is then read again, and the token is verified once more.
    async fn verify_identity(
        &self,
        token: &claims::IdToken,
        (redirect_url, nonce): (&str, &Nonce),
    ) -> Result<OperatorIdentity, SignInError> {
        let mut failure = None;
        for max_age in [METADATA_LIFETIME, MIN_METADATA_AGE_FOR_RELOAD] {
            let client = self.create_client(self.load_metadata(max_age).await?, redirect_url)?;
            let clock = Arc::clone(&self.clock);
            let verifier = client.id_token_verifier().set_time_fn(move || to_library_time(clock.now()));
            match token.claims(&verifier, nonce) {
                Ok(claims) => return self.settings.identity(claims),
                Err(error) => failure = Some(error),
            }
        }
        let failure: BoxError = failure.map_or_else(|| "no attempt".into(), Into::into);
        Err(SignInError::Rejected(failure))
    }
}

#[async_trait]
impl IdentityProvider for Provider {
    async fn start_sign_in(&self, redirect_url: &str) -> Result<StartedSignIn, SignInError> {
        let client = self.create_client(self.load_metadata(METADATA_LIFETIME).await?, redirect_url)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
        let (url, state, nonce) = client
            .authorize_url(flow, CsrfToken::new_random, Nonce::new_random)
            .add_scopes(scopes)
            .set_pkce_challenge(challenge)
            .url();
        Ok(StartedSignIn {
            url: url.into(),
            state: state.into_secret(),
            nonce: nonce.secret().to_owned(),
            verifier: verifier.into_secret(),
        })
    }

    async fn finish_sign_in(
        &self,
        redirect_url: &str,
        response: SignInCallback<'_>,
    ) -> Result<OperatorIdentity, SignInError> {
        let client = self.create_client(self.load_metadata(METADATA_LIFETIME).await?, redirect_url)?;
        let request = client.exchange_code(AuthorizationCode::new(response.code.to_owned()));
        let request = request.map_err(|error| SignInError::Unavailable(error.into()))?;
        let send = self.http.request_function();
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(response.verifier.to_owned()));
        let tokens = request.request_async(&send).await;
        let tokens = tokens.map_err(|error| match error {
            RequestTokenError::Request(_) => SignInError::Unavailable(error.into()),
            _ => SignInError::Rejected(error.into()),
        })?;
        let token = tokens.id_token();
        let token = token.ok_or_else(|| {
            SignInError::Rejected("the response of the identity provider has no identity token".into())
        })?;
        self.verify_identity(token, (redirect_url, &Nonce::new(response.nonce.to_owned()))).await
    }
}
