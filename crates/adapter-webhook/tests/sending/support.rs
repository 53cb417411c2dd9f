//! Senders, targets and notifications for tests.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use payroll_adapter_webhook::{NameLookup, SendLimits, SendResult, Sender, SenderSettings};
use payroll_domain::SecretText;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{ErrorClass, HookHealth, Notification};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::hook::{Address, Authentication, DeliveryOptions, HookKey, SigningSecret};
use payroll_ports::deliveries::{DeliveryTarget, HookNumber};

use crate::receiver::Receiver;

/// The host name that the senders of the tests map to the receiver.
pub(crate) const HOST: &str = "receiver.example";

/// The current time of the tests.
pub(crate) const NOW: Timestamp = Timestamp::from_micros(1_778_544_000_000_000);

/// A response that accepts the notification.
pub(crate) const ACCEPTED_RESPONSE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Returns settings that map [`HOST`] to an address.
pub(crate) fn settings(address: SocketAddr) -> SenderSettings {
    let mapped_hosts = BTreeMap::from([(HOST.to_owned(), address)]);
    SenderSettings { mapped_hosts, limits: long_limits(), ..SenderSettings::default() }
}

/// Returns time limits that no test reaches, even on a busy machine.
pub(crate) fn long_limits() -> SendLimits {
    let long = Duration::from_secs(600);
    SendLimits { lookup: long, connect: long, token: long, challenge: long, attempt: long }
}

/// Returns short time limits, for receivers that never finish. The limits must be long enough for the steps
/// before the expected timeout, even on a busy machine.
pub(crate) fn short_limits() -> SendLimits {
    let tenths = |tenths: u64| Duration::from_millis(100 * tenths);
    SendLimits {
        lookup: tenths(6),
        connect: tenths(10),
        token: tenths(15),
        challenge: tenths(15),
        attempt: tenths(25),
    }
}

/// Creates a sender whose requests go to a receiver.
pub(crate) fn sender(receiver: &Receiver) -> Sender {
    Sender::new(settings(receiver.address)).unwrap()
}

/// Creates a sender with short time limits, whose requests go to a receiver.
pub(crate) fn sender_with_short_limits(receiver: &Receiver) -> Sender {
    Sender::new(SenderSettings { limits: short_limits(), ..settings(receiver.address) }).unwrap()
}

/// Sends a notification to a receiver and returns the result.
pub(crate) async fn send_to(receiver: &Receiver) -> SendResult {
    sender(receiver).send(&target("http://receiver.example/hook"), &notification(), NOW).await
}

/// Sends a notification to a receiver that never finishes, and returns the result.
pub(crate) async fn send_until_timeout(receiver: &Receiver) -> SendResult {
    sender_with_short_limits(receiver)
        .send(&target("http://receiver.example/hook"), &notification(), NOW)
        .await
}

/// Creates a target with Basic authentication.
pub(crate) fn target(address: &str) -> DeliveryTarget {
    let password = SecretText::new("swordfish");
    target_with_authentication(address, Authentication::Basic { username: "payroll".to_owned(), password })
}

/// Creates a target with this address and authentication.
pub(crate) fn target_with_authentication(address: &str, authentication: Authentication) -> DeliveryTarget {
    DeliveryTarget {
        hook: HookNumber(1),
        version: 1,
        key: HookKey { application_id: "app".parse().unwrap(), hook_id: "hook".parse().unwrap() },
        address: Address::from_stored(address).unwrap(),
        authentication,
        signing_secret: SigningSecret([7; 32]),
        old_signing_secret: None,
        health: HookHealth::default(),
        options: DeliveryOptions::default(),
    }
}

/// Creates a notification about a worker of a company.
pub(crate) fn notification() -> Notification {
    Notification {
        notification_id: "0b9c5a52-6f0e-4f5e-9d3e-1d2c3b4a5f60".to_owned(),
        company_id: Some("company".parse().unwrap()),
        worker_id: Some("worker".parse().unwrap()),
        pay_period_id: None,
        domain: EventDomain::WorkerDemographics,
        action: EventAction::Update,
        as_of: NOW,
        test: false,
    }
}

/// Returns the result of an attempt without a response.
pub(crate) fn failed_result(error: ErrorClass) -> SendResult {
    SendResult {
        status: None,
        error: Some(error),
        retry_after: None,
        response_body: None,
        response_truncated: false,
    }
}

/// Returns the result of an accepted attempt with this response body.
pub(crate) fn accepted_result(body: &str, answer_cut: bool) -> SendResult {
    let body = (!body.is_empty()).then(|| body.to_owned());
    SendResult {
        status: Some(200),
        error: None,
        retry_after: None,
        response_body: body,
        response_truncated: answer_cut,
    }
}

/// A name look-up whose result changes with each call. The last result is repeated.
#[derive(Debug)]
pub(crate) struct ChangingLookup {
    answers: Vec<Vec<IpAddr>>,
    attempts: AtomicUsize,
}

impl ChangingLookup {
    pub(crate) fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parsed = |addresses: &&[&str]| addresses.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self { answers: answers.iter().map(parsed).collect(), attempts: AtomicUsize::new(0) })
    }

    pub(crate) fn call_count(&self) -> usize {
        self.attempts.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl NameLookup for ChangingLookup {
    async fn resolve_addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        let attempt_index = self.attempts.fetch_add(1, Ordering::SeqCst);
        Ok(self.answers[attempt_index.min(self.answers.len() - 1)].clone())
    }
}
