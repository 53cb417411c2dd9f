//! The data of the dispatcher loop about one hook.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::delivery::HookHealth;
use payroll_domain::hook::DeliveryOptions;
use payroll_ports::deliveries::{ClaimedDelivery, DeliveryId, DeliveryTarget, HookNumber};

use super::super::concurrency_limit::ConcurrencyLimit;
use super::super::fair_queue::HookDemand;

/// The time after which the target of a hook is read again. The time is limited, because other processes can
/// change the hook.
const TARGET_CACHE_TIME: Duration = Duration::from_secs(60);
/// The time after which the target of a failing hook is read again. This time is shorter, because another
/// process may disable such a hook soon.
const FAILING_TARGET_CACHE_TIME: Duration = Duration::from_secs(5);
/// A claimed delivery that is not sent yet.
#[derive(Debug)]
pub(super) struct QueuedDelivery {
    pub(super) delivery: ClaimedDelivery,
    /// The time at which the claim of the delivery was requested.
    pub(super) claim_requested_at: Duration,
}

/// The target, the health, the claimed deliveries and the limits of one hook.
#[derive(Debug)]
pub(super) struct HookState {
    pub(super) target: Option<CachedTarget>,
    /// Whether the target has changed since it was read.
    pub(super) target_outdated: bool,
    pub(super) health: HookHealth,
    /// A counter that increases when the hook's health changes, and when such a change was recorded in the
    /// store.
    pub(super) health_changes: u64,
    /// Whether the last health change is not recorded in the store yet.
    pub(super) health_unrecorded: bool,
    pub(super) concurrency_limit: ConcurrencyLimit,
    /// The earliest start of the next attempt, if the hook limits its attempts per second.
    pub(super) next_start: Duration,
    pub(super) queued: VecDeque<QueuedDelivery>,
    pub(super) in_flight: usize,
    pub(super) unrecorded_outcomes: usize,
    /// Whether the store may contain more due deliveries that are not claimed.
    pub(super) may_have_more: bool,
    /// Whether this process has disabled the hook. The store may not contain this change yet.
    pub(super) disabled: bool,
    /// Whether the hook is in the round-robin order.
    pub(super) in_round_robin: bool,
}

#[derive(Debug)]
pub(super) struct CachedTarget {
    pub(super) target: Arc<DeliveryTarget>,
    pub(super) read_at: Duration,
}

impl HookState {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            target: None,
            target_outdated: false,
            health: HookHealth::default(),
            health_changes: 0,
            health_unrecorded: false,
            concurrency_limit: ConcurrencyLimit::new(limit),
            next_start: Duration::ZERO,
            queued: VecDeque::new(),
            in_flight: 0,
            unrecorded_outcomes: 0,
            may_have_more: false,
            disabled: false,
            in_round_robin: false,
        }
    }

    pub(super) fn needs_queue_or_target_query(&self) -> bool {
        self.may_have_more || self.target_outdated
    }

    pub(super) fn is_idle(&self) -> bool {
        !self.may_have_more && self.queued.is_empty() && self.unrecorded_outcomes == 0
    }

    /// Whether the target is unknown or was read too long ago.
    pub(super) fn is_target_stale(&self, now: Duration) -> bool {
        if self.target_outdated {
            return true;
        }
        let failing = self.health.failing_since.is_some();
        let life = if failing { FAILING_TARGET_CACHE_TIME } else { TARGET_CACHE_TIME };
        self.target.as_ref().is_none_or(|known| now >= known.read_at + life)
    }

    /// Returns the demand of the hook: how many deliveries to claim now. `None` if enough deliveries are
    /// claimed.
    pub(super) fn to_hook_demand(&self, number: HookNumber, now: Duration) -> Option<HookDemand<'_>> {
        if !self.may_have_more || self.is_target_stale(now) {
            return None;
        }
        let known = self.target.as_ref()?;
        let options = known.target.options;
        let idle = self.queued.is_empty() && self.in_flight == 0;
        // For an ordered hook, the next delivery is only known after the outcome of the previous delivery is
        // recorded.
        if options.ordered && !(idle && self.unrecorded_outcomes == 0) {
            return None;
        }
        let ahead = self.concurrency_limit.prefetch_count();
        let most = (self.concurrency_limit.limit + ahead).min(max_prefetch(options));
        let most = most.saturating_sub(self.queued.len() + self.in_flight);
        let enough = self.queued.len() > ahead / 2;
        (most > 0 && !enough).then(|| HookDemand {
            hook: number,
            host: known.target.address.host(),
            max_deliveries: most,
            is_idle: idle,
            in_order: options.ordered,
        })
    }

    /// Removes and returns the claimed deliveries that are not sent yet.
    pub(super) fn take_queued_delivery_ids(&mut self) -> Vec<DeliveryId> {
        self.queued.drain(..).map(|held| held.delivery.id).collect()
    }

    /// Returns the options of the hook, or the defaults if its target is unknown.
    pub(super) fn options(&self) -> DeliveryOptions {
        self.target.as_ref().map(|known| known.target.options).unwrap_or_default()
    }

    /// Records the start of an attempt, and computes the earliest start of the next attempt.
    pub(super) fn record_attempt_start(&mut self, now: Duration) {
        if let Some(per_second) = self.options().max_per_second.filter(|it| *it > 0) {
            self.next_start = now + Duration::from_secs(1) / per_second;
        }
    }
}

/// Returns the maximum number of claimed and running deliveries that the hook's options allow: one for an
/// ordered hook, otherwise the number of attempts that the hook allows in one second.
fn max_prefetch(options: DeliveryOptions) -> usize {
    match options {
        DeliveryOptions { ordered: true, .. } => 1,
        DeliveryOptions { max_per_second: Some(most), .. } => usize::try_from(most).unwrap_or(usize::MAX),
        DeliveryOptions { max_per_second: None, .. } => usize::MAX,
    }
}
