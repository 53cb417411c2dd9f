//! Contract tests for changing one object in the same transaction that reads it.

use std::sync::Arc;

use futures_util::future::join_all;
use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::resource::{Resource, ResourceKind};

use super::resources::full_company;
use super::world::{NOW, create_application, create_company_and_caller, grant_scopes, id, import_company};
use super::writing::{audit_context_of_ada, change_one_member, one_object_of_each_kind, read_worker};
use crate::Store;
use crate::resources::{EditFunction, ObjectWrite, Versioned, WriteOutcome, WriteRefusal};
use crate::write::AuditContext;

/// Returns an edit that completes immediately.
fn immediate_edit(
    edit: impl FnOnce(Versioned<Resource>) -> Option<Resource> + Send + 'static,
) -> EditFunction {
    Box::new(move |stored| Box::pin(async move { edit(stored).map(Into::into) }))
}

async fn edit_worker(
    store: &Arc<dyn Store>,
    company_id: &str,
    object: (ResourceKind, &str),
    edit: EditFunction,
) -> WriteOutcome {
    store.edit_resource(&id(company_id), object, edit, &audit_context_of_ada()).await.unwrap()
}

pub(super) async fn an_edit_reads_the_stored_object_and_stores_its_result(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    for object in one_object_of_each_kind() {
        let (kind, name) = (object.kind(), object.id().to_owned());
        let (before, version) = read_worker(&store, "acme", kind, &name).await.unwrap();
        let (edited, expected) = (change_one_member(&before), Versioned { value: before, version });
        let created = edited.clone();
        let makes = immediate_edit(move |stored| {
            assert_eq!(stored, expected);
            Some(created)
        });
        let WriteOutcome::Stored(new) = edit_worker(&store, "acme", (kind, &name), makes).await else {
            panic!("{kind} is not stored")
        };
        assert!(new > version, "{kind}");
        assert_eq!(read_worker(&store, "acme", kind, &name).await, Some((edited, new)));
    }
}

pub(super) async fn an_edit_without_a_change_keeps_every_version(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    let caller = create_application(&store, "partner").await;
    grant_scopes(&store, &caller, "acme", Scopes::all()).await;
    let seen = async || {
        let guarded = store.company(&caller, &id("acme"), false).await.unwrap();
        guarded.open_for_scope(&caller, Scope::ReadCompanies, NOW.date()).unwrap().1.unwrap().version
    };
    let before = seen().await;
    for object in one_object_of_each_kind() {
        let (kind, name) = (object.kind(), object.id().to_owned());
        let (stored, version) = read_worker(&store, "acme", kind, &name).await.unwrap();
        let same =
            edit_worker(&store, "acme", (kind, &name), immediate_edit(|stored| Some(stored.value))).await;
        assert_eq!(same, WriteOutcome::Stored(version), "{kind}");
        let declined = edit_worker(&store, "acme", (kind, &name), immediate_edit(|_| None)).await;
        assert_eq!(declined, WriteOutcome::Refused(WriteRefusal::Declined), "{kind}");
        assert_eq!(read_worker(&store, "acme", kind, &name).await, Some((stored, version)));
    }
    assert_eq!(seen().await, before, "partners see no change");
}

pub(super) async fn an_edit_of_a_missing_object_does_not_call_the_function(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    for (company_id, name) in [("acme", "nobody"), ("nowhere", "ann"), ("acme", "nul\0")] {
        let edit = immediate_edit(|_| panic!("there is nothing to edit"));
        let refused = edit_worker(&store, company_id, (ResourceKind::Worker, name), edit).await;
        assert_eq!(refused, WriteOutcome::Refused(WriteRefusal::Unknown));
    }
}

