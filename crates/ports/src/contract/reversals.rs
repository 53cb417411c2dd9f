//! Contract tests for reversals of completed checks.

use std::sync::Arc;

use futures_util::future::join_all;
use payroll_domain::check::{PeriodTotals, ProcessedCheck, reverse_check};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::pay_period::PeriodStatus;

use super::totals::processed_check;
use super::world::{
    NOW, company, create_company_and_caller, id, import_audit_context, import_company, new_checks,
    sample_check,
};
use crate::Store;
use crate::checks::{AdditionOutcome, CheckAuthor};
use crate::reversals::{
    NewReversal, OperatorCheckSelection, OperatorRemoval, OriginalCheck, ReversalFacts, ReversalOutcome,
};

/// Removes the selected checks of the open period as an operator.
async fn remove_checks(
    store: &Arc<dyn Store>,
    selection: OperatorCheckSelection,
    version: Option<i64>,
) -> ReversalOutcome {
    let removal = OperatorRemoval { company_id: id("acme"), pay_period_id: id("open"), selection, version };
    store.remove_checks_as_operator(&removal, &import_audit_context()).await.unwrap()
}

/// Returns the number of checks in the open period, and the number of workers who have these checks.
async fn count_checks_and_workers(store: &Arc<dyn Store>) -> (u64, u64) {
    match store.period_summary(&id("acme"), &id("open")).await.unwrap().unwrap().value.totals {
        PeriodTotals::Entered(totals) => (totals.checks, totals.workers),
        other @ PeriodTotals::Processed(_) => panic!("{other:?}"),
    }
}

/// Imports a company with an open period and a closed period. Returns the only check of the closed period.
async fn import_paid_check(store: &Arc<dyn Store>) -> ProcessedCheck {
    let mut whole = company("acme");
    whole.pay_periods.last_mut().unwrap().processed_checks = vec![processed_check("p1", "acme-w1", "92.35")];
    import_company(store, &whole).await;
    match read_reversal_validation_data(store, "p1").await.original {
        Some(OriginalCheck::Paid { check, reversed_by: None }) => *check,
        other => panic!("{other:?}"),
    }
}

async fn read_reversal_validation_data(store: &Arc<dyn Store>, paycheck: &str) -> ReversalFacts {
    store.reversal_validation_data(&id("acme"), &id("open"), &id(paycheck)).await.unwrap().unwrap()
}

/// Returns a reversal of the check, with ids that are derived from `number`.
async fn new_reversal(store: &Arc<dyn Store>, original: &ProcessedCheck, number: u8) -> NewReversal {
    let period = read_reversal_validation_data(store, "p1").await.period;
    let check = reverse_check(original, &period, &mut IdSequence::new(NOW, [number; 10])).unwrap();
    NewReversal { company_id: id("acme"), version: None, check, original: original.clone() }
}

pub(super) async fn a_check_is_reversed_once_and_again_after_the_reversal_is_removed(store: Arc<dyn Store>) {
    let original = import_paid_check(&store).await;
    let mut all = Vec::new();
    for number in 0..8 {
        all.push(new_reversal(&store, &original, number).await);
    }
    let outcomes = join_all(
        all.iter().map(|new| async { store.add_reversal(new, &import_audit_context()).await.unwrap() }),
    );
    let outcomes = outcomes.await;
    let created: Vec<_> =
        all.iter().zip(&outcomes).filter(|(_, done)| matches!(done, ReversalOutcome::Done(_))).collect();
    let refused = outcomes.iter().filter(|outcome| **outcome == ReversalOutcome::FactsChanged).count();
    assert_eq!((created.len(), refused), (1, 7), "{outcomes:?}");
    let (new, _) = created.into_iter().next().unwrap();
    let stored = new.check.paycheck_id.clone();
    let now = read_reversal_validation_data(&store, "p1").await;
    let expected =
        OriginalCheck::Paid { check: Box::new(original.clone()), reversed_by: Some(stored.clone()) };
    assert_eq!((now.original, now.period.status), (Some(expected), PeriodStatus::Entry));
    let remove = async |version| {
        remove_checks(&store, OperatorCheckSelection::Reversal(stored.clone()), version).await
    };
    assert_eq!(remove(Some(now.version + 1)).await, ReversalOutcome::Stale);
    assert_eq!(remove(Some(now.version)).await, ReversalOutcome::Done(now.version + 1));
    assert_eq!(remove(None).await, ReversalOutcome::Unknown);
    assert_eq!(count_checks_and_workers(&store).await, (0, 0));
    let again = new_reversal(&store, &original, 9).await;
    assert!(matches!(
        store.add_reversal(&again, &import_audit_context()).await.unwrap(),
        ReversalOutcome::Done(_)
    ));
}

