//! Sends the requests of the library `openidconnect` to the identity provider.

use std::pin::Pin;

use openidconnect::{HttpRequest, HttpResponse};
use payroll_ports::BoxError;

/// The maximum size of a response in bytes. A key set or a token has a few kilobytes.
const MAX_RESPONSE_BYTES: usize = 256 * 1024;

/// The HTTP client for the provider. Clones of the client share the connections.
#[derive(Clone)]
pub(crate) struct ProviderHttpClient(reqwest::Client);

/// The type of the future that sends a request and returns the response.
type ResponseFuture = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send>>;

/// The error of a request, which implements the error trait that the library requires.
#[derive(Debug)]
pub(crate) struct HttpError(BoxError);

impl std::fmt::Display for HttpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the identity provider cannot be reached: {}", self.0)
    }
}

impl std::error::Error for HttpError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl ProviderHttpClient {
    pub(crate) const fn new(client: reqwest::Client) -> Self {
        Self(client)
    }

    /// Returns the function that the library calls to send a request. The function returns an error if the
    /// connection fails or the response is too large.
    pub(crate) fn request_function(&self) -> impl Fn(HttpRequest) -> ResponseFuture + Send + Sync + 'static {
        let own = self.clone();
        move |request| {
            let own = own.clone();
            Box::pin(async move { own.send(request).await.map_err(HttpError) })
        }
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, BoxError> {
        // The URL is removed from the error, because the URL would make the error message long.
        let response = self.0.execute(request.try_into()?).await.map_err(reqwest::Error::without_url);
        let mut response = response?;
        let mut sent = HttpResponse::new(Vec::new());
        *sent.status_mut() = response.status();
        *sent.headers_mut() = std::mem::take(response.headers_mut());
        while let Some(chunk) = response.chunk().await.map_err(reqwest::Error::without_url)? {
            if sent.body().len() + chunk.len() > MAX_RESPONSE_BYTES {
                return Err(format!(
                    "the response of the identity provider has more than {MAX_RESPONSE_BYTES} bytes"
                )
                .into());
            }
            sent.body_mut().extend_from_slice(&chunk);
        }
        Ok(sent)
    }
}
