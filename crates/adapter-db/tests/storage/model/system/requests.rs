//! Sends requests with an idempotency key to the ports.

use payroll_ports::idempotency::{IdempotencyRecord, IdempotencyState, ResponseRecord, StoredResponse};

use super::super::memory::seconds_since_model_start;
use super::super::state::Outcome;
use super::super::transition::{LEASE_SECONDS, RESPONSE_LIFETIME_SECONDS, RecordRef};
use super::{System, timestamp_at};

/// The name of an attempt that never started and therefore owns no record.
const UNKNOWN_ATTEMPT: &str = "stranger";

impl System {
    fn idempotency_record(
        &self,
        (application, key): (usize, usize),
        body: u8,
        attempt: &str,
    ) -> IdempotencyRecord {
        IdempotencyRecord {
            owner: format!("app{application}"),
            key: self.idempotency_key(key),
            request_hash: [body; 32],
            attempt: attempt.to_owned(),
        }
    }

    /// Returns the idempotency record with the attempt that owns the record, or with an unknown attempt.
    fn owning_record(&self, record_ref: RecordRef) -> IdempotencyRecord {
        let key = (record_ref.application, record_ref.key);
        let owner = self.memory.borrow().attempts.get(&key).map(ToString::to_string);
        let attempt = owner.filter(|_| !record_ref.stranger).unwrap_or_else(|| UNKNOWN_ATTEMPT.to_owned());
        self.idempotency_record(key, 0, &attempt)
    }

    pub(super) fn response_record(&self, record_ref: RecordRef, now: i64) -> ResponseRecord {
        let record = self.owning_record(record_ref);
        let body = record.attempt.clone().into_bytes();
        let response = StoredResponse { status: 201, content_type: "text/plain".to_owned(), body };
        ResponseRecord { record, response, expires: timestamp_at(now + RESPONSE_LIFETIME_SECONDS) }
    }

    pub(super) async fn begin_request(&self, key: (usize, usize), body: u8, now: i64) -> Outcome {
        let attempt = self.memory.borrow_mut().next_attempt();
        let record = self.idempotency_record(key, body, &attempt.to_string());
        let started = self
            .ports
            .idempotency
            .begin_request(&record, timestamp_at(now), timestamp_at(now + LEASE_SECONDS))
            .await
            .unwrap();
        match started {
            IdempotencyState::Fresh => {
                self.memory.borrow_mut().attempts.insert(key, attempt);
                Outcome::Fresh
            }
            IdempotencyState::Answered(response) => {
                Outcome::Answered(String::from_utf8(response.body).unwrap().parse().unwrap())
            }
            IdempotencyState::UnderWay(until) => Outcome::InProgress(seconds_since_model_start(until)),
            IdempotencyState::UsedOtherwise => Outcome::OtherRequest,
        }
    }

    pub(super) async fn store_response(&self, record_ref: RecordRef, now: i64) -> Outcome {
        let record = self.response_record(record_ref, now);
        if self.ports.idempotency.store_response(&record).await.unwrap() {
            Outcome::Done
        } else {
            Outcome::RecordLost
        }
    }

    pub(super) async fn release_record(&self, record_ref: RecordRef) -> Outcome {
        self.ports.idempotency.release_record(&self.owning_record(record_ref)).await.unwrap();
        Outcome::Done
    }

    pub(super) async fn delete_expired_records(&self, now: i64) -> Outcome {
        self.ports.idempotency.delete_expired_records(timestamp_at(now), u32::MAX).await.unwrap();
        Outcome::Done
    }
}
