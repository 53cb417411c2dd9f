//! What the loop asks of the queue, one question at a time, each in a task of its own, so that
//! attempts go on meanwhile.

use std::sync::Arc;

use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::deliveries::{
    ClaimWish, Claimed, DeliveryId, DeliveryQueue, HookNumber, ReadyHook, Target,
};
use tokio::task::JoinHandle;

/// A question.
#[derive(Debug)]
pub(super) enum Question {
    /// These claims are no longer needed.
    GiveBack(Vec<DeliveryId>),
    /// Who has something to send?
    Ready,
    /// Where do these lead, of whom so much was known?
    Targets(Vec<(HookNumber, u64)>),
    /// Something to send, please.
    Claim { wishes: Vec<ClaimWish>, now: Timestamp, until: Timestamp },
}

/// Its answer.
#[derive(Debug)]
pub(super) enum Answer {
    GivenBack(usize),
    Ready(Vec<ReadyHook>),
    Targets { asked: Vec<(HookNumber, u64)>, found: Vec<Target> },
    Claimed { wishes: Vec<ClaimWish>, claimed: Vec<Claimed>, since: Timestamp },
}

/// The question that is asked now, if any.
#[derive(Default)]
pub(super) struct Asking(Option<JoinHandle<Result<Answer, StoreError>>>);

impl Asking {
    /// Whether nothing is asked.
    pub(super) const fn is_free(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn ask(&mut self, queue: &Arc<dyn DeliveryQueue>, question: Question) {
        let queue = Arc::clone(queue);
        self.0 = Some(tokio::spawn(async move { answer(&*queue, question).await }));
    }

    /// Waits for the answer; for ever, when nothing is asked.
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
        Question::Targets(asked) => {
            let hooks: Vec<HookNumber> = asked.iter().map(|(hook, _)| *hook).collect();
            let found = queue.targets(&hooks).await?;
            Ok(Answer::Targets { asked, found })
        }
        Question::Claim { wishes, now, until } => {
            let claimed = queue.claim(&wishes, now, until).await?;
            Ok(Answer::Claimed { wishes, claimed, since: now })
        }
    }
}
