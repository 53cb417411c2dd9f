//! Converts the webhook settings for the registration of hooks and for the sender of notifications.

use std::net::UdpSocket;
use std::time::Duration;

use payroll_adapter_http::HookSettings;
use payroll_adapter_webhook::{DispatchSettings, Sender, SenderSettings};
use payroll_domain::delivery::RetryPolicy;
use payroll_domain::hook::address::AddressRules;
use payroll_ports::keys::CurrentKeys;

use crate::config::Settings;
use crate::failure::{Failure, Outcome};

const SECONDS_OF_AN_HOUR: u32 = 3_600;

/// Creates the sender of notifications. If `keys` are given, their key pairs also sign each notification.
///
/// # Errors
/// The file of certificate authorities cannot be used.
pub(crate) fn create_sender(settings: &Settings, keys: Option<CurrentKeys>) -> Outcome<Sender> {
    let certificates = match settings.webhook_ca_file.as_str() {
        "" => Vec::new(),
        path => std::fs::read(path)
            .map_err(|error| Failure::with_cause(format!("webhook_ca_file {path} cannot be read"), &error))?,
    };
    let given = SenderSettings {
        mapped_hosts: settings.webhook_hosts.0.clone(),
        certificates,
        source_addresses: settings.webhook_source_addresses.0.clone(),
        keys,
        ..SenderSettings::default()
    };
    Sender::new(given).map_err(|error| Failure::with_cause("notifications cannot be sent", &error))
}

/// Returns a sentence for each address in `webhook_source_addresses` that this machine cannot use.
pub(crate) fn find_unusable_source_addresses(settings: &Settings) -> Vec<String> {
    let addresses = settings.webhook_source_addresses.0.iter();
    let unusable = addresses.filter_map(|address| {
        let error = UdpSocket::bind((*address, 0)).err()?;
        Some(format!("notifications cannot be sent from {address} (`webhook_source_addresses`): {error}"))
    });
    unusable.collect()
}

/// Returns the settings of the delivery loop.
pub(crate) fn dispatch_settings(settings: &Settings) -> DispatchSettings {
    DispatchSettings {
        retry: RetryPolicy {
            retry_seconds: settings.webhook_retry_seconds,
            obey_retry_after: settings.webhook_obey_retry_after,
            disable_after_seconds: settings.webhook_disable_after_hours * SECONDS_OF_AN_HOUR,
        },
        max_in_flight: settings.webhook_in_flight as usize,
        in_flight_per_hook: settings.webhook_in_flight_per_hook as usize,
        connections_per_host: settings.webhook_connections_per_host as usize,
        claim_seconds: settings.webhook_claim_seconds,
        poll_interval: Duration::from_millis(u64::from(settings.webhook_poll_milliseconds)),
        shutdown_timeout: Duration::from_secs(u64::from(settings.shutdown_timeout_seconds)),
    }
}

/// Returns the settings for the registration of hooks.
pub(crate) fn hook_settings(settings: &Settings) -> HookSettings {
    HookSettings {
        rules: AddressRules {
            allow_http: settings.webhook_allow_http,
            mapped_hosts: settings.webhook_hosts.0.keys().cloned().collect(),
        },
        max_hooks: settings.max_hooks,
        verify: settings.webhook_verify_addresses,
        production_addresses: settings.webhook_published_production.0.clone(),
        non_production_addresses: settings.webhook_published_non_production.0.clone(),
    }
}
