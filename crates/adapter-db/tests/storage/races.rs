//! Tests concurrent changes between reading the facts for a validation and the commit. Also tests cancelled
//! requests.

use std::sync::Arc;

use crate::support::raw::RawConnection;
use crate::support::{TestDatabase, open_store};
use futures_util::FutureExt;
use payroll_domain::check::RequiredLookups;
use payroll_domain::id::PaycheckId;
use payroll_domain::id_sequence::IdSequence;
use payroll_ports::checks::{AdditionOutcome, ChecksQuery, NewChecks};
use payroll_ports::completion::PeriodCompletion;
use payroll_ports::contract::world::{NOW, create_company_and_caller, id, new_checks, sample_check};
use payroll_ports::periods::{StateChange, StateChangeOutcome};
use payroll_ports::write::AuditContext;
use payroll_ports::{Store, StoreError};

/// Adds checks while another transaction with the given change is open. Asserts that the checks are rejected
/// after the commit of this transaction.
async fn assert_checks_rejected_after(database: TestDatabase, change: &str) {
    database.create().await;
    let store = open_store(database.url()).await;
    let caller = create_company_and_caller(&store).await;
    let mut other = RawConnection::connect_to(&database).await;
    other.begin_blocking_transaction(change).await;
    let new = new_checks(&caller, vec![sample_check("c1"), sample_check("c2")]);
    let (late, theirs) = (Arc::clone(&store), new.clone());
    let adding = tokio::spawn(async move { late.add_checks(&theirs).await });
    other.wait_for_lock_waiter().await;
    other.execute("COMMIT").await;
    assert_eq!(adding.await.unwrap().unwrap(), AdditionOutcome::FactsChanged, "{change}");
    assert_eq!(count_stored_checks(&store, &new).await, 0, "{change}");
    database.delete_database().await;
}

async fn count_stored_checks(store: &Arc<dyn Store>, new: &NewChecks) -> usize {
    let mut raw_total = 0;
    for stored in &new.checks {
        raw_total += usize::from(is_stored(store, &stored.paycheck_id).await);
    }
    raw_total
}

async fn is_stored(store: &Arc<dyn Store>, paycheck_id: &PaycheckId) -> bool {
    let caller = payroll_domain::access::Caller {
        application_id: id("partner"),
        secret_id: id("partner-s1"),
        scopes: payroll_domain::access::Scopes::all(),
        expires: NOW,
    };
    let mut lookups = RequiredLookups::default();
    lookups.paychecks = vec![paycheck_id.clone()];
    let guarded = store.read_check_validation_data(&caller, &id("acme"), &lookups, NOW).await.unwrap();
    let long_ago = payroll_ports::contract::world::day("2000-01-01");
    let needed = payroll_domain::access::Scope::WritePayroll;
    let (_, facts) = guarded.open_for_scope(&caller, needed, long_ago).unwrap();
    facts.paychecks.contains(paycheck_id)
}

const CONFLICTING_UPDATES: [&str; 5] = [
    "UPDATE pay_periods SET status = 'PROCESSING' WHERE company_id = 'acme' AND pay_period_id = 'open'",
    "UPDATE companies SET lock_holder = 'operator' WHERE company_id = 'acme'",
    "UPDATE companies SET processing_pay_period_id = 'open' WHERE company_id = 'acme'",
    "UPDATE companies SET end_date = '2001-01-01' WHERE company_id = 'acme'",
    "DELETE FROM workers WHERE company_id = 'acme' AND worker_id = 'acme-w1'",
];

#[tokio::test(flavor = "multi_thread")]
async fn rejects_checks_after_a_concurrent_change_commits() {
    for change in CONFLICTING_UPDATES {
        assert_checks_rejected_after(TestDatabase::sqlite(), change).await;
        if let Some(database) = TestDatabase::postgres() {
            assert_checks_rejected_after(database, change).await;
        }
    }
}

