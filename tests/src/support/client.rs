//! The HTTP client of the tests. The client follows no redirects and uses no proxy.

use super::description;
use super::request::Request;
use super::response::Response;

/// A client of one server.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    base: String,
    http: reqwest::Client,
}

impl Client {
    pub(crate) fn new(base: &str) -> Self {
        // The TLS library needs a default cryptography provider. The server program installs it at its start,
        // but these tests run no such program. A second installation has no effect.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        Self { base: base.to_owned(), http: http_client_builder().build().expect("a client") }
    }

    /// Returns a client of the same server that trusts only certificates of this authority.
    pub(crate) fn trusting_only(&self, authority: &str) -> Self {
        let authority = reqwest::Certificate::from_pem(authority.as_bytes()).expect("a certificate");
        let http = http_client_builder().tls_certs_only([authority]).build().expect("a client");
        Self { base: self.base.clone(), http }
    }

    /// Returns the base URL of the server.
    pub(crate) fn base_url(&self) -> &str {
        &self.base
    }

    /// Returns the host and port of the server.
    pub(crate) fn address(&self) -> &str {
        self.base.trim_start_matches("http://").trim_start_matches("https://")
    }

    /// Sends a request, reads the complete response, and validates it against the API description. Returns an
    /// error if the connection breaks.
    ///
    /// # Panics
    /// The response differs from the description.
    pub(crate) async fn send(
        &self,
        request: &Request,
        authorization: Option<&str>,
    ) -> reqwest::Result<Response> {
        let response = self.send_unchecked(request, authorization).await?;
        description::check_response(request, &response);
        Ok(response)
    }

    /// Sends a request like [`Self::send`], but does not validate the response. Use it for a server with
    /// settings that change its description.
    pub(crate) async fn send_unchecked(
        &self,
        request: &Request,
        authorization: Option<&str>,
    ) -> reqwest::Result<Response> {
        let mut sent = self.http.request(request.method.clone(), format!("{}{}", self.base, request.target));
        if let Some(authorization) = authorization {
            sent = sent.header("authorization", authorization);
        }
        for (name, value) in &request.headers {
            sent = sent.header(*name, value);
        }
        let sent = request.body.iter().fold(sent, |sent, body| sent.body(body.clone()));
        Response::read(sent.send().await?).await
    }

    /// Requests a token and returns the value of `Authorization`. The response is not validated, because its
    /// form depends on the settings of the server.
    pub(crate) async fn request_token(&self, form: String) -> String {
        let response = self.send_unchecked(&Request::token(&form), None).await.expect("an answer");
        let token = response.json()["access_token"].as_str().map(str::to_owned);
        format!("Bearer {}", token.unwrap_or_else(|| panic!("no token: {response:?}")))
    }
}

fn http_client_builder() -> reqwest::ClientBuilder {
    reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none())
}
