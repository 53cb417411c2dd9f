//! What the loop knows of hooks: where each leads, how it does, and what is claimed for it. Moments here are
//! those of the monotonic clock: a claim ends for us when its time has passed, even if the clock of the
//! machine is set meanwhile.

mod state;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::Health;
use payroll_ports::deliveries::{ClaimWish, Claimed, DeliveryId, HookNumber, ReadyHook, Target};

use super::DispatchSettings;
use super::pace::MAX_AHEAD;
use super::shares::{FIRST, HookDemand, Room, wishes};
use state::{Held, Known, State};

/// Deliveries that are claimed and not yet sent, of all hooks: some 2 MB.
const MAX_HELD: usize = 4_096;
/// Of these, what only hooks may take that have nothing yet, so that a thousand hooks with backlogs keep no
/// other hook out.
const RESERVED: usize = 1_024;
/// Hooks of one claim: each is a statement of its own.
const MAX_WISHES: usize = 64;
/// Hooks that are looked up at once.
const MAX_LOOKED_UP: usize = 500;
/// Hooks that are remembered while nothing is to be done for them.
const MAX_REMEMBERED: usize = 2_048;
/// Of the slots, the share that hooks may take together that are slow or fail: the others always
/// find a free one.
const SLOW_SHARE: (usize, usize) = (3, 4);

/// A delivery on its way.
#[derive(Debug)]
pub(super) struct Departure {
    pub(super) claimed: Claimed,
    pub(super) target: Arc<Target>,
    /// It has taken a slot of those for the slow.
    pub(super) slow: bool,
}

/// How long claims are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClaimLife {
    /// How long a claim holds.
    pub(super) holds: Duration,
    /// How long anything is begun under it.
    pub(super) usable: Duration,
}

impl ClaimLife {
    /// Half of the time, and so that an attempt has ended a second before its claim.
    pub(super) fn new(claim_seconds: u32, attempt: Duration) -> Self {
        let (holds, second) = (Duration::from_secs(claim_seconds.into()), Duration::from_secs(1));
        let usable = (holds / 2).min(holds.saturating_sub(attempt + second)).max(second);
        Self { holds, usable }
    }
}

/// All hooks that something is to be done for, and some more.
pub(super) struct Hooks {
    table: HashMap<HookNumber, State>,
    /// Those for which the store may have to be queried, and maybe others.
    open: HashSet<HookNumber>,
    /// Hooks with something to send, in the order of their turns.
    ring: VecDeque<HookNumber>,
    /// Deliveries claimed or in progress to each host.
    hosts: HashMap<String, Host>,
    /// Deliveries that wait here, are in progress, or have an outcome that is not recorded.
    ours: HashSet<DeliveryId>,
    held: usize,
    in_flight: usize,
    slow_in_flight: usize,
    /// Deliveries whose claims are to be ended.
    returning: Vec<DeliveryId>,
    limits: DispatchSettings,
    life: ClaimLife,
}

#[derive(Debug, Default)]
struct Host {
    in_flight: usize,
}

impl Hooks {
    pub(super) fn new(limits: DispatchSettings, life: ClaimLife) -> Self {
        Self {
            table: HashMap::new(),
            open: HashSet::new(),
            ring: VecDeque::new(),
            hosts: HashMap::new(),
            ours: HashSet::new(),
            held: 0,
            in_flight: 0,
            slow_in_flight: 0,
            returning: Vec::new(),
            limits,
            life,
        }
    }

    /// Deliveries that are claimed and wait here.
    pub(super) const fn held(&self) -> usize {
        self.held
    }

    /// The number of attempts in progress.
    pub(super) const fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Takes in who has something to send; returns the earliest instant that is still to come.
    pub(super) fn ready(&mut self, ready: &[ReadyHook], now: Timestamp) -> Option<Timestamp> {
        self.forget_those_at_rest();
        for state in self.table.values_mut() {
            state.more = false;
        }
        self.open.clear();
        for hook in ready.iter().filter(|hook| hook.due <= now) {
            let limit = self.limits.in_flight_per_hook;
            let state = self.table.entry(hook.hook).or_insert_with(|| State::new(limit));
            state.more = !state.disabled;
            self.open.insert(hook.hook);
        }
        ready.iter().map(|hook| hook.due).filter(|due| *due > now).min()
    }

    /// Hooks that have to be looked up before anything is claimed or sent for them.
    pub(super) fn unknown(&mut self, now: Duration) -> Vec<HookNumber> {
        self.open.retain(|number| self.table.get(number).is_some_and(State::is_open));
        let is_stale = |number: &&HookNumber| self.table.get(number).is_some_and(|it| it.is_stale(now));
        self.open.iter().filter(is_stale).copied().take(MAX_LOOKED_UP).collect()
    }

