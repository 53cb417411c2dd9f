//! Runs the contract tests of the ports on both databases.

#![expect(clippy::print_stderr, reason = "a test names the promises that were broken")]

use crate::support::{TestDatabase, open_store};
use futures_util::FutureExt;
use payroll_ports::contract::ALL;

/// Runs every contract test on a new database. Reports the names of all tests that fail.
async fn run_all_contract_tests(fresh: impl Fn() -> TestDatabase) {
    let only = std::env::var("ONLY_PROMISE").unwrap_or_default();
    let mut broken = Vec::new();
    let template = fresh();
    template.create_template().await;
    for (name, test) in ALL.iter().filter(|(name, _)| name.contains(&only)) {
        let database = fresh();
        database.create_copy_of(&template).await;
        let store = open_store(database.url()).await;
        let outcome = std::panic::AssertUnwindSafe(test(store)).catch_unwind().await;
        if outcome.is_err() {
            eprintln!("broken: {name}");
            broken.push(name);
        }
        database.delete_database().await;
    }
    template.delete_database().await;
    assert!(broken.is_empty(), "broken promises: {broken:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_passes_every_contract_test() {
    run_all_contract_tests(TestDatabase::sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_passes_every_contract_test() {
    if TestDatabase::postgres().is_none() {
        eprintln!("skipped: set TEST_DATABASE_URL to the URL of a PostgreSQL server");
        return;
    }
    run_all_contract_tests(|| TestDatabase::postgres().unwrap_or_else(|| panic!("the server is gone"))).await;
}
