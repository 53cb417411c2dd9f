//! The queue of deliveries, for their sender, and their log, for partners and operators.

use std::num::NonZeroU32;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{
    Attempt, AttemptCause, DeliveryState, Health, HealthStep, NextStep, Notification,
};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{Address, Authentication, HookKey, SigningSecret};

use crate::StoreError;
use crate::write::By;

/// Attempts of one delivery that are kept: the newest. Their number goes on.
pub const MAX_ATTEMPTS_KEPT: u32 = 20;
/// Requests that are kept for one notification: a receiver that reads what has changed makes a few.
pub const MAX_REQUESTS_KEPT: u32 = 50;

/// A hook, as storage numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookNumber(pub i64);

/// A delivery: of which hook, and its place among all, later ones greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId {
    /// Number of the hook.
    pub hook: HookNumber,
    /// The position of the delivery.
    pub position: i64,
}

/// A hook that has something to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadyHook {
    /// Number of the hook.
    pub hook: HookNumber,
    /// When its next delivery is due, which may be in the past. Deliveries that are claimed count.
    pub due: Timestamp,
}

/// How many deliveries of a hook are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimWish {
    /// Number of the hook.
    pub hook: HookNumber,
    /// The maximum number of deliveries.
    pub most: u32,
}

/// A delivery that this process alone may send until its claim ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// The delivery that is claimed.
    pub id: DeliveryId,
    /// The version of its hook, for a sender that keeps [`Target`]s.
    pub hook_version: i64,
    /// The number of attempts before.
    pub attempts: u32,
    /// Why it is sent now.
    pub cause: AttemptCause,
    /// The notification to send.
    pub notification: Notification,
}

/// Where the deliveries of a hook go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Number of the hook.
    pub hook: HookNumber,
    /// The version of the hook.
    pub version: i64,
    /// Its name, for logs.
    pub key: HookKey,
    /// The address of the receiver.
    pub address: Address,
    /// What is shown there.
    pub authentication: Authentication,
    /// What signs, newest first; the second, of a rotation, signs until its instant.
    pub signing_secret: SigningSecret,
    /// The signing secret before, and until when it signs.
    pub old_signing_secret: Option<(SigningSecret, Timestamp)>,
    /// How it has been doing.
    pub health: Health,
}

/// An attempt with what is next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    /// The delivery that was attempted.
    pub id: DeliveryId,
    /// The attempt and its result.
    pub attempt: Attempt,
    /// The next step of the delivery.
    pub next: NextStep,
}

/// What attempts mean for their hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookOutcome {
    /// Number of the hook.
    pub hook: HookNumber,
    /// The change of the hook's health.
    pub step: HealthStep,
    /// Attempts that have failed, of those that are recorded with it.
    pub failures: u32,
    /// The time of the change.
    pub at: Timestamp,
}

/// The queue of deliveries. They are put into it by the changes that they report, in the same
/// transaction: one for each hook that the change concerns and whose application may know.
///
/// Claims end by themselves, so that deliveries of a process that died are sent by another. Times are those
/// of the callers' clock.
///
/// # Errors
/// Every method that can fail: [`StoreError::Unavailable`], [`StoreError::Corrupt`],
/// [`StoreError::Bug`]; those that write also [`StoreError::CompanyBusy`].
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Returns when something may have been queued since the last call, by this process or, where
    /// several share a database, by another. It may miss what others do: look now and then.
    async fn queued(&self);

    /// Every active hook of an enabled application that has something waiting, and when that is due.
    ///
    /// # Errors
    /// Those of the trait.
    async fn ready(&self) -> Result<Vec<ReadyHook>, StoreError>;

    /// Claims deliveries that are due now until that instant, the earliest due of each hook first.
    /// What its application may no longer see is cancelled instead, so that fewer may come back
    /// than are due.
    ///
    /// # Errors
    /// Those of the trait.
    async fn claim(
        &self,
        wishes: &[ClaimWish],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<Claimed>, StoreError>;

    /// Where deliveries of these hooks go; a hook that is gone, or whose row makes no sense, is left out, so
    /// that it stops no other hook.
    ///
    /// # Errors
    /// Those of the trait.
    async fn targets(&self, hooks: &[HookNumber]) -> Result<Vec<Target>, StoreError>;

    /// Stores attempts and what they mean. A delivery that was meanwhile cancelled stays so, unless
    /// it has arrived; one whose hook is gone is passed over. Attempts are numbered on from what is
    /// stored: two processes may have made the same one, if a claim has ended under the first. A hook
    /// that has recovered or was enabled meanwhile is not disabled.
    ///
    /// # Errors
    /// Those of the trait.
    async fn record(&self, attempts: &[Attempted], hooks: &[HookOutcome]) -> Result<(), StoreError>;

    /// Has a batch of deliveries be due now that are due later than `latest`, or claimed for longer;
    /// how many there were. No process that has the right time writes such: a clock was set back.
    ///
    /// # Errors
    /// Those of the trait.
    async fn bring_forward(&self, now: Timestamp, latest: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Ends claims before their time.
    ///
    /// # Errors
    /// Those of the trait.
    async fn give_back(&self, claimed: &[DeliveryId]) -> Result<(), StoreError>;
}

/// Which deliveries of a hook are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// Only deliveries in this state.
    pub state: Option<DeliveryState>,
    /// Only deliveries of this domain.
    pub domain: Option<EventDomain>,
    /// Queued at this instant or later.
    pub from: Option<Timestamp>,
    /// Queued before this instant.
    pub to: Option<Timestamp>,
    /// Those older than this position; `None`: from the newest.
    pub before: Option<i64>,
    /// The most to give.
    pub limit: NonZeroU32,
}

