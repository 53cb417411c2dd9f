//! The data of the dispatcher loop about hooks: the targets, the health and the claimed deliveries of each
//! hook. Times are from the monotonic clock, so claims expire correctly even if the system clock is changed.

mod claim_lifetime;
mod release;
mod state;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::HookHealth;
use payroll_ports::deliveries::{
    ClaimRequest, ClaimedDelivery, DeliveryId, DeliveryTarget, HookNumber, ReadyHook,
};

use super::DispatchSettings;
use super::concurrency_limit::MAX_PREFETCH_COUNT;
use super::fair_queue::{ClaimCapacity, HookDemand, MIN_DELIVERIES_PER_IDLE_HOOK, create_claim_requests};
pub(super) use claim_lifetime::ClaimLifetime;
use state::{CachedTarget, HookState, QueuedDelivery};

/// The maximum number of claimed deliveries that are not sent yet, for all hooks together (about 2 MB).
const MAX_CLAIMED: usize = 4_096;
/// The part of [`MAX_CLAIMED`] that is reserved for hooks without claimed deliveries. Without this reserve, a
/// thousand hooks with backlogs would block all other hooks.
const RESERVED_ATTEMPTS: usize = 1_024;
/// The maximum number of hooks per claim. Each hook needs one SQL statement.
const MAX_HOOKS_PER_CLAIM: usize = 64;
/// The maximum number of hooks whose targets one query reads.
const MAX_TARGETS_PER_QUERY: usize = 500;
/// The number of hooks above which the state of idle hooks is removed from memory.
const MAX_CACHED_HOOKS: usize = 2_048;
/// The maximum fraction of the attempt slots that all slow and failing hooks may use together. The other
/// slots stay free for hooks that respond quickly.
const MAX_SLOW_SHARE: (usize, usize) = (3, 4);

/// A delivery that is being sent.
#[derive(Debug)]
pub(super) struct StartedAttempt {
    pub(super) delivery: ClaimedDelivery,
    pub(super) target: Arc<DeliveryTarget>,
    /// Whether the attempt occupies one of the slots for slow hooks.
    pub(super) uses_slow_slot: bool,
}

/// All hooks with pending deliveries, and some idle hooks.
pub(super) struct HookTable {
    table: HashMap<HookNumber, HookState>,
    /// Hooks whose target may have to be read, or whose deliveries may have to be claimed. The set may also
    /// contain hooks that need no read and no claim.
    hooks_to_query: HashSet<HookNumber>,
    /// Hooks with claimed deliveries in round-robin order.
    round_robin: VecDeque<HookNumber>,
    /// The number of attempts in progress for each host.
    hosts: HashMap<String, HostSlots>,
    /// Deliveries that are claimed, in progress, or have an unrecorded outcome.
    owned_deliveries: HashSet<DeliveryId>,
    claimed_count: usize,
    in_flight: usize,
    slow_in_flight: usize,
    /// Deliveries whose claims must be released.
    claims_to_release: Vec<DeliveryId>,
    /// The earliest time at which a hook that limits its attempts per second may start the next attempt.
    next_start: Option<Duration>,
    limits: DispatchSettings,
    claim_lifetime: ClaimLifetime,
}

#[derive(Debug, Default)]
struct HostSlots {
    in_flight: usize,
}

impl HookTable {
    pub(super) fn new(limits: DispatchSettings, claim_lifetime: ClaimLifetime) -> Self {
        Self {
            table: HashMap::new(),
            hooks_to_query: HashSet::new(),
            round_robin: VecDeque::new(),
            hosts: HashMap::new(),
            owned_deliveries: HashSet::new(),
            claimed_count: 0,
            in_flight: 0,
            slow_in_flight: 0,
            claims_to_release: Vec::new(),
            next_start: None,
            limits,
            claim_lifetime,
        }
    }

    /// Returns the number of claimed deliveries that are not sent yet.
    pub(super) const fn claimed_count(&self) -> usize {
        self.claimed_count
    }

