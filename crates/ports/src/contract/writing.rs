//! Contract tests for writing single objects of companies.

mod samples;

use std::sync::Arc;

use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::date::Timestamp;
use payroll_domain::lookup::LookupKind;
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::worker::Worker;

use super::idempotency::{LEASE_END, idempotency_record, response_record};
use super::resources::full_company;
use super::world::{
    NOW, company, create_company_and_caller, custom_field, empty_company, full_worker, id, import_company,
    new_checks, operator_lock_until, organization, period, sample_check, worker,
};
use crate::Store;
use crate::checks::AdditionOutcome;
use crate::idempotency::IdempotencyState;
use crate::resources::{LockOutcome, ObjectWrite, WriteOutcome, WriteRefusal};
use crate::write::AuditContext;
pub(super) use samples::{change_one_member, one_object_of_each_kind};

/// Returns the audit context of the operator `ada`, one second after the import of the test data.
pub(super) fn audit_context_of_ada() -> AuditContext {
    audit_by("ada", NOW.plus_seconds(1))
}

pub(super) fn audit_by(name: &str, now: Timestamp) -> AuditContext {
    AuditContext::new(Actor { kind: ActorKind::Operator, name: name.to_owned() }, now, None)
}

pub(super) async fn execute_write(
    store: &Arc<dyn Store>,
    company_id: &str,
    write: ObjectWrite,
) -> WriteOutcome {
    store.write_resource(&id(company_id), &write, &audit_context_of_ada()).await.unwrap()
}

/// Executes a write that must succeed. Returns the new version.
async fn write_object(store: &Arc<dyn Store>, company_id: &str, object_write: ObjectWrite) -> i64 {
    match execute_write(store, company_id, object_write).await {
        WriteOutcome::Stored(version) => version,
        refused => panic!("{refused:?}"),
    }
}

pub(super) async fn read_worker(
    store: &Arc<dyn Store>,
    company_id: &str,
    kind: ResourceKind,
    name: &str,
) -> Option<(Resource, i64)> {
    let found = store.resource(&id(company_id), kind, name).await.unwrap();
    found.map(|found| (found.value, found.version))
}

pub(super) fn worker_resource(worker: Worker) -> Resource {
    Resource::Worker(Box::new(worker))
}

pub(super) async fn every_kind_of_object_is_read_as_it_was_written(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    for object in one_object_of_each_kind() {
        let (kind, name) = (object.kind(), object.id().to_owned());
        let (before, version) = read_worker(&store, "acme", kind, &name).await.unwrap();
        let new_object = change_one_member(&before);
        let new = write_object(&store, "acme", ObjectWrite::Replace(new_object.clone(), Some(version))).await;
        assert!(new > version, "{kind}");
        assert_eq!(read_worker(&store, "acme", kind, &name).await, Some((new_object.clone(), new)));
        let back = write_object(&store, "acme", ObjectWrite::Replace(before.clone(), Some(new))).await;
        assert!(back > new, "{kind}");
        assert_eq!(read_worker(&store, "acme", kind, &name).await, Some((before, back)));
    }
}

pub(super) async fn a_company_is_created_and_deleted_object_by_object(store: Arc<dyn Store>) {
    // In this list, each object comes before the objects that refer to it.
    let mut all = full_company("acme").resources();
    all.retain(|object| object.id() != "closed");
    for object in &all {
        let version = write_object(&store, "acme", ObjectWrite::Create(object.clone())).await;
        let found = read_worker(&store, "acme", object.kind(), object.id()).await;
        assert_eq!(found, Some((object.clone(), version)));
        assert_eq!(
            version,
            audit_context_of_ada().now.as_micros(),
            "the first version is the instant of creation"
        );
    }
    for object in all.iter().rev() {
        let gone = ObjectWrite::Delete(object.kind(), object.id().to_owned(), None);
        write_object(&store, "acme", gone.clone()).await;
        assert_eq!(read_worker(&store, "acme", object.kind(), object.id()).await, None);
    }
    // All objects were deleted before, so they can be created again without conflicts.
    for object in &all {
        write_object(&store, "acme", ObjectWrite::Create(object.clone())).await;
        assert!(
            read_worker(&store, "acme", object.kind(), object.id())
                .await
                .is_some_and(|(it, _)| it == *object)
        );
    }
}

