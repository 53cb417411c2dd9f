//! Predicts changes of hooks and the queue of their deliveries.

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::delivery::DeliveryState;
use payroll_domain::event::EventDomain;

use super::super::state::{Access, Actor, AuditSubject, Hook, Outcome, State, application_of};
use super::super::transition::{LEASE_SECONDS, SendResult};

/// Returns the domains of one of the selections to which a hook can subscribe. `number` is the number of the
/// selection.
pub(in super::super) fn hook_domains(number: usize) -> Vec<EventDomain> {
    let (added, changed) = (EventDomain::WorkerAdded, EventDomain::WorkerDemographics);
    let (completed, access) = (EventDomain::PayrunCompleted, EventDomain::CompanyAccess);
    match number {
        0 => vec![added, changed, completed, access],
        1 => vec![changed, completed],
        _ => vec![added, access],
    }
}

impl State {
    fn audit_hook(&mut self, company: usize, hook: usize, action: AuditAction) {
        let actor = Actor::Operator(0);
        self.audit(company, actor, (action, AuditedKind::Hook, AuditSubject::Hook(hook)));
    }

    pub(super) fn add_hook(&mut self, hook: usize, company: usize, selection: usize) -> Outcome {
        if self.companies[company].grants[application_of(hook)] == Access::None {
            return Outcome::NoGrant;
        }
        if self.hooks.contains_key(&hook) {
            return Outcome::Taken;
        }
        let version = self.now * 1_000_000;
        let domains = hook_domains(selection);
        let (active, ordered, deliveries) = (true, false, Vec::new());
        self.hooks.insert(hook, Hook { company, domains, active, ordered, version, deliveries });
        self.audit_hook(company, hook, AuditAction::Create);
        Outcome::Done
    }

    pub(super) fn set_hook_active(&mut self, id: usize, active: bool) -> Outcome {
        let now = self.now;
        let Some(hook) = self.hooks.get_mut(&id) else { return Outcome::Unknown };
        if active {
            let later = hook.deliveries.iter_mut().filter_map(|delivery| delivery.due.as_mut());
            later.for_each(|due| *due = now.min(*due));
        }
        if hook.active != active {
            (hook.active, hook.version) = (active, hook.version + 1);
            let company = hook.company;
            self.audit_hook(company, id, AuditAction::Update);
        }
        Outcome::Done
    }

    pub(super) fn set_hook_ordered(&mut self, id: usize, ordered: bool) -> Outcome {
        let Some(hook) = self.hooks.get_mut(&id) else { return Outcome::Unknown };
        if hook.ordered != ordered {
            (hook.ordered, hook.version) = (ordered, hook.version + 1);
            let company = hook.company;
            self.audit_hook(company, id, AuditAction::Update);
        }
        Outcome::Done
    }

    pub(super) fn replay_delivery(&mut self, hook: usize, delivery: usize) -> Outcome {
        let now = self.now;
        let deliveries = self.hooks.get_mut(&hook).map(|hook| &mut hook.deliveries);
        let Some(delivery) = deliveries.and_then(|deliveries| deliveries.get_mut(delivery)) else {
            return Outcome::Unknown;
        };
        if delivery.due.is_none() {
            delivery.claimed_until = 0;
        }
        (delivery.state, delivery.due, delivery.ended) = (DeliveryState::Waiting, Some(now), None);
        Outcome::Done
    }

    pub(super) fn remove_hook(&mut self, id: usize) -> Outcome {
        let Some(hook) = self.hooks.remove(&id) else { return Outcome::Unknown };
        self.audit_hook(hook.company, id, AuditAction::Delete);
        Outcome::Done
    }

    /// Claims deliveries that are due. If the application may no longer see the event of a delivery, the
    /// delivery is cancelled instead. A replay can make a delivery due even if its event is no longer
    /// visible.
    pub(super) fn claim_deliveries(&mut self, id: usize, most: u32) -> Outcome {
        let now = self.now;
        let Some(hook) = self.hooks.get_mut(&id).filter(|hook| hook.active) else {
            return Outcome::Claimed(Vec::new());
        };
        let company = &self.companies[hook.company];
        let access = company.grants[application_of(id)];
        let ordered = hook.ordered;
        let pending = hook.deliveries.iter_mut().enumerate().filter(|(_, delivery)| delivery.due.is_some());
        let mut due: Vec<_> = pending
            .take(if ordered { 1 } else { usize::MAX })
            .filter(|(_, delivery)| {
                delivery.due.is_some_and(|due| due <= now) && delivery.claimed_until <= now
            })
            .collect();
        due.sort_by_key(|(number, delivery)| (delivery.due, *number));
        due.truncate(usize::try_from(most).unwrap());
        let claimed = due.into_iter().filter_map(|(number, delivery)| {
            if !access.allows(company.events[delivery.event].domain) {
                delivery.cancel(now);
                return None;
            }
            delivery.claimed_until = now + LEASE_SECONDS;
            Some((number, delivery.attempts))
        });
        Outcome::Claimed(claimed.collect())
    }

    pub(super) fn record_attempt(&mut self, hook: usize, delivery: usize, sent: SendResult) -> Outcome {
        let now = self.now;
        let deliveries = self.hooks.get_mut(&hook).map(|hook| &mut hook.deliveries);
        let Some(delivery) = deliveries.and_then(|deliveries| deliveries.get_mut(delivery)) else {
            return Outcome::Unknown;
        };
        let pending = delivery.due.is_some();
        (delivery.claimed_until, delivery.attempts) = (0, delivery.attempts + 1);
        let (state, due) = match sent {
            SendResult::Delivered if delivery.state == DeliveryState::Delivered => return Outcome::Done,
            SendResult::Delivered => (DeliveryState::Delivered, None),
            _ if !pending => return Outcome::Done,
            SendResult::RetryIn(seconds) => (DeliveryState::Retrying, Some(now + seconds)),
            SendResult::GivenUp => (DeliveryState::Expired, None),
        };
        delivery.ended = due.is_none().then_some(now);
        (delivery.state, delivery.due) = (state, due);
        Outcome::Done
    }

    pub(super) fn release_claims(&mut self, hook: usize, delivery: usize) -> Outcome {
        let deliveries = self.hooks.get_mut(&hook).map(|hook| &mut hook.deliveries);
        let Some(delivery) = deliveries.and_then(|deliveries| deliveries.get_mut(delivery)) else {
            return Outcome::Unknown;
        };
        delivery.claimed_until = 0;
        Outcome::Done
    }
}
