//! The HTTP options of both listeners, derived from the settings.

use std::net::Ipv4Addr;
use std::time::Duration;

use payroll_adapter_http::{AccessSettings, HttpSettings};

use crate::config::{Settings, values};
use crate::webhooks;

/// The number of threads that serve operators, who send few concurrent requests.
const OPERATOR_WORKER_THREADS: usize = 2;
/// The maximum number of operators' connections: a few programs and people, far below the limit of open
/// files.
const MAX_OPERATOR_CONNECTIONS: usize = 256;
/// The maximum number of operators' connections from one address. The limit is half of all connections, so
/// that other addresses can still connect. Programs and browsers of a company often share one address.
const OPERATOR_CONNECTIONS_PER_ADDRESS: usize = 128;
/// The time limit for an operator's complete body, and for the next part of an import. Operators' bodies are
/// larger than partners' bodies, and operators are trusted more.
const OPERATOR_BODY_TIMEOUT: Duration = Duration::from_secs(300);
/// The maximum number of concurrent streamed responses to operators, such as long lists.
pub(super) const MAX_OPERATOR_STREAMS: usize = 4;

const SECONDS_OF_AN_HOUR: i64 = 3_600;

/// Returns the base address of the operator listener according to the settings. Links in the output of
/// commands start with this address.
pub(super) fn operator_address(settings: &Settings) -> String {
    if !settings.operator_public_url.is_empty() {
        return settings.operator_public_url.trim_end_matches('/').to_owned();
    }
    let scheme = if settings.operator_tls_certificate_file.is_empty() { "http" } else { "https" };
    let mut address = settings.operator_listen;
    if address.ip().is_unspecified() {
        address.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    if address.port() == 0 {
        // With port 0, the operating system chooses the port, so only the running server knows the port. A
        // command uses the default port instead.
        address.set_port(Settings::default().operator_listen.port());
    }
    format!("{scheme}://{address}")
}

pub(super) fn operator_settings(settings: &Settings) -> HttpSettings {
    HttpSettings {
        // Links for operators must not start with `public_base_url`, which is the address for partners.
        public_base_url: None,
        max_body_bytes: settings.operator_max_body_bytes as usize,
        max_memory_bytes: settings.operator_max_request_memory_bytes as usize,
        body_timeout: OPERATOR_BODY_TIMEOUT,
        max_connections: MAX_OPERATOR_CONNECTIONS,
        max_connections_per_address: OPERATOR_CONNECTIONS_PER_ADDRESS,
        workers: Some(OPERATOR_WORKER_THREADS),
        max_streams: MAX_OPERATOR_STREAMS,
        https_only: settings.operator_public_url.starts_with("https://"),
        ..http_settings(settings)
    }
}

pub(super) fn http_settings(settings: &Settings) -> HttpSettings {
    let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
    HttpSettings {
        vendor: settings.vendor_token.clone(),
        notification_header: settings.notification_header.clone(),
        request_id_header: settings.request_id_header.clone(),
        correlation_header: settings.correlation_header.clone(),
        public_base_url: Some(settings.public_base_url.clone()).filter(|url| !url.is_empty()),
        trusted_proxies: settings.trusted_proxies.0.clone(),
        token_lifetime_seconds: settings.token_lifetime_seconds,
        token_signature: settings.token_signature,
        rate_limit_per_minute: Some(settings.rate_limit_per_minute).filter(|limit| *limit > 0),
        failed_tokens_per_minute: Some(settings.failed_tokens_per_minute).filter(|limit| *limit > 0),
        max_body_bytes: settings.max_body_bytes as usize,
        max_memory_bytes: settings.max_request_memory_bytes as usize,
        max_memory_bytes_of_application: settings.application_request_memory_bytes as usize,
        body_timeout: seconds(settings.body_timeout_seconds),
        head_timeout: seconds(settings.head_timeout_seconds),
        keep_alive: seconds(settings.keep_alive_seconds),
        max_connections: settings.max_connections as usize,
        max_connections_per_address: settings.max_connections_per_address as usize,
        workers: Some(settings.workers as usize),
        max_streams: settings.max_streams as usize,
        stream_timeout: seconds(settings.stream_timeout_seconds),
        shutdown_timeout: seconds(settings.shutdown_timeout_seconds),
        hooks: webhooks::hook_settings(settings),
        access: AccessSettings {
            link_base: settings.operator_public_url.clone(),
            request_seconds: i64::from(settings.access_request_hours) * SECONDS_OF_AN_HOUR,
        },
        two_person_completion: settings.two_person_completion,
        approve_bank_accounts: settings.approve_bank_accounts,
        request_details: settings.request_log_days > 0 && settings.request_detail_days > 0,
        sandbox: settings.sandbox,
        https_only: false,
        console: !settings.no_console,
        portal: settings.portal || settings.sandbox,
        single_sign_on: match settings.oidc_issuer.as_str() {
            "" => String::new(),
            _ => settings.oidc_label.clone(),
        },
        security_contacts: values::split_list(&settings.security_contact).map(str::to_owned).collect(),
    }
}
