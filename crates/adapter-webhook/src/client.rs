//! The HTTP client that notifications will be sent with, and its limits.

use std::time::Duration;

/// How long a connection may take: a host that is up answers within a second or two.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a whole attempt may take, the answer's body included.
pub(crate) const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);

/// A client that goes where it is told and nowhere else: no redirects, no proxies from the
/// environment, bounded in time.
///
/// # Errors
/// When the TLS configuration of the process is unusable: the process must have installed its
/// TLS provider first.
pub(crate) fn client() -> Result<reqwest::Client, reqwest::Error> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(ATTEMPT_TIMEOUT)
        .build()
}
