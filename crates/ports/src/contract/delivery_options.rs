//! Contract tests for hooks that order or limit their notifications.

use std::sync::Arc;

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::NextStep;
use payroll_domain::hook::{DeliveryOption, DeliveryOptions, HookChange};

use super::hooks::new_hook;
use super::queue::{
    CLAIM_TIME, add_worker, create_company_with_hook, read_ready_hooks, record_attempt, retry_at,
};
use super::world::{create_company_and_caller, import_audit_context};
use crate::Store;
use crate::deliveries::{ClaimRequest, ClaimedDelivery};

const ORDERED_DELIVERY: DeliveryOptions =
    DeliveryOptions { ordered: true, max_attempts: None, max_per_second: None };

/// Claims deliveries in order from every hook with pending deliveries. Asserts that exactly one is claimed,
/// and returns it.
async fn claim_only_delivery(store: &Arc<dyn Store>, now: Timestamp) -> ClaimedDelivery {
    let [claimed] = <[ClaimedDelivery; 1]>::try_from(claim_all(store, now).await).unwrap();
    claimed
}

/// Claims deliveries in order from every hook with pending deliveries.
async fn claim_all(store: &Arc<dyn Store>, now: Timestamp) -> Vec<ClaimedDelivery> {
    let ready = read_ready_hooks(store).await;
    let wishes: Vec<_> =
        ready.iter().map(|it| ClaimRequest { hook: it.hook, limit: 9, in_order: true }).collect();
    store.claim_deliveries(&wishes, now, now.plus_seconds(60)).await.unwrap()
}

fn claimed_worker_id(claimed: &ClaimedDelivery) -> &str {
    claimed.notification.worker_id.as_ref().unwrap().as_str()
}

pub(super) async fn an_ordered_hook_gets_its_deliveries_one_at_a_time(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let mut hook = new_hook(&caller, "hook");
    hook.hook.delivery = ORDERED_DELIVERY;
    store.add_hook(&hook, 20, &import_audit_context()).await.unwrap().unwrap();
    // The clocks of servers differ, so a change that is committed later can have an earlier instant.
    for (worker, second) in [("ann", 9), ("bob", 5), ("cleo", 1)] {
        add_worker(&store, worker, second).await;
    }
    let first = claim_only_delivery(&store, CLAIM_TIME).await;
    assert_eq!(claimed_worker_id(&first), "ann");
    assert_eq!(claim_all(&store, CLAIM_TIME.plus_seconds(59)).await, [], "nothing overtakes a claimed one");
    let expired = CLAIM_TIME.plus_seconds(60);
    let second = claim_only_delivery(&store, expired).await;
    assert_eq!((claimed_worker_id(&second), second.id), ("ann", first.id), "the claim has expired");
    record_attempt(&store, &second, retry_at(300)).await;
    assert_eq!(claim_all(&store, CLAIM_TIME.plus_seconds(299)).await, [], "nothing overtakes a failed one");
    let due: Vec<_> = read_ready_hooks(&store).await.iter().map(|it| it.due).collect();
    assert_eq!(due, [CLAIM_TIME.plus_seconds(300)], "the hook is ready when its first delivery is due");
    for expected in ["ann", "bob", "cleo"] {
        let claimed = claim_only_delivery(&store, CLAIM_TIME.plus_seconds(300)).await;
        assert_eq!(claimed_worker_id(&claimed), expected);
        record_attempt(&store, &claimed, NextStep::Delivered).await;
    }
    assert_eq!(read_ready_hooks(&store).await, []);
}

pub(super) async fn orders_pending_deliveries_when_a_hook_becomes_ordered(store: Arc<dyn Store>) {
    let (_, key) = create_company_with_hook(&store).await;
    for (worker, second) in [("ann", 9), ("bob", 1)] {
        add_worker(&store, worker, second).await;
    }
    let options = DeliveryOptions { ordered: true, max_attempts: Some(3), max_per_second: Some(7) };
    let change = HookChange {
        delivery: vec![
            DeliveryOption::Ordered(true),
            DeliveryOption::MaxAttempts(Some(3)),
            DeliveryOption::MaxPerSecond(Some(7)),
        ],
        ..HookChange::default()
    };
    let before = store.hook(&key).await.unwrap().unwrap().hook;
    let after = store.change_hook(&key, &change, None, &import_audit_context()).await.unwrap().unwrap();
    assert_eq!((after.delivery, after.version), (options, before.version + 1));
    assert_eq!(store.hook(&key).await.unwrap().unwrap().hook, after);
    add_worker(&store, "cleo", 0).await;
    let claimed = claim_only_delivery(&store, CLAIM_TIME).await;
    assert_eq!(claimed_worker_id(&claimed), "ann");
    let target = store.read_targets(&[claimed.id.hook]).await.unwrap().remove(0);
    assert_eq!((target.options, target.version), (options, after.version));
    record_attempt(&store, &claimed, NextStep::GivenUp).await;
    assert_eq!(store.hook(&key).await.unwrap().unwrap().queue.expired, 1, "it is counted");
    assert_eq!(claimed_worker_id(&claim_only_delivery(&store, CLAIM_TIME).await), "bob");
}
