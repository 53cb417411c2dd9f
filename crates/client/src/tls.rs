//! Creates the HTTP client. Its TLS uses the library ring and the certificate authorities that the system
//! trusts.

use std::sync::Arc;
use std::time::Duration;

use reqwest::redirect::Policy;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::error::Error;

/// The maximum time to open a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The time after which an idle connection is closed. This time is shorter than the idle time of common
/// proxies.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

const USER_AGENT: &str = concat!("payroll-client-rust/", env!("CARGO_PKG_VERSION"));

/// Creates the HTTP client. The client follows no redirects, because a redirect could send the token to
/// another server.
///
/// # Errors
/// [`Error::Invalid`] if the additional certificates cannot be read.
pub(crate) fn create_http_client(authorities: &[u8], timeout: Duration) -> Result<reqwest::Client, Error> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in CertificateDer::pem_slice_iter(authorities) {
        let invalid = |error: String| Error::Invalid(format!("a certificate authority is invalid: {error}"));
        let certificate = certificate.map_err(|error| invalid(error.to_string()))?;
        roots.add(certificate).map_err(|error| invalid(error.to_string()))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Invalid(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(timeout)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .redirect(Policy::none())
        // Disables the retries of the HTTP library, because the policy of this crate decides about retries.
        .retry(reqwest::retry::never())
        .no_proxy()
        .user_agent(USER_AGENT)
        .build()
        .map_err(Error::from_http)
}