    /// How much has been learnt about these hooks, for [`learn`](Self::learn).
    pub(super) fn health_changes(&self, hooks: &[HookNumber]) -> Vec<(HookNumber, u64)> {
        let changes = |hook: &HookNumber| self.table.get(hook).map_or(0, |state| state.health_changes);
        hooks.iter().map(|hook| (*hook, changes(hook))).collect()
    }

    /// Takes in where hooks lead; those that were looked up and not found are gone.
    pub(super) fn learn(&mut self, wanted: &[(HookNumber, u64)], found: Vec<Target>, now: Duration) {
        let mut found: HashMap<HookNumber, Target> = found.into_iter().map(|it| (it.hook, it)).collect();
        for (number, changes) in wanted {
            let Some(state) = self.table.get_mut(number) else { continue };
            let Some(target) = found.remove(number) else {
                self.held -= state.held.len();
                for held in state.held.drain(..) {
                    self.ours.remove(&held.claimed.id);
                }
                (state.more, state.target) = (false, None);
                continue;
            };
            // What was recorded since the question, or is not recorded yet, is newer than the answer.
            if state.health_changes == *changes && !state.unwritten {
                state.health = target.health;
            }
            state.target = Some(Known { target: Arc::new(target), read: now });
            state.outdated = false;
        }
    }

    /// What to claim now.
    pub(super) fn wishes(&self, now: Duration) -> Vec<ClaimWish> {
        let demand = |number: &HookNumber| self.table.get(number)?.demand(*number, now);
        let demands: Vec<HookDemand<'_>> = self.open.iter().filter_map(demand).collect();
        if demands.is_empty() {
            return Vec::new();
        }
        let room = Room { all: MAX_HELD.saturating_sub(self.held), reserved: RESERVED };
        // As many ahead as at once: more would only wait.
        let of_host = |host: &str| {
            let taken = self.hosts.get(host).map_or(0, |host| host.in_flight);
            (self.limits.connections_per_host + MAX_AHEAD).saturating_sub(taken)
        };
        let mut wishes = wishes(&demands, room, of_host);
        // Who has least comes first, when not all have a place.
        wishes.sort_by_key(|wish| self.table.get(&wish.hook).map_or(0, |it| it.held.len() + it.in_flight));
        wishes.truncate(MAX_WISHES);
        wishes
    }

    /// Takes in what was claimed; returns how many of it are new here.
    pub(super) fn hold(&mut self, wishes: &[ClaimWish], claimed: Vec<Claimed>, since: Duration) -> usize {
        let mut counts: HashMap<HookNumber, u32> = HashMap::new();
        let mut new = 0;
        for claimed in claimed {
            *counts.entry(claimed.id.hook).or_default() += 1;
            let Some(state) = self.table.get_mut(&claimed.id.hook) else { continue };
            // It may be claimed anew while its attempt takes longer than the claim before.
            if !self.ours.insert(claimed.id) {
                continue;
            }
            let known = state.target.as_ref().map(|known| known.target.version);
            if known.is_none_or(|version| version < claimed.hook_version) {
                state.outdated = true;
                self.open.insert(claimed.id.hook);
            }
            state.held.push_back(Held { claimed, since });
            self.held += 1;
            new += 1;
        }
        for wish in wishes {
            let got = counts.get(&wish.hook).copied().unwrap_or_default();
            if let Some(state) = self.table.get_mut(&wish.hook) {
                state.more = state.more && got >= wish.most;
                if !state.held.is_empty() && !state.in_ring {
                    state.in_ring = true;
                    self.ring.push_back(wish.hook);
                }
            }
        }
        new
    }

    /// The next delivery to send, by turns, if there is one and a slot for it.
    pub(super) fn next(&mut self, now: Duration) -> Option<Departure> {
        if self.in_flight >= self.limits.in_flight {
            return None;
        }
        for _ in 0..self.ring.len() {
            let number = self.ring.pop_front()?;
            let departure = self.depart(number, now);
            if let Some(state) = self.table.get_mut(&number) {
                state.in_ring = !state.held.is_empty();
                if state.in_ring {
                    self.ring.push_back(number);
                }
            }
            if departure.is_some() {
                return departure;
            }
        }
        None
    }

