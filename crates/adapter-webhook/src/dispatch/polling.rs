//! Queries the queue for the dispatcher loop. Only one query is in progress at a time. A query runs in its
//! own task, so that attempts continue in the meantime.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::deliveries::{
    ClaimRequest, ClaimedDelivery, DeliveryId, DeliveryQueue, DeliveryTarget, HookNumber, ReadyHook,
};
use tokio::task::JoinHandle;

/// The maximum number of deliveries whose due time one transaction changes. A large backlog takes a few dozen
/// transactions. Each transaction is short, so that other writers do not wait long.
const MAKE_DUE_BATCH_SIZE: u32 = 20_000;

/// A query to the delivery queue in the store.
#[derive(Debug)]
pub(super) enum QueueQuery {
    /// Releases the claims of these deliveries.
    ReleaseClaims(Vec<DeliveryId>),
    /// Lists the hooks that have pending deliveries.
    Ready,
    /// Reads the targets of these hooks. Each pair contains a hook and its count of health changes before
    /// the query. The result contains the count too, so that a change during the query is detected.
    Targets(Vec<(HookNumber, u64)>),
    /// Claims deliveries. `since` is the time of the monotonic clock at which the claim was requested.
    Claim { requests: Vec<ClaimRequest>, now: Timestamp, until: Timestamp, since: Duration },
    /// Makes deliveries due now if they are due later than `latest`. Such late times only exist after a clock
    /// was set back.
    MakeDue { now: Timestamp, latest: Timestamp },
}

/// The result of a query to the delivery queue.
#[derive(Debug)]
pub(super) enum QueueReply {
    Released(usize),
    Ready(Vec<ReadyHook>),
    Targets { requested: Vec<(HookNumber, u64)>, targets: Vec<DeliveryTarget> },
    Claimed { requests: Vec<ClaimRequest>, deliveries: Vec<ClaimedDelivery>, since: Duration },
    MadeDue(u64),
}

/// The query in progress, if there is one.
#[derive(Default)]
pub(super) struct QueryInProgress(Option<JoinHandle<Result<QueueReply, StoreError>>>);

impl QueryInProgress {
    /// Whether no query is in progress.
    pub(super) const fn is_idle(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn start(&mut self, queue: &Arc<dyn DeliveryQueue>, query: QueueQuery) {
        let queue = Arc::clone(queue);
        self.0 = Some(tokio::spawn(async move { run_query(&*queue, query).await }));
    }

    /// Waits for the result. Without a query, the wait never ends.
    pub(super) async fn wait_for_reply(&mut self) -> Result<QueueReply, StoreError> {
        let Some(asking) = &mut self.0 else { return std::future::pending().await };
        let answered = asking.await;
        self.0 = None;
        answered.unwrap_or_else(|error| Err(StoreError::Bug(error.into())))
    }
}

async fn run_query(queue: &dyn DeliveryQueue, query: QueueQuery) -> Result<QueueReply, StoreError> {
    match query {
        QueueQuery::ReleaseClaims(claimed) => {
            queue.release_claims(&claimed).await?;
            Ok(QueueReply::Released(claimed.len()))
        }
        QueueQuery::Ready => Ok(QueueReply::Ready(queue.ready_hooks().await?)),
        QueueQuery::Targets(requested) => {
            let hooks: Vec<HookNumber> = requested.iter().map(|(hook, _)| *hook).collect();
            let found = queue.read_targets(&hooks).await?;
            Ok(QueueReply::Targets { requested, targets: found })
        }
        QueueQuery::Claim { requests: wishes, now, until, since } => {
            let claimed = queue.claim_deliveries(&wishes, now, until).await?;
            Ok(QueueReply::Claimed { requests: wishes, deliveries: claimed, since })
        }
        QueueQuery::MakeDue { now, latest } => {
            let mut all = 0;
            loop {
                let moved = queue.make_deliveries_due(now, latest, MAKE_DUE_BATCH_SIZE).await?;
                all += moved;
                if moved < u64::from(MAKE_DUE_BATCH_SIZE) {
                    return Ok(QueueReply::MadeDue(all));
                }
            }
        }
    }
}
