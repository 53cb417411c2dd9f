//! Classifies errors by the types of their sources, because the HTTP client does not publish the kinds of its
//! errors.

use std::error::Error;
use std::io;
use std::iter::successors;

use payroll_domain::delivery::ErrorClass;

use super::resolver::ResolutionError;

/// Returns whether the request failed because the host name has no address in the address family of the
/// client.
pub(super) fn is_address_family_error(error: &reqwest::Error) -> bool {
    find_resolution_error(error) == Some(ResolutionError::OtherFamily)
}

/// Returns the class of an error that occurred before the headers of a response were received.
pub(super) fn log_and_classify_error(error: reqwest::Error) -> ErrorClass {
    // The URL is removed, because its query may contain secrets.
    let error = error.without_url();
    let class = classify_error(&error);
    tracing::debug!(class = class.as_str(), error = ?error, "a request got no response");
    class
}

fn classify_error(error: &reqwest::Error) -> ErrorClass {
    match find_resolution_error(error) {
        Some(ResolutionError::Unknown) => ErrorClass::Dns,
        Some(ResolutionError::Forbidden) => ErrorClass::ForbiddenAddress,
        Some(ResolutionError::OtherFamily) => ErrorClass::Connect,
        None if error.is_builder() => ErrorClass::Internal,
        None if error.is_connect() => classify_connect_error(error),
        None => classify_response_error(error),
    }
}

fn classify_connect_error(error: &reqwest::Error) -> ErrorClass {
    // The third error of the chain shows which step failed. An I/O error means that the TLS handshake failed.
    // Any other error means that the TCP connection failed.
    let in_handshake = error_causes(error).nth(2).is_some_and(|cause| cause.is::<io::Error>());
    if error.is_timeout() {
        ErrorClass::ConnectTimeout
    } else if in_handshake || is_tls_error(error) {
        ErrorClass::Tls
    } else {
        ErrorClass::Connect
    }
}

fn classify_response_error(error: &reqwest::Error) -> ErrorClass {
    let hyper = error_causes(error).find_map(|cause| cause.downcast_ref::<hyper::Error>());
    if is_tls_error(error) {
        ErrorClass::Tls
    } else if error.is_timeout() {
        ErrorClass::Timeout
    } else if hyper.is_some_and(hyper::Error::is_parse) {
        ErrorClass::InvalidAnswer
    } else if hyper.is_some() {
        ErrorClass::ConnectionClosed
    } else {
        ErrorClass::Internal
    }
}

fn find_resolution_error(error: &reqwest::Error) -> Option<ResolutionError> {
    error_causes(error).find_map(|cause| cause.downcast_ref::<ResolutionError>()).copied()
}

fn is_tls_error(error: &reqwest::Error) -> bool {
    error_causes(error).any(|cause| cause.is::<rustls::Error>())
}

/// Iterates over an error and its sources. For an I/O error, the inner error is included too, although
/// `source` does not return it.
fn error_causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    successors(Some(error as &(dyn Error + 'static)), |&error| match error.downcast_ref::<io::Error>() {
        Some(outer) => outer.get_ref().map(|inner| inner as &(dyn Error + 'static)),
        None => error.source(),
    })
}