pub(super) async fn concurrent_edits_lose_no_change(store: Arc<dyn Store>) {
    const EDIT_COUNT: usize = 8;
    import_company(&store, &full_company("acme")).await;
    let component =
        one_object_of_each_kind().into_iter().find(|object| object.kind() == ResourceKind::PayComponent);
    let name = component.unwrap().id().to_owned();
    let longer = || {
        immediate_edit(|stored| match stored.value {
            Resource::PayComponent(mut component) => {
                component.name.push('+');
                Some(Resource::PayComponent(component))
            }
            _ => None,
        })
    };
    let of = (ResourceKind::PayComponent, name.as_str());
    let all = join_all((0..EDIT_COUNT).map(|_| edit_worker(&store, "acme", of, longer()))).await;
    assert!(all.iter().all(|written| matches!(written, WriteOutcome::Stored(_))), "{all:?}");
    let (stored, _) = read_worker(&store, "acme", of.0, of.1).await.unwrap();
    let Resource::PayComponent(component) = stored else { panic!("another kind") };
    assert_eq!(component.name.matches('+').count(), EDIT_COUNT);
}

/// Edits the pay component as the application. The edit requires that the application has the given scope at
/// the commit.
async fn edit_as_application(
    store: &Arc<dyn Store>,
    caller: &Caller,
    scope: Scope,
    dry_run: bool,
) -> WriteOutcome {
    let audit = AuditContext::for_application(&caller.application_id, NOW.plus_seconds(1), None);
    let audit = AuditContext { scope: Some(scope), dry_run, ..audit };
    let of = (ResourceKind::PayComponent, "hourly");
    let longer = immediate_edit(|stored| match stored.value {
        Resource::PayComponent(mut component) => {
            component.name.push('+');
            Some(Resource::PayComponent(component))
        }
        _ => None,
    });
    store.edit_resource(&id("acme"), of, longer, &audit).await.unwrap()
}

pub(super) async fn a_write_by_an_application_needs_its_grant_at_the_commit(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let before = read_worker(&store, "acme", ResourceKind::PayComponent, "hourly").await;
    grant_scopes(&store, &caller, "acme", [Scope::ReadPayroll].into_iter().collect()).await;
    let refused = edit_as_application(&store, &caller, Scope::WritePayroll, false).await;
    assert_eq!(refused, WriteOutcome::Refused(WriteRefusal::NotGranted));
    let audit = AuditContext::for_application(&caller.application_id, NOW.plus_seconds(1), None);
    let audit = AuditContext { scope: Some(Scope::WritePayroll), ..audit };
    let write = ObjectWrite::Delete(ResourceKind::PayComponent, "hourly".to_owned(), None);
    let refused = store.write_resource(&id("acme"), &write, &audit).await.unwrap();
    assert_eq!(refused, WriteOutcome::Refused(WriteRefusal::NotGranted));
    assert_eq!(read_worker(&store, "acme", ResourceKind::PayComponent, "hourly").await, before);
    grant_scopes(&store, &caller, "acme", [Scope::WritePayroll].into_iter().collect()).await;
    let stored = edit_as_application(&store, &caller, Scope::WritePayroll, false).await;
    assert!(matches!(stored, WriteOutcome::Stored(_)), "{stored:?}");
}

pub(super) async fn a_dry_run_is_validated_and_stores_nothing(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let hourly = async || read_worker(&store, "acme", ResourceKind::PayComponent, "hourly").await;
    let seen = async || {
        let guarded = store.company(&caller, &id("acme"), false).await.unwrap();
        guarded.open_for_scope(&caller, Scope::ReadCompanies, NOW.date()).unwrap().1.unwrap().version
    };
    let (before, version) = (hourly().await, seen().await);
    let valid = edit_as_application(&store, &caller, Scope::WritePayroll, true).await;
    assert!(matches!(valid, WriteOutcome::Stored(_)), "{valid:?}");
    assert_eq!((hourly().await, seen().await), (before, version));
    let audit = AuditContext { dry_run: true, ..audit_context_of_ada() };
    let duplicate = ObjectWrite::Create(hourly().await.unwrap().0);
    let refused = store.write_resource(&id("acme"), &duplicate, &audit).await.unwrap();
    assert!(matches!(refused, WriteOutcome::Refused(WriteRefusal::Taken(_))), "{refused:?}");
}
