//! Forwards notifications to the developer's own program, and returns the status of its response.

use std::time::Duration;

use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderName, TRANSFER_ENCODING};
use hyper::{Request, StatusCode};
use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use crate::failure::{Failure, Outcome};

/// The time limit for a response of the program, which is longer than the senders' own time limit.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// The headers that only apply to one connection, so they are not forwarded.
const CONNECTION_HEADERS: [HeaderName; 4] = [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING];

/// The destination of forwarded notifications.
#[derive(Debug, Clone)]
pub(crate) struct Forwarding {
    client: Client,
    address: Url,
}

impl Forwarding {
    /// Creates a forwarding to this address.
    ///
    /// # Errors
    /// The address is not an http or https address.
    pub(crate) fn to_address(address: &str) -> Outcome<Self> {
        let read = Url::parse(address).ok().filter(|url| ["http", "https"].contains(&url.scheme()));
        let wrong = || Failure::new("--forward-to must be an address that begins with http:// or https://");
        let client = Client::builder().timeout(RESPONSE_TIMEOUT).redirect(Policy::none()).no_proxy().build();
        let client =
            client.map_err(|error| Failure::with_cause("notifications cannot be forwarded", &error))?;
        Ok(Self { client, address: read.ok_or_else(wrong)? })
    }

    /// Forwards the request. Returns the status of the program's response, or 502 if the program does not
    /// respond.
    pub(super) async fn forward(&self, request: &Request<Bytes>) -> StatusCode {
        let mut headers = request.headers().clone();
        for name in CONNECTION_HEADERS {
            headers.remove(name);
        }
        let sent = self.client.post(self.address.clone()).headers(headers).body(request.body().clone());
        match sent.send().await {
            Ok(response) => response.status(),
            Err(error) => {
                tracing::debug!(%error, "a notification was not forwarded");
                StatusCode::BAD_GATEWAY
            }
        }
    }
}
