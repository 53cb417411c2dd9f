//! Changes hooks and processes the queue of their deliveries with the ports.

use payroll_domain::SecretText;
use payroll_domain::delivery::{Attempt, AttemptCause, ErrorClass, NextStep};
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOption, DeliveryOptions, Hook, HookChange,
    SIGNING_SECRET_LENGTH, SigningSecret,
};
use payroll_ports::deliveries::{AttemptRecord, ClaimRequest, DeliveryId, HookNumber};
use payroll_ports::hooks::{HookRefusal, NewHook};

use super::super::reference::hook_domains;
use super::super::state::Outcome;
use super::super::transition::{LEASE_SECONDS, SendResult};
use super::{System, timestamp_at};

impl System {
    pub(super) async fn add_hook(&self, hook: usize, company: usize, domains: usize, now: i64) -> Outcome {
        let hook = Hook {
            key: self.hook_key(hook),
            company_id: Some(self.company_id(company)),
            address: Address::from_stored("https://hooks.example.com/in").unwrap(),
            domains: hook_domains(domains),
            auth_type: AuthType::Basic,
            active: true,
            delivery: DeliveryOptions::default(),
            created: timestamp_at(now),
            version: timestamp_at(now).as_micros(),
        };
        let password = SecretText::new("open-sesame");
        let authentication = Authentication::Basic { username: "ann".to_owned(), password };
        let signing_secret = SigningSecret([1; SIGNING_SECRET_LENGTH]);
        let new = NewHook { hook, authentication, signing_secret };
        match self.ports.store.add_hook(&new, u32::MAX, &self.audit_context(0, None, now)).await.unwrap() {
            Ok(()) => Outcome::Done,
            Err(HookRefusal::Taken) => Outcome::Taken,
            Err(HookRefusal::NoGrant) => Outcome::NoGrant,
            Err(other) => panic!("{other:?}"),
        }
    }

    pub(super) async fn set_hook_active(&self, hook: usize, active: bool, now: i64) -> Outcome {
        let (key, actor) = (self.hook_key(hook), self.audit_context(0, None, now));
        let changed = self.ports.store.set_hook_active(&key, active, &actor).await.unwrap();
        changed.map_or(Outcome::Unknown, |_| Outcome::Done)
    }

    pub(super) async fn set_hook_ordered(&self, hook: usize, ordered: bool, now: i64) -> Outcome {
        let (key, actor) = (self.hook_key(hook), self.audit_context(0, None, now));
        let change = HookChange { delivery: vec![DeliveryOption::Ordered(ordered)], ..HookChange::default() };
        match self.ports.store.change_hook(&key, &change, None, &actor).await.unwrap() {
            Ok(_) => Outcome::Done,
            Err(HookRefusal::UnknownHook) => Outcome::Unknown,
            Err(other) => panic!("{other:?}"),
        }
    }

    pub(super) async fn replay_delivery(&self, hook: usize, delivery: usize, now: i64) -> Outcome {
        // The positions are unknown if no delivery of the hook was ever ready.
        let known = self.memory.borrow().hooks.get(&hook).map(|hook| hook.positions.clone());
        let position = known.and_then(|positions| positions.get(delivery).copied());
        let Some(position) = position else { return Outcome::Unknown };
        let (key, actor) = (self.hook_key(hook), self.audit_context(0, None, now));
        let replayed = self.ports.store.replay_delivery(&key, position, &actor).await.unwrap();
        if replayed { Outcome::Done } else { Outcome::Unknown }
    }

    pub(super) async fn remove_hook(&self, hook: usize, now: i64) -> Outcome {
        let (key, actor) = (self.hook_key(hook), self.audit_context(0, None, now));
        let removed = self.ports.store.remove_hook(&key, None, &actor).await.unwrap();
        self.memory.borrow_mut().hooks.remove(&hook);
        if removed.is_ok() { Outcome::Done } else { Outcome::Unknown }
    }

    /// Returns the number of a hook. `None` if the hook has had no pending deliveries since its registration.
    async fn number(&self, hook: usize) -> Option<HookNumber> {
        let known = self.memory.borrow().hooks.get(&hook).and_then(|hook| hook.number);
        if known.is_some() {
            return known;
        }
        let store = &self.ports.store;
        let ready: Vec<_> = store.ready_hooks().await.unwrap().into_iter().map(|ready| ready.hook).collect();
        let targets = store.read_targets(&ready).await.unwrap();
        let target = targets.iter().find(|target| target.key == self.hook_key(hook))?;
        self.memory.borrow_mut().hooks.entry(hook).or_default().number = Some(target.hook);
        Some(target.hook)
    }

    pub(super) async fn claim_deliveries(&self, hook: usize, most: u32, now: i64) -> Outcome {
        let Some(number) = self.number(hook).await else { return Outcome::Claimed(Vec::new()) };
        let target = self.ports.store.read_targets(&[number]).await.unwrap().pop();
        let in_order = target.is_some_and(|target| target.options.ordered);
        let (wish, until) =
            (ClaimRequest { hook: number, limit: most, in_order }, timestamp_at(now + LEASE_SECONDS));
        let claimed = self.ports.store.claim_deliveries(&[wish], timestamp_at(now), until).await.unwrap();
        let memory = self.memory.borrow();
        let index = |position| memory.hooks[&hook].positions.iter().position(|it| *it == position);
        let claimed = claimed.iter().map(|claimed| (index(claimed.id.position).unwrap(), claimed.attempts));
        Outcome::Claimed(claimed.collect())
    }

    /// Returns the id of a delivery. `None` if the hook or the delivery does not exist.
    async fn delivery_id(&self, hook: usize, delivery: usize) -> Option<DeliveryId> {
        let position = self.memory.borrow().hooks.get(&hook)?.positions.get(delivery).copied()?;
        Some(DeliveryId { hook: self.number(hook).await?, position })
    }

    pub(super) async fn record_attempt(
        &self,
        (hook, delivery): (usize, usize),
        sent: SendResult,
        now: i64,
    ) -> Outcome {
        let Some(id) = self.delivery_id(hook, delivery).await else { return Outcome::Unknown };
        let delivered = sent == SendResult::Delivered;
        let attempt = Attempt {
            number: 1,
            at: timestamp_at(now),
            duration_milliseconds: 0,
            cause: AttemptCause::Change,
            status: Some(if delivered { 204 } else { 500 }),
            error: (!delivered).then_some(ErrorClass::Status),
            response_body: None,
            response_truncated: false,
            retry_after: None,
        };
        let next = match sent {
            SendResult::Delivered => NextStep::Delivered,
            SendResult::RetryIn(seconds) => NextStep::TryAgain { due: timestamp_at(now + seconds) },
            SendResult::GivenUp => NextStep::GivenUp,
        };
        self.ports
            .store
            .record_attempts(&[AttemptRecord { id, attempt, next_step: next }], &[])
            .await
            .unwrap();
        Outcome::Done
    }

    pub(super) async fn release_claims(&self, hook: usize, delivery: usize) -> Outcome {
        let Some(id) = self.delivery_id(hook, delivery).await else { return Outcome::Unknown };
        self.ports.store.release_claims(&[id]).await.unwrap();
        Outcome::Done
    }

    /// Removes all hooks of the sequence with their deliveries.
    pub(super) async fn remove_hooks(&self) {
        let hooks: Vec<usize> = self.memory.borrow().hooks.keys().copied().collect();
        for hook in hooks {
            self.remove_hook(hook, 0).await;
        }
        self.ports.store.delete_deliveries_before(timestamp_at(0), u32::MAX).await.unwrap();
    }
}