    /// Returns the number of attempts in progress.
    pub(super) const fn in_flight_count(&self) -> usize {
        self.in_flight
    }

    /// Stores which hooks have pending deliveries. Returns the earliest future time at which a delivery is
    /// due.
    pub(super) fn set_ready_hooks(&mut self, ready: &[ReadyHook], now: Timestamp) -> Option<Timestamp> {
        if self.table.len() > MAX_CACHED_HOOKS {
            self.table.retain(|_, state| !state.is_idle());
        }
        self.table.values_mut().for_each(|state| state.may_have_more = false);
        self.hooks_to_query.clear();
        for hook in ready.iter().filter(|hook| hook.due <= now) {
            let limit = self.limits.in_flight_per_hook;
            let state = self.table.entry(hook.hook).or_insert_with(|| HookState::new(limit));
            state.may_have_more = !state.disabled;
            self.hooks_to_query.insert(hook.hook);
        }
        ready.iter().map(|hook| hook.due).filter(|due| *due > now).min()
    }

    /// Returns the hooks whose targets must be read before deliveries of these hooks are claimed or sent.
    pub(super) fn find_hooks_to_look_up(&mut self, now: Duration) -> Vec<HookNumber> {
        self.hooks_to_query
            .retain(|number| self.table.get(number).is_some_and(HookState::needs_queue_or_target_query));
        let is_stale =
            |number: &&HookNumber| self.table.get(number).is_some_and(|it| it.is_target_stale(now));
        self.hooks_to_query.iter().filter(is_stale).copied().take(MAX_TARGETS_PER_QUERY).collect()
    }

    /// Returns the current number of health changes of these hooks. [`set_targets`](Self::set_targets) uses
    /// these numbers to detect changes during the query.
    pub(super) fn count_health_changes(&self, hooks: &[HookNumber]) -> Vec<(HookNumber, u64)> {
        let changes = |hook: &HookNumber| self.table.get(hook).map_or(0, |state| state.health_changes);
        hooks.iter().map(|hook| (*hook, changes(hook))).collect()
    }

    /// Stores the targets that a query has returned. A hook that was requested but not returned no longer
    /// exists.
    pub(super) fn set_targets(
        &mut self,
        requested: &[(HookNumber, u64)],
        found: Vec<DeliveryTarget>,
        now: Duration,
    ) {
        let mut found: HashMap<HookNumber, DeliveryTarget> =
            found.into_iter().map(|it| (it.hook, it)).collect();
        for (number, changes) in requested {
            let Some(state) = self.table.get_mut(number) else { continue };
            let Some(target) = found.remove(number) else {
                self.claimed_count -= state.queued.len();
                for held in state.queued.drain(..) {
                    self.owned_deliveries.remove(&held.delivery.id);
                }
                (state.may_have_more, state.target) = (false, None);
                continue;
            };
            // The stored health replaces the health in memory only if the health in memory is not newer.
            // The health in memory is newer if it has changed since the query, or if its last change is not
            // recorded yet.
            if state.health_changes == *changes && !state.health_unrecorded {
                state.health = target.health;
            }
            let now_ordered = target.options.ordered && !state.options().ordered;
            state.target = Some(CachedTarget { target: Arc::new(target), read_at: now });
            state.target_outdated = false;
            if now_ordered && !state.queued.is_empty() {
                // These deliveries were claimed before the option for ordered notifications was set, so
                // they may be in the wrong order. Their claims are released, and the deliveries are claimed
                // again in order.
                let held = state.take_queued_delivery_ids();
                state.may_have_more = true;
                self.hooks_to_query.insert(*number);
                self.release_claims(held);
            }
        }
    }

