//! One attempt: from a notification and its target to what became of it.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{ErrorClass, Notification};
use payroll_domain::hook::Address;
use payroll_domain::hook::address::AddressRule;
use payroll_ports::deliveries::Target;
use payroll_ports::hooks::AddressCheck;

use crate::client;

/// What an operator may set about sending.
#[derive(Debug, Clone, Default)]
pub struct SenderSettings {
    /// Hosts that are dialled at another address and port, and need not be public.
    pub mapped_hosts: BTreeMap<String, SocketAddr>,
    /// Certificate authorities beside those that the system trusts, in PEM.
    pub certificates: Vec<u8>,
    /// The addresses to send from: the first that is of the kind of the address that is dialled.
    pub source_addresses: Vec<IpAddr>,
}

/// Why nothing can be sent at all.
#[derive(Debug)]
pub struct SenderError(String);

impl fmt::Display for SenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SenderError {}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The answer's status, where there was an answer.
    pub status: Option<u16>,
    /// What was wrong; `None`: the receiver has taken it.
    pub error: Option<ErrorClass>,
    /// Seconds that the receiver asks to wait.
    pub retry_after: Option<u32>,
    /// The beginning of the answer's body, at most
    /// [`MAX_ANSWER_KEPT`](payroll_domain::delivery::MAX_ANSWER_KEPT) bytes.
    pub answer: Option<String>,
    /// The answer's body was not read to its end.
    pub answer_cut: bool,
}

/// Sends notifications.
pub struct Sender {
    settings: SenderSettings,
    client: reqwest::Client,
}

impl Sender {
    /// Prepares sending.
    ///
    /// # Errors
    /// When the certificates cannot be read, or the TLS configuration of the process is unusable: the
    /// process must have installed its TLS provider first.
    pub fn new(settings: SenderSettings) -> Result<Self, SenderError> {
        // Whoever installed another one first may keep it.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let client = client::client().map_err(|error| SenderError(error.to_string()))?;
        Ok(Self { settings, client })
    }

    /// Sends a notification once. `now` is the time of the signature.
    pub async fn send(&self, target: &Target, notification: &Notification, now: Timestamp) -> Sent {
        let _ = (&self.settings, &self.client, target, notification, now);
        Sent {
            status: None,
            error: Some(ErrorClass::Internal),
            retry_after: None,
            answer: None,
            answer_cut: false,
        }
    }
}

#[async_trait]
impl AddressCheck for Sender {
    async fn check(&self, _: &Address) -> Result<(), AddressRule> {
        Err(AddressRule::Name)
    }
}
