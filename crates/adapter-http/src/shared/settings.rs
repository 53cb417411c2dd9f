//! The settings of the HTTP servers, with their defaults.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use payroll_domain::hook::address::AddressRules;

use crate::transport::forwarded::Network;

/// The settings of both HTTP APIs. [`HttpSettings::default`] is a valid configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// The vendor name in media types `application/vnd.{vendor}.<resource>.v1+json`. Default `vendor`.
    pub vendor: String,
    /// The header with the id of the notification that caused a client's request. Default `x-vendor-sid`.
    pub notification_header: String,
    /// The response header with the request id. Default `x-vendor-txid`.
    pub request_id_header: String,
    /// The header with the client's correlation id, which the response repeats. Default
    /// `x-vendor-client-correlationid`.
    pub correlation_header: String,
    /// The base URL of links, such as `https://api.example.org/payroll`. By default links use the URL of the
    /// request.
    pub public_base_url: Option<String>,
    /// The proxies whose forwarding headers are trusted. Default none.
    pub trusted_proxies: Vec<Network>,
    /// The lifetime of an access token in seconds. Default 3600.
    pub token_lifetime_seconds: u32,
    /// The algorithm that signs new access tokens: HS256 (default) or EdDSA. Tokens of either algorithm are
    /// accepted.
    pub token_signature: TokenSignature,
    /// The requests per minute of an application without its own limit, in each process. Default 10,000;
    /// `None` sets no limit.
    pub rate_limit_per_minute: Option<u32>,
    /// The token requests with wrong credentials per minute, for a client at one network address, in each
    /// process. Default 20; `None` sets no such limit.
    pub failed_tokens_per_minute: Option<u32>,
    /// The maximum bytes of a request body. Default 2 MiB.
    pub max_body_bytes: usize,
    /// The maximum bytes of memory for all requests and responses in progress. Default 64 MiB.
    pub max_memory_bytes: usize,
    /// The maximum bytes of `max_memory_bytes` that one application may use. Default 32 MiB.
    pub max_memory_bytes_of_application: usize,
    /// The time limit for a complete request body. Default 30 seconds.
    pub body_timeout: Duration,
    /// The time limit for the head of a request (request line and headers), from its first byte. For the
    /// first request of a connection, the time starts with the connection. Default 5 seconds.
    pub head_timeout: Duration,
    /// The time after which an idle connection is closed. Default 75 seconds.
    pub keep_alive: Duration,
    /// The maximum number of connections. Default 10,000.
    pub max_connections: usize,
    /// The maximum number of connections from one address. Trusted proxies are exempt. Default 2,000.
    pub max_connections_per_address: usize,
    /// The number of threads that serve requests. By default there is one per processor.
    pub workers: Option<usize>,
    /// The maximum number of concurrent streamed responses. A response without a page size is streamed, and
    /// pins a snapshot of the database. Default 32.
    pub max_streams: usize,
    /// The time limit for one streamed response. Default 5 minutes.
    pub stream_timeout: Duration,
    /// The time limit for requests in progress when the server stops. Default 30 seconds.
    pub shutdown_timeout: Duration,
    /// The settings of hooks and of the IP addresses that notifications come from.
    pub hooks: HookSettings,
    /// The settings of access requests.
    pub access: AccessSettings,
    /// Whether two operators must complete a pay period: one operator requests the completion, and another
    /// operator approves it. Default no.
    pub two_person_completion: bool,
    /// Whether an operator must approve bank accounts that partners add or change. Default yes.
    pub approve_bank_accounts: bool,
    /// Whether the request log stores the query, the errors and the beginning of the body of rejected and
    /// failed requests. Default yes.
    pub request_details: bool,
    /// Whether requests may simulate faults with the header `Sandbox-Fault`. Default no.
    pub sandbox: bool,
    /// Whether responses instruct browsers to use only `https://` for this host. The setting also works if a
    /// proxy terminates TLS. Default no.
    pub https_only: bool,
    /// Whether the operators' listener serves the console. Default yes.
    pub console: bool,
    /// Whether the partners' listener serves the portal. Default no.
    pub portal: bool,
    /// The text of the button that signs operators in with the identity provider. Default empty, which omits
    /// the button.
    pub single_sign_on: String,
    /// The URIs for reports of vulnerabilities, in `/.well-known/security.txt` (RFC 9116). Default none.
    pub security_contacts: Vec<String>,
}

/// The settings of access requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessSettings {
    /// The base URL of links to the operator API in access requests. Default `http://127.0.0.1:8081`.
    pub link_base: String,
    /// The lifetime of an access request in seconds. Default one week.
    pub request_seconds: i64,
}

impl Default for AccessSettings {
    fn default() -> Self {
        Self { link_base: "http://127.0.0.1:8081".to_owned(), request_seconds: 7 * 24 * 60 * 60 }
    }
}

/// The settings of hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSettings {
    /// The rules for hook URLs. By default only public https:// URLs are allowed.
    pub rules: AddressRules,
    /// The maximum number of hooks of one application. Default 20.
    pub max_hooks: u32,
    /// Whether the receiver at a new hook URL must repeat a challenge. Default no.
    pub verify: bool,
    /// The IP addresses that send production notifications. Default none.
    pub production_addresses: Vec<IpAddr>,
    /// The IP addresses that send all other notifications. Default none.
    pub non_production_addresses: Vec<IpAddr>,
}

