//! Settings of the partner API, with their defaults.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use payroll_domain::hook::address::AddressRules;

use crate::transport::forwarded::Network;

/// What an operator may set. [`HttpSettings::default`] is a working server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpSettings {
    /// The word in media types `application/vnd.{vendor}.<resource>.v1+json`. Default `vendor`.
    pub vendor: String,
    /// The header in which a caller names the notification that made it call. Default
    /// `x-vendor-sid`.
    pub notification_header: String,
    /// The header of every response that holds the request's id. Default `x-vendor-txid`.
    pub request_id_header: String,
    /// The header of the caller's own correlation id, which is echoed. Default
    /// `x-vendor-client-correlationid`.
    pub correlation_header: String,
    /// The address that links begin with, such as `https://api.example.org/payroll`. Default none:
    /// the address that the caller used.
    pub public_base_url: Option<String>,
    /// The proxies whose word about callers is believed. Default none.
    pub trusted_proxies: Vec<Network>,
    /// Seconds that an access token is valid. Default 3600.
    pub token_lifetime_seconds: u32,
    /// Requests per minute of an application without a limit of its own, in each process. Default
    /// 10,000; `None`: no limit.
    pub rate_limit_per_minute: Option<u32>,
    /// Token requests with wrong credentials per minute, of a client and a peer together, in each
    /// process. Default 20; `None`: no limit of their own.
    pub failed_tokens_per_minute: Option<u32>,
    /// Bytes of a request's body. Default 2 MiB.
    pub max_body_bytes: usize,
    /// Bytes of memory that requests and responses in progress may take together. Default 64 MiB.
    pub max_memory_bytes: usize,
    /// Bytes of it that those of one application may take. Default 32 MiB.
    pub max_memory_bytes_of_application: usize,
    /// The time in which a complete request body must arrive. Default 30 seconds.
    pub body_timeout: Duration,
    /// The time in which the head of a request must arrive, from its first byte, and of the first request of a
    /// connection from the connection's beginning. Default 5 seconds.
    pub head_timeout: Duration,
    /// How long an idle connection is kept. Default 75 seconds.
    pub keep_alive: Duration,
    /// Connections in all. Default 10,000.
    pub max_connections: usize,
    /// Connections from one address that is not a trusted proxy's. Default 2,000.
    pub max_connections_per_address: usize,
    /// Threads that serve requests. Default none: one for each processor.
    pub workers: Option<usize>,
    /// Responses without a page size that may be streamed at one time; each pins a snapshot of the
    /// database. Default 32.
    pub max_streams: usize,
    /// The longest time that one streamed response may take. Default 5 minutes.
    pub stream_timeout: Duration,
    /// The time that requests in progress have to end when the server stops. Default 30 seconds.
    pub shutdown_timeout: Duration,
    /// What may be registered as a hook, and where notifications come from.
    pub hooks: HookSettings,
    /// How access to companies is requested.
    pub access: AccessSettings,
    /// A pay period is completed by two operators: one requests it, another one approves. Default no.
    pub two_person_completion: bool,
    /// An operator approves the bank accounts that partners add and change. Default yes.
    pub approve_bank_accounts: bool,
    /// Requests may ask for faults by the header `Sandbox-Fault`. Default no.
    pub sandbox: bool,
    /// Browsers reach the listener by `https://` alone, wherever TLS ends. Default no.
    pub https_only: bool,
    /// The operator's listener shows the console. Default yes.
    pub console: bool,
    /// The partners' listener shows the portal. Default no.
    pub portal: bool,
}

/// What an operator may set about requests for access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessSettings {
    /// What links for operators begin with. Default `http://127.0.0.1:8081`.
    pub link_base: String,
    /// Seconds for which a request is open. Default a week.
    pub request_seconds: i64,
}

impl Default for AccessSettings {
    fn default() -> Self {
        Self { link_base: "http://127.0.0.1:8081".to_owned(), request_seconds: 7 * 24 * 60 * 60 }
    }
}

/// What an operator may set about hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookSettings {
    /// What addresses may be. Default: public https:// addresses only.
    pub rules: AddressRules,
    /// Hooks of one application. Default 20.
    pub most: u32,
    /// The receiver at a new address must repeat a challenge. Default no.
    pub verify: bool,
    /// The addresses that production notifications come from. Default none.
    pub production_addresses: Vec<IpAddr>,
    /// The addresses that all other notifications come from. Default none.
    pub non_production_addresses: Vec<IpAddr>,
}

impl Default for HookSettings {
    fn default() -> Self {
        Self {
            rules: AddressRules::default(),
            most: 20,
            verify: false,
            production_addresses: Vec::new(),
            non_production_addresses: Vec::new(),
        }
    }
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
            sandbox: false,
            https_only: false,
            console: true,
            portal: false,
        }
    }
}

/// A setting that cannot be used, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidSetting {
    /// Its name.
    pub setting: &'static str,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl fmt::Display for InvalidSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the setting {} {}", self.setting, self.problem)
    }
}

impl std::error::Error for InvalidSetting {}

impl HttpSettings {
    /// Whether the server can work with these settings.
    ///
    /// # Errors
    /// The first [`InvalidSetting`].
    pub fn check(&self) -> Result<(), InvalidSetting> {
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

/// Whether links may begin with the text.
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
    fn the_defaults_can_be_used() {
        assert_eq!(HttpSettings::default().check(), Ok(()));
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