pub(super) async fn an_equal_object_is_not_written(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    for object in one_object_of_each_kind() {
        let (before, version) = read_worker(&store, "acme", object.kind(), object.id()).await.unwrap();
        let same = ObjectWrite::Replace(before, Some(version));
        assert_eq!(write_object(&store, "acme", same).await, version, "{}", object.kind());
    }
}

pub(super) async fn rejects_a_stale_version(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    for object in one_object_of_each_kind() {
        let (kind, name) = (object.kind(), object.id().to_owned());
        let (before, version) = read_worker(&store, "acme", kind, &name).await.unwrap();
        let late = ObjectWrite::Replace(change_one_member(&before), Some(version - 1));
        assert_eq!(
            execute_write(&store, "acme", late).await,
            WriteOutcome::Refused(WriteRefusal::Stale),
            "{kind}"
        );
        let late = ObjectWrite::Delete(kind, name.clone(), Some(version + 1));
        assert_eq!(
            execute_write(&store, "acme", late).await,
            WriteOutcome::Refused(WriteRefusal::Stale),
            "{kind}"
        );
        assert_eq!(read_worker(&store, "acme", kind, &name).await, Some((before, version)));
    }
}

pub(super) async fn rejects_a_write_of_a_missing_object(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    for object in one_object_of_each_kind() {
        let gone = ObjectWrite::Delete(object.kind(), object.id().to_owned(), None);
        for write in [ObjectWrite::Replace(object, None), gone] {
            let refused = execute_write(&store, "nowhere", write).await;
            let unknown = [WriteRefusal::UnknownCompany, WriteRefusal::Unknown].map(WriteOutcome::Refused);
            assert!(unknown.contains(&refused), "{refused:?}");
        }
    }
    let stranger = worker_resource(worker("stranger"));
    let write = ObjectWrite::Replace(stranger, None);
    assert_eq!(execute_write(&store, "acme", write).await, WriteOutcome::Refused(WriteRefusal::Unknown));
    let stranger = ObjectWrite::Delete(ResourceKind::Organization, "nul\0".to_owned(), None);
    assert_eq!(execute_write(&store, "acme", stranger).await, WriteOutcome::Refused(WriteRefusal::Unknown));
    let orphan = ObjectWrite::Create(worker_resource(worker("orphan")));
    assert_eq!(
        execute_write(&store, "nowhere", orphan).await,
        WriteOutcome::Refused(WriteRefusal::UnknownCompany)
    );
}

pub(super) async fn rejects_an_id_or_name_in_use(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    import_company(&store, &company("bravo")).await;
    for object in one_object_of_each_kind() {
        let refused = execute_write(&store, "acme", ObjectWrite::Create(object)).await;
        assert!(matches!(refused, WriteOutcome::Refused(WriteRefusal::Taken(_))), "{refused:?}");
    }
    let mut namesake = custom_field("shirt");
    namesake.custom_field_id = id("another");
    let mut second = full_company("acme").custom_field_categories.remove(0);
    second.category_id = id("another");
    for object in [
        worker_resource(worker("bravo-w1")),
        Resource::CustomField(Box::new(namesake)),
        Resource::CustomFieldCategory(second),
    ] {
        let kind = object.kind();
        let refused = execute_write(&store, "acme", ObjectWrite::Create(object)).await;
        assert!(matches!(refused, WriteOutcome::Refused(WriteRefusal::Taken(_))), "{refused:?}");
        assert_eq!(read_worker(&store, "acme", kind, "another").await, None);
    }
}