    fn depart(&mut self, number: HookNumber, now: Duration) -> Option<Departure> {
        self.drop_old(number, now);
        let state = self.table.get_mut(&number)?;
        if state.outdated {
            return None;
        }
        let target = Arc::clone(&state.target.as_ref()?.target);
        let slow = !state.pace.quick;
        let slow_slots = self.limits.in_flight * SLOW_SHARE.0 / SLOW_SHARE.1;
        if state.in_flight >= state.pace.allowed || (slow && self.slow_in_flight >= slow_slots.max(1)) {
            return None;
        }
        let host = self.hosts.entry(target.address.host().to_owned()).or_default();
        if host.in_flight >= self.limits.connections_per_host {
            return None;
        }
        let claimed = state.held.pop_front()?.claimed;
        host.in_flight += 1;
        state.in_flight += 1;
        state.unrecorded += 1;
        self.in_flight += 1;
        self.held -= 1;
        self.slow_in_flight += usize::from(slow);
        Some(Departure { claimed, target, slow })
    }

    /// An attempt has ended; its outcome is not recorded yet.
    pub(super) fn arrived(&mut self, departure: &Departure, success: bool, took: Duration) {
        self.in_flight -= 1;
        self.slow_in_flight -= usize::from(departure.slow);
        let name = departure.target.address.host();
        if let Some(host) = self.hosts.get_mut(name) {
            host.in_flight -= 1;
            if host.in_flight == 0 {
                self.hosts.remove(name);
            }
        }
        let limit = self.limits.in_flight_per_hook;
        let Some(state) = self.table.get_mut(&departure.claimed.id.hook) else { return };
        state.in_flight -= 1;
        state.pace = state.pace.after(success, took, limit);
        // What it will not get to soon is in the way of others.
        while state.held.len() > state.pace.allowed + state.pace.ahead() {
            if let Some(held) = state.held.pop_back() {
                self.ours.remove(&held.claimed.id);
                self.returning.push(held.claimed.id);
                self.held -= 1;
                state.more = true;
                self.open.insert(departure.claimed.id.hook);
            }
        }
    }

    /// How a hook does, and where it leads.
    pub(super) fn health(&self, hook: HookNumber) -> Option<(Health, Arc<Target>)> {
        let state = self.table.get(&hook)?;
        Some((state.health, Arc::clone(&state.target.as_ref()?.target)))
    }

    /// Something was learnt of a hook's health. Returns whether it was not disabled before.
    pub(super) fn set_health(&mut self, hook: HookNumber, health: Health, disabled: bool) -> bool {
        let Some(state) = self.table.get_mut(&hook) else { return false };
        let new = !state.disabled;
        state.health = health;
        state.health_changes += 1;
        state.unwritten = true;
        state.disabled = disabled;
        if disabled {
            state.more = false;
            self.held -= state.held.len();
            for held in state.held.drain(..) {
                self.ours.remove(&held.claimed.id);
                self.returning.push(held.claimed.id);
            }
        }
        new
    }

    /// The outcome of a delivery is recorded, or given up.
    pub(super) fn recorded(&mut self, delivery: DeliveryId) {
        self.ours.remove(&delivery);
        let hook = delivery.hook;
        let Some(state) = self.table.get_mut(&hook) else { return };
        state.unrecorded = state.unrecorded.saturating_sub(1);
        if std::mem::take(&mut state.unwritten) {
            state.health_changes += 1;
        }
        if state.disabled && state.unrecorded == 0 {
            // Should it be enabled again, it is another hook to us.
            self.table.remove(&hook);
        }
    }

    /// Drops claims that have become too old, wherever they wait.
    pub(super) fn sweep(&mut self, now: Duration) {
        let with_held: Vec<HookNumber> = self.ring.iter().copied().collect();
        for number in with_held {
            self.drop_old(number, now);
        }
    }

    /// Drops what may no longer be begun. Claims that still hold are given back; those that have ended may be
    /// another process's by now.
    fn drop_old(&mut self, number: HookNumber, now: Duration) {
        let Some(state) = self.table.get_mut(&number) else { return };
        while let Some(held) = state.held.front() {
            if now < held.since + self.life.usable {
                break;
            }
            let id = held.claimed.id;
            if now < held.since + self.life.holds {
                self.returning.push(id);
            }
            self.ours.remove(&id);
            self.held -= 1;
            state.held.pop_front();
            state.more = true;
            self.open.insert(number);
        }
    }

    /// Gives up all that waits here.
    pub(super) fn release_all(&mut self) {
        for state in self.table.values_mut() {
            state.more = false;
            self.returning.extend(state.held.drain(..).map(|held| held.claimed.id));
        }
        self.ring.clear();
        self.held = 0;
    }

    /// The deliveries whose claims are to be ended.
    pub(super) fn take_returning(&mut self) -> Vec<DeliveryId> {
        std::mem::take(&mut self.returning)
    }

    fn forget_those_at_rest(&mut self) {
        if self.table.len() > MAX_REMEMBERED {
            self.table.retain(|_, state| !state.rests());
        }
    }
}

const _: () = assert!(FIRST <= RESERVED, "a hook that has nothing gets its first");