    /// Returns the deliveries to claim now.
    pub(super) fn create_claim_requests(&self, now: Duration) -> Vec<ClaimRequest> {
        let demand = |number: &HookNumber| self.table.get(number)?.to_hook_demand(*number, now);
        let demands: Vec<HookDemand<'_>> = self.hooks_to_query.iter().filter_map(demand).collect();
        if demands.is_empty() {
            return Vec::new();
        }
        let room = ClaimCapacity {
            total: MAX_CLAIMED.saturating_sub(self.claimed_count),
            reserved: RESERVED_ATTEMPTS,
        };
        // The number of claimed deliveries is limited per host, because further deliveries would only wait
        // for a free slot of the host.
        let of_host = |host: &str| {
            let in_flight = self.hosts.get(host).map_or(0, |host| host.in_flight);
            (self.limits.connections_per_host + MAX_PREFETCH_COUNT).saturating_sub(in_flight)
        };
        let mut requests = create_claim_requests(&demands, room, of_host);
        // A claim covers a limited number of hooks. Hooks with fewer claimed and running deliveries therefore
        // come first.
        requests.sort_by_key(|request| {
            self.table.get(&request.hook).map_or(0, |it| it.queued.len() + it.in_flight)
        });
        requests.truncate(MAX_HOOKS_PER_CLAIM);
        requests
    }

    /// Stores claimed deliveries. Returns the number of deliveries that are new.
    pub(super) fn add_claimed(
        &mut self,
        requests: &[ClaimRequest],
        deliveries: Vec<ClaimedDelivery>,
        since: Duration,
    ) -> usize {
        let mut counts: HashMap<HookNumber, u32> = HashMap::new();
        let mut new = 0;
        for claimed in deliveries {
            *counts.entry(claimed.id.hook).or_default() += 1;
            let Some(state) = self.table.get_mut(&claimed.id.hook) else { continue };
            // If an attempt takes longer than its claim, this process can claim the same delivery again. Such
            // a delivery is skipped, because this process already has the delivery.
            if !self.owned_deliveries.insert(claimed.id) {
                continue;
            }
            let known = state.target.as_ref().map(|known| known.target.version);
            if known.is_none_or(|version| version < claimed.hook_version) {
                state.target_outdated = true;
                self.hooks_to_query.insert(claimed.id.hook);
            }
            state.queued.push_back(QueuedDelivery { delivery: claimed, claim_requested_at: since });
            self.claimed_count += 1;
            new += 1;
        }
        for request in requests {
            let got = counts.get(&request.hook).copied().unwrap_or_default();
            if let Some(state) = self.table.get_mut(&request.hook) {
                state.may_have_more = state.may_have_more && got >= request.limit;
                if !state.queued.is_empty() && !state.in_round_robin {
                    state.in_round_robin = true;
                    self.round_robin.push_back(request.hook);
                }
            }
        }
        new
    }

    /// Returns the earliest time at which a hook that limits its attempts per second may start the next
    /// attempt. `None` if no attempt waits for such a limit.
    pub(super) const fn next_start(&self) -> Option<Duration> {
        self.next_start
    }

    /// Chooses the next delivery to send in round-robin order, if a slot is free.
    pub(super) fn start_next_attempt(&mut self, now: Duration) -> Option<StartedAttempt> {
        self.next_start = None;
        if self.in_flight >= self.limits.max_in_flight {
            return None;
        }
        for _ in 0..self.round_robin.len() {
            let number = self.round_robin.pop_front()?;
            let departure = self.start_attempt(number, now);
            if let Some(state) = self.table.get_mut(&number) {
                state.in_round_robin = !state.queued.is_empty();
                if state.in_round_robin {
                    self.round_robin.push_back(number);
                }
            }
            if departure.is_some() {
                return departure;
            }
        }
        None
    }

