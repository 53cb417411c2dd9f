//! What is true of the queue of deliveries beyond the promises of the ports: who is woken, races
//! with a withdrawal, and what is kept of many attempts.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::SecretText;
use payroll_domain::access::Scopes;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Attempt, AttemptCause, NextStep};
use payroll_domain::event::EventDomain;
use payroll_domain::hook::{Address, AuthType, Authentication, Hook, HookKey, SigningSecret};
use payroll_domain::resource::Resource;
use payroll_ports::Store;
use payroll_ports::contract::world::{NOW, company_and_caller, grant, id, importer, worker};
use payroll_ports::deliveries::{Attempted, ClaimWish, Claimed};
use payroll_ports::hooks::NewHook;
use payroll_ports::resources::{Write, Written};

use crate::support::raw::Raw;
use crate::support::{Fresh, on_both, open_store};

on_both! {
    |database| (database);
    whoever_sends_is_woken_behind_the_commit,
    what_was_queued_beside_a_withdrawal_is_cancelled_when_it_is_claimed,
    a_row_that_makes_no_sense_stops_no_other,
    the_newest_attempts_are_kept_and_their_numbers_go_on,
}

/// Long enough for any machine: a wait that takes as long has failed.
const BOUND: Duration = Duration::from_secs(60);

/// A store with a hook that is notified of workers of `acme`.
async fn hooked(database: &Fresh) -> (Arc<dyn Store>, payroll_domain::access::Caller) {
    let store = open_store(database.url()).await;
    let caller = company_and_caller(&store).await;
    let hook = Hook {
        key: HookKey { application_id: caller.application_id.clone(), hook_id: id("hook") },
        company_id: None,
        address: Address::stored("https://hooks.example.com/in").unwrap(),
        domains: vec![EventDomain::WorkerAdded, EventDomain::WorkerDemographics],
        auth_type: AuthType::Basic,
        active: true,
        created: NOW,
        version: 1,
    };
    let authentication =
        Authentication::Basic { username: "ann".to_owned(), password: SecretText::new("open-sesame") };
    let new = NewHook { hook, authentication, signing_secret: SigningSecret([1; 32]) };
    store.add_hook(&new, 20, &importer()).await.unwrap().unwrap();
    (store, caller)
}

async fn hire(store: &Arc<dyn Store>, worker_id: &str) {
    let mut new = worker(worker_id);
    new.employee_id = Some(worker_id.to_owned());
    let create = Write::Create(Resource::Worker(Box::new(new)));
    let written = store.write(&id("acme"), &create, &importer()).await.unwrap();
    assert!(matches!(written, Written::Stored(_)), "{written:?}");
}

async fn claim(store: &Arc<dyn Store>, now: Timestamp) -> Vec<Claimed> {
    let ready = store.ready().await.unwrap();
    let wishes: Vec<_> = ready.iter().map(|ready| ClaimWish { hook: ready.hook, most: 100 }).collect();
    store.claim(&wishes, now, now.plus_seconds(60)).await.unwrap()
}

mod claims {
    use super::*;

    pub(super) async fn whoever_sends_is_woken_behind_the_commit(database: &Fresh) {
        let (store, _) = hooked(database).await;
        let sender = Arc::clone(&store);
        let woken = tokio::spawn(async move {
            loop {
                sender.queued().await;
                // A connection that is new may have missed something, and wakes too.
                let claimed = claim(&sender, NOW).await;
                if !claimed.is_empty() {
                    return claimed.len();
                }
            }
        });
        hire(&store, "ann").await;
        assert_eq!(tokio::time::timeout(BOUND, woken).await.unwrap().unwrap(), 1);
    }

