//! Tests properties of the delivery queue that the contract tests do not cover. These are notifications
//! between the processes that send, races with the revocation of a grant, and the limit of stored attempts.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::SecretText;
use payroll_domain::access::Scopes;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Attempt, AttemptCause, NextStep};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{
    Address, AuthType, Authentication, DeliveryOptions, Hook, HookKey, SigningSecret,
};
use payroll_domain::resource::Resource;
use payroll_ports::Store;
use payroll_ports::contract::world::{
    NOW, create_company_and_caller, grant_scopes, id, import_audit_context, worker,
};
use payroll_ports::deliveries::{AttemptRecord, ClaimRequest, ClaimedDelivery};
use payroll_ports::hooks::NewHook;
use payroll_ports::resources::{ObjectWrite, WriteOutcome};

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, open_store, test_on_both_databases};

test_on_both_databases! {
    |database| (database);
    a_commit_wakes_the_sender,
    claiming_cancels_deliveries_without_a_grant,
    an_invalid_delivery_row_does_not_stop_other_deliveries,
    the_newest_attempts_are_kept_and_their_numbers_continue,
}

/// The time limit of a wait, which is long enough for slow machines.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// Creates a store with a hook for the events of workers of `acme`.
async fn store_with_hook(database: &TestDatabase) -> (Arc<dyn Store>, payroll_domain::access::Caller) {
    let store = open_store(database.url()).await;
    let caller = create_company_and_caller(&store).await;
    let hook = Hook {
        key: HookKey { application_id: caller.application_id.clone(), hook_id: id("hook") },
        company_id: None,
        address: Address::from_stored("https://hooks.example.com/in").unwrap(),
        domains: vec![EventDomain::WorkerAdded, EventDomain::WorkerDemographics],
        auth_type: AuthType::Basic,
        active: true,
        delivery: DeliveryOptions::default(),
        created: NOW,
        version: 1,
    };
    let authentication =
        Authentication::Basic { username: "ann".to_owned(), password: SecretText::new("open-sesame") };
    let new = NewHook { hook, authentication, signing_secret: SigningSecret([1; 32]) };
    store.add_hook(&new, 20, &import_audit_context()).await.unwrap().unwrap();
    (store, caller)
}

async fn store_worker(store: &Arc<dyn Store>, worker_id: &str) {
    let mut new = worker(worker_id);
    new.employee_id = Some(worker_id.to_owned());
    let create = ObjectWrite::Create(Resource::Worker(Box::new(new)));
    let written = store.write_resource(&id("acme"), &create, &import_audit_context()).await.unwrap();
    assert!(matches!(written, WriteOutcome::Stored(_)), "{written:?}");
}

async fn claim_due_deliveries(store: &Arc<dyn Store>, now: Timestamp) -> Vec<ClaimedDelivery> {
    let ready = store.ready_hooks().await.unwrap();
    let wishes: Vec<_> =
        ready.iter().map(|ready| ClaimRequest { hook: ready.hook, limit: 100, in_order: false }).collect();
    store.claim_deliveries(&wishes, now, now.plus_seconds(60)).await.unwrap()
}

mod claims {
    use super::*;

    pub(super) async fn a_commit_wakes_the_sender(database: &TestDatabase) {
        let (store, _) = store_with_hook(database).await;
        let sender = Arc::clone(&store);
        let woken = tokio::spawn(async move {
            loop {
                sender.wait_for_deliveries().await;
                // A new listening connection also wakes the sender, because a notification may have been sent
                // before the connection was open.
                let claimed = claim_due_deliveries(&sender, NOW).await;
                if !claimed.is_empty() {
                    return claimed.len();
                }
            }
        });
        store_worker(&store, "ann").await;
        assert_eq!(tokio::time::timeout(WAIT_TIMEOUT, woken).await.unwrap().unwrap(), 1);
    }

    pub(super) async fn claiming_cancels_deliveries_without_a_grant(database: &TestDatabase) {
        let (store, _) = store_with_hook(database).await;
        store_worker(&store, "ann").await;
        store_worker(&store, "bob").await;
        // The test deletes the grant directly, so both deliveries stay queued. The same happens if one
        // transaction queues deliveries while another transaction revokes the grant.
        let mut raw = RawConnection::connect_to(database).await;
        raw.execute("DELETE FROM grants").await;
        assert_eq!(claim_due_deliveries(&store, NOW).await, []);
        assert_eq!(store.ready_hooks().await.unwrap(), []);
        let states = raw.query_texts("SELECT state AS text FROM deliveries WHERE ended IS NOT NULL").await;
        assert_eq!(states, ["CANCELLED", "CANCELLED"]);
    }

