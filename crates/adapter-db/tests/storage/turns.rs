//! Tests two processes that write to the same SQLite file. The test simulates each process by a store with
//! its own connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use payroll_ports::Store;
use payroll_ports::checks::AdditionOutcome;
use payroll_ports::contract::world::{
    create_company_and_caller, empty_company, import_company, new_checks, sample_check,
};

use crate::support::{TestDatabase, open_store};

/// The number of writes by the second process while the first process imports.
const WRITES: u32 = 40;
/// The number of imports to wait for between two writes of the second process.
const IMPORTS_BETWEEN_WRITES: u32 = 20;
/// The maximum number of imports during one write of the second process. The importing process holds the lock
/// for a tenth of a second at a time, in which it stores some dozens of empty companies. The limit allows
/// several such periods.
const MAX_IMPORTS_PER_WRITE: u32 = 300;

/// Imports companies until the flag is set. Returns the number of imports so far and the flag.
fn import_continuously(store: Arc<dyn Store>) -> (Arc<AtomicU32>, Arc<AtomicBool>) {
    let (done, stop) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
    let (counted, reported) = (Arc::clone(&done), Arc::clone(&stop));
    tokio::spawn(async move {
        while !reported.load(Ordering::Relaxed) {
            let number = counted.fetch_add(1, Ordering::Relaxed);
            import_company(&store, &empty_company(&format!("many{number}"))).await;
        }
    });
    (done, stop)
}

/// Waits until `more` further companies were imported. Returns the total number of imports.
async fn wait_for_imports(done: &AtomicU32, more: u32) -> u32 {
    let enough = done.load(Ordering::Relaxed) + more;
    while done.load(Ordering::Relaxed) < enough {
        tokio::task::yield_now().await;
    }
    done.load(Ordering::Relaxed)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partner_can_write_during_an_import_by_another_process() {
    let database = TestDatabase::sqlite();
    let server = open_store(database.url()).await;
    let caller = create_company_and_caller(&server).await;
    let (done, stop) = import_continuously(open_store(database.url()).await);
    let mut most = 0;
    for number in 0..WRITES {
        let before = wait_for_imports(&done, IMPORTS_BETWEEN_WRITES).await;
        let new = new_checks(&caller, vec![sample_check(&format!("c{number}"))]);
        assert_eq!(server.add_checks(&new).await.unwrap(), AdditionOutcome::Stored);
        most = most.max(done.load(Ordering::Relaxed) - before);
    }
    stop.store(true, Ordering::Relaxed);
    assert!(most < MAX_IMPORTS_PER_WRITE, "a write waited for {most} imports");
}
