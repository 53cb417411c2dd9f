//! A client for the API of a running server, for one application or one operator.

use async_trait::async_trait;
use payroll_domain::SecretText;
use payroll_ports::BoxError;
use payroll_ports::api_calls::{ApiCaller, ApiRequest, ApiResponse};
use reqwest::header::{AUTHORIZATION, HeaderValue, USER_AGENT};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::cli::McpArguments;
use crate::config::CLIENT_SECRET_VARIABLE;
use crate::failure::{Failure, Outcome};
use crate::operator::{create_client, normalize_base_url, read_authorization_header};

/// The user agent, which names this program in the logs of servers and proxies.
const USER_AGENT_VALUE: &str = concat!("payroll-server-mcp/", env!("CARGO_PKG_VERSION"));

/// The path of the operation that issues tokens.
const TOKEN_PATH: &str = "/auth/oauth/v2/token";

/// The maximum length in bytes of a URL that the HTTP client can send.
const MAX_TARGET_BYTES: usize = 65_534;

/// The status of a response to an invalid token. The server has not executed the request, so the request can
/// be resent.
const UNAUTHORIZED_STATUS: u16 = 401;

/// A client for the API of a running server.
pub(super) struct RemoteApi {
    client: Client,
    base: String,
    credentials: Credentials,
}

/// The credentials that authenticate requests.
enum Credentials {
    Operator(HeaderValue),
    Application {
        client_id: String,
        client_secret: SecretText,
        /// The `Authorization` header with the last token. `None` before the first request.
        token: Mutex<Option<HeaderValue>>,
    },
}

impl RemoteApi {
    /// Creates a client for the address of the arguments. No request is sent yet.
    ///
    /// # Errors
    /// The address is invalid, or there is no key or secret.
    pub(super) fn open(arguments: &McpArguments) -> Outcome<Self> {
        let base = normalize_base_url(&arguments.url)?;
        let credentials = match &arguments.client_id {
            Some(client_id) => Credentials::Application {
                client_id: client_id.clone(),
                client_secret: client_secret()?,
                token: Mutex::default(),
            },
            None => Credentials::Operator(read_authorization_header(arguments.operator_key_file.as_deref())?),
        };
        Ok(Self { client: create_client(arguments.ca_file.as_deref())?, base, credentials })
    }

    /// Returns the `Authorization` header for a request. With the credentials of an application, a new token
    /// is requested first if `renew` is true.
    async fn authorization(&self, renew: bool) -> Result<HeaderValue, BoxError> {
        let (client_id, client_secret, token) = match &self.credentials {
            Credentials::Operator(header) => return Ok(header.clone()),
            Credentials::Application { client_id, client_secret, token } => (client_id, client_secret, token),
        };
        let mut token = token.lock().await;
        if let Some(header) = token.as_ref().filter(|_| !renew) {
            return Ok(header.clone());
        }
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", client_id.as_str()),
            ("client_secret", client_secret.expose()),
        ];
        let sending = self.client.post(format!("{}{TOKEN_PATH}", self.base)).form(&form);
        let response = send(&ApiRequest::default(), sending).await?;
        let document: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let Some(text) = document.get("access_token").and_then(Value::as_str) else {
            return Err(
                format!("the server issued no token, and returned the status {}", response.status).into()
            );
        };
        let mut header = HeaderValue::try_from(format!("Bearer {text}"))?;
        header.set_sensitive(true);
        Ok(token.insert(header).clone())
    }

    /// Converts a request of a tool call to the HTTP client's request type.
    fn build_request(
        &self,
        request: &ApiRequest,
        authorization: HeaderValue,
    ) -> Result<RequestBuilder, BoxError> {
        let method = Method::from_bytes(request.method.as_bytes())?;
        let sending = self.client.request(method, format!("{}{}", self.base, request.target));
        let sending =
            request.headers.iter().fold(sending, |sending, (name, value)| sending.header(name, value));
        Ok(sending
            .header(AUTHORIZATION, authorization)
            .header(USER_AGENT, USER_AGENT_VALUE)
            .body(request.body.clone()))
    }
}

#[async_trait]
impl ApiCaller for RemoteApi {
    async fn call(&self, request: ApiRequest) -> Result<ApiResponse, BoxError> {
        let response =
            send(&request, self.build_request(&request, self.authorization(false).await?)?).await?;
        if response.status != UNAUTHORIZED_STATUS || matches!(self.credentials, Credentials::Operator(_)) {
            return Ok(response);
        }
        // The token has expired, so the request is sent once more with a new token.
        send(&request, self.build_request(&request, self.authorization(true).await?)?).await
    }
}

/// Reads the secret of the application from the environment. A secret on the command line could be read by
/// every user of the machine.
fn client_secret() -> Outcome<SecretText> {
    let secret = std::env::var(CLIENT_SECRET_VARIABLE).ok().filter(|text| !text.is_empty());
    let missing =
        || Failure::new(format!("--client-id needs the application's secret in {CLIENT_SECRET_VARIABLE}"));
    Ok(SecretText::new(&secret.ok_or_else(missing)?))
}

/// Sends a request and reads its complete response.
async fn send(request: &ApiRequest, request_builder: RequestBuilder) -> Result<ApiResponse, BoxError> {
    let unanswered = |error: reqwest::Error| match error.is_builder() {
        // The HTTP client has rejected the address before connecting.
        true => format!(
            "the request was not sent: its path and query have {} bytes, and HTTP clients accept at most \
             {MAX_TARGET_BYTES}. Use shorter arguments",
            request.target.len()
        ),
        false => format!("the server does not respond: {}", error.without_url()),
    };
    let mut response = request_builder.send().await.map_err(unanswered)?;
    let (status, headers) = (response.status().as_u16(), headers(&response));
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(unanswered)? {
        request.append_chunk(&mut body, &part)?;
    }
    Ok(ApiResponse { status, headers, body })
}

fn headers(response: &Response) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| value.to_str().map(str::to_owned).ok();
    response.headers().iter().filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect()
}
