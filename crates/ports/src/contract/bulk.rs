//! Contract tests for changing many workers at once.

use std::sync::Arc;

use payroll_domain::check::RequiredLookups;
use payroll_domain::id::WorkerId;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::worker::Worker;

use super::world::{
    NOW, company, create_company_and_caller, empty_company, id, import_audit_context, import_company,
    new_checks, operator_lock_until, sample_check, worker,
};
use crate::Store;
use crate::checks::{AdditionOutcome, CheckAuthor, NewChecks};
use crate::import::{ImportCounts, WorkerChangeOutcome, WorkersToChange};
use crate::resources::{MissingReference, WriteRefusal};

/// Stores the given workers of a company with one call of the store's method `change_workers`. If `workers`
/// is `None`, the callback of the call rejects the change.
async fn change_workers(
    store: &Arc<dyn Store>,
    company_id: &str,
    (workers, is_dry): (Option<Vec<Worker>>, bool),
) -> WorkerChangeOutcome {
    let worker_ids: Vec<WorkerId> = workers.iter().flatten().map(|it| it.worker_id.clone()).collect();
    let change = Box::new(move |_: Vec<Worker>| -> futures_util::future::BoxFuture<'static, _> {
        Box::pin(async move { workers })
    });
    let workers = WorkersToChange { company_id: id(company_id), worker_ids, change, is_dry };
    store.change_workers(workers, &import_audit_context()).await.unwrap()
}

async fn read_worker(store: &Arc<dyn Store>, company_id: &str, worker_id: &str) -> Option<Worker> {
    let found = store.resource(&id(company_id), ResourceKind::Worker, worker_id).await.unwrap()?;
    match found.value {
        Resource::Worker(worker) => Some(*worker),
        other => panic!("{other:?}"),
    }
}

fn worker_with_changed_name(name: &str) -> Worker {
    let mut worker = worker(name);
    worker.name.family_name = "Renamed".to_owned();
    worker
}

pub(super) async fn bulk_change_applies_to_all_workers_or_none(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    import_company(&store, &empty_company("bravo")).await;
    let before = read_worker(&store, "acme", "acme-w1").await;
    let mut below = worker("new-1");
    below.supervisor_id = Some(id("new-2"));
    let all = vec![worker_with_changed_name("acme-w1"), below.clone(), worker("new-2")];
    let counted = ImportCounts { created: 2, changed: 1, unchanged: 0 };
    let mut lost = worker("new-2");
    lost.organization_id = Some(id("nowhere"));
    let astray = vec![worker_with_changed_name("acme-w1"), below.clone(), lost];
    let missing = MissingReference {
        target: ResourceKind::Organization,
        id: "nowhere".to_owned(),
        pointer: "/workers/2/organization/organizationId".to_owned(),
    };
    let refused = change_workers(&store, "acme", (Some(astray), false)).await;
    assert_eq!(refused, WorkerChangeOutcome::Refused(WriteRefusal::Missing(vec![missing])));
    assert_eq!(
        change_workers(&store, "acme", (None, false)).await,
        WorkerChangeOutcome::Refused(WriteRefusal::Declined)
    );
    let unknown = change_workers(&store, "nowhere", (Some(all.clone()), false)).await;
    assert_eq!(unknown, WorkerChangeOutcome::Refused(WriteRefusal::UnknownCompany));
    let thief =
        change_workers(&store, "bravo", (Some(vec![worker("new-3"), worker("acme-w1")]), false)).await;
    assert_eq!(thief, WorkerChangeOutcome::OfOthers(vec![id("acme-w1")]));
    assert_eq!(read_worker(&store, "bravo", "new-3").await, None);
    assert_eq!(read_worker(&store, "acme", "acme-w1").await, before);
    assert_eq!(
        change_workers(&store, "acme", (Some(all.clone()), false)).await,
        WorkerChangeOutcome::Stored(counted)
    );
    for worker in &all {
        assert_eq!(read_worker(&store, "acme", worker.worker_id.as_str()).await.as_ref(), Some(worker));
    }
    let again = ImportCounts { created: 0, changed: 0, unchanged: 3 };
    assert_eq!(change_workers(&store, "acme", (Some(all), false)).await, WorkerChangeOutcome::Stored(again));
}

pub(super) async fn a_dry_run_changes_no_workers(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let before = read_worker(&store, "acme", "acme-w1").await;
    let counted = ImportCounts { created: 1, changed: 1, unchanged: 0 };
    let all = vec![worker_with_changed_name("acme-w1"), worker("new")];
    assert_eq!(change_workers(&store, "acme", (Some(all), true)).await, WorkerChangeOutcome::Stored(counted));
    assert_eq!(read_worker(&store, "acme", "acme-w1").await, before);
    assert_eq!(read_worker(&store, "acme", "new").await, None);
}

pub(super) async fn a_locked_company_keeps_its_workers(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.lock = Some(operator_lock_until(None));
    import_company(&store, &whole).await;
    let same = read_worker(&store, "acme", "acme-w1").await.unwrap();
    let unchanged = ImportCounts { created: 0, changed: 0, unchanged: 1 };
    assert_eq!(
        change_workers(&store, "acme", (Some(vec![same]), false)).await,
        WorkerChangeOutcome::Stored(unchanged)
    );
    let refused =
        change_workers(&store, "acme", (Some(vec![worker_with_changed_name("acme-w1")]), false)).await;
    assert!(matches!(refused, WorkerChangeOutcome::Refused(WriteRefusal::Locked(_))), "{refused:?}");
}

pub(super) async fn checks_of_operators_are_added_once_and_belong_to_no_application(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let of_operator = |paycheck_id: &str| {
        let mut stored = sample_check(paycheck_id);
        stored.check.correlation_id = "by hand".to_owned();
        NewChecks {
            added_by: CheckAuthor::Operator(import_audit_context().actor),
            correlation_ids_last_for_the_pay_period: true,
            ..new_checks(&caller, vec![stored])
        }
    };
    let mut lookups = RequiredLookups::default();
    lookups.pay_periods = vec![id("open")];
    lookups.correlation_ids = vec!["by hand".to_owned(), "other".to_owned()];
    let used = async || {
        let facts = store.read_operator_check_validation_data(&id("acme"), &lookups, NOW).await.unwrap();
        facts.used_correlation_ids.into_iter().collect::<Vec<_>>()
    };
    let own = NewChecks {
        added_by: CheckAuthor::Application(caller.application_id.clone()),
        ..of_operator("partner")
    };
    assert_eq!(store.add_checks(&own).await.unwrap(), AdditionOutcome::Stored);
    assert!(used().await.is_empty(), "that of an application counts for its own");
    assert_eq!(store.add_checks(&of_operator("first")).await.unwrap(), AdditionOutcome::Stored);
    assert_eq!(used().await, ["by hand"]);
    assert_eq!(store.add_checks(&of_operator("second")).await.unwrap(), AdditionOutcome::FactsChanged);
}
