//! Access tokens for receivers that require a token. A token is requested from the hook's token URL with the
//! client credentials grant (RFC 6749 §4.4). Each token is reused until shortly before its expiry.

mod request;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use oauth2::TokenResponse;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::OAuthClient;
use reqwest::Request;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use tokio::time::timeout;

use super::authentication::build_sensitive_header;
use super::client::HttpClients;
use super::resolver::AddressResolver;

pub(super) use request::CredentialsPosition;
use request::TokenRequest;

/// A token is no longer used if it expires within this number of seconds, because it could expire in transit.
/// For a token with a short lifetime, the margin is half of the lifetime.
const RENEWAL_MARGIN_SECONDS: u64 = 30;
/// The lifetime of a token in seconds, if the response does not contain it.
const DEFAULT_LIFETIME_SECONDS: u64 = 300;

/// The token of a hook. Only one request for a token is in progress at a time, and all attempts that need the
/// token wait for this request.
pub(super) struct TokenCache {
    request: Arc<TokenRequest>,
    limit: Duration,
    state: Mutex<TokenState>,
}

#[derive(Clone)]
pub(super) struct CachedToken {
    header: HeaderValue,
    /// The serial number of the token, which distinguishes it from earlier tokens of the hook.
    serial: u64,
    /// The time at which the token was requested. If the current time is earlier, the clock was set back and
    /// the age of the token is unknown. A new token is then requested.
    requested_at: Timestamp,
    expires: Timestamp,
}

type PendingFetch = Shared<BoxFuture<'static, Result<CachedToken, ErrorClass>>>;

#[derive(Default)]
struct TokenState {
    serial: u64,
    token: Option<CachedToken>,
    in_progress: Option<PendingFetch>,
}

impl TokenCache {
    pub(super) fn new(
        client: &OAuthClient,
        credentials: CredentialsPosition,
        resolver: &AddressResolver,
        limit: Duration,
    ) -> Self {
        let request = Arc::new(TokenRequest::new(client, credentials, resolver));
        Self { request, limit, state: Mutex::default() }
    }

    /// Returns a valid token. The result is never `rejected_token`, the token that the receiver has rejected.
    ///
    /// # Errors
    /// [`ErrorClass::Token`] for any fault of the token endpoint, because the other classes describe faults
    /// of the receiver.
    pub(super) async fn get_valid_token(
        &self,
        clients: &Arc<HttpClients>,
        now: Timestamp,
        rejected_token: Option<&CachedToken>,
    ) -> Result<CachedToken, ErrorClass> {
        let rejected = rejected_token.map(|token| token.serial);
        let fetch = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let is_valid = |token: &&CachedToken| {
                (token.requested_at..token.expires).contains(&now) && rejected != Some(token.serial)
            };
            if let Some(token) = state.token.as_ref().filter(is_valid) {
                return Ok(token.clone());
            }
            self.join_or_begin_fetch(&mut state, clients, now)
        };
        let fetched = fetch.clone().await;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Several attempts may wait for the same request. The first attempt that continues stores the token,
        // unless a newer token request has started in the meantime.
        if state.in_progress.as_ref().is_some_and(|in_progress| in_progress.ptr_eq(&fetch)) {
            state.in_progress = None;
            state.token = fetched.clone().ok();
        }
        fetched
    }

    /// Returns the request in progress, or starts a new request.
    fn join_or_begin_fetch(
        &self,
        state: &mut TokenState,
        clients: &Arc<HttpClients>,
        now: Timestamp,
    ) -> PendingFetch {
        if let Some(fetch) = &state.in_progress {
            return fetch.clone();
        }
        state.serial += 1;
        let (request, clients) = (Arc::clone(&self.request), Arc::clone(clients));
        let (limit, serial) = (self.limit, state.serial);
        let fetch = async move {
            let granted = timeout(limit, request.request_token(clients)).await;
            let granted = granted.unwrap_or(Err(ErrorClass::Timeout)).map_err(|error| {
                tracing::debug!(error = error.as_str(), "a token could not be fetched");
                ErrorClass::Token
            })?;
            let header = build_sensitive_header(&format!("Bearer {}", granted.access_token().secret()));
            let header = header.map_err(|_| ErrorClass::Token)?;
            let seconds =
                granted.expires_in().map_or(DEFAULT_LIFETIME_SECONDS, |lifetime| lifetime.as_secs());
            let usable = seconds - RENEWAL_MARGIN_SECONDS.min(seconds / 2);
            Ok(CachedToken {
                header,
                serial,
                requested_at: now,
                expires: now.plus_seconds(usable.cast_signed()),
            })
        };
        let fetch = fetch.boxed().shared();
        state.in_progress = Some(fetch.clone());
        fetch
    }
}

impl CachedToken {
    /// Adds this token to a request, as the header `Authorization`.
    pub(super) fn add_to_request(&self, mut request: Request) -> Request {
        request.headers_mut().insert(AUTHORIZATION, self.header.clone());
        request
    }
}