/// A delivery with its attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The position of the delivery.
    pub position: i64,
    /// The notification that it sends.
    pub notification: Notification,
    /// How far it is.
    pub state: DeliveryState,
    /// When it was queued.
    pub queued: Timestamp,
    /// When it is due, while it waits.
    pub due: Option<Timestamp>,
    /// When it was delivered, cancelled or has expired.
    pub ended: Option<Timestamp>,
    /// It was replayed on request.
    pub replayed: bool,
    /// How many attempts there were, kept or not.
    pub attempts: u32,
    /// Those that are kept, oldest first: at most [`MAX_ATTEMPTS_KEPT`].
    pub kept_attempts: Vec<Attempt>,
    /// Requests of the application that named the notification, oldest first: at most
    /// [`MAX_REQUESTS_KEPT`].
    pub requests: Vec<NotedRequest>,
}

/// A page of deliveries, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryPage {
    /// The deliveries of the page.
    pub deliveries: Vec<Delivery>,
    /// The position before which to go on: that of the last delivery that was read, given or
    /// not; `None` when there are no more.
    pub next: Option<i64>,
}

/// The deliveries to replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayQuery {
    /// Those only that have not arrived: retrying or expired. Otherwise delivered and cancelled ones
    /// too.
    pub failed_only: bool,
    /// Queued at this instant or later.
    pub from: Option<Timestamp>,
    /// Queued before this instant.
    pub to: Option<Timestamp>,
    /// Those after this position: oldest first.
    pub after: Option<i64>,
    /// The maximum to replay in one call.
    pub limit: NonZeroU32,
}

/// What a replay has come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Number of deliveries to resend.
    pub deliveries: u64,
    /// The position after which to go on; `None` when there are no more.
    pub next: Option<i64>,
}

/// A request that an application made because of a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedRequest {
    /// The notification, as the caller named it.
    pub notification_id: String,
    /// The application that made it.
    pub application_id: payroll_domain::id::ApplicationId,
    /// The time of the request.
    pub at: Timestamp,
    /// The method of the request.
    pub method: String,
    /// Its route, with `{companyId}` where an id stood.
    pub route: String,
    /// The status of the response.
    pub status: u16,
    /// The server's id of the request.
    pub request_id: String,
}

/// A summary of the complete queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueSummary {
    /// Deliveries that wait at active hooks, tried or not.
    pub waiting: u64,
    /// Of them those that have failed at least once.
    pub retrying: u64,
    /// When the oldest of those that wait was queued.
    pub oldest_waiting: Option<Timestamp>,
    /// Deliveries that are collected for hooks that are not active.
    pub held: u64,
    /// The number of hooks that send.
    pub active_hooks: u64,
    /// Hooks that only collect.
    pub inactive_hooks: u64,
    /// Hooks whose last attempt has failed.
    pub failing_hooks: u64,
}

/// The log of deliveries. A hook that is not there has an empty log.
///
/// # Errors
/// The same errors as [`DeliveryQueue`].
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// Deliveries of a hook.
    ///
    /// # Errors
    /// Those of the trait.
    async fn deliveries(&self, hook: &HookKey, query: &DeliveryQuery) -> Result<DeliveryPage, StoreError>;

    /// One delivery of a hook.
    ///
    /// # Errors
    /// Those of the trait.
    async fn delivery(&self, hook: &HookKey, position: i64) -> Result<Option<Delivery>, StoreError>;

    /// Replays one delivery in any state; `false` when there is none.
    ///
    /// # Errors
    /// Those of the trait.
    async fn replay(&self, hook: &HookKey, position: i64, by: &By) -> Result<bool, StoreError>;

    /// Replays many, oldest first, except those that are being sent. One call looks
    /// at a bounded number of deliveries: it may come to nothing and yet have more before it.
    ///
    /// # Errors
    /// Those of the trait.
    async fn replay_many(&self, hook: &HookKey, query: &ReplayQuery, by: &By)
    -> Result<Replayed, StoreError>;

    /// Queues a test call; returns its position, or `None` when there is no such hook.
    ///
    /// # Errors
    /// Those of the trait.
    async fn queue_test(
        &self,
        hook: &HookKey,
        notification: &Notification,
        by: &By,
    ) -> Result<Option<i64>, StoreError>;

    /// Counts the complete queue.
    ///
    /// # Errors
    /// Those of the trait.
    async fn queue_summary(&self) -> Result<QueueSummary, StoreError>;

    /// Keeps requests under the notifications that they name, of deliveries to their application: the
    /// first [`MAX_REQUESTS_KEPT`] of each.
    ///
    /// # Errors
    /// Those of the trait.
    async fn note_requests(&self, requests: &[NotedRequest]) -> Result<(), StoreError>;

    /// Removes deliveries that ended before that instant, with their attempts, noted requests from
    /// before it, and what removed hooks have left, at most `limit` in all (attempts do not count);
    /// returns how many. Pending deliveries are never deleted.
    ///
    /// # Errors
    /// Those of the trait.
    async fn forget_deliveries(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Ends, as expired, deliveries that have been due since before that instant and are not sent,
    /// because their hook is not active or its application is not enabled, at most `limit`; returns
    /// how many. A delivery is due from when it is queued, or from its next attempt.
    ///
    /// # Errors
    /// Those of the trait.
    async fn expire_deliveries(
        &self,
        before: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError>;
}
