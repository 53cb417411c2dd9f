//! One attempt to deliver a notification to its target.
//!
//! Each step of an attempt has its own module: preparing the target ([`target`]), requesting a token if the
//! receiver requires one ([`token`]), signing the request (`signature`), and connecting ([`client`]). The
//! client connects only to addresses that [`resolver`] has validated. [`receiver_response`] reads the
//! response, and [`failure`] classifies errors.

mod authentication;
mod challenge;
mod client;
mod failure;
mod receiver_response;
mod resolver;
mod route;
mod send_result;
mod settings;
mod signature;
mod target;
mod token;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use moka::sync::Cache;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{ErrorClass, Notification};
use payroll_domain::hook::Address;
use payroll_domain::hook::address::AddressRule;
use payroll_ports::deliveries::{DeliveryTarget, HookNumber};
use payroll_ports::hooks::{AddressChecker, ChallengeFailure};
use payroll_ports::keys::{KeyDerived, KeyPurpose, KeySet};
use payroll_ports::signing::SigningPair;
use reqwest::StatusCode;
use tokio::time::timeout;

pub use resolver::{NameLookup, SystemLookup};
pub use send_result::SendResult;
pub use settings::{SendLimits, SenderError, SenderSettings};

use client::HttpClients;
use receiver_response::ReceiverResponse;
use resolver::{AddressResolver, ResolutionError};
use route::ReceiverRoute;
use target::PreparedTarget;

/// The maximum number of prepared targets in the cache. Each target may contain a token. This number is
/// enough for several thousand applications and takes a few megabytes. An evicted target is prepared again.
const MAX_PREPARED_TARGETS: u64 = 4_096;
/// The time after which an unused target is removed, so that credentials of deleted hooks do not stay in
/// memory.
const PREPARED_TARGET_IDLE: Duration = Duration::from_secs(3_600);

/// Sends notifications to receivers.
pub struct Sender {
    clients: Arc<HttpClients>,
    resolver: Arc<AddressResolver>,
    limits: SendLimits,
    pairs: Option<KeyDerived<Vec<SigningPair>>>,
    prepared_targets: Cache<HookNumber, Arc<PreparedTarget>>,
    /// The lock that is held while a target is prepared. Without this lock, two tasks could prepare the same
    /// target at the same time and request two tokens.
    preparation_lock: Mutex<()>,
}

impl Sender {
    /// Creates a sender with these settings.
    ///
    /// # Errors
    /// [`SenderError`] if the certificates cannot be read.
    pub fn new(settings: SenderSettings) -> Result<Self, SenderError> {
        let resolver =
            Arc::new(AddressResolver::new(settings.mapped_hosts, settings.lookup, settings.limits.lookup));
        let clients =
            HttpClients::new(&resolver, settings.limits, &settings.certificates, &settings.source_addresses)?;
        let prepared =
            Cache::builder().max_capacity(MAX_PREPARED_TARGETS).time_to_idle(PREPARED_TARGET_IDLE).build();
        Ok(Self {
            clients: Arc::new(clients),
            resolver,
            limits: settings.limits,
            pairs: settings.keys.map(|keys| KeyDerived::new(keys, derive_webhook_key_pairs)),
            prepared_targets: prepared,
            preparation_lock: Mutex::default(),
        })
    }

    /// Sends a notification once. `now` is the time of the signature. A token that has expired at this time
    /// is not used.
    ///
    /// The attempt succeeds as soon as the status line and headers of a 2XX response were received. Later
    /// faults of the body are only reported by [`SendResult::response_truncated`].
    pub async fn send(
        &self,
        target: &DeliveryTarget,
        notification: &Notification,
        now: Timestamp,
    ) -> SendResult {
        let prepared = self.get_or_prepare_target(target);
        let mut response = None;
        let attempt = self.send_with_token_retry(&prepared, notification, now, &mut response);
        // When the time limit is reached, the attempt's future is dropped, which closes the connection.
        let ended = timeout(self.limits.attempt, attempt).await;
        let sent = match (ended, response) {
            (Ok(Err(error)), response) => SendResult::from_error(error, response.as_ref()),
            (_, Some(response)) => response.into_result(),
            (_, None) => SendResult::from_error(ErrorClass::Timeout, None),
        };
        tracing::debug!(
            application = %target.key.application_id,
            hook = %target.key.hook_id,
            address = ?target.address,
            notification = notification.notification_id,
            status = sent.status,
            error = sent.error.map(ErrorClass::as_str),
            "a notification was sent"
        );
        sent
    }

