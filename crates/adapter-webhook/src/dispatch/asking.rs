//! What the loop asks of the queue, one question at a time, each in a task of its own, so that
//! attempts go on meanwhile.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::deliveries::{
    ClaimWish, Claimed, DeliveryId, DeliveryQueue, HookNumber, ReadyHook, Target,
};
use tokio::task::JoinHandle;

/// Deliveries that are brought forward in one transaction: a large backlog in a few dozen of them, each so
/// short that no change waits long for it.
const FORWARD_BATCH: u32 = 20_000;

/// A question to the queue.
#[derive(Debug)]
pub(super) enum Question {
    /// These claims are no longer needed.
    GiveBack(Vec<DeliveryId>),
    /// Who has something to send?
    Ready,
    /// Where do these lead? Each with the number of health changes that are known.
    Targets(Vec<(HookNumber, u64)>),
    /// Something to send, please; `since` is now by the monotonic clock.
    Claim { wishes: Vec<ClaimWish>, now: Timestamp, until: Timestamp, since: Duration },
    /// Makes deliveries due now that wait longer than any may wait: a clock was set back.
    BringForward { now: Timestamp, latest: Timestamp },
}

/// The response to a question.
#[derive(Debug)]
pub(super) enum Answer {
    GivenBack(usize),
    Ready(Vec<ReadyHook>),
    Targets { wanted: Vec<(HookNumber, u64)>, found: Vec<Target> },
    Claimed { wishes: Vec<ClaimWish>, claimed: Vec<Claimed>, since: Duration },
    BroughtForward(u64),
}

/// The question without a response yet, if any.
#[derive(Default)]
pub(super) struct Asking(Option<JoinHandle<Result<Answer, StoreError>>>);

impl Asking {
    /// Whether every question has its response.
    pub(super) const fn is_free(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn ask(&mut self, queue: &Arc<dyn DeliveryQueue>, question: Question) {
        let queue = Arc::clone(queue);
        self.0 = Some(tokio::spawn(async move { answer(&*queue, question).await }));
    }

    /// Waits for the response; for ever, when there is no question.
    pub(super) async fn answered(&mut self) -> Result<Answer, StoreError> {
        let Some(asking) = &mut self.0 else { return std::future::pending().await };
        let answered = asking.await;
        self.0 = None;
        answered.unwrap_or_else(|error| Err(StoreError::Bug(error.into())))
    }
}

async fn answer(queue: &dyn DeliveryQueue, question: Question) -> Result<Answer, StoreError> {
    match question {
        Question::GiveBack(claimed) => {
            queue.give_back(&claimed).await?;
            Ok(Answer::GivenBack(claimed.len()))
        }
        Question::Ready => Ok(Answer::Ready(queue.ready().await?)),
        Question::Targets(wanted) => {
            let hooks: Vec<HookNumber> = wanted.iter().map(|(hook, _)| *hook).collect();
            let found = queue.targets(&hooks).await?;
            Ok(Answer::Targets { wanted, found })
        }
        Question::Claim { wishes, now, until, since } => {
            let claimed = queue.claim(&wishes, now, until).await?;
            Ok(Answer::Claimed { wishes, claimed, since })
        }
        Question::BringForward { now, latest } => {
            let mut all = 0;
            loop {
                let moved = queue.bring_forward(now, latest, FORWARD_BATCH).await?;
                all += moved;
                if moved < u64::from(FORWARD_BATCH) {
                    return Ok(Answer::BroughtForward(all));
                }
            }
        }
    }
}
