//! The invariants: comparisons of the model with the data that the ports return.

mod checks;
mod hooks;
mod log;

use super::memory::seconds_since_model_start;
use super::state::State;
use super::system::{System, lock_holder, timestamp_at};

impl System {
    /// Compares a company with the model.
    pub(super) fn verify(&self, state: &State, company: usize) {
        self.runtime.block_on(async {
            self.verify_lock(state, company).await;
            self.verify_periods(state, company).await;
            self.verify_audit(state, company).await;
            self.verify_events(state, company).await;
            self.verify_hooks(state, company).await;
        });
    }

    /// Asserts that a company has the expected lock. At most one actor or period holds the lock.
    async fn verify_lock(&self, state: &State, company: usize) {
        let found = self
            .ports
            .store
            .read_lock(&self.company_id(company), timestamp_at(state.now))
            .await
            .unwrap()
            .unwrap();
        let found = found.as_ref().map(lock_holder);
        assert_eq!(found, state.companies[company].lock_holder(state.now), "the lock of company {company}");
    }
}