    fn start_attempt(&mut self, number: HookNumber, now: Duration) -> Option<StartedAttempt> {
        self.release_stale_claims(number, now);
        let state = self.table.get_mut(&number)?;
        if state.target_outdated {
            return None;
        }
        let target = Arc::clone(&state.target.as_ref()?.target);
        let slow = !state.concurrency_limit.last_was_quick;
        let slow_slots = self.limits.max_in_flight * MAX_SLOW_SHARE.0 / MAX_SLOW_SHARE.1;
        if state.in_flight >= state.concurrency_limit.limit
            || (slow && self.slow_in_flight >= slow_slots.max(1))
        {
            return None;
        }
        if now < state.next_start && !state.queued.is_empty() {
            self.next_start = Some(self.next_start.map_or(state.next_start, |at| at.min(state.next_start)));
            return None;
        }
        let host = self.hosts.entry(target.address.host().to_owned()).or_default();
        if host.in_flight >= self.limits.connections_per_host {
            return None;
        }
        let claimed = state.queued.pop_front()?.delivery;
        host.in_flight += 1;
        state.in_flight += 1;
        state.unrecorded_outcomes += 1;
        state.record_attempt_start(now);
        self.in_flight += 1;
        self.claimed_count -= 1;
        self.slow_in_flight += usize::from(slow);
        Some(StartedAttempt { delivery: claimed, target, uses_slow_slot: slow })
    }

    /// Updates the state after the end of an attempt. The outcome of the attempt is not recorded yet.
    pub(super) fn record_result(
        &mut self,
        started_attempt: &StartedAttempt,
        success: bool,
        duration: Duration,
    ) {
        self.in_flight -= 1;
        self.slow_in_flight -= usize::from(started_attempt.uses_slow_slot);
        let name = started_attempt.target.address.host();
        if let Some(host) = self.hosts.get_mut(name) {
            host.in_flight -= 1;
            if host.in_flight == 0 {
                self.hosts.remove(name);
            }
        }
        let limit = self.limits.in_flight_per_hook;
        let Some(state) = self.table.get_mut(&started_attempt.delivery.id.hook) else { return };
        state.in_flight -= 1;
        state.concurrency_limit = state.concurrency_limit.adjust_after_attempt(success, duration, limit);
        // The claims of deliveries beyond the hook's capacity are released, because these deliveries would
        // occupy memory that other hooks need.
        while state.queued.len() > state.concurrency_limit.limit + state.concurrency_limit.prefetch_count() {
            if let Some(held) = state.queued.pop_back() {
                self.owned_deliveries.remove(&held.delivery.id);
                self.claims_to_release.push(held.delivery.id);
                self.claimed_count -= 1;
                state.may_have_more = true;
                self.hooks_to_query.insert(started_attempt.delivery.id.hook);
            }
        }
    }

    /// Returns the health and the target of a hook.
    pub(super) fn find_health(&self, hook: HookNumber) -> Option<(HookHealth, Arc<DeliveryTarget>)> {
        let state = self.table.get(&hook)?;
        Some((state.health, Arc::clone(&state.target.as_ref()?.target)))
    }

    /// Stores a hook's new health. Returns `false` if the hook was already disabled.
    pub(super) fn set_health(&mut self, hook: HookNumber, health: HookHealth, disabled: bool) -> bool {
        let Some(state) = self.table.get_mut(&hook) else { return false };
        let new = !state.disabled;
        state.health = health;
        state.health_changes += 1;
        state.health_unrecorded = true;
        state.disabled = disabled;
        if disabled {
            state.may_have_more = false;
            let held = state.take_queued_delivery_ids();
            self.release_claims(held);
        }
        new
    }

    /// Updates the state after the outcome of a delivery was recorded or discarded.
    pub(super) fn finish_delivery(&mut self, delivery: DeliveryId) {
        self.owned_deliveries.remove(&delivery);
        let hook = delivery.hook;
        let Some(state) = self.table.get_mut(&hook) else { return };
        state.unrecorded_outcomes = state.unrecorded_outcomes.saturating_sub(1);
        if std::mem::take(&mut state.health_unrecorded) {
            state.health_changes += 1;
        }
        if state.disabled && state.unrecorded_outcomes == 0 {
            // The hook is disabled, so its state is removed. If the hook is enabled again, it starts with a
            // new state.
            self.table.remove(&hook);
        }
    }
}

const _: () =
    assert!(MIN_DELIVERIES_PER_IDLE_HOOK <= RESERVED_ATTEMPTS, "a hook that has nothing gets its first");