/// Cancels a request after each possible number of steps. Asserts that either all checks of the request are
/// stored or none, and that the next write succeeds.
async fn cancel_requests_after_each_step(database: TestDatabase) {
    database.create().await;
    let store = open_store(database.url()).await;
    let caller = create_company_and_caller(&store).await;
    for steps in 0..12_u32 {
        let name = |part: &str| format!("c{steps}{part}");
        let new = new_checks(&caller, vec![sample_check(&name("a")), sample_check(&name("b"))]);
        {
            let mut adding = Box::pin(store.add_checks(&new));
            for _ in 0..steps {
                if (&mut adding).now_or_never().is_some() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        let next = new_checks(&caller, vec![sample_check(&name("next"))]);
        assert_eq!(store.add_checks(&next).await.unwrap(), AdditionOutcome::Stored, "after {steps} steps");
        assert_ne!(count_stored_checks(&store, &new).await, 1, "half a batch after {steps} steps");
    }
    database.delete_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_request_leaves_no_open_transaction_on_sqlite() {
    cancel_requests_after_each_step(TestDatabase::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_request_leaves_no_open_transaction_on_postgres() {
    if let Some(database) = TestDatabase::postgres() {
        cancel_requests_after_each_step(database).await;
    }
}

/// Adds a check while another transaction stays open. Returns the error at the end of the time limit.
async fn wait_for_open_transaction(database: TestDatabase) -> StoreError {
    database.create().await;
    let store = open_store(database.url()).await;
    let caller = create_company_and_caller(&store).await;
    let mut other = RawConnection::connect_to(&database).await;
    other.begin_blocking_transaction(CONFLICTING_UPDATES[1]).await;
    let refused = store.add_checks(&new_checks(&caller, vec![sample_check("c1")])).await.unwrap_err();
    other.execute("ROLLBACK").await;
    let next = new_checks(&caller, vec![sample_check("c2")]);
    assert_eq!(store.add_checks(&next).await.unwrap(), AdditionOutcome::Stored, "nothing is left behind");
    database.delete_database().await;
    refused
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wait_for_another_writer_has_a_time_limit() {
    let reported = wait_for_open_transaction(TestDatabase::sqlite()).await;
    assert!(
        matches!(reported, StoreError::Unavailable(_)),
        "whose writer it is, SQLite does not say: {reported}"
    );
    if let Some(database) = TestDatabase::postgres() {
        let reported = wait_for_open_transaction(database).await;
        assert!(matches!(reported, StoreError::CompanyBusy), "{reported}");
    }
}

/// Closes a period while others add checks. Asserts that a check is stored if and only if its addition
/// reported success.
async fn add_checks_while_a_period_closes(database: TestDatabase) {
    database.create().await;
    let store = open_store(database.url()).await;
    let caller = create_company_and_caller(&store).await;
    let add = |number: usize| {
        let (store, new) =
            (Arc::clone(&store), new_checks(&caller, vec![sample_check(&format!("c{number}"))]));
        tokio::spawn(async move { store.add_checks(&new).await.unwrap() })
    };
    let writers: Vec<_> = (0..20).map(add).collect();
    RawConnection::connect_to(&database).await.execute(CONFLICTING_UPDATES[0]).await;
    let mut reported = 0_u64;
    for writer in writers {
        reported += u64::from(writer.await.unwrap() == AdditionOutcome::Stored);
    }
    assert_eq!(add(99).await.unwrap(), AdditionOutcome::FactsChanged, "nothing comes in after the close");
    let query = ChecksQuery {
        company_id: id("acme"),
        pay_period_id: id("open"),
        only_own: false,
        worker_id: None,
        window: payroll_ports::Window::default(),
    };
    let guarded = store.read_checks(&caller, &query).await.unwrap();
    let day = payroll_ports::contract::world::day("2000-01-01");
    let (_, checks) =
        guarded.open_for_scope(&caller, payroll_domain::access::Scope::ReadPayroll, day).unwrap();
    assert_eq!(checks.unwrap().total, reported);
    database.delete_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_check_is_added_after_its_period_is_closed_concurrently() {
    add_checks_while_a_period_closes(TestDatabase::sqlite()).await;
    if let Some(database) = TestDatabase::postgres() {
        add_checks_while_a_period_closes(database).await;
    }
}

/// Closes and reopens a period repeatedly while others add checks. Asserts that a check is stored if and only
/// if its addition reported success, and that no deadlock occurs.
async fn add_checks_while_a_period_closes_repeatedly(database: TestDatabase) {
    const ROUNDS: usize = 10;
    database.create().await;
    let store = open_store(database.url()).await;
    let caller = create_company_and_caller(&store).await;
    let audit = AuditContext::for_command("race", NOW);
    let the_period = StateChange {
        company_id: id("acme"),
        pay_period_id: id("open"),
        version: None,
        expected_period: None,
        request: None,
    };
    let mut reported = 0;
    for round in 0..ROUNDS {
        let add = |number: usize| {
            let new = new_checks(&caller, vec![sample_check(&format!("r{round}-c{number}"))]);
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.add_checks(&new).await.unwrap() })
        };
        let writers: Vec<_> = (0..12).map(add).collect();
        assert!(matches!(
            store.process_period(&the_period, &audit).await.unwrap(),
            StateChangeOutcome::Done(_)
        ));
        let closed = store.period(&id("acme"), &id("open"), &[], NOW).await.unwrap().unwrap();
        for writer in writers {
            reported += u64::from(writer.await.unwrap() == AdditionOutcome::Stored);
        }
        let later = store.period(&id("acme"), &id("open"), &[], NOW).await.unwrap().unwrap();
        assert_eq!((closed.check_count, closed.version), (reported, later.version), "added behind the close");
        assert!(matches!(
            store.reopen_period(&the_period, &audit).await.unwrap(),
            StateChangeOutcome::Done(_)
        ));
    }
    database.delete_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_check_is_added_to_a_period_that_is_closed_repeatedly() {
    add_checks_while_a_period_closes_repeatedly(TestDatabase::sqlite()).await;
    if let Some(database) = TestDatabase::postgres() {
        add_checks_while_a_period_closes_repeatedly(database).await;
    }
}

/// Completes a period several times concurrently. Asserts that one completion succeeds and that the others
/// are rejected.
async fn complete_period_concurrently(database: TestDatabase) {
    database.create().await;
    let store = open_store(database.url()).await;
    let caller = create_company_and_caller(&store).await;
    let checks = (0..90).map(|number| sample_check(&format!("c{number}"))).collect();
    assert_eq!(store.add_checks(&new_checks(&caller, checks)).await.unwrap(), AdditionOutcome::Stored);
    let moved = StateChange {
        company_id: id("acme"),
        pay_period_id: id("open"),
        version: None,
        expected_period: None,
        request: None,
    };
    store.process_period(&moved, &AuditContext::for_command("race", NOW)).await.unwrap();
    let complete = |number: u8| {
        let (store, moved) = (Arc::clone(&store), moved.clone());
        tokio::spawn(async move {
            let completing = PeriodCompletion {
                state_change: moved,
                completion: Default::default(),
                components: Default::default(),
            };
            let mut ids = IdSequence::new(NOW, [number; 10]);
            let audit = AuditContext::for_command("race", NOW);
            completing.complete_period(store.as_ref(), &mut ids, &audit, &|_| ()).await.unwrap()
        })
    };
    let racers: Vec<_> = (1..9).map(complete).collect();
    let mut done = 0;
    for racer in racers {
        let moved = racer.await.unwrap();
        done += u64::from(matches!(moved, StateChangeOutcome::Done(_)));
        assert!(
            matches!(
                moved,
                StateChangeOutcome::Done(_) | StateChangeOutcome::Overtaken | StateChangeOutcome::NotFrom(_)
            ),
            "{moved:?}"
        );
    }
    assert_eq!(done, 1);
    database.delete_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_concurrent_completions_succeeds() {
    complete_period_concurrently(TestDatabase::sqlite()).await;
    if let Some(database) = TestDatabase::postgres() {
        complete_period_concurrently(database).await;
    }
}
