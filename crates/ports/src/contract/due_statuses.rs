//! Contract tests for the days on which future statuses begin.

use std::sync::Arc;

use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::resource::ResourceKind;
use payroll_domain::worker::{CurrentStatus, StatusEntry, StatusType, Worker};

use super::world::{company, day, id, import_company, worker};
use super::writing::{execute_write, worker_resource};
use crate::Store;
use crate::resources::{ObjectWrite, WriteOutcome};
use crate::workers::DueStatus;

/// Returns an active worker with one future status on each of the given days.
fn worker_with_statuses(worker_id: &str, days: &[&str]) -> Worker {
    let mut worker = worker(worker_id);
    worker.current_status = Some(CurrentStatus {
        worker_status_id: id("active"),
        status_type: StatusType::Active,
        status_reason: None,
        effective_date: day("2026-01-01"),
    });
    let entry = |text: &&str| StatusEntry {
        worker_status_id: None,
        status_type: StatusType::Inactive,
        status_reason: None,
        effective_date: day(text),
        order: 0,
    };
    worker.statuses = days.iter().map(entry).collect();
    worker.normalize_statuses();
    worker
}

fn company_with_workers() -> CompleteCompany {
    let mut complete = company("acme");
    complete.workers.push(worker_with_statuses("ann", &["2026-07-01", "2026-06-01", "2026-02-01"]));
    complete.workers.push(worker_with_statuses("ben", &["2026-05-20"]));
    complete.workers.push(worker_with_statuses("cy", &["2026-03-01"]));
    complete
}

/// Returns the future statuses that are due on the day `on`, each as its day and its worker. The entries are
/// read in pages of `limit`.
async fn read_due_worker_ids(store: &Arc<dyn Store>, on: &str, limit: u32) -> Vec<String> {
    let (mut all, mut after): (Vec<DueStatus>, Option<DueStatus>) = (Vec::new(), None);
    loop {
        let page = store.due_statuses(day(on), after.as_ref(), limit).await.unwrap();
        let is_last = page.len() < limit as usize;
        after = page.last().cloned();
        all.extend(page);
        if is_last {
            return all.iter().map(|it| format!("{} {} {}", it.day, it.company_id, it.worker_id)).collect();
        }
    }
}

pub(super) async fn a_future_status_is_due_from_its_day(store: Arc<dyn Store>) {
    import_company(&store, &company_with_workers()).await;
    assert_eq!(
        read_due_worker_ids(&store, "2026-05-19", 10).await,
        Vec::<String>::new(),
        "what had begun is no future status"
    );
    assert_eq!(read_due_worker_ids(&store, "2026-05-20", 10).await, ["2026-05-20 acme ben"]);
    let both = ["2026-05-20 acme ben", "2026-06-01 acme ann"];
    for limit in [1, 2, 10] {
        assert_eq!(read_due_worker_ids(&store, "2026-12-31", limit).await, both, "{limit}");
    }
}

pub(super) async fn writing_a_worker_recomputes_its_due_status(store: Arc<dyn Store>) {
    import_company(&store, &company_with_workers()).await;
    let replace = async |worker: Worker| {
        let written =
            execute_write(&store, "acme", ObjectWrite::Replace(worker_resource(worker), None)).await;
        assert!(matches!(written, WriteOutcome::Stored(_)), "{written:?}");
    };
    replace(worker_with_statuses("ben", &["2026-08-01"])).await;
    replace(worker_with_statuses("ann", &[])).await;
    replace(worker_with_statuses("cy", &["2026-03-01", "2026-09-01"])).await;
    assert_eq!(
        read_due_worker_ids(&store, "2026-12-31", 10).await,
        ["2026-08-01 acme ben", "2026-09-01 acme cy"]
    );
    let deleted =
        execute_write(&store, "acme", ObjectWrite::Delete(ResourceKind::Worker, "ben".to_owned(), None))
            .await;
    assert!(matches!(deleted, WriteOutcome::Stored(_)), "{deleted:?}");
    assert_eq!(read_due_worker_ids(&store, "2026-12-31", 10).await, ["2026-09-01 acme cy"]);
}