pub(super) async fn rejects_a_reversal_if_its_validation_data_has_changed(store: Arc<dyn Store>) {
    let original = import_paid_check(&store).await;
    let add = async |new: &NewReversal| store.add_reversal(new, &import_audit_context()).await.unwrap();
    let good = new_reversal(&store, &original, 1).await;
    let other = ProcessedCheck { net_pay: original.gross_earnings, ..original.clone() };
    assert_eq!(add(&NewReversal { original: other, ..good.clone() }).await, ReversalOutcome::FactsChanged);
    assert_eq!(add(&NewReversal { version: Some(-1), ..good.clone() }).await, ReversalOutcome::Stale);
    assert_eq!(
        add(&NewReversal { company_id: id("nobody"), ..good.clone() }).await,
        ReversalOutcome::Unknown
    );
    let mut closed = good.clone();
    closed.check.check.pay_period_id = id("closed");
    assert_eq!(add(&closed).await, ReversalOutcome::NotOpen(PeriodStatus::Completed));
    assert!(read_reversal_validation_data(&store, "nobodys").await.original.is_none());
    assert!(store.reversal_validation_data(&id("acme"), &id("nowhere"), &id("p1")).await.unwrap().is_none());
    assert!(matches!(add(&good).await, ReversalOutcome::Done(_)));
}

pub(super) async fn an_operator_removes_any_check_or_all_checks_of_operators(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let mut of_operators = new_checks(&caller, ["o1", "o2", "o3"].map(sample_check).into());
    of_operators.added_by = CheckAuthor::Operator(import_audit_context().actor);
    let of_partner = new_checks(&caller, ["a1", "a2"].map(sample_check).into());
    for new in [&of_operators, &of_partner] {
        assert_eq!(store.add_checks(new).await.unwrap(), AdditionOutcome::Stored);
    }
    let left =
        async || match store.period_summary(&id("acme"), &id("open")).await.unwrap().unwrap().value.totals {
            PeriodTotals::Entered(totals) => totals.checks,
            other => panic!("{other:?}"),
        };
    let remove = async |which, version| remove_checks(&store, which, version).await;
    let one = |paycheck: &str| OperatorCheckSelection::One(id(paycheck));
    for unknown in [OperatorCheckSelection::Reversal(id("a1")), one("p1")] {
        assert_eq!(remove(unknown, None).await, ReversalOutcome::Unknown);
    }
    assert_eq!((remove(one("a1"), Some(-1)).await, left().await), (ReversalOutcome::Stale, 5));
    for (paycheck, expected) in [("a1", 4), ("o1", 3)] {
        assert!(matches!(remove(one(paycheck), None).await, ReversalOutcome::Done(_)));
        assert_eq!(left().await, expected);
    }
    let ReversalOutcome::Done(version) = remove(OperatorCheckSelection::AddedByOperators, None).await else {
        panic!()
    };
    assert_eq!(left().await, 1);
    // No checks of operators are left, so nothing changes.
    let again = remove(OperatorCheckSelection::AddedByOperators, Some(version)).await;
    assert_eq!((again, left().await), (ReversalOutcome::Done(version), 1));
}

pub(super) async fn an_operator_removes_nothing_from_a_closed_period(store: Arc<dyn Store>) {
    let original = import_paid_check(&store).await;
    for which in [OperatorCheckSelection::AddedByOperators, OperatorCheckSelection::One(original.paycheck_id)]
    {
        let removal = OperatorRemoval {
            company_id: id("acme"),
            pay_period_id: id("closed"),
            selection: which,
            version: None,
        };
        let closed = store.remove_checks_as_operator(&removal, &import_audit_context()).await.unwrap();
        assert_eq!(closed, ReversalOutcome::NotOpen(PeriodStatus::Completed));
    }
    assert!(read_reversal_validation_data(&store, "p1").await.original.is_some());
}
