//! The hook that `listen` registers through the partner API as the given application. The hook is removed
//! when the command ends.

use std::time::Duration;

use payroll_domain::SecretText;
use payroll_domain::event::EventDomain;
use payroll_ports::Randomness;
use payroll_ports::secrets::{new_signing_secret, signing_secret_text};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use crate::cli::RegistrationArguments;
use crate::commands::output::text_member;
use crate::config::CLIENT_SECRET_VARIABLE;
use crate::failure::{Failure, Outcome};

/// The time limit for a request to the server. All responses are small.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A hook that this command has registered.
pub(super) struct Registration {
    api: PartnerApi,
    hook_id: String,
    /// The secret with which the server signs the hook's notifications.
    pub(super) signing_secret: SecretText,
}

impl Registration {
    /// Registers a hook that sends to the receiver of this command.
    ///
    /// # Errors
    /// No secret is given, the server does not respond, or it rejects the request.
    pub(super) async fn register_hook(
        registering: &RegistrationArguments,
        base: &str,
        randomness: &dyn Randomness,
    ) -> Outcome<Self> {
        let api = PartnerApi::open(base, registering.client_id.as_deref().unwrap_or_default())?;
        let domains = match registering.domains.as_slice() {
            [] => EventDomain::ALL.iter().map(|domain| domain.as_str().to_owned()).collect(),
            some => some.to_vec(),
        };
        // The API requires authentication for each hook. The API key is random, because the receiver verifies
        // the signature and ignores the key.
        let key = signing_secret_text(&new_signing_secret(randomness));
        let hook = json!({
            "uri": registering.hook_uri, "domains": domains, "authentication": {"authType": "APIKEY", "apiKey": key},
        });
        let token = api.request_token().await?;
        let request = api.client.post(api.address("/management/hooks")).bearer_auth(token).json(&hook);
        let created = send_request(request).await?;
        let signing_secret = SecretText::new(text_member(&created, "signingSecret"));
        Ok(Self { api, hook_id: text_member(&created, "hookId").to_owned(), signing_secret })
    }

    /// Returns the id of the registered hook.
    pub(super) fn hook_id(&self) -> &str {
        &self.hook_id
    }

    /// Removes the hook with a new access token, because the token from the registration may have expired.
    ///
    /// # Errors
    /// The server does not respond, or it rejects the request.
    pub(super) async fn remove_hook(self) -> Outcome {
        let token = self.api.request_token().await?;
        let address = self.api.address(&format!("/management/hooks/{}", self.hook_id));
        send_request(self.api.client.delete(address).bearer_auth(token)).await.map(|_| ())
    }
}

/// A client for the partner API of a running server, for one application.
struct PartnerApi {
    client: Client,
    base: String,
    client_id: String,
    client_secret: SecretText,
}

impl PartnerApi {
    fn open(base: &str, client_id: &str) -> Outcome<Self> {
        let is_address = ["http://", "https://"].iter().any(|scheme| base.starts_with(scheme));
        if !is_address {
            return Err(Failure::new("--register must be an address that begins with http:// or https://"));
        }
        let secret = std::env::var(CLIENT_SECRET_VARIABLE).ok().filter(|text| !text.is_empty());
        let secret = secret.ok_or_else(|| {
            Failure::new(format!("--register needs the application's secret in {CLIENT_SECRET_VARIABLE}"))
        })?;
        // Redirects and proxies are disabled, so that the secret is only sent to the given server.
        let client = Client::builder().timeout(REQUEST_TIMEOUT).redirect(Policy::none()).no_proxy().build();
        let client = client.map_err(|error| Failure::with_cause("the HTTP client cannot start", &error))?;
        let (base, client_id) = (base.trim_end_matches('/').to_owned(), client_id.to_owned());
        Ok(Self { client, base, client_id, client_secret: SecretText::new(&secret) })
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    async fn request_token(&self) -> Outcome<String> {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", &self.client_id),
            ("client_secret", self.client_secret.expose()),
        ];
        let response =
            send_request(self.client.post(self.address("/auth/oauth/v2/token")).form(&form)).await?;
        Ok(text_member(&response, "access_token").to_owned())
    }
}

/// Sends a request and returns the JSON of a successful response, or null if the response has no body.
async fn send_request(request: RequestBuilder) -> Outcome<Value> {
    let unanswered =
        |error: reqwest::Error| Failure::with_cause("the server does not respond", &error.without_url());
    let response = request.send().await.map_err(unanswered)?;
    let status = response.status();
    let body = response.bytes().await.map_err(unanswered)?;
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    if status.is_success() {
        return Ok(value);
    }
    let errors = value.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
    let reported: Vec<_> = errors
        .iter()
        .map(|error| format!("{}: {}", text_member(error, "code"), text_member(error, "description")))
        .collect();
    Err(Failure::refused(format!("the server responded with {}: {}", status.as_u16(), reported.join("; "))))
}
