//! Predicts the results of requests with an idempotency key.

use super::super::state::{Outcome, RequestRecord, State};
use super::super::transition::{LEASE_SECONDS, RecordRef};

impl State {
    pub(super) fn begin_request(&mut self, application: usize, key: usize, body: u8) -> Outcome {
        self.attempts += 1;
        let (now, attempt) = (self.now, self.attempts);
        let period_index = (application, key);
        match self.records.get(&period_index).filter(|record| record.expires > now) {
            Some(record) if record.body != body => Outcome::OtherRequest,
            Some(record) if record.answered => Outcome::Answered(record.attempt),
            Some(record) => Outcome::InProgress(record.expires),
            None => {
                let expires = now + LEASE_SECONDS;
                self.records.insert(period_index, RequestRecord { attempt, body, answered: false, expires });
                Outcome::Fresh
            }
        }
    }

    pub(super) fn store_response(&mut self, record: RecordRef) -> Outcome {
        if self.try_store_response(Some(record)) { Outcome::Done } else { Outcome::RecordLost }
    }

    pub(super) fn release_record(&mut self, record_ref: RecordRef) -> Outcome {
        let period_index = (record_ref.application, record_ref.key);
        if self.records.get(&period_index).is_some_and(|record| !record.answered && !record_ref.stranger) {
            self.records.remove(&period_index);
        }
        Outcome::Done
    }

    pub(super) fn delete_expired_records(&mut self) -> Outcome {
        let now = self.now;
        self.records.retain(|_, record| record.expires > now);
        Outcome::Done
    }
}