    pub(super) async fn an_invalid_delivery_row_does_not_stop_other_deliveries(database: &TestDatabase) {
        let (store, _) = store_with_hook(database).await;
        store_worker(&store, "ann").await;
        store_worker(&store, "bob").await;
        let mut raw = RawConnection::connect_to(database).await;
        // This statement simulates a newer release that has written a domain that this release does not know.
        raw.execute("UPDATE deliveries SET domain = 'WRKR_NEW' WHERE worker_id = 'ann'").await;
        let [delivery] = claim_due_deliveries(&store, NOW).await.try_into().unwrap();
        assert_eq!(delivery.notification.worker_id, Some(id("bob")));
        assert_eq!(store.read_targets(&[delivery.id.hook]).await.unwrap().len(), 1);
        raw.execute("UPDATE hooks SET signing_secret = 'nonsense'").await;
        assert_eq!(store.read_targets(&[delivery.id.hook]).await.unwrap(), []);
    }

    pub(super) async fn the_newest_attempts_are_kept_and_their_numbers_continue(database: &TestDatabase) {
        let (store, caller) = store_with_hook(database).await;
        store_worker(&store, "ann").await;
        for number in 1..=25 {
            let [delivery] = claim_due_deliveries(&store, NOW.plus_seconds(number)).await.try_into().unwrap();
            assert_eq!(i64::from(delivery.attempts), number - 1);
            let due = NOW.plus_seconds(number + 1);
            record_attempt(&store, &delivery, NextStep::TryAgain { due }).await;
        }
        let mut raw = RawConnection::connect_to(database).await;
        let select_numbers = "SELECT CAST(number AS TEXT) AS text FROM attempts ORDER BY number";
        let numbers: Vec<String> = (6..=25).map(|number: u32| number.to_string()).collect();
        assert_eq!(raw.query_texts(select_numbers).await, numbers);
        // The delivery is cancelled while it is being sent, and the receiver accepts it.
        let [delivery] = claim_due_deliveries(&store, NOW.plus_seconds(100)).await.try_into().unwrap();
        grant_scopes(&store, &caller, "acme", Scopes::NONE).await;
        let state = "SELECT state AS text FROM deliveries";
        assert_eq!(raw.query_texts(state).await, ["CANCELLED"]);
        record_attempt(&store, &delivery, NextStep::Delivered).await;
        assert_eq!(raw.query_texts(state).await, ["DELIVERED"]);
    }

    async fn record_attempt(store: &Arc<dyn Store>, delivery: &ClaimedDelivery, next: NextStep) {
        let attempt = Attempt {
            number: delivery.attempts + 1,
            at: NOW,
            duration_milliseconds: 5,
            cause: AttemptCause::Retry,
            status: None,
            error: None,
            response_body: None,
            response_truncated: false,
            retry_after: None,
        };
        store
            .record_attempts(&[AttemptRecord { id: delivery.id, attempt, next_step: next }], &[])
            .await
            .unwrap();
    }
}

/// This test runs on PostgreSQL only, because SQLite has only one process that sends.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_wakes_another_process_on_postgres() {
    let Some(database) = TestDatabase::postgres() else { return };
    database.create().await;
    let (store, _) = store_with_hook(&database).await;
    let other = open_store(database.url()).await;
    let woken = async || tokio::time::timeout(WAIT_TIMEOUT, other.wait_for_deliveries()).await.unwrap();
    // A new listener wakes immediately, because a notification may have been sent before it was listening.
    woken().await;
    assert_eq!(claim_due_deliveries(&other, NOW).await, []);
    store_worker(&store, "ann").await;
    woken().await;
    let claimed = claim_due_deliveries(&other, NOW).await;
    assert_eq!(claimed.len(), 1);
    let ids: Vec<_> = claimed.iter().map(|delivery| delivery.id).collect();
    other.release_claims(&ids).await.unwrap();
    tokio::time::timeout(WAIT_TIMEOUT, store.wait_for_deliveries()).await.unwrap();
    drop(store);
    database.delete_database().await;
}
