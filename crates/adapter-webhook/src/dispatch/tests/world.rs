//! A queue, receivers and a clock in memory. The queue, the receivers and the clock use tokio's paused
//! time, which advances only while all tasks wait.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use payroll_domain::SecretText;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{AttemptCause, ErrorClass, HealthStep, NextStep, Notification, RetryPolicy};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::hook::{Address, Authentication, DeliveryOptions, HookKey, SigningSecret};
use payroll_ports::deliveries::{
    AttemptRecord, ClaimRequest, ClaimedDelivery, DeliveryId, DeliveryQueue, DeliveryTarget,
    HookHealthChange, HookNumber, ReadyHook,
};
use payroll_ports::{Clock, StoreError};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::super::environment::{DispatchEnvironment as Outside, NotificationSender};
use super::super::{DispatchMetrics, DispatchSettings, Dispatcher};
use crate::SendResult;

/// The default settings of the dispatcher loop in tests.
pub(super) const SETTINGS: DispatchSettings = DispatchSettings {
    retry: RetryPolicy { retry_seconds: 300, obey_retry_after: false, disable_after_seconds: 259_200 },
    max_in_flight: 512,
    in_flight_per_hook: 64,
    connections_per_host: 128,
    claim_seconds: 30,
    poll_interval: Duration::from_secs(1),
    shutdown_timeout: Duration::from_secs(30),
};

/// The duration of a query while writers are busy.
const BUSY_QUERY_TIME: Duration = Duration::from_millis(20);

/// The behaviour of a receiver.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReceiverBehavior {
    /// Accepts each notification after this number of milliseconds.
    Accepts(u64),
    /// Responds with 500 after this number of milliseconds.
    Rejects(u64),
    /// Makes the sender's task panic, to simulate a bug.
    Breaks,
}

/// A delivery in the queue.
#[derive(Debug, Clone)]
pub(super) struct StoredDelivery {
    pub(super) due: Option<Timestamp>,
    pub(super) claimed_until: Option<Timestamp>,
    pub(super) attempts: Vec<AttemptRecord>,
}

/// The state of the queue and of the receivers.
#[derive(Default)]
pub(super) struct TestEnvironmentState {
    pub(super) hooks: BTreeMap<HookNumber, (DeliveryTarget, ReceiverBehavior)>,
    pub(super) disabled: BTreeSet<HookNumber>,
    pub(super) deliveries: BTreeMap<DeliveryId, StoredDelivery>,
    pub(super) steps: Vec<(HookNumber, HealthStep)>,
    /// For each host, the current and the highest number of attempts in progress.
    pub(super) in_progress: BTreeMap<String, (usize, usize)>,
    /// The deliveries of all attempts, in the order in which the attempts started.
    pub(super) started_deliveries: Vec<DeliveryId>,
    pub(super) is_unavailable: bool,
    /// Whether changes arrive during each query for ready hooks, as with many busy writers.
    pub(super) is_busy: bool,
    pub(super) query_count: usize,
    /// Deliveries whose outcomes the queue always rejects.
    pub(super) poisoned: BTreeSet<DeliveryId>,
}

/// The queue, the receivers and the clock of a test.
pub(super) struct TestEnvironment {
    inner: Mutex<TestEnvironmentState>,
    change_signal: Notify,
    started_at: Instant,
    pub(super) moved_seconds: Mutex<i64>,
}

