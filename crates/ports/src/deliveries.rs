//! The queue of deliveries for the task that sends them, and the delivery log for partners and operators.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{
    Attempt, AttemptCause, DeliveryState, HealthStep, HookHealth, NextStep, Notification,
};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{Address, Authentication, DeliveryOptions, HookKey, SigningSecret};

use crate::StoreError;
use crate::write::AuditContext;

/// The maximum number of stored attempts of one delivery. Older attempts are deleted. The remaining attempts
/// keep their numbers.
pub const MAX_STORED_ATTEMPTS: u32 = 20;
/// The maximum number of stored API requests for one notification. A receiver usually sends only a few
/// requests to read the changed data.
pub const MAX_STORED_REQUESTS: u32 = 50;

/// The internal number of a hook in storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookNumber(pub i64);

/// Identifies a delivery by its hook and its position. Later deliveries have higher positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId {
    /// The hook to which the delivery is sent.
    pub hook: HookNumber,
    /// The position of the delivery, unique among those of its hook.
    pub position: i64,
}

/// An active hook with pending deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadyHook {
    /// The hook with pending deliveries.
    pub hook: HookNumber,
    /// The instant at which the hook's next delivery is due. The instant may be in the past, and the delivery
    /// may already be claimed. For an ordered hook, the next delivery is the first pending one.
    pub due: Timestamp,
}

/// A request to claim deliveries of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimRequest {
    /// The hook whose deliveries are claimed.
    pub hook: HookNumber,
    /// The maximum number of deliveries to claim.
    pub limit: u32,
    /// Whether only the hook's first pending delivery may be claimed. While this delivery is not due, or is
    /// claimed by another process, nothing is claimed.
    pub in_order: bool,
}

/// A delivery that only this process may send until its claim expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery that is claimed.
    pub id: DeliveryId,
    /// The version of the hook. A sender reads a cached [`DeliveryTarget`] again if this version differs.
    pub hook_version: i64,
    /// The number of earlier attempts to send the delivery.
    pub attempts: u32,
    /// The cause of the next attempt.
    pub cause: AttemptCause,
    /// The notification to send.
    pub notification: Notification,
}

/// The data for sending the deliveries of a hook: the receiver, the secrets and the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryTarget {
    /// The hook to which the deliveries belong.
    pub hook: HookNumber,
    /// The version of the hook at the time when the target was read.
    pub version: i64,
    /// The application and the id of the hook, which are used in logs.
    pub key: HookKey,
    /// The address to which notifications are sent.
    pub address: Address,
    /// The credentials for the receiver.
    pub authentication: Authentication,
    /// The secret that signs notifications.
    pub signing_secret: SigningSecret,
    /// The previous signing secret, and the instant until which it also signs notifications.
    pub old_signing_secret: Option<(SigningSecret, Timestamp)>,
    /// The recent failures of the hook.
    pub health: HookHealth,
    /// The options for order and limits of notifications.
    pub options: DeliveryOptions,
}

/// An attempt to send a delivery, and the next step for the delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The delivery that was attempted.
    pub id: DeliveryId,
    /// The attempt and its result.
    pub attempt: Attempt,
    /// The next step for the delivery after the attempt.
    pub next_step: NextStep,
}

/// The effect of recorded attempts on the health of their hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookHealthChange {
    /// The hook whose health changes.
    pub hook: HookNumber,
    /// The change of the hook's health.
    pub step: HealthStep,
    /// The number of failed attempts among the recorded attempts.
    pub failures: u32,
    /// The instant at which the hook's health changes.
    pub changed_at: Timestamp,
}

