//! What is known of one hook.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::delivery::Health;
use payroll_ports::deliveries::{Claimed, HookNumber, Target};

use super::super::pace::Pace;
use super::super::shares::HookDemand;

/// What is known of a hook is read again after that time: another process may have had other luck
/// with it.
const TARGET_LIFE: Duration = Duration::from_secs(60);
/// The same of a hook that fails, which may be about to be disabled.
const FAILING_TARGET_LIFE: Duration = Duration::from_secs(5);
/// A delivery that waits here to be sent.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) claimed: Claimed,
    /// When its claim was requested.
    pub(super) since: Duration,
}

/// What is known of a hook.
#[derive(Debug)]
pub(super) struct State {
    pub(super) target: Option<Known>,
    /// It has changed since.
    pub(super) outdated: bool,
    pub(super) health: Health,
    /// Grows with what is learnt about its health.
    pub(super) health_changes: u64,
    /// What was learnt last is not recorded yet.
    pub(super) unwritten: bool,
    pub(super) pace: Pace,
    pub(super) held: VecDeque<Held>,
    pub(super) in_flight: usize,
    pub(super) unrecorded: usize,
    /// There may be more that is due and not claimed.
    pub(super) more: bool,
    /// It was given up; storage may not know it yet.
    pub(super) disabled: bool,
    /// It is in the ring.
    pub(super) in_ring: bool,
}

#[derive(Debug)]
pub(super) struct Known {
    pub(super) target: Arc<Target>,
    pub(super) read: Duration,
}

impl State {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            target: None,
            outdated: false,
            health: Health::default(),
            health_changes: 0,
            unwritten: false,
            pace: Pace::new(limit),
            held: VecDeque::new(),
            in_flight: 0,
            unrecorded: 0,
            more: false,
            disabled: false,
            in_ring: false,
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.more || self.outdated
    }

    pub(super) fn rests(&self) -> bool {
        !self.more && self.held.is_empty() && self.unrecorded == 0
    }

    /// It is not known where it leads, or too long ago.
    pub(super) fn is_stale(&self, now: Duration) -> bool {
        if self.outdated {
            return true;
        }
        let failing = self.health.failing_since.is_some();
        let life = if failing { FAILING_TARGET_LIFE } else { TARGET_LIFE };
        self.target.as_ref().is_none_or(|known| now >= known.read + life)
    }

    /// What it could take now; nothing while enough is claimed ahead.
    pub(super) fn demand(&self, number: HookNumber, now: Duration) -> Option<HookDemand<'_>> {
        if !self.more || self.is_stale(now) {
            return None;
        }
        let known = self.target.as_ref()?;
        let ahead = self.pace.ahead();
        let most = (self.pace.allowed + ahead).saturating_sub(self.held.len() + self.in_flight);
        let enough = self.held.len() > ahead / 2;
        let idle = self.held.is_empty() && self.in_flight == 0;
        (most > 0 && !enough).then(|| HookDemand {
            hook: number,
            host: known.target.address.host(),
            most,
            idle,
        })
    }
}
