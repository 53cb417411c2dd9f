//! Contract tests for creating several objects in one transaction.

use std::sync::Arc;

use payroll_domain::access::Scopes;
use payroll_domain::resource::{Resource, ResourceKind};

use super::world::{NOW, create_company_and_caller, grant_scopes, id, worker};
use super::writing::{audit_context_of_ada, read_worker};
use crate::filters::ResourceFilter;
use crate::resources::{WriteOutcome, WriteRefusal};
use crate::write::AuditContext;
use crate::{Store, Window};

fn worker_resources(ids: &[&str]) -> Vec<Resource> {
    ids.iter().map(|id| Resource::Worker(Box::new(worker(id)))).collect()
}

async fn create_workers(store: &Arc<dyn Store>, objects: &[Resource], audit: &AuditContext) -> WriteOutcome {
    store.create_resources(&id("acme"), objects, audit).await.unwrap()
}

async fn list_worker_ids(store: &Arc<dyn Store>) -> Vec<String> {
    let filter = ResourceFilter::All(ResourceKind::Worker);
    let listing = store.resources(&id("acme"), &filter, Window::default()).await.unwrap().unwrap();
    let crate::Rows::All(rows) = listing.rows else { panic!("few workers are not streamed") };
    rows.iter().map(|row| row.value.id().to_owned()).collect()
}

pub(super) async fn created_objects_are_listed_in_the_given_order(store: Arc<dyn Store>) {
    create_company_and_caller(&store).await;
    let before = list_worker_ids(&store).await;
    let written = create_workers(&store, &worker_resources(&["z", "a", "m"]), &audit_context_of_ada()).await;
    assert!(matches!(written, WriteOutcome::Stored(_)), "{written:?}");
    let expected: Vec<_> = before.into_iter().chain(["z", "a", "m"].map(str::to_owned)).collect();
    assert_eq!(list_worker_ids(&store).await, expected);
}

pub(super) async fn one_rejected_object_rejects_all(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let before = list_worker_ids(&store).await;
    let mut all = worker_resources(&["a", "b", "c"]);
    if let Some(Resource::Worker(worker)) = all.get_mut(1) {
        worker.organization_id = Some(id("nowhere"));
    }
    let WriteOutcome::Refused(WriteRefusal::Several(refused)) =
        create_workers(&store, &all, &audit_context_of_ada()).await
    else {
        panic!("it is not rejected by its index")
    };
    assert!(matches!(refused.as_slice(), [(1, WriteRefusal::Missing(_))]), "{refused:?}");
    assert_eq!(list_worker_ids(&store).await, before);
    let dry = AuditContext { dry_run: true, ..audit_context_of_ada() };
    assert!(matches!(create_workers(&store, &worker_resources(&["a"]), &dry).await, WriteOutcome::Stored(_)));
    assert_eq!(list_worker_ids(&store).await, before);
    // An application without the scope for the write must not be able to create the objects.
    grant_scopes(&store, &caller, "acme", Scopes::NONE).await;
    let audit = AuditContext::for_application(&caller.application_id, NOW, None);
    let audit = AuditContext { scope: Some(payroll_domain::access::Scope::WriteWorkers), ..audit };
    assert_eq!(
        create_workers(&store, &worker_resources(&["a"]), &audit).await,
        WriteOutcome::Refused(WriteRefusal::NotGranted)
    );
    assert_eq!(read_worker(&store, "acme", ResourceKind::Worker, "a").await, None);
}