/// The queue of deliveries. The transaction that changes data also queues its deliveries, one for each hook
/// that covers the change and whose application has the permission.
///
/// Claims expire. If a process crashes, another process therefore sends the deliveries that the process had
/// claimed. All instants come from the clocks of the callers.
///
/// # Errors
/// Every fallible method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or
/// [`StoreError::Bug`]. Methods that write can also return [`StoreError::CompanyBusy`].
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Completes when this process or another one on the same database may have queued deliveries since the
    /// last call. Deliveries of other processes may be missed, so poll regularly as well.
    async fn wait_for_deliveries(&self);

    /// Returns every active hook of an enabled application with pending deliveries, and the instant at which
    /// the next delivery of the hook is due.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn ready_hooks(&self) -> Result<Vec<ReadyHook>, StoreError>;

    /// Claims deliveries that are due at `now`, the earliest of each hook first. The claims expire at
    /// `until`. If the application has lost access to the data of a delivery, the delivery is cancelled and
    /// not claimed. Fewer deliveries may therefore be returned than are due.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn claim_deliveries(
        &self,
        requests: &[ClaimRequest],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// Returns the data for sending to the given hooks. A hook that was deleted or has an invalid row is
    /// omitted, so that it does not affect other hooks.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn read_targets(&self, hooks: &[HookNumber]) -> Result<Vec<DeliveryTarget>, StoreError>;

    /// Stores attempts and their effects:
    /// * A delivery that was cancelled in the meantime remains cancelled, unless the attempt delivered it.
    /// * Attempts of deleted hooks are skipped.
    /// * Attempts get the next numbers in storage, because two processes may have sent the same attempt after
    ///   a claim expired.
    /// * A hook that has recovered or was enabled in the meantime is not disabled.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn record_attempts(
        &self,
        attempts: &[AttemptRecord],
        hooks: &[HookHealthChange],
    ) -> Result<(), StoreError>;

    /// Corrects deliveries after a clock was set back: a delivery that is due after `latest_due`, or whose
    /// claim ends after `latest_due`, becomes due at `now`. Changes at most `limit` deliveries and returns
    /// their number.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn make_deliveries_due(
        &self,
        now: Timestamp,
        latest_due: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError>;

    /// Releases claims before they expire.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn release_claims(&self, delivery_ids: &[DeliveryId]) -> Result<(), StoreError>;
}

/// The filter for a hook's deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// Returns only deliveries in the given state. `None` does not filter by state.
    pub state: Option<DeliveryState>,
    /// Returns only deliveries of the given event domain. `None` does not filter by domain.
    pub domain: Option<EventDomain>,
    /// Returns only deliveries that were queued at the given instant or later.
    pub from: Option<Timestamp>,
    /// Returns only deliveries that were queued before the given instant.
    pub to: Option<Timestamp>,
    /// Returns only deliveries before the given position. `None` starts with the newest delivery.
    pub before: Option<i64>,
    /// The maximum number of deliveries in the page.
    pub limit: NonZeroU32,
}

/// A delivery with its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The position of the delivery, unique among those of its hook.
    pub position: i64,
    /// The notification that the delivery sends.
    pub notification: Notification,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The instant at which the delivery was queued.
    pub queued: Timestamp,
    /// The instant at which the delivery is due. `None` unless the delivery is pending.
    pub due: Option<Timestamp>,
    /// The instant at which the delivery was delivered, cancelled or expired. `None` while it is pending.
    pub ended: Option<Timestamp>,
    /// Whether the delivery was replayed on request.
    pub replayed: bool,
    /// The number of all attempts, including those that are no longer stored.
    pub attempts: u32,
    /// The stored attempts, oldest first, at most [`MAX_STORED_ATTEMPTS`].
    pub stored_attempts: Vec<Attempt>,
    /// The stored API requests of the application that contained the id of the notification, oldest first, at
    /// most [`MAX_STORED_REQUESTS`].
    pub requests: Vec<NotificationRequest>,
}

/// A page of deliveries, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries of the page.
    pub deliveries: Vec<Delivery>,
    /// The cursor of the next page: the position of the last delivery that was read. The filter may have
    /// omitted this delivery. `None` if there are no more deliveries.
    pub next_cursor: Option<i64>,
}

/// The deliveries to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayQuery {
    /// Whether to replay only deliveries that did not arrive, which are retrying or expired. Otherwise,
    /// delivered and cancelled deliveries are replayed too.
    pub failed_only: bool,
    /// Replays only deliveries that were queued at the given instant or later.
    pub from: Option<Timestamp>,
    /// Replays only deliveries that were queued before the given instant.
    pub to: Option<Timestamp>,
    /// Replays only deliveries after the given position. Deliveries are replayed oldest first.
    pub after: Option<i64>,
    /// The maximum number of deliveries to replay in one call.
    pub limit: NonZeroU32,
}