    /// Returns the prepared target from the cache. If the target has changed, this function prepares the
    /// target again.
    fn get_or_prepare_target(&self, target: &DeliveryTarget) -> Arc<PreparedTarget> {
        let known = || self.prepared_targets.get(&target.hook).filter(|known| known.is_prepared_from(target));
        if let Some(known) = known() {
            return known;
        }
        let _preparing = self.preparation_lock.lock().unwrap_or_else(PoisonError::into_inner);
        // Another task may have prepared the target while this task waited for the lock.
        known().unwrap_or_else(|| {
            let new = Arc::new(PreparedTarget::new(target, &self.resolver, self.limits.token));
            self.prepared_targets.insert(target.hook, Arc::clone(&new));
            new
        })
    }

    /// Sends the request. If the receiver rejects the token, the request is sent once more with a new token.
    /// `received_response` is filled while the response arrives. Even if the time limit ends the attempt,
    /// `received_response` therefore contains the received part.
    async fn send_with_token_retry(
        &self,
        target: &PreparedTarget,
        notification: &Notification,
        now: Timestamp,
        received_response: &mut Option<ReceiverResponse>,
    ) -> Result<(), ErrorClass> {
        let route = target.route.as_ref().map_err(|error| *error)?;
        let pairs = self.pairs.as_ref().map(|pairs| pairs.current_with_generation().1);
        let pairs = pairs.as_deref().map_or(&[] as &[SigningPair], Vec::as_slice);
        let request = || target.build_request(route, notification, (now, pairs));
        let Some(tokens) = &target.tokens else {
            let response = self.clients.execute(route, request).await?;
            return receiver_response::read_response(response, now, received_response).await;
        };
        let token = tokens.get_valid_token(&self.clients, now, None).await?;
        let mut response = self.clients.execute(route, || Ok(token.add_to_request(request()?))).await?;
        if response.status() == StatusCode::UNAUTHORIZED {
            // The rest of the first response is not read, because reading it would take longer than opening a
            // new connection. The drop of the response closes the connection.
            drop(response);
            let token = tokens.get_valid_token(&self.clients, now, Some(&token)).await?;
            response = self.clients.execute(route, || Ok(token.add_to_request(request()?))).await?;
        }
        receiver_response::read_response(response, now, received_response).await
    }
}

fn derive_webhook_key_pairs(keys: &KeySet) -> Vec<SigningPair> {
    SigningPair::derive_all(keys, KeyPurpose::WebhookSigning)
}

#[async_trait]
impl AddressChecker for Sender {
    async fn check_address(&self, address: &Address) -> Result<(), AddressRule> {
        let route = ReceiverRoute::for_address(address, &self.resolver).map_err(|_| AddressRule::Public)?;
        match route.name_to_resolve() {
            None => Ok(()),
            Some(name) => match self.resolver.resolve_addresses(name).await {
                Ok(_) => Ok(()),
                Err(ResolutionError::Forbidden) => Err(AddressRule::Public),
                Err(ResolutionError::Unknown | ResolutionError::OtherFamily) => Err(AddressRule::Name),
            },
        }
    }

    async fn send_challenge(&self, address: &Address, challenge: &str) -> Result<(), ChallengeFailure> {
        let route =
            ReceiverRoute::for_address(address, &self.resolver).map_err(ChallengeFailure::NoAnswer)?;
        let sent = challenge::send_challenge(&self.clients, &route, challenge);
        let ended = timeout(self.limits.challenge, sent).await;
        ended.unwrap_or(Err(ChallengeFailure::NoAnswer(ErrorClass::Timeout)))
    }
}

impl SendResult {
    fn from_error(error: ErrorClass, response: Option<&ReceiverResponse>) -> Self {
        let status = response.map(|received| received.status.as_u16());
        Self { status, error: Some(error), retry_after: None, response_body: None, response_truncated: false }
    }
}