impl Default for HookSettings {
    fn default() -> Self {
        Self {
            rules: AddressRules::default(),
            max_hooks: 20,
            verify: false,
            production_addresses: Vec::new(),
            non_production_addresses: Vec::new(),
        }
    }
}

/// An algorithm that signs access tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSignature {
    /// HMAC-SHA256: only this server can verify a token.
    Hs256,
    /// Ed25519: any service can verify a token with the published key.
    EdDsa,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            vendor: "vendor".to_owned(),
            notification_header: "x-vendor-sid".to_owned(),
            request_id_header: "x-vendor-txid".to_owned(),
            correlation_header: "x-vendor-client-correlationid".to_owned(),
            public_base_url: None,
            trusted_proxies: Vec::new(),
            token_lifetime_seconds: 3_600,
            token_signature: TokenSignature::Hs256,
            rate_limit_per_minute: Some(10_000),
            failed_tokens_per_minute: Some(20),
            max_body_bytes: 2 * 1024 * 1024,
            max_memory_bytes: 64 * 1024 * 1024,
            max_memory_bytes_of_application: 32 * 1024 * 1024,
            body_timeout: Duration::from_secs(30),
            head_timeout: Duration::from_secs(5),
            keep_alive: Duration::from_secs(75),
            max_connections: 10_000,
            max_connections_per_address: 2_000,
            workers: None,
            max_streams: 32,
            stream_timeout: Duration::from_secs(300),
            shutdown_timeout: Duration::from_secs(30),
            hooks: HookSettings::default(),
            access: AccessSettings::default(),
            two_person_completion: false,
            approve_bank_accounts: true,
            request_details: true,
            sandbox: false,
            https_only: false,
            console: true,
            portal: false,
            single_sign_on: String::new(),
            security_contacts: Vec::new(),
        }
    }
}

/// An invalid setting, with the problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSetting {
    /// The name of the setting.
    pub setting: &'static str,
    /// The problem with the value of the setting.
    pub problem: &'static str,
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the setting {} {}", self.setting, self.problem)
    }
}

impl std::error::Error for InvalidSetting {}

impl HttpSettings {
    /// Verifies that the server can work with these settings.
    ///
    /// # Errors
    /// [`InvalidSetting`] for the first invalid setting.
    pub fn validate(&self) -> Result<(), InvalidSetting> {
        let invalid = |setting, problem| Err(InvalidSetting { setting, problem });
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if self.vendor.is_empty() || !self.vendor.bytes().all(plain) {
            return invalid("vendor", "must be small letters, digits and dashes");
        }
        if self.public_base_url.as_deref().is_some_and(|url| !is_base_url(url)) {
            return invalid(
                "public_base_url",
                "must be http:// or https:// with a host, without query or fragment",
            );
        }
        let headers = [
            ("request_id_header", &self.request_id_header),
            ("notification_header", &self.notification_header),
            ("correlation_header", &self.correlation_header),
        ];
        for (at, (setting, name)) in headers.into_iter().enumerate() {
            if headers.iter().skip(at + 1).any(|(_, other)| other.eq_ignore_ascii_case(name)) {
                return invalid(
                    setting,
                    "must differ from the names of the other two headers in the settings",
                );
            }
        }
        if self.token_lifetime_seconds == 0 {
            return invalid("token_lifetime_seconds", "must be at least 1");
        }
        if self.rate_limit_per_minute == Some(0) {
            return invalid("rate_limit_per_minute", "must be at least 1, or off");
        }
        let least = [
            ("workers", self.workers),
            ("max_connections", Some(self.max_connections)),
            ("max_connections_per_address", Some(self.max_connections_per_address)),
            ("max_streams", Some(self.max_streams)),
        ];
        if let Some((setting, _)) = least.into_iter().find(|(_, value)| *value == Some(0)) {
            return invalid(setting, "must be at least 1");
        }
        Ok(())
    }
}

/// Whether the text is a valid base URL for links.
fn is_base_url(url: &str) -> bool {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && rest.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#' | b'"' | b'\\'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_settings_are_valid() {
        assert_eq!(HttpSettings::default().validate(), Ok(()));
    }

    #[test]
    fn duplicate_header_names_are_rejected() {
        let rejected = |change: fn(&mut HttpSettings)| {
            let mut settings = HttpSettings::default();
            change(&mut settings);
            settings.validate().err().map(|error| error.setting)
        };
        assert_eq!(
            rejected(|it| it.correlation_header = it.request_id_header.to_uppercase()),
            Some("request_id_header")
        );
        assert_eq!(
            rejected(|it| it.notification_header.clone_from(&it.correlation_header)),
            Some("notification_header")
        );
    }

    #[test]
    fn a_base_address_is_a_url_without_query() {
        for good in ["https://api.example.org", "http://localhost:8080/payroll"] {
            assert!(is_base_url(good), "{good}");
        }
        for bad in ["api.example.org", "ftp://x", "https://", "https:///x", "https://x?y", "https://x y"] {
            assert!(!is_base_url(bad), "{bad}");
        }
    }
}
