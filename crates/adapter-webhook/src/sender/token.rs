//! Tokens for receivers that want one: fetched where the hook says, by the client-credentials grant
//! (RFC 6749 §4.4), and kept until shortly before they end.
//!
//! The request is made here rather than by the `oauth2` crate: it knows no credentials in the query,
//! and would bring a second set of random numbers, hashes and dates for what is one form.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::OAuthClient;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use reqwest::{Method, Request, Response};
use serde::Deserialize;
use tokio::time::timeout;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::authentication::{basic, sensitive};
use super::client::Clients;
use super::resolver::Resolver;
use super::route::Route;

/// Bytes of an answer with a token; real ones have a few thousand.
const MAX_ANSWER: usize = 64 * 1_024;
/// Seconds before its end at which a token is not used any more, so that it does not end on the way.
/// Of a token that lives shortly, half of its life.
const MARGIN_SECONDS: u32 = 30;
/// Seconds for which a token counts whose answer does not say.
const UNSAID_SECONDS: u32 = 300;
/// Seconds for which a token is kept at most, even if its response says more.
const MAX_SECONDS: u32 = 86_400;

/// The token of a hook. It is fetched once at a time: attempts that need it meanwhile wait.
pub(super) struct Tokens {
    fetching: Arc<Fetching>,
    state: Mutex<State>,
}

#[derive(Clone)]
pub(super) struct Token {
    header: HeaderValue,
    /// Which one of the hook's tokens it is.
    serial: u64,
    /// When it was requested, and until when it is used. Where a clock is set back before the one, how
    /// old the token is cannot be known, and another is fetched.
    requested: Timestamp,
    good_until: Timestamp,
}

type Fetch = Shared<BoxFuture<'static, Result<Token, ErrorClass>>>;

#[derive(Default)]
struct State {
    serial: u64,
    held: Option<Token>,
    under_way: Option<Fetch>,
}

/// How a token is fetched.
struct Fetching {
    route: Result<Route, ErrorClass>,
    headers: Option<HeaderMap>,
    form: String,
    limit: Duration,
}

impl Tokens {
    /// Tokens that are fetched with id and secret in the query.
    pub(super) fn by_query(client: &OAuthClient, resolver: &Resolver, limit: Duration) -> Self {
        let mut route = Route::to(&client.token_url, resolver);
        if let Ok(route) = &mut route {
            route
                .url
                .query_pairs_mut()
                .append_pair("client_id", &client.client_id)
                .append_pair("client_secret", client.client_secret.expose());
        }
        Self::new(client, route, Some(HeaderMap::new()), limit)
    }

    /// Tokens that are fetched with id and secret in the `Authorization` header.
    pub(super) fn by_header(client: &OAuthClient, resolver: &Resolver, limit: Duration) -> Self {
        // RFC 6749 §2.3.1: both are encoded as in a form before.
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let value = basic(&encoded(&client.client_id), &encoded(client.client_secret.expose()));
        let headers = value.ok().map(|value| HeaderMap::from_iter([(AUTHORIZATION, value)]));
        Self::new(client, Route::to(&client.token_url, resolver), headers, limit)
    }

    fn new(
        client: &OAuthClient,
        route: Result<Route, ErrorClass>,
        mut headers: Option<HeaderMap>,
        limit: Duration,
    ) -> Self {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        if let Some(scope) = &client.scope {
            form.append_pair("scope", scope);
        }
        let form = form.finish();
        if let Some(headers) = &mut headers {
            headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
            if let Some(host) = route.as_ref().ok().and_then(|route| route.host.clone()) {
                headers.insert(HOST, host);
            }
        }
        Self { fetching: Arc::new(Fetching { route, headers, form, limit }), state: Mutex::default() }
    }

    /// A token that is good now, and another than the one that was refused.
    ///
    /// # Errors
    /// [`ErrorClass::Token`], for any fault: an attempt's own errors are those of its receiver.
    pub(super) async fn token(
        &self,
        clients: &Arc<Clients>,
        now: Timestamp,
        refused: Option<&Token>,
    ) -> Result<Token, ErrorClass> {
        let refused = refused.map(|token| token.serial);
        let fetch = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let good = |token: &&Token| {
                (token.requested..token.good_until).contains(&now) && refused != Some(token.serial)
            };
            if let Some(token) = state.held.as_ref().filter(good) {
                return Ok(token.clone());
            }
            state.fetch(&self.fetching, clients, now)
        };
        let fetched = fetch.clone().await;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Only who is first to hear of it puts it down; meanwhile another may have been begun.
        if state.under_way.as_ref().is_some_and(|under_way| under_way.ptr_eq(&fetch)) {
            state.under_way = None;
            state.held = fetched.clone().ok();
        }
        fetched
    }
}

impl State {
    /// The fetch under way, or a new one.
    fn fetch(&mut self, fetching: &Arc<Fetching>, clients: &Arc<Clients>, now: Timestamp) -> Fetch {
        if let Some(fetch) = &self.under_way {
            return fetch.clone();
        }
        self.serial += 1;
        let (fetching, clients, serial) = (Arc::clone(fetching), Arc::clone(clients), self.serial);
        let fetch = async move {
            let fetched = timeout(fetching.limit, fetching.fetch(&clients)).await;
            let granted = fetched.unwrap_or(Err(ErrorClass::Timeout)).map_err(|error| {
                tracing::debug!(error = error.as_str(), "a token could not be fetched");
                ErrorClass::Token
            })?;
            let good_until = now.plus_seconds(granted.seconds_of_use());
            let header =
                sensitive(&format!("Bearer {}", granted.access_token)).map_err(|_| ErrorClass::Token)?;
            Ok(Token { header, serial, requested: now, good_until })
        };
        let fetch = fetch.boxed().shared();
        self.under_way = Some(fetch.clone());
        fetch
    }
}

impl Fetching {
    async fn fetch(&self, clients: &Clients) -> Result<Granted, ErrorClass> {
        let route = self.route.as_ref().map_err(|error| *error)?;
        let make = || {
            let mut request = Request::new(Method::POST, route.url.clone());
            *request.headers_mut() = self.headers.clone().ok_or(ErrorClass::Internal)?;
            *request.body_mut() = Some(self.form.clone().into());
            Ok(request)
        };
        let response = clients.execute(route, make).await?;
        if !response.status().is_success() {
            return Err(ErrorClass::Status);
        }
        let body = whole(response).await.ok_or(ErrorClass::InvalidAnswer)?;
        let granted = serde_json::from_slice(&body).ok();
        granted.filter(|granted: &Granted| !granted.access_token.is_empty()).ok_or(ErrorClass::InvalidAnswer)
    }
}

/// The body of an answer that ends, and not too late.
async fn whole(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}

impl Token {
    /// The request, with this token.
    pub(super) fn authorize(&self, mut request: Request) -> Request {
        request.headers_mut().insert(AUTHORIZATION, self.header.clone());
        request
    }
}

/// What is read of an answer with a token (RFC 6749 §5.1).
#[derive(Deserialize)]
struct Granted {
    access_token: String,
    /// Seconds. Some servers write them as a text.
    #[serde(default)]
    expires_in: Option<serde_json::Value>,
}

impl Granted {
    fn seconds_of_use(&self) -> i64 {
        use serde_json::Value;
        let said = match &self.expires_in {
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => None,
        };
        let most = f64::from(MAX_SECONDS);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between the two")]
        let seconds = said.map_or(UNSAID_SECONDS, |seconds| seconds.clamp(0.0, most) as u32);
        i64::from(seconds - MARGIN_SECONDS.min(seconds / 2))
    }
}