pub(super) async fn rejects_references_to_missing_objects_with_all_pointers(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let mut lost = full_worker("lost");
    lost.custom_employment_type_id = Some(id("nowhere"));
    lost.supervisor_id = Some(id("bravo-w1"));
    lost.recurring_components.iter_mut().for_each(|own| own.calculation_base_id = Some(id("nowhere")));
    let WriteOutcome::Refused(WriteRefusal::Missing(missing)) =
        execute_write(&store, "acme", ObjectWrite::Create(worker_resource(lost))).await
    else {
        panic!("a worker refers to nothing");
    };
    let places: Vec<_> = missing.iter().map(|it| (it.target, it.id.as_str(), it.pointer.as_str())).collect();
    assert_eq!(
        places,
        [
            (
                ResourceKind::Lookup(LookupKind::CustomEmploymentType),
                "nowhere",
                "/customEmploymentType/customEmploymentTypeId"
            ),
            (ResourceKind::Organization, "unit", "/organization/organizationId"),
            (ResourceKind::Worker, "bravo-w1", "/supervisor/workerId"),
            (
                ResourceKind::Lookup(LookupKind::CalculationBase),
                "nowhere",
                "/recurringComponents/0/calculationBaseId"
            ),
        ]
    );
}

pub(super) async fn rejects_an_object_as_its_own_ancestor(store: Arc<dyn Store>) {
    import_company(&store, &empty_company("top")).await;
    let mut below = empty_company("below").resources().remove(0);
    if let Resource::Company(record) = &mut below {
        record.company.parent_company_id = Some(id("top"));
    }
    write_object(&store, "below", ObjectWrite::Create(below)).await;
    for parent in ["below", "top"] {
        let mut top = empty_company("top").resources().remove(0);
        if let Resource::Company(record) = &mut top {
            record.company.parent_company_id = Some(id(parent));
        }
        let refused = execute_write(&store, "top", ObjectWrite::Replace(top, None)).await;
        let reported =
            matches!(refused, WriteOutcome::Refused(WriteRefusal::NotAllowed(_) | WriteRefusal::Missing(_)));
        assert!(reported, "{refused:?}");
    }
    let unit = |name: &str, parent: Option<&str>| {
        let mut unit = organization(name);
        unit.parent_organization_id = parent.map(id);
        Resource::Organization(unit)
    };
    write_object(&store, "top", ObjectWrite::Create(unit("one", None))).await;
    write_object(&store, "top", ObjectWrite::Create(unit("two", Some("one")))).await;
    for parent in ["one", "two"] {
        let refused =
            execute_write(&store, "top", ObjectWrite::Replace(unit("one", Some(parent)), None)).await;
        assert!(matches!(refused, WriteOutcome::Refused(WriteRefusal::NotAllowed(_))), "{refused:?}");
    }
}

pub(super) async fn rejects_the_deletion_of_a_referenced_object(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    let caller = super::world::create_application(&store, "partner").await;
    let all = payroll_domain::access::Scopes::all();
    super::world::grant_scopes(&store, &caller, "acme", all).await;
    assert_eq!(
        store.add_checks(&new_checks(&caller, vec![sample_check("c1")])).await.unwrap(),
        AdditionOutcome::Stored
    );
    for (kind, name, audit) in [
        (ResourceKind::Company, "acme", "partner"),
        (ResourceKind::Company, "acme", "acme-w3"),
        (ResourceKind::Organization, "unit", "acme-w3"),
        (ResourceKind::Lookup(LookupKind::CustomEmploymentType), "remote", "acme-w3"),
        (ResourceKind::CustomFieldCategory, "general", "field-shirt"),
        (ResourceKind::Lookup(LookupKind::CalculationBase), "base", "acme-w3"),
        (ResourceKind::PayComponent, "hourly", "acme-w3"),
        (ResourceKind::PayComponent, "hourly", "c1"),
        (ResourceKind::PayPeriod, "open", "c1"),
        (ResourceKind::Worker, "acme-w1", "acme-w3"),
        (ResourceKind::Worker, "acme-w1", "c1"),
    ] {
        let refused = execute_write(&store, "acme", ObjectWrite::Delete(kind, name.to_owned(), None)).await;
        let named = matches!(&refused, WriteOutcome::Refused(WriteRefusal::Referenced(sentences))
            if sentences.iter().any(|sentence| sentence.contains(audit)));
        assert!(named, "{kind} by {audit}: {refused:?}");
        assert!(read_worker(&store, "acme", kind, name).await.is_some(), "{kind}");
    }
}

