//! Requests with an idempotency key.

use payroll_ports::idempotency::{Answer, Begun, KeptAnswer, RequestMark};

use super::super::memory::second;
use super::super::state::Outcome;
use super::super::transition::{KEPT_SECONDS, Kept, LEASE_SECONDS};
use super::{System, at};

/// An attempt that never started.
const STRANGER: &str = "stranger";

impl System {
    fn mark(&self, (application, key): (usize, usize), body: u8, attempt: &str) -> RequestMark {
        RequestMark {
            owner: format!("app{application}"),
            key: self.idempotency_key(key),
            request_hash: [body; 32],
            attempt: attempt.to_owned(),
        }
    }

    /// The mark of the attempt that owns the record, or of an unknown attempt.
    fn owner(&self, kept: Kept) -> RequestMark {
        let place = (kept.application, kept.key);
        let owner = self.memory.borrow().attempts.get(&place).map(ToString::to_string);
        let attempt = owner.filter(|_| !kept.stranger).unwrap_or_else(|| STRANGER.to_owned());
        self.mark(place, 0, &attempt)
    }

    pub(super) fn kept_answer(&self, kept: Kept, now: i64) -> KeptAnswer {
        let mark = self.owner(kept);
        let body = mark.attempt.clone().into_bytes();
        let answer = Answer { status: 201, content_type: "text/plain".to_owned(), body };
        KeptAnswer { mark, answer, expires: at(now + KEPT_SECONDS) }
    }

    pub(super) async fn begin(&self, place: (usize, usize), body: u8, now: i64) -> Outcome {
        let attempt = self.memory.borrow_mut().next_attempt();
        let mark = self.mark(place, body, &attempt.to_string());
        let begun = self.ports.idempotency.begin(&mark, at(now), at(now + LEASE_SECONDS)).await.unwrap();
        match begun {
            Begun::Fresh => {
                self.memory.borrow_mut().attempts.insert(place, attempt);
                Outcome::Fresh
            }
            Begun::Answered(answer) => {
                Outcome::Answered(String::from_utf8(answer.body).unwrap().parse().unwrap())
            }
            Begun::UnderWay(until) => Outcome::InProgress(second(until)),
            Begun::UsedOtherwise => Outcome::OtherRequest,
        }
    }

    pub(super) async fn keep(&self, kept: Kept, now: i64) -> Outcome {
        let kept = self.kept_answer(kept, now);
        if self.ports.idempotency.keep(&kept).await.unwrap() { Outcome::Done } else { Outcome::MarkLost }
    }

    pub(super) async fn release(&self, kept: Kept) -> Outcome {
        self.ports.idempotency.release(&self.owner(kept)).await.unwrap();
        Outcome::Done
    }

    pub(super) async fn forget_expired(&self, now: i64) -> Outcome {
        self.ports.idempotency.forget_expired(at(now), u32::MAX).await.unwrap();
        Outcome::Done
    }
}