/// A dispatcher loop that runs.
pub(super) struct RunningDispatcher {
    pub(super) metrics: Arc<DispatchMetrics>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl RunningDispatcher {
    /// Stops the loop and waits for its end.
    pub(super) async fn stop(self) {
        drop(self.stop);
        self.task.await.unwrap();
    }
}

impl TestEnvironment {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: Mutex::default(),
            change_signal: Notify::new(),
            started_at: Instant::now(),
            moved_seconds: Mutex::new(0),
        })
    }

    pub(super) fn lock_state(&self) -> MutexGuard<'_, TestEnvironmentState> {
        self.inner.lock().unwrap()
    }

    /// Adds a hook with this number, whose receiver is at this host.
    pub(super) fn add_hook(&self, number: i64, host: &str, receiver: ReceiverBehavior) {
        let target = DeliveryTarget {
            hook: HookNumber(number),
            version: 1,
            key: HookKey {
                application_id: "application".parse().unwrap(),
                hook_id: format!("hook-{number}").parse().unwrap(),
            },
            address: Address::from_stored(&format!("https://{host}/{number}?secret=1")).unwrap(),
            authentication: Authentication::ApiKey { header: "x-api-key".into(), key: SecretText::new("k") },
            signing_secret: SigningSecret([7; 32]),
            old_signing_secret: None,
            health: payroll_domain::delivery::HookHealth::default(),
            options: DeliveryOptions::default(),
        };
        self.lock_state().hooks.insert(HookNumber(number), (target, receiver));
    }

    /// Changes the options of a hook and increments its version.
    pub(super) fn set_options(&self, number: i64, options: DeliveryOptions) {
        let mut inner = self.lock_state();
        let (target, _) = inner.hooks.get_mut(&HookNumber(number)).unwrap();
        (target.options, target.version) = (options, target.version + 1);
    }

    /// Queues deliveries to a hook that are due now.
    pub(super) fn queue_deliveries(&self, hook: i64, count: i64) {
        let now = self.now();
        let mut inner = self.lock_state();
        let from = i64::try_from(inner.deliveries.len()).unwrap();
        for position in from..from + count {
            let stored = StoredDelivery { due: Some(now), claimed_until: None, attempts: Vec::new() };
            inner.deliveries.insert(DeliveryId { hook: HookNumber(hook), position }, stored);
        }
        drop(inner);
        self.change_signal.notify_one();
    }

    pub(super) fn run_dispatcher(self: &Arc<Self>, settings: DispatchSettings) -> RunningDispatcher {
        let outside = Outside { queue: self.clone(), sender: self.clone(), clock: self.clone() };
        let dispatcher = Dispatcher { environment: outside, settings, metrics: Arc::default() };
        let (stop, stopped) = oneshot::channel::<()>();
        let metrics = dispatcher.metrics();
        let task = tokio::spawn(dispatcher.run_until(async { drop(stopped.await) }));
        RunningDispatcher { metrics, stop, task }
    }

    /// Returns the number of recorded successful deliveries of a hook.
    pub(super) fn count_delivered(&self, hook: i64) -> usize {
        self.lock_state().deliveries.iter().filter(|(id, it)| id.hook.0 == hook && it.due.is_none()).count()
    }

    /// Returns the number of started attempts of a hook.
    pub(super) fn started_count(&self, hook: i64) -> usize {
        self.lock_state().started_deliveries.iter().filter(|id| id.hook.0 == hook).count()
    }

    /// Waits until a condition is true. The test fails after 20 minutes of simulated time.
    pub(super) async fn wait_until(&self, holds: impl Fn(&Self) -> bool) {
        for _ in 0..120_000 {
            if holds(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it never holds: {:?}", self.lock_state().deliveries.iter().next());
    }

    fn lock_if_available(&self) -> Result<MutexGuard<'_, TestEnvironmentState>, StoreError> {
        let mut inner = self.lock_state();
        inner.query_count += 1;
        if inner.is_unavailable { Err(StoreError::Unavailable("away".into())) } else { Ok(inner) }
    }
}

impl Clock for TestEnvironment {
    fn now(&self) -> Timestamp {
        let micros = i64::try_from(self.started_at.elapsed().as_micros()).unwrap();
        Timestamp::from_micros(micros).plus_seconds(*self.moved_seconds.lock().unwrap())
    }

    fn monotonic_time(&self) -> Duration {
        // Moving the system clock forward also advances the monotonic time, as if time had elapsed. Moving
        // the system clock back does not change the monotonic time.
        let moved = u64::try_from(*self.moved_seconds.lock().unwrap()).unwrap_or_default();
        self.started_at.elapsed() + Duration::from_secs(moved)
    }
}

#[async_trait]
impl DeliveryQueue for TestEnvironment {
    async fn wait_for_deliveries(&self) {
        self.change_signal.notified().await;
    }

    async fn ready_hooks(&self) -> Result<Vec<ReadyHook>, StoreError> {
        if self.lock_state().is_busy {
            self.change_signal.notify_one();
            tokio::time::sleep(BUSY_QUERY_TIME).await;
        }
        let inner = self.lock_if_available()?;
        let mut due: BTreeMap<HookNumber, Timestamp> = BTreeMap::new();
        for (id, stored) in inner.deliveries.iter().filter(|(id, _)| !inner.disabled.contains(&id.hook)) {
            let ordered = inner.hooks.get(&id.hook).is_some_and(|(target, _)| target.options.ordered);
            if let Some(at) = stored.due {
                due.entry(id.hook)
                    .and_modify(|first| *first = if ordered { *first } else { at.min(*first) })
                    .or_insert(at);
            }
        }
        Ok(due.into_iter().map(|(hook, due)| ReadyHook { hook, due }).collect())
    }