    pub(super) async fn what_was_queued_beside_a_withdrawal_is_cancelled_when_it_is_claimed(
        database: &Fresh,
    ) {
        let (store, _) = hooked(database).await;
        hire(&store, "ann").await;
        hire(&store, "bob").await;
        // As if both had been queued by a transaction that still saw the grant.
        let mut raw = Raw::on(database).await;
        raw.run("DELETE FROM grants").await;
        assert_eq!(claim(&store, NOW).await, []);
        assert_eq!(store.ready().await.unwrap(), []);
        let states = raw.texts("SELECT state AS text FROM deliveries WHERE ended IS NOT NULL").await;
        assert_eq!(states, ["CANCELLED", "CANCELLED"]);
    }

    pub(super) async fn a_row_that_makes_no_sense_stops_no_other(database: &Fresh) {
        let (store, _) = hooked(database).await;
        hire(&store, "ann").await;
        hire(&store, "bob").await;
        let mut raw = Raw::on(database).await;
        // As another release may write it.
        raw.run("UPDATE deliveries SET domain = 'WRKR_NEW' WHERE worker_id = 'ann'").await;
        let [delivery] = claim(&store, NOW).await.try_into().unwrap();
        assert_eq!(delivery.notification.worker_id, Some(id("bob")));
        assert_eq!(store.targets(&[delivery.id.hook]).await.unwrap().len(), 1);
        raw.run("UPDATE hooks SET signing_secret = 'nonsense'").await;
        assert_eq!(store.targets(&[delivery.id.hook]).await.unwrap(), []);
    }

    pub(super) async fn the_newest_attempts_are_kept_and_their_numbers_go_on(database: &Fresh) {
        let (store, caller) = hooked(database).await;
        hire(&store, "ann").await;
        for number in 1..=25 {
            let [delivery] = claim(&store, NOW.plus_seconds(number)).await.try_into().unwrap();
            assert_eq!(i64::from(delivery.attempts), number - 1);
            let due = NOW.plus_seconds(number + 1);
            record(&store, &delivery, NextStep::TryAgain { due }).await;
        }
        let mut raw = Raw::on(database).await;
        let kept = "SELECT CAST(number AS TEXT) AS text FROM attempts ORDER BY number";
        let numbers: Vec<String> = (6..=25).map(|number: u32| number.to_string()).collect();
        assert_eq!(raw.texts(kept).await, numbers);
        // Cancelled while it is under way, and taken by its receiver nevertheless.
        let [delivery] = claim(&store, NOW.plus_seconds(100)).await.try_into().unwrap();
        grant(&store, &caller, "acme", Scopes::NONE).await;
        let state = "SELECT state AS text FROM deliveries";
        assert_eq!(raw.texts(state).await, ["CANCELLED"]);
        record(&store, &delivery, NextStep::Delivered).await;
        assert_eq!(raw.texts(state).await, ["DELIVERED"]);
    }

    async fn record(store: &Arc<dyn Store>, delivery: &Claimed, next: NextStep) {
        let attempt = Attempt {
            number: delivery.attempts + 1,
            at: NOW,
            duration_milliseconds: 5,
            cause: AttemptCause::Retry,
            status: None,
            error: None,
            answer: None,
            answer_cut: false,
            retry_after: None,
        };
        store.record(&[Attempted { id: delivery.id, attempt, next }], &[]).await.unwrap();
    }
}

/// On SQLite one process sends.
#[tokio::test(flavor = "multi_thread")]
async fn on_postgres_another_process_is_woken_too() {
    let Some(database) = Fresh::postgres() else { return };
    database.create().await;
    let (store, _) = hooked(&database).await;
    let other = open_store(database.url()).await;
    let woken = async || tokio::time::timeout(BOUND, other.queued()).await.unwrap();
    // A process that begins to listen may have missed something, and looks.
    woken().await;
    assert_eq!(claim(&other, NOW).await, []);
    hire(&store, "ann").await;
    woken().await;
    let claimed = claim(&other, NOW).await;
    assert_eq!(claimed.len(), 1);
    let ids: Vec<_> = claimed.iter().map(|delivery| delivery.id).collect();
    other.give_back(&ids).await.unwrap();
    tokio::time::timeout(BOUND, store.queued()).await.unwrap();
    drop(store);
    database.drop().await;
}
