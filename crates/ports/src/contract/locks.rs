//! Contract tests for locks, which reject writes. Operators set locks, and a period in processing also locks
//! its company.

use std::sync::Arc;

use payroll_domain::resource::ResourceKind;

use super::resources::full_company;
use super::world::{NOW, company, id, import_company, operator_lock_until, worker};
use super::writing::{
    audit_by, audit_context_of_ada, change_one_member, execute_write, one_object_of_each_kind,
    worker_resource,
};
use crate::Store;
use crate::resources::{CompanyLock, LockOutcome, ObjectWrite, WriteOutcome, WriteRefusal};

pub(super) async fn lock_rejects_pay_writes_by_other_callers(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    let held = payroll_domain::company::Lock {
        holder: "grace".to_owned(),
        ..operator_lock_until(Some(NOW.plus_seconds(60)))
    };
    assert_eq!(
        store.lock_company(&id("acme"), &held, &audit_context_of_ada()).await.unwrap(),
        LockOutcome::Done
    );
    for object in one_object_of_each_kind() {
        let write = ObjectWrite::Replace(change_one_member(&object), None);
        use ResourceKind::{PayComponent, PayPeriod, Worker};
        let stops = matches!(object.kind(), Worker | PayComponent | PayPeriod);
        let reported = execute_write(&store, "acme", write.clone()).await;
        let refused = WriteOutcome::Refused(WriteRefusal::Locked(CompanyLock::Operator(held.clone())));
        assert_eq!(reported == refused, stops, "{}: {reported:?}", object.kind());
        for audit in [audit_by("grace", NOW.plus_seconds(2)), audit_by("ada", NOW.plus_seconds(60))] {
            let reported = store.write_resource(&id("acme"), &write, &audit).await.unwrap();
            assert!(matches!(reported, WriteOutcome::Stored(_)), "{reported:?} to {}", audit.actor.name);
        }
    }
}

pub(super) async fn period_in_processing_rejects_pay_writes(store: Arc<dyn Store>) {
    import_company(&store, &full_company("acme")).await;
    let moved = crate::periods::StateChange {
        company_id: id("acme"),
        pay_period_id: id("open"),
        version: None,
        expected_period: None,
        request: None,
    };
    store.process_period(&moved, &audit_context_of_ada()).await.unwrap();
    let processing = CompanyLock::Processing(id("open"));
    let reported =
        execute_write(&store, "acme", ObjectWrite::Replace(worker_resource(worker("acme-w3")), None)).await;
    assert_eq!(reported, WriteOutcome::Refused(WriteRefusal::Locked(processing.clone())));
    assert_eq!(
        store.lock_company(&id("acme"), &operator_lock_until(None), &audit_context_of_ada()).await.unwrap(),
        LockOutcome::Held(processing.clone())
    );
    let unlocked = store.unlock_company(&id("acme"), &audit_context_of_ada()).await.unwrap();
    assert_eq!(unlocked, LockOutcome::Held(processing));
}

pub(super) async fn a_lock_has_one_holder_until_it_expires(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let (acme, ends) = (id("acme"), NOW.plus_seconds(60));
    assert_eq!(store.read_lock(&acme, NOW).await.unwrap(), Some(None));
    let first = operator_lock_until(Some(ends));
    let held = CompanyLock::Operator(first.clone());
    assert_eq!(store.lock_company(&acme, &first, &audit_context_of_ada()).await.unwrap(), LockOutcome::Done);
    assert_eq!(store.read_lock(&acme, NOW).await.unwrap(), Some(Some(held.clone())));
    assert_eq!(
        store.lock_company(&acme, &first, &audit_context_of_ada()).await.unwrap(),
        LockOutcome::Held(held)
    );
    assert_eq!(store.read_lock(&acme, ends).await.unwrap(), Some(None), "its end ends it");
    assert_eq!(
        store.lock_company(&acme, &operator_lock_until(None), &audit_by("ada", ends)).await.unwrap(),
        LockOutcome::Done
    );
}

pub(super) async fn any_operator_can_release_a_lock(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let (acme, ends) = (id("acme"), NOW.plus_seconds(60));
    assert_eq!(store.unlock_company(&acme, &audit_context_of_ada()).await.unwrap(), LockOutcome::NotLocked);
    store.lock_company(&acme, &operator_lock_until(Some(ends)), &audit_context_of_ada()).await.unwrap();
    assert_eq!(store.unlock_company(&acme, &audit_by("ada", ends)).await.unwrap(), LockOutcome::NotLocked);
    assert_eq!(store.unlock_company(&acme, &audit_by("grace", NOW)).await.unwrap(), LockOutcome::Done);
    assert_eq!(store.read_lock(&acme, NOW).await.unwrap(), Some(None));
}

pub(super) async fn the_lock_of_a_missing_company_is_unknown(store: Arc<dyn Store>) {
    let nowhere = id("nowhere");
    assert_eq!(store.read_lock(&nowhere, NOW).await.unwrap(), None);
    assert_eq!(
        store.lock_company(&nowhere, &operator_lock_until(None), &audit_context_of_ada()).await.unwrap(),
        LockOutcome::UnknownCompany
    );
    assert_eq!(
        store.unlock_company(&nowhere, &audit_context_of_ada()).await.unwrap(),
        LockOutcome::UnknownCompany
    );
}