    async fn claim_deliveries(
        &self,
        requests: &[ClaimRequest],
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let mut inner = self.lock_if_available()?;
        let mut claimed = Vec::new();
        for wish in requests {
            let version = inner.hooks.get(&wish.hook).map_or(1, |(target, _)| target.version);
            let free = |(_, it): &(&DeliveryId, &mut StoredDelivery)| {
                let due = it.due.is_some_and(|due| due <= now);
                due && it.claimed_until.is_none_or(|until| until <= now)
            };
            let pending =
                inner.deliveries.iter_mut().filter(|(id, it)| id.hook == wish.hook && it.due.is_some());
            let first = if wish.in_order { 1 } else { usize::MAX };
            for (id, stored) in pending.take(first).filter(free).take(wish.limit as usize) {
                stored.claimed_until = Some(until);
                claimed.push(ClaimedDelivery {
                    id: *id,
                    hook_version: version,
                    attempts: u32::try_from(stored.attempts.len()).unwrap(),
                    cause: AttemptCause::Change,
                    notification: notification(*id),
                });
            }
        }
        Ok(claimed)
    }

    async fn read_targets(&self, hooks: &[HookNumber]) -> Result<Vec<DeliveryTarget>, StoreError> {
        let inner = self.lock_if_available()?;
        Ok(hooks.iter().filter_map(|hook| inner.hooks.get(hook)).map(|(target, _)| target.clone()).collect())
    }

    async fn record_attempts(
        &self,
        attempts: &[AttemptRecord],
        hooks: &[HookHealthChange],
    ) -> Result<(), StoreError> {
        let mut inner = self.lock_if_available()?;
        if attempts.iter().any(|it| inner.poisoned.contains(&it.id)) {
            return Err(StoreError::Bug("poison".into()));
        }
        for attempted in attempts {
            let stored = inner.deliveries.get_mut(&attempted.id).unwrap();
            stored.claimed_until = None;
            stored.due = match attempted.next_step {
                NextStep::Delivered | NextStep::GivenUp => None,
                NextStep::TryAgain { due } => Some(due),
            };
            stored.attempts.push(attempted.clone());
        }
        for outcome in hooks {
            inner.steps.push((outcome.hook, outcome.step));
            let Some((target, _)) = inner.hooks.get_mut(&outcome.hook) else { continue };
            match outcome.step {
                HealthStep::Same => {}
                HealthStep::Recovered => target.health = payroll_domain::delivery::HookHealth::default(),
                HealthStep::Failing => target.health.failing_since = Some(outcome.changed_at),
                HealthStep::Warn => target.health.warned = true,
                HealthStep::Disable => {
                    inner.disabled.insert(outcome.hook);
                }
            }
        }
        Ok(())
    }

    async fn make_deliveries_due(
        &self,
        now: Timestamp,
        latest_due: Timestamp,
        _: u32,
    ) -> Result<u64, StoreError> {
        let mut inner = self.lock_if_available()?;
        let mut moved = 0;
        for stored in inner.deliveries.values_mut() {
            let late = |at: Option<Timestamp>| at.is_some_and(|at| at > latest_due);
            if late(stored.due) || (stored.due.is_some() && late(stored.claimed_until)) {
                (stored.due, stored.claimed_until) = (stored.due.map(|due| due.min(now)), None);
                moved += 1;
            }
        }
        Ok(moved)
    }

    async fn release_claims(&self, delivery_ids: &[DeliveryId]) -> Result<(), StoreError> {
        let mut inner = self.lock_if_available()?;
        for id in delivery_ids {
            inner.deliveries.get_mut(id).unwrap().claimed_until = None;
        }
        Ok(())
    }
}

#[async_trait]
impl NotificationSender for TestEnvironment {
    async fn send_notification(
        &self,
        target: &DeliveryTarget,
        notification: &Notification,
        _: Timestamp,
    ) -> SendResult {
        let host = target.address.host().to_owned();
        let receiver = {
            let mut inner = self.lock_state();
            let (now, most) = inner.in_progress.entry(host.clone()).or_default();
            *now += 1;
            *most = (*most).max(*now);
            let position = notification.notification_id.parse().unwrap();
            inner.started_deliveries.push(DeliveryId { hook: target.hook, position });
            inner.hooks.get(&target.hook).unwrap().1
        };
        let (milliseconds, status) = match receiver {
            ReceiverBehavior::Accepts(milliseconds) => (milliseconds, 204),
            ReceiverBehavior::Rejects(milliseconds) => (milliseconds, 500),
            ReceiverBehavior::Breaks => panic!("a sender that is broken by its receiver"),
        };
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        self.lock_state().in_progress.get_mut(&host).unwrap().0 -= 1;
        SendResult {
            status: Some(status),
            error: (status != 204).then_some(ErrorClass::Status),
            retry_after: None,
            response_body: Some("with a \0".to_owned()),
            response_truncated: false,
        }
    }
}

fn notification(id: DeliveryId) -> Notification {
    Notification {
        notification_id: id.position.to_string(),
        company_id: None,
        worker_id: None,
        pay_period_id: None,
        domain: EventDomain::ALL[0],
        action: EventAction::Update,
        as_of: Timestamp::from_micros(0),
        test: false,
    }
}
