//! One request: its parts, and the attempts to send it.

use std::fmt;

use oauth2::AccessToken;
use reqwest::header::{ACCEPT, CONTENT_TYPE, IF_MATCH};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::client::Client;
use crate::error::Error;
use crate::random;
use crate::response::{self, MAX_RESPONSE, Reply, Response};
use crate::retry::RetrySafety;

const JSON: &str = "application/json";
const ANY_TYPE: &str = "*/*";

/// The HTTP methods that operations of the API use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Method {
    const fn to_http(self) -> reqwest::Method {
        match self {
            Self::Get => reqwest::Method::GET,
            Self::Post => reqwest::Method::POST,
            Self::Patch => reqwest::Method::PATCH,
            Self::Delete => reqwest::Method::DELETE,
        }
    }

    const fn retry_safety(self) -> RetrySafety {
        match self {
            // GET and DELETE are safe to repeat. POST is safe too, because every POST has an idempotency
            // key.
            Self::Get | Self::Post | Self::Delete => RetrySafety::Safe,
            Self::Patch => RetrySafety::Unsafe,
        }
    }
}

/// A request for any operation of the API. Create a request with `Client::get`, `post`, `patch` or `delete`.
#[derive(Clone)]
#[must_use = "a request is sent by `send`, `json` or `bytes`"]
pub struct Request {
    client: Client,
    method: Method,
    path: String,
    query: Vec<(String, String)>,
    accept: Option<String>,
    content_type: String,
    idempotency_key: Option<String>,
    if_match: Option<String>,
    headers: Vec<(String, String)>,
    /// The bytes of the body, or the error of serializing it.
    body: Result<Option<Vec<u8>>, String>,
}

impl fmt::Debug for Request {
    /// Writes the method and the path. The body, the query and the headers are omitted, because they can
    /// contain secrets and personal data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Request").field(&self.method).field(&self.path).finish()
    }
}

impl Client {
    /// Begins a GET request. The path begins with a slash and has no query, see [`Request::query`].
    ///
    /// ```no_run
    /// # async fn example(client: payroll_client::Client) -> Result<(), payroll_client::Error> {
    /// let contacts: serde_json::Value = client.get("/workers/W1/contacts").json().await?;
    /// # Ok(()) }
    /// ```
    pub fn get(&self, path: impl Into<String>) -> Request {
        Request::new(self, Method::Get, path.into())
    }

    /// Begins a POST request with a JSON body. The request has a random idempotency key, so its retries are
    /// safe. If your own program may repeat the request, set [`Request::idempotency_key`].
    pub fn post<B: Serialize + ?Sized>(&self, path: impl Into<String>, body: &B) -> Request {
        Request::new(self, Method::Post, path.into()).body(body)
    }

    /// Begins a PATCH request with a JSON body.
    pub fn patch<B: Serialize + ?Sized>(&self, path: impl Into<String>, body: &B) -> Request {
        Request::new(self, Method::Patch, path.into()).body(body)
    }

    /// Begins a DELETE request. If the response to the first attempt is lost, the object no longer exists at
    /// the retry, and the result is status 404.
    pub fn delete(&self, path: impl Into<String>) -> Request {
        Request::new(self, Method::Delete, path.into())
    }
}

/// Joins the segments of a path and escapes each one.
///
/// ```
/// assert_eq!(payroll_client::path(&["workers", "W 1", "contacts"]), "/workers/W%201/contacts");
/// ```
#[must_use]
pub fn path(segments: &[&str]) -> String {
    let escape = |it: &&str| {
        let escaped: String = url::form_urlencoded::byte_serialize(it.as_bytes()).collect();
        format!("/{}", escaped.replace('+', "%20"))
    };
    segments.iter().map(escape).collect()
}

impl Request {
    pub(crate) fn new(client: &Client, method: Method, path: String) -> Self {
        Self {
            client: client.clone(),
            method,
            path,
            query: Vec::new(),
            accept: None,
            content_type: JSON.to_owned(),
            idempotency_key: None,
            if_match: None,
            headers: Vec::new(),
            body: Ok(None),
        }
    }

    pub(crate) fn body<B: Serialize + ?Sized>(mut self, body: &B) -> Self {
        self.body = serde_json::to_vec(body).map(Some).map_err(|error| error.to_string());
        self
    }

