//! Releases claims of deliveries that were not sent.

use super::HookTable;
use payroll_ports::deliveries::{DeliveryId, HookNumber};
use std::time::Duration;

impl HookTable {
    /// Removes deliveries whose claims are too old to start an attempt.
    pub(in super::super) fn remove_expired_claims(&mut self, now: Duration) {
        let with_held: Vec<HookNumber> = self.round_robin.iter().copied().collect();
        for number in with_held {
            self.release_stale_claims(number, now);
        }
    }

    /// Removes a hook's deliveries whose claims are too old to start an attempt. If such a claim has not
    /// expired yet, the claim is also released in the store. An expired claim is not released, because
    /// another process may already have claimed the delivery.
    pub(super) fn release_stale_claims(&mut self, number: HookNumber, now: Duration) {
        let Some(state) = self.table.get_mut(&number) else { return };
        while let Some(held) = state.queued.front() {
            if now < held.claim_requested_at + self.claim_lifetime.start_window {
                break;
            }
            let id = held.delivery.id;
            if now < held.claim_requested_at + self.claim_lifetime.claim_duration {
                self.claims_to_release.push(id);
            }
            self.owned_deliveries.remove(&id);
            self.claimed_count -= 1;
            state.queued.pop_front();
            state.may_have_more = true;
            self.hooks_to_query.insert(number);
        }
    }

    /// Releases all claims of deliveries that are not sent yet.
    pub(in super::super) fn release_all(&mut self) {
        for state in self.table.values_mut() {
            state.may_have_more = false;
            self.claims_to_release.extend(state.queued.drain(..).map(|held| held.delivery.id));
        }
        self.round_robin.clear();
        self.claimed_count = 0;
    }

    /// Releases the claims of these deliveries. The deliveries were already removed from the data of their
    /// hooks.
    pub(super) fn release_claims(&mut self, delivery_ids: Vec<DeliveryId>) {
        self.claimed_count -= delivery_ids.len();
        for id in &delivery_ids {
            self.owned_deliveries.remove(id);
        }
        self.claims_to_release.extend(delivery_ids);
    }

    /// Returns the deliveries whose claims must be released, and clears the list.
    pub(in super::super) fn take_claims_to_release(&mut self) -> Vec<DeliveryId> {
        std::mem::take(&mut self.claims_to_release)
    }
}