/// The result of a replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplayOutcome {
    /// The number of deliveries that will be resent.
    pub deliveries: u64,
    /// The position after which to continue with the next call. `None` if there are no more deliveries.
    pub next_cursor: Option<i64>,
}

/// A request that an application sent after it received a notification. The request contains the id of the
/// notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationRequest {
    /// The id of the notification that the request contained.
    pub notification_id: String,
    /// The application that sent the API request.
    pub application_id: payroll_domain::id::ApplicationId,
    /// The instant of the API request.
    pub requested_at: Timestamp,
    /// The HTTP method of the request, such as `GET`.
    pub method: String,
    /// The route of the request, with placeholders such as `{companyId}` for ids.
    pub route: String,
    /// The HTTP status of the response.
    pub status: u16,
    /// The id that the server assigned to the request.
    pub request_id: String,
}

/// A summary of the complete queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueSummary {
    /// The number of pending deliveries at active hooks.
    pub pending: u64,
    /// The number of pending deliveries that have failed at least once.
    pub retrying: u64,
    /// The instant at which the oldest pending delivery was queued. `None` if no delivery is pending.
    pub oldest_waiting: Option<Timestamp>,
    /// The number of queued deliveries that are not sent because the hook is inactive.
    pub collected: u64,
    /// The number of active hooks.
    pub active_hooks: u64,
    /// The number of inactive hooks, whose deliveries are queued but not sent.
    pub inactive_hooks: u64,
    /// The number of hooks whose last attempt failed.
    pub failing_hooks: u64,
}

/// The log of deliveries. For a hook that does not exist, the log is empty.
///
/// # Errors
/// Every method can return the same errors as those of [`DeliveryQueue`].
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// Reads the deliveries of a hook.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn deliveries(&self, hook: &HookKey, query: &DeliveryQuery) -> Result<DeliveryPage, StoreError>;

    /// Reads one delivery of a hook.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delivery(&self, hook: &HookKey, position: i64) -> Result<Option<Delivery>, StoreError>;

    /// Replays one delivery, regardless of its state. Returns `false` if the delivery does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn replay_delivery(
        &self,
        hook: &HookKey,
        position: i64,
        audit: &AuditContext,
    ) -> Result<bool, StoreError>;

    /// Replays many deliveries, oldest first, except those that are being sent. One call reads a limited
    /// number of deliveries. A call may therefore replay nothing although later deliveries match.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn replay_deliveries(
        &self,
        hook: &HookKey,
        query: &ReplayQuery,
        audit: &AuditContext,
    ) -> Result<ReplayOutcome, StoreError>;

    /// Queues a test call and returns the position of its delivery. `None` if the hook does not exist.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn queue_test_delivery(
        &self,
        hook: &HookKey,
        notification: &Notification,
        audit: &AuditContext,
    ) -> Result<Option<i64>, StoreError>;

    /// Returns a summary of the complete queue.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn queue_summary(&self) -> Result<QueueSummary, StoreError>;

    /// Stores API requests together with the notifications whose ids the requests contain. A request is only
    /// stored if the notification was sent to the application that sent the request. For each notification,
    /// only the first [`MAX_STORED_REQUESTS`] requests are stored.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn link_requests_to_notifications(&self, links: &[NotificationRequest]) -> Result<(), StoreError>;

    /// Deletes deliveries that ended before the instant `before`, with their attempts. Also deletes API
    /// requests that were sent before that instant, and the data of removed hooks. Deletes at most `limit`
    /// rows, not counting attempts, and returns their number. Pending deliveries are never deleted.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_deliveries_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Expires deliveries that were due before the instant `before` but are not sent, because the hook is
    /// inactive or the application is disabled. A delivery is due when it is queued, or at the instant of its
    /// next attempt. Expires at most `limit` deliveries and returns their number.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn expire_deliveries(
        &self,
        before: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError>;
}
