//! Compares hooks and their deliveries with the model.

use std::collections::HashSet;
use std::num::NonZeroU32;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::DeliveryState;
use payroll_domain::hook::Hook;
use payroll_ports::contract::world::NOW;
use payroll_ports::deliveries::{Delivery, DeliveryQuery};

use super::super::memory::HookLastRead;
use super::super::state::{self, State};
use super::super::system::{System, timestamp_at};

/// The compared data of a delivery: the event, the state, the instant at which it is due, the instant at
/// which it ended, and the number of attempts.
type DeliveryData = (String, DeliveryState, Option<Timestamp>, Option<Timestamp>, u32);

impl System {
    /// Asserts that each event has one delivery for each hook that subscribes to its domain.
    pub(super) async fn verify_hooks(&self, state: &State, company: usize) {
        for (number, hook) in state.hooks.iter().filter(|(_, hook)| hook.company == company) {
            self.verify_hook(*number, hook).await;
            self.verify_deliveries(*number, hook).await;
        }
        self.verify_ready_hooks(state).await;
    }

    /// Asserts that the version of a hook changes if and only if the hook changes.
    async fn verify_hook(&self, number: usize, expected: &state::Hook) {
        let report = self.ports.store.hook(&self.hook_key(number)).await.unwrap().unwrap();
        let version = report.hook.version - NOW.as_micros();
        let found = (report.hook.active, report.hook.delivery.ordered, version);
        assert_eq!(found, (expected.active, expected.ordered, expected.version), "hook {number}");
        let pending = expected.deliveries.iter().filter(|delivery| delivery.due.is_some()).count();
        assert_eq!(report.queue.pending, u64::try_from(pending).unwrap(), "the queue of hook {number}");
        let mut memory = self.memory.borrow_mut();
        let memory: &mut HookLastRead = memory.hooks.entry(number).or_default();
        if let Some(before) = memory.hook.replace(report.hook.clone()) {
            let unversioned = |hook: &Hook| Hook { version: 0, ..hook.clone() };
            let same = unversioned(&before) == unversioned(&report.hook);
            assert_eq!(same, before.version == report.hook.version, "the version of hook {number}");
        }
    }

    async fn verify_deliveries(&self, number: usize, expected: &state::Hook) {
        let query = DeliveryQuery {
            state: None,
            domain: None,
            from: None,
            to: None,
            before: None,
            limit: NonZeroU32::new(100).unwrap(),
        };
        let page = self.ports.store.deliveries(&self.hook_key(number), &query).await.unwrap();
        let found: Vec<DeliveryData> = page.deliveries.iter().rev().map(delivery_data).collect();
        let mut memory = self.memory.borrow_mut();
        let events = &memory.companies[expected.company].events;
        let expected_rows: Vec<DeliveryData> = expected
            .deliveries
            .iter()
            .map(|delivery| {
                let event = events[delivery.event].event_id.clone();
                (
                    event,
                    delivery.state,
                    delivery.due.map(timestamp_at),
                    delivery.ended.map(timestamp_at),
                    delivery.attempts,
                )
            })
            .collect();
        assert_eq!(found, expected_rows, "the deliveries of hook {number}");
        let events: HashSet<&String> = found.iter().map(|(event, ..)| event).collect();
        assert_eq!(events.len(), found.len(), "hook {number} has an event twice");
        let positions = page.deliveries.iter().rev().map(|delivery| delivery.position).collect();
        memory.hooks.entry(number).or_default().positions = positions;
    }

    /// Asserts that the storage lists exactly the active hooks with pending deliveries as ready.
    async fn verify_ready_hooks(&self, state: &State) {
        let numbers: Vec<_> = {
            let memory = self.memory.borrow();
            memory.hooks.iter().filter_map(|(hook, known)| Some((*hook, known.number?))).collect()
        };
        if numbers.is_empty() {
            return;
        }
        let ready = self.ports.store.ready_hooks().await.unwrap();
        for (hook, number) in numbers {
            let found = ready.iter().find(|ready| ready.hook == number).map(|ready| ready.due);
            let expected = state.hooks.get(&hook).filter(|hook| hook.active);
            let expected = expected.and_then(|hook| {
                let mut due = hook.deliveries.iter().filter_map(|it| it.due);
                if hook.ordered { due.next() } else { due.min() }
            });
            assert_eq!(found, expected.map(timestamp_at), "the next delivery of hook {hook}");
        }
    }
}

fn delivery_data(delivery: &Delivery) -> DeliveryData {
    let event = delivery.notification.notification_id.clone();
    (event, delivery.state, delivery.due, delivery.ended, delivery.attempts)
}
