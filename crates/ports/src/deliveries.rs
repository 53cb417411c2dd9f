//! The queue of deliveries for their sender, and the delivery log for partners and operators.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{
    Attempt, AttemptCause, DeliveryState, Health, HealthStep, NextStep, Notification,
};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{Address, Authentication, DeliveryOptions, HookKey, SigningSecret};

use crate::StoreError;
use crate::write::AuditContext;

/// The maximum number of stored attempts of one delivery. The newest ones are kept, and their numbers
/// continue.
pub const MAX_ATTEMPTS_KEPT: u32 = 20;
/// The maximum number of stored requests for one notification. A receiver that reads the changed data makes a
/// few.
pub const MAX_REQUESTS_KEPT: u32 = 50;

/// The number of a hook in storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookNumber(pub i64);

/// A delivery: its hook and its position. Later deliveries have higher positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId {
    /// The number of the hook.
    pub hook: HookNumber,
    /// The position of the delivery.
    pub position: i64,
}

/// A hook with pending deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadyHook {
    /// The number of the hook.
    pub hook: HookNumber,
    /// The instant at which the hook's next delivery is due, possibly in the past. For an ordered hook that is its
    /// first pending delivery. Claimed deliveries are included.
    pub due: Timestamp,
}

/// The number of deliveries to claim from a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimRequest {
    /// The number of the hook.
    pub hook: HookNumber,
    /// The maximum number of deliveries.
    pub limit: u32,
    /// Whether only the first pending delivery may be claimed. Nothing is claimed while it is not due or claimed by
    /// another process.
    pub in_order: bool,
}

/// A delivery that only this process may send until its claim expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The delivery that is claimed.
    pub id: DeliveryId,
    /// The version of the delivery's hook, for a sender that caches [`Target`]s.
    pub hook_version: i64,
    /// The number of attempts before this one.
    pub attempts: u32,
    /// The cause of the next attempt.
    pub cause: AttemptCause,
    /// The notification to send.
    pub notification: Notification,
}

/// The destination of a hook's deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The number of the hook.
    pub hook: HookNumber,
    /// The version of the hook.
    pub version: i64,
    /// The key of the hook, for logs.
    pub key: HookKey,
    /// The address of the receiver.
    pub address: Address,
    /// The credentials for the receiver.
    pub authentication: Authentication,
    /// The secret that signs notifications.
    pub signing_secret: SigningSecret,
    /// The previous signing secret, and the instant until which it also signs.
    pub old_signing_secret: Option<(SigningSecret, Timestamp)>,
    /// The recent success or failure of the hook.
    pub health: Health,
    /// The order of notifications, and their limits.
    pub options: DeliveryOptions,
}

/// An attempt with the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRecord {
    /// The delivery that was attempted.
    pub id: DeliveryId,
    /// The attempt and its result.
    pub attempt: Attempt,
    /// The next step of the delivery.
    pub next_step: NextStep,
}

/// The effect of attempts on their hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookHealthChange {
    /// The number of the hook.
    pub hook: HookNumber,
    /// The change of the hook's health.
    pub step: HealthStep,
    /// The number of failed attempts among the recorded ones.
    pub failures: u32,
    /// The time of the change.
    pub changed_at: Timestamp,
}

/// The queue of deliveries. Changes add deliveries in their own transaction: one for each hook that the
/// change concerns and whose application has the permission.
///
/// Claims expire, so another process sends the deliveries of a process that died. All instants are those of
/// the callers' clock.
///
/// # Errors
/// Every fallible method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or
/// [`StoreError::Bug`]. Methods that write can also return [`StoreError::CompanyBusy`].
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Returns when deliveries may have been queued since the last call, by this process or by another one on
    /// the same database. It may miss those of other processes, so poll regularly as well.
    async fn wait_for_deliveries(&self);

    /// Every active hook of an enabled application with pending deliveries, and when the next one is due.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn ready(&self) -> Result<Vec<ReadyHook>, StoreError>;

    /// Claims deliveries that are due now until that instant, the earliest of each hook first. Deliveries to
    /// whose data the application lost access are cancelled instead, so fewer may be returned than are due.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn claim(
        &self,
        requests: &[ClaimRequest],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError>;

    /// The destinations of these hooks. A hook that was deleted or has an invalid row is omitted, so that it
    /// does not affect other hooks.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn targets(&self, hooks: &[HookNumber]) -> Result<Vec<Target>, StoreError>;

    /// Stores attempts and their effects. A delivery that was cancelled in the meantime stays so, unless the
    /// attempt delivered it. Attempts of deleted hooks are skipped. Attempts get the next numbers in storage,
    /// because two processes may have made the same attempt after a claim expired. A hook that has recovered
    /// or was enabled in the meantime is not disabled.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn record(&self, attempts: &[AttemptRecord], hooks: &[HookHealthChange]) -> Result<(), StoreError>;

    /// Makes deliveries due now that are due after `latest_due` or claimed beyond it, at most `limit`. Returns
    /// their number. Such times only occur after a clock was set back.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn make_due(&self, now: Timestamp, latest_due: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Releases claims before they expire.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn release_claims(&self, delivery_ids: &[DeliveryId]) -> Result<(), StoreError>;
}

