//! The client and its settings.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use url::{Host, Url};

use crate::credential::Credential;
use crate::error::Error;
use crate::retry::{MAX_ATTEMPTS, RetryPolicy};
use crate::tls;
use crate::token::TokenCache;

/// The default time limit of one attempt. The server needs less than a second for a batch of 100 checks, and
/// longer for a list without pages.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The default vendor name in media types. The operator of a server can configure another vendor name.
const DEFAULT_VENDOR: &str = "vendor";

/// A client of one application. Clones share the token and the connections.
///
/// The client gets a token with the first request and renews it shortly before it expires. Concurrent
/// requests share one token request.
///
/// ```no_run
/// # async fn example() -> Result<(), payroll_client::Error> {
/// let client = payroll_client::Client::new("https://payroll.example.com", "pkc_…", "pks_…")?;
/// for company in client.companies().collect().await? {
///     println!("{} {}", company.company_id, company.legal_name);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<ClientState>,
}

/// The state that all clones of a client share.
pub(crate) struct ClientState {
    pub(crate) base: Url,
    pub(crate) http: reqwest::Client,
    pub(crate) tokens: TokenCache,
    pub(crate) policy: RetryPolicy,
    pub(crate) vendor: String,
}

impl Client {
    /// Creates a client with default settings. The credential is the secret of the application, or its
    /// [`PrivateKey`](crate::PrivateKey).
    ///
    /// # Errors
    /// [`Error::Invalid`] if the address is invalid, or neither HTTPS nor on this machine.
    pub fn new(
        base_address: &str,
        client_id: impl Into<String>,
        credential: impl Into<Credential>,
    ) -> Result<Self, Error> {
        Self::builder(base_address, client_id, credential).build()
    }

    /// Begins a [`Builder`] for a client with settings other than the defaults.
    #[must_use]
    pub fn builder(
        base_address: &str,
        client_id: impl Into<String>,
        credential: impl Into<Credential>,
    ) -> Builder {
        Builder {
            base_address: base_address.to_owned(),
            client_id: client_id.into(),
            credential: credential.into(),
            audience: None,
            policy: RetryPolicy::default(),
            timeout: DEFAULT_TIMEOUT,
            vendor: DEFAULT_VENDOR.to_owned(),
            authorities: Vec::new(),
            plain_http: false,
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base", &self.inner.base.as_str()).finish_non_exhaustive()
    }
}

/// The settings of a [`Client`].
#[derive(Clone)]
pub struct Builder {
    base_address: String,
    client_id: String,
    credential: Credential,
    audience: Option<String>,
    policy: RetryPolicy,
    timeout: Duration,
    vendor: String,
    authorities: Vec<u8>,
    plain_http: bool,
}

impl Builder {
    /// Sets the maximum number of attempts for a request. 1 disables retries. The maximum is
    /// [`MAX_ATTEMPTS`].
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.policy.attempts = attempts;
        self
    }

    /// Sets the maximum wait after the first failed attempt, by default
    /// [`FIRST_DELAY`](crate::retry::FIRST_DELAY).
    #[must_use]
    pub const fn first_delay(mut self, delay: Duration) -> Self {
        self.policy.first_delay = delay;
        self
    }

    /// Sets the time limit of one attempt, by default 30 seconds.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the name of the vendor in media types, if the operator of the server has changed it. The default
    /// is `vendor`.
    #[must_use]
    pub fn vendor(mut self, vendor: impl Into<String>) -> Self {
        self.vendor = vendor.into();
        self
    }

    /// Sets the audience of signed token requests, by default the base address. The audience must be the
    /// public address of the server. Set the audience if the base address belongs to an internal network.
    #[must_use]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Trusts certificate authorities, given in the PEM format, in addition to those of the system.
    #[must_use]
    pub fn authorities(mut self, pem: &[u8]) -> Self {
        self.authorities.extend_from_slice(pem);
        self
    }

    /// Accepts an `http://` address of another machine. The secret and the token are then sent unencrypted.
    #[must_use]
    pub const fn allow_plain_http(mut self) -> Self {
        self.plain_http = true;
        self
    }

    /// Creates the client without sending a request.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a setting is invalid.
    pub fn build(self) -> Result<Client, Error> {
        let base = self.parse_base_url()?;
        if self.policy.attempts == 0 || self.policy.attempts > MAX_ATTEMPTS {
            let attempts = self.policy.attempts;
            return Err(Error::Invalid(format!("attempts must be from 1 to {MAX_ATTEMPTS}, got {attempts}")));
        }
        let is_word = |it: &str| !it.is_empty() && it.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !is_word(&self.vendor) {
            return Err(Error::Invalid("vendor must consist of letters, digits and dashes".to_owned()));
        }
        let http = tls::create_http_client(&self.authorities, self.timeout)?;
        let address = self.base_address.trim_end_matches('/');
        let audience = self.audience.unwrap_or_else(|| address.to_owned());
        let tokens = TokenCache::new(&base, self.client_id, self.credential, audience);
        let inner = ClientState { base, http, tokens, policy: self.policy, vendor: self.vendor };
        Ok(Client { inner: Arc::new(inner) })
    }

    /// Returns the address of the server without a slash at its end.
    fn parse_base_url(&self) -> Result<Url, Error> {
        let invalid = |fault: &str| Error::Invalid(format!("the base address {fault}"));
        let text = self.base_address.trim_end_matches('/');
        let url = Url::parse(text).map_err(|error| invalid(&format!("is invalid: {error}")))?;
        if url.query().is_some() || url.fragment().is_some() || !url.username().is_empty() {
            return Err(invalid("must have no user, query or fragment"));
        }
        match url.scheme() {
            "https" => Ok(url),
            "http" if self.plain_http || is_local(&url) => Ok(url),
            "http" => Err(invalid("is not encrypted: use https, or allow_plain_http() in a trusted network")),
            _ => Err(invalid("must begin with https://")),
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("base_address", &self.base_address).finish_non_exhaustive()
    }
}

/// Returns whether an address is on this machine.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    }
}