    /// Adds a query parameter. A parameter can occur several times.
    pub fn query(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    /// Sets the media type of the body. The short form `vendor/payroll.checks` means
    /// `application/vnd.vendor.payroll.checks.v1+json`, in which the client replaces `vendor` by the
    /// configured name of the vendor.
    pub fn content_type(mut self, media_type: &str) -> Self {
        self.content_type = self.expand_media_type(media_type);
        self
    }

    /// Sets the media type of the response. The default is `application/json`, and any type for
    /// [`Request::bytes`]. The short form of [`Request::content_type`] is possible too.
    pub fn accept(mut self, media_type: &str) -> Self {
        self.accept = Some(self.expand_media_type(media_type));
        self
    }

    fn expand_media_type(&self, media_type: &str) -> String {
        media_type.strip_prefix("vendor/").map_or_else(
            || media_type.to_owned(),
            |name| format!("application/vnd.{}.{name}.v1+json", self.client.inner.vendor),
        )
    }

    /// Sets the `Idempotency-Key`: the server executes requests with the same key and body once in 24 hours.
    /// Derive the key from the purpose of the request, so that a restarted program uses the same key.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Lets the server execute the request only if the object still has this version, see [`Response::etag`].
    pub fn if_match(mut self, etag: impl Into<String>) -> Self {
        self.if_match = Some(etag.into());
        self
    }

    /// Adds a header, such as `x-vendor-sid` with the id of the notification that caused the request.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends the request and reads the JSON value of the response.
    ///
    /// # Errors
    /// See [`Error`]: a rejection, a failure of the connection, a response of another type, or
    /// [`Error::PartlyRejected`] for a list that is stored in part.
    pub async fn json<T: DeserializeOwned>(self) -> Result<T, Error> {
        Ok(self.send_with_retries().await?.into_complete()?.into_typed()?.value)
    }

    /// Sends the request and reads the JSON value and the headers of the response. Compare the status with
    /// 207 if the request has a list that the server may store in part.
    ///
    /// # Errors
    /// See [`Error`]: a rejection, a failure of the connection, or a response of another type.
    pub async fn send<T: DeserializeOwned>(self) -> Result<Response<T>, Error> {
        self.send_with_retries().await?.into_typed()
    }

    /// Sends the request and reads the bytes of the response, such as those of a document.
    ///
    /// # Errors
    /// See [`Error`]: a rejection, or a failure of the connection.
    pub async fn bytes(mut self) -> Result<Response<Vec<u8>>, Error> {
        self.accept.get_or_insert_with(|| ANY_TYPE.to_owned());
        Ok(self.send_with_retries().await?.bytes())
    }

    /// Makes attempts until one succeeds or the error is final. If the server rejects the token, the token is
    /// renewed once.
    async fn send_with_retries(mut self) -> Result<Reply, Error> {
        let url = self.url()?;
        if self.method == Method::Post && self.idempotency_key.is_none() {
            self.idempotency_key = Some(random::random_id()?);
        }
        let inner = &self.client.inner;
        let mut attempt = 1_u32;
        let mut rejected = None;
        loop {
            let error = match self.attempt_request(&url, rejected.as_ref()).await {
                Ok(reply) => return Ok(reply),
                Err((Error::Rejected(it), Some(token))) if it.status == 401 && rejected.is_none() => {
                    rejected = Some(token);
                    continue;
                }
                Err((error, _)) => error,
            };
            let Some(wait) =
                inner.policy.retry_delay(attempt, &error, self.method.retry_safety(), random::random_bits()?)
            else {
                return Err(error);
            };
            tokio::time::sleep(wait).await;
            attempt = attempt.saturating_add(1);
        }
    }

    /// Sends the request once. An error includes the token with which the request was sent, so that the token can
    /// be renewed.
    async fn attempt_request(
        &self,
        url: &Url,
        rejected_token: Option<&AccessToken>,
    ) -> Result<Reply, (Error, Option<AccessToken>)> {
        let inner = &self.client.inner;
        let token =
            inner.tokens.valid_token(&inner.http, rejected_token).await.map_err(|error| (error, None))?;
        let reply = async {
            let request = self.http_request(url, &token)?;
            let response = inner.http.execute(request).await.map_err(Error::from_http)?;
            response::read_limited(response, MAX_RESPONSE).await?.into_success()
        };
        reply.await.map_err(|error| (error, Some(token.clone())))
    }

    fn http_request(&self, url: &Url, token: &AccessToken) -> Result<reqwest::Request, Error> {
        let http = &self.client.inner.http;
        let mut request = http.request(self.method.to_http(), url.clone()).bearer_auth(token.secret());
        request = request.header(ACCEPT, self.accept.as_deref().unwrap_or(JSON));
        if let Some(key) = &self.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(etag) = &self.if_match {
            request = request.header(IF_MATCH, etag);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let invalid = |error: &String| Error::Invalid(format!("the body cannot be serialized: {error}"));
        if let Some(body) = self.body.as_ref().map_err(invalid)? {
            request = request.header(CONTENT_TYPE, &self.content_type).body(body.clone());
        }
        request.build().map_err(Error::from_http)
    }

    /// Returns the address of the request.
    fn url(&self) -> Result<Url, Error> {
        let mut url = self.client.inner.base.clone();
        let full = format!("{}{}", url.path().trim_end_matches('/'), self.path);
        url.set_path(&full);
        // A path segment such as `..` would call another operation, so the path must not change when the URL
        // is parsed.
        if !self.path.starts_with('/') || self.path.contains(['?', '#']) || url.path() != full {
            let path = &self.path;
            return Err(Error::Invalid(format!("expected an escaped path without query, got {path:?}")));
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        Ok(url)
    }
}