/// The filter for a hook's deliveries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// Only deliveries in this state.
    pub state: Option<DeliveryState>,
    /// Only deliveries of this domain.
    pub domain: Option<EventDomain>,
    /// Only deliveries that were queued at this instant or later.
    pub from: Option<Timestamp>,
    /// Only deliveries that were queued before this instant.
    pub to: Option<Timestamp>,
    /// Only deliveries older than this position. `None` starts with the newest one.
    pub before: Option<i64>,
    /// The maximum number of deliveries.
    pub limit: NonZeroU32,
}

/// A delivery with its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The position of the delivery.
    pub position: i64,
    /// The notification that the delivery sends.
    pub notification: Notification,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The instant at which the delivery was queued.
    pub queued: Timestamp,
    /// The instant at which the delivery is due, while it is pending.
    pub due: Option<Timestamp>,
    /// The instant at which the delivery was delivered, cancelled or expired.
    pub ended: Option<Timestamp>,
    /// Whether the delivery was replayed on request.
    pub replayed: bool,
    /// The number of attempts, stored or not.
    pub attempts: u32,
    /// The stored attempts, oldest first, at most [`MAX_ATTEMPTS_KEPT`].
    pub kept_attempts: Vec<Attempt>,
    /// Requests of the application that mentioned the notification, oldest first, at most
    /// [`MAX_REQUESTS_KEPT`].
    pub requests: Vec<NotificationRequest>,
}

/// A page of deliveries, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries of the page.
    pub deliveries: Vec<Delivery>,
    /// The cursor of the next page: the position of the last delivery that was read, returned or not. `None`
    /// if there are no more.
    pub next_cursor: Option<i64>,
}

/// The deliveries to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayQuery {
    /// Only deliveries that did not arrive (retrying or expired). Otherwise delivered and cancelled ones too.
    pub failed_only: bool,
    /// Only deliveries that were queued at this instant or later.
    pub from: Option<Timestamp>,
    /// Only deliveries that were queued before this instant.
    pub to: Option<Timestamp>,
    /// Only deliveries after this position, oldest first.
    pub after: Option<i64>,
    /// The maximum number of deliveries to replay in one call.
    pub limit: NonZeroU32,
}

/// The result of a replay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplayOutcome {
    /// The number of deliveries that will be resent.
    pub deliveries: u64,
    /// The cursor after which to continue. `None` if there are no more.
    pub next_cursor: Option<i64>,
}

/// A request of an application because of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationRequest {
    /// The notification id in the request.
    pub notification_id: String,
    /// The application that made the request.
    pub application_id: payroll_domain::id::ApplicationId,
    /// The time of the request.
    pub requested_at: Timestamp,
    /// The method of the request.
    pub method: String,
    /// The route of the request, with placeholders such as `{companyId}` for ids.
    pub route: String,
    /// The status of the response.
    pub status: u16,
    /// The server's id of the request.
    pub request_id: String,
}

/// A summary of the complete queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueSummary {
    /// The number of pending deliveries at active hooks.
    pub pending: u64,
    /// The number of pending deliveries that have failed at least once.
    pub retrying: u64,
    /// The instant at which the oldest pending delivery was queued.
    pub oldest_waiting: Option<Timestamp>,
    /// The number of deliveries that are collected for inactive hooks.
    pub collected: u64,
    /// The number of active hooks.
    pub active_hooks: u64,
    /// The number of inactive hooks, which only collect deliveries.
    pub inactive_hooks: u64,
    /// The number of hooks whose last attempt failed.
    pub failing_hooks: u64,
}

/// The log of deliveries. A hook that does not exist has an empty log.
///
/// # Errors
/// The same errors as [`DeliveryQueue`].
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// Reads the deliveries of a hook.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn deliveries(&self, hook: &HookKey, query: &DeliveryQuery) -> Result<DeliveryPage, StoreError>;

    /// Reads one delivery of a hook.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delivery(&self, hook: &HookKey, position: i64) -> Result<Option<Delivery>, StoreError>;

    /// Replays one delivery in any state. `false` if it does not exist.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn replay(&self, hook: &HookKey, position: i64, audit: &AuditContext) -> Result<bool, StoreError>;

    /// Replays many deliveries, oldest first, except those that are being sent. One call reads a limited
    /// number of deliveries. It may therefore replay none although more follow.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn replay_many(
        &self,
        hook: &HookKey,
        query: &ReplayQuery,
        audit: &AuditContext,
    ) -> Result<ReplayOutcome, StoreError>;

    /// Queues a test call and returns its position. `None` if there is no such hook.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn queue_test(
        &self,
        hook: &HookKey,
        notification: &Notification,
        audit: &AuditContext,
    ) -> Result<Option<i64>, StoreError>;

    /// Counts the complete queue.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn queue_summary(&self) -> Result<QueueSummary, StoreError>;

    /// Stores requests with the notifications that they mention, if their application received them. For each
    /// notification the first [`MAX_REQUESTS_KEPT`] are kept.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn record_notification_requests(&self, requests: &[NotificationRequest]) -> Result<(), StoreError>;

    /// Deletes deliveries that ended before that instant with their attempts, mentioning requests from before
    /// it, and data of removed hooks. It deletes at most `limit` rows, not counting attempts, and returns
    /// their number. Pending deliveries are never deleted.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delete_deliveries_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Expires deliveries that have been due since before that instant and are not sent, because their hook
    /// is inactive or its application disabled. It expires at most `limit` and returns their number. A
    /// delivery is due from the instant when it is queued, or from its next attempt.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn expire_deliveries(
        &self,
        before: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError>;
}
