//! A client for the operator API of a running server, over HTTP.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, ETAG, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Url};

use super::key;
use super::request::Request;
use super::response::{OMITTED_CHECK_COUNT_HEADER, OperatorResponse};
use crate::cli::OperatorOptions;
use crate::config::OPERATOR_KEY_VARIABLE;
use crate::failure::{Failure, Outcome};

/// The time limit for opening a connection. Within the fast network of an operator, a connection opens much
/// sooner.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for a response. The slowest request completes a pay period with very many checks.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(900);

/// A client for the operator API of a running server.
pub(crate) struct RemoteOperator {
    client: Client,
    base: String,
    authorization: HeaderValue,
}

impl RemoteOperator {
    /// Creates a client for a server, with the operator key of a file or of the environment.
    ///
    /// # Errors
    /// The address is invalid, there is no key, or the given certificates cannot be read.
    pub(crate) fn open(url: &str, options: &OperatorOptions) -> Outcome<Self> {
        let base = normalize_base_url(url)?;
        let client = create_client(options.ca_file.as_deref())?;
        Ok(Self {
            client,
            base,
            authorization: read_authorization_header(options.operator_key_file.as_deref())?,
        })
    }

    /// Sends a request and reads the complete response.
    ///
    /// # Errors
    /// The server cannot be reached or does not respond.
    pub(super) async fn send(&self, request: Request) -> Outcome<OperatorResponse> {
        let method = reqwest::Method::from_bytes(request.method.as_str().as_bytes())
            .map_err(|error| Failure::with_cause("the request cannot be created", &error))?;
        let sending = request.headers.iter().fold(
            self.client.request(method, format!("{}{}", self.base, request.path)),
            |sending, (name, value)| sending.header(*name, value),
        );
        let sending = sending
            .header(ACCEPT, request.accept)
            .header(AUTHORIZATION, self.authorization.clone())
            .body(request.body);
        let response = sending.send().await.map_err(|error| self.no_response_failure(&error))?;
        let status = response.status().as_u16();
        let etag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        let left_out = response
            .headers()
            .get(OMITTED_CHECK_COUNT_HEADER)
            .and_then(|it| it.to_str().ok())
            .map(str::to_owned);
        let body = response.bytes().await.map_err(|error| self.no_response_failure(&error))?;
        Ok(OperatorResponse::new(status, etag, body.to_vec()).with_omitted_checks(left_out.as_deref()))
    }

    fn no_response_failure(&self, error: &reqwest::Error) -> Failure {
        let (base, cause) = (&self.base, innermost_cause(error));
        Failure::new(match error.is_connect() {
            true => format!(
                "no connection to {base}: {cause}. Check that `payroll-server serve` runs there and that \
                 this is its operator listener (setting operator_listen). Without --url the command uses \
                 the database directly"
            ),
            false => format!(
                "the connection to {base} broke: {cause}. Check whether the change was stored before \
                 you retry"
            ),
        })
    }
}

/// Creates an HTTP client for one server. Redirects and proxies are disabled, so that credentials are only
/// sent to that server.
///
/// # Errors
/// The file of certificate authorities cannot be read.
pub(crate) fn create_client(ca_file: Option<&Path>) -> Outcome<Client> {
    let authorities = ca_file.map(read_certificates).transpose()?.unwrap_or_default();
    let client = Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .tls_certs_merge(authorities)
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(RESPONSE_TIMEOUT)
        .build();
    client.map_err(|error| Failure::with_cause("the HTTP client cannot start", &error))
}

/// Returns the `Authorization` header with the operator key of a file or of the environment.
///
/// # Errors
/// There is no key, or its text is not a valid key.
pub(crate) fn read_authorization_header(key_file: Option<&Path>) -> Outcome<HeaderValue> {
    let key = key::find_key(key_file, std::env::var_os(OPERATOR_KEY_VARIABLE))?;
    let mut authorization = HeaderValue::try_from(format!("Bearer {key}"))
        .map_err(|_| Failure::new("the operator key contains invalid characters"))?;
    authorization.set_sensitive(true);
    Ok(authorization)
}

/// Reads the certificates of authorities in a PEM file.
fn read_certificates(file: &Path) -> Outcome<Vec<Certificate>> {
    let shown = file.display();
    let pem = std::fs::read(file)
        .map_err(|error| Failure::with_cause(format!("--ca-file {shown} cannot be read"), &error))?;
    let found = Certificate::from_pem_bundle(&pem).map_err(|error| {
        Failure::with_cause(format!("--ca-file {shown} contains no certificates"), &error)
    })?;
    match found.is_empty() {
        true => Err(Failure::new(format!("--ca-file {shown} contains no certificates in PEM"))),
        false => Ok(found),
    }
}

/// Returns the text of an error's innermost cause. The outer errors only repeat the address.
fn innermost_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Validates the URL of a server, and returns it without a slash at its end.
///
/// # Errors
/// The text is not the URL of a server, or it contains credentials.
pub(crate) fn normalize_base_url(url: &str) -> Outcome<String> {
    let wrong =
        |why: &str| Failure::new(format!("--url must be an address such as http://127.0.0.1:8081: {why}"));
    let parsed = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") || parsed.host().is_none() {
        return Err(wrong("it must begin with http:// or https:// and name a host"));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(wrong("it must not contain a user or a password"));
    }
    if parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(wrong("it must not contain ? or #"));
    }
    Ok(parsed.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_have_a_path_and_ends_without_a_slash() {
        assert_eq!(normalize_base_url("http://127.0.0.1:8081").unwrap(), "http://127.0.0.1:8081");
        assert_eq!(
            normalize_base_url("https://ops.example.org/payroll/").unwrap(),
            "https://ops.example.org/payroll"
        );
    }

    #[test]
    fn rejects_an_invalid_address_without_its_password() {
        for url in ["127.0.0.1:8081", "ftp://h", "http://u:hunter2@h", "http://h/?key=x", "localhost:8081"] {
            let failure = normalize_base_url(url).unwrap_err();
            assert!(
                failure.to_string().contains("--url") && !failure.to_string().contains("hunter2"),
                "{url}"
            );
        }
    }
}