pub(super) async fn a_deleted_worker_leaves_no_data_to_a_worker_with_the_same_id(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    let (_, old) = read_worker(&store, "acme", ResourceKind::Worker, "acme-w3").await.unwrap();
    write_object(&store, "acme", ObjectWrite::Delete(ResourceKind::Worker, "acme-w3".to_owned(), Some(old)))
        .await;
    let plain = worker_resource(worker("acme-w3"));
    let version = write_object(&store, "acme", ObjectWrite::Create(plain.clone())).await;
    assert!(version > old, "no version of the predecessor comes again");
    assert_eq!(read_worker(&store, "acme", ResourceKind::Worker, "acme-w3").await, Some((plain, version)));
}

pub(super) async fn a_write_increases_the_versions_that_partners_see(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let version = async || {
        let guarded = store.company(&caller, &id("acme"), false).await.unwrap();
        let scope = payroll_domain::access::Scope::ReadCompanies;
        guarded.open_for_scope(&caller, scope, NOW.date()).unwrap().1.unwrap().version
    };
    let before = version().await;
    write_object(&store, "acme", ObjectWrite::Create(Resource::Organization(organization("unit")))).await;
    let between = version().await;
    write_object(
        &store,
        "acme",
        ObjectWrite::Replace(change_one_member(&company("acme").resources().remove(0)), None),
    )
    .await;
    assert!(before < between && between < version().await);
}

pub(super) async fn periods_can_be_written_only_while_they_are_open(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let of = |name: &str, status| Resource::PayPeriod(Box::new(period(name, status).period));
    for status in PeriodStatus::ALL {
        let reported =
            execute_write(&store, "acme", ObjectWrite::Create(of(&format!("p-{status}"), *status))).await;
        assert_eq!(matches!(reported, WriteOutcome::Stored(_)), status.is_open(), "{status}: {reported:?}");
    }
    write_object(&store, "acme", ObjectWrite::Replace(of("open", PeriodStatus::Entry), None)).await;
    for refused in [
        ObjectWrite::Replace(of("open", PeriodStatus::Initial), None),
        ObjectWrite::Replace(of("open", PeriodStatus::Completed), None),
        ObjectWrite::Replace(of("closed", PeriodStatus::Entry), None),
        ObjectWrite::Delete(ResourceKind::PayPeriod, "closed".to_owned(), None),
    ] {
        let reported = execute_write(&store, "acme", refused.clone()).await;
        assert!(
            matches!(reported, WriteOutcome::Refused(WriteRefusal::NotAllowed(_))),
            "{refused:?}: {reported:?}"
        );
    }
    write_object(&store, "acme", ObjectWrite::Delete(ResourceKind::PayPeriod, "open".to_owned(), None)).await;
}

pub(super) async fn a_write_stores_its_response_or_is_rolled_back(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let with = |attempt: &str| AuditContext {
        response_record: Some(response_record(attempt)),
        ..audit_context_of_ada()
    };
    let create = ObjectWrite::Create(Resource::Organization(organization("unit")));
    assert_eq!(
        store.begin_request(&idempotency_record("slow"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    let reported = store.write_resource(&id("acme"), &create, &with("another")).await.unwrap();
    assert_eq!(reported, WriteOutcome::Refused(WriteRefusal::RecordLost));
    assert_eq!(
        store.lock_company(&id("acme"), &operator_lock_until(None), &with("another")).await.unwrap(),
        LockOutcome::RecordLost
    );
    assert_eq!(read_worker(&store, "acme", ResourceKind::Organization, "unit").await, None);
    assert_eq!(store.read_lock(&id("acme"), NOW).await.unwrap(), Some(None));
    let reported = store.write_resource(&id("acme"), &create, &with("slow")).await.unwrap();
    assert!(matches!(reported, WriteOutcome::Stored(_)), "{reported:?}");
    let again = store.begin_request(&idempotency_record("next"), NOW, LEASE_END).await.unwrap();
    assert_eq!(again, IdempotencyState::Answered(response_record("slow").response));
}
