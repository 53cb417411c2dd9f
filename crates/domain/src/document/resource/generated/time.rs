//! Generators of workers' time off, statuses and distributions, for property tests.

use rust_decimal::Decimal;

use super::RandomSource;
use crate::money::{Quantity, Rate};
use crate::status_type::StatusType;
use crate::worker::{AssignmentDistribution, I9Status, I9Step, StatusEntry, TimeOff, TimeOffMeasure};

impl RandomSource {
    pub(super) fn random_time_off(&mut self) -> TimeOff {
        TimeOff {
            policy_id: self.random_id(),
            time_off_type: self.random_text(100),
            name: self.random_text(100),
            balance: Quantity::parse(&self.random_signed_decimal(4).to_string()).unwrap_or(Quantity::ZERO),
            measure: self.random_element(TimeOffMeasure::ALL),
        }
    }

    /// Generates no distributions, or distributions with percentages that add up to 100.
    pub(super) fn random_distributions(&mut self) -> Vec<AssignmentDistribution> {
        let mut parts = self.random_list(|dice| {
            (dice.random_id(), dice.random_option(Self::random_id), dice.random_below(10))
        });
        let mut left = Decimal::ONE_HUNDRED;
        let last = parts.pop();
        let mut all = Vec::new();
        for (job_id, labor_assignment_id, value) in parts {
            left -= Decimal::from(value);
            let value = Rate::parse(&value.to_string()).unwrap();
            all.push(AssignmentDistribution { job_id: Some(job_id), labor_assignment_id, value });
        }
        if let Some((job_id, labor_assignment_id, _)) = last {
            let value = Rate::parse(&left.to_string()).unwrap();
            all.push(AssignmentDistribution { job_id: Some(job_id), labor_assignment_id, value });
        }
        all
    }

    pub(super) fn random_i9_status(&mut self) -> I9Status {
        let (completed, expires) = self.random_dates();
        I9Status {
            step: self.random_element(I9Step::ALL),
            completed_date: self.random_option(|_| completed),
            expiration_date: self.random_option(|_| expires),
        }
    }

    /// Generates a list of statuses, each with a different `order`.
    pub(crate) fn random_statuses(&mut self) -> Vec<StatusEntry> {
        let mut entries = self.random_list(|dice| StatusEntry {
            worker_status_id: dice.random_option(Self::random_id),
            status_type: dice.random_element(StatusType::ALL),
            status_reason: dice.random_option(Self::random_word),
            effective_date: dice.random_date(),
            order: 0,
        });
        for (order, entry) in (0..).zip(&mut entries) {
            entry.order = order;
        }
        entries
    }
}
