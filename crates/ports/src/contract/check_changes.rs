//! Contract tests for changing the lines of a check.

use std::sync::Arc;

use payroll_domain::access::{Caller, Scope};
use payroll_domain::check::StoredCheck;
use payroll_domain::money::Quantity;

use super::totals::assert_totals_equal_computed_ones;
use super::world::{NOW, create_company_and_caller, id, new_checks, operator_lock_until, sample_check};
use crate::Store;
use crate::checks::{
    AdditionOutcome, AnyCheck, CheckChange, CheckChangeOutcome, CheckKey, CheckSelection, ChecksToRemove,
    RemovalOutcome, VersionedCheck,
};
use crate::resources::LockOutcome;

async fn add_check(store: &Arc<dyn Store>, caller: &Caller, paycheck_id: &str) -> StoredCheck {
    let check = sample_check(paycheck_id);
    let all = new_checks(caller, vec![check.clone()]);
    assert_eq!(store.add_checks(&all).await.unwrap(), AdditionOutcome::Stored);
    check
}

async fn read_check(store: &Arc<dyn Store>, caller: &Caller, check: &StoredCheck) -> VersionedCheck {
    let key = CheckKey {
        company_id: id("acme"),
        worker_id: check.check.worker_id.clone(),
        paycheck_id: check.paycheck_id.clone(),
    };
    let guarded = store.read_check(caller, &key).await.unwrap();
    guarded.open_for_scope(caller, Scope::ReadPayroll, NOW.date()).unwrap().1.unwrap()
}

fn check_with_hours(check: &StoredCheck, hours: &str) -> StoredCheck {
    let mut changed = check.clone();
    let line = changed.check.lines.first_mut().unwrap();
    line.pay_hours = Some(Quantity::parse(hours).unwrap());
    changed
}

async fn change_hours(
    store: &Arc<dyn Store>,
    caller: &Caller,
    before: &StoredCheck,
    after: &StoredCheck,
) -> CheckChangeOutcome {
    let change = CheckChange {
        company_id: id("acme"),
        application_id: caller.application_id.clone(),
        before: before.clone(),
        after: after.clone(),
        now: NOW,
        response_record: None,
    };
    store.change_check(&change).await.unwrap()
}

pub(super) async fn changing_a_check_updates_the_totals_of_its_period(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let (first, other) = (add_check(&store, &caller, "c1").await, add_check(&store, &caller, "c2").await);
    let owner = store.find_owner_of_check(&first.paycheck_id).await.unwrap();
    assert_eq!(owner, Some((id("acme"), first.check.worker_id.clone())));
    assert_eq!(store.find_owner_of_check(&id("none")).await.unwrap(), None);
    assert_totals_equal_computed_ones(&store, "open", "before").await;
    let mut longer = check_with_hours(&first, "8.25");
    let CheckChangeOutcome::Stored(version) = change_hours(&store, &caller, &first, &longer).await else {
        panic!("it is not stored")
    };
    let found = read_check(&store, &caller, &first).await;
    assert_eq!((found.version, found.check), (version, AnyCheck::Unprocessed(longer.clone())));
    assert_totals_equal_computed_ones(&store, "open", "after a change").await;
    assert_eq!(
        change_hours(&store, &caller, &longer, &longer).await,
        CheckChangeOutcome::Stored(version),
        "the same lines"
    );
    assert_eq!(read_check(&store, &caller, &first).await.version, version);
    longer.check.lines.pop();
    longer.check_component_ids.pop();
    assert!(matches!(
        change_hours(&store, &caller, &check_with_hours(&first, "8.25"), &longer).await,
        CheckChangeOutcome::Stored(_)
    ));
    assert_eq!(read_check(&store, &caller, &first).await.check, AnyCheck::Unprocessed(longer));
    assert_totals_equal_computed_ones(&store, "open", "after a line was removed").await;
    assert_eq!(read_check(&store, &caller, &other).await.check, AnyCheck::Unprocessed(other));
}

pub(super) async fn rejects_a_change_of_a_check_that_has_changed(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let check = add_check(&store, &caller, "c1").await;
    let (one, two) = (check_with_hours(&check, "1"), check_with_hours(&check, "2"));
    let (first, second) = futures_util::join!(
        change_hours(&store, &caller, &check, &one),
        change_hours(&store, &caller, &check, &two)
    );
    let stored = [first, second].iter().filter(|it| matches!(it, CheckChangeOutcome::Stored(_))).count();
    assert_eq!(stored, 1, "{first:?} {second:?}");
    let removed = ChecksToRemove {
        company_id: id("acme"),
        pay_period_id: id("open"),
        selection: CheckSelection::One(check.paycheck_id.clone()),
        application_id: caller.application_id.clone(),
        now: NOW,
    };
    assert_eq!(store.remove_checks(&removed).await.unwrap(), RemovalOutcome::Done(1));
    assert_eq!(change_hours(&store, &caller, &one, &two).await, CheckChangeOutcome::FactsChanged);
}

pub(super) async fn rejects_a_change_of_a_check_in_a_locked_company(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let check = add_check(&store, &caller, "c1").await;
    let held = store
        .lock_company(&id("acme"), &operator_lock_until(None), &super::writing::audit_context_of_ada())
        .await
        .unwrap();
    assert_eq!(held, LockOutcome::Done);
    assert_eq!(
        change_hours(&store, &caller, &check, &check_with_hours(&check, "1")).await,
        CheckChangeOutcome::FactsChanged
    );
}
