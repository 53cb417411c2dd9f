//! Contract tests for removing checks, and for reading a period whose ordinals have gaps after removals.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::StreamExt;
use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::audit::AuditAction;
use payroll_domain::check::{RequiredLookups, Totals};
use payroll_domain::document::Completion;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::pay_period::PeriodStatus;

use super::world::{
    NOW, company, create_application, create_company_and_caller, grant_scopes, id, import_audit_context,
    import_company, new_checks, period, sample_check,
};
use crate::audit::AuditQuery;
use crate::checks::{
    AdditionOutcome, CheckRows, CheckSelection, ChecksQuery, ChecksToRemove, RemovalOutcome,
};
use crate::completion::PeriodCompletion;
use crate::periods::{StateChange, StateChangeOutcome};
use crate::{Store, Window};

async fn add_checks(store: &Arc<dyn Store>, caller: &Caller, paychecks: &[&str]) {
    let checks = paychecks.iter().map(|paycheck| sample_check(paycheck)).collect();
    assert_eq!(store.add_checks(&new_checks(caller, checks)).await.unwrap(), AdditionOutcome::Stored);
}

fn new_removal(caller: &Caller, selection: CheckSelection) -> ChecksToRemove {
    ChecksToRemove {
        company_id: id("acme"),
        pay_period_id: id("open"),
        selection,
        application_id: caller.application_id.clone(),
        now: NOW,
    }
}

async fn remove_check(store: &Arc<dyn Store>, caller: &Caller, paycheck: &str) -> RemovalOutcome {
    store.remove_checks(&new_removal(caller, CheckSelection::One(id(paycheck)))).await.unwrap()
}

async fn remove_own_checks(store: &Arc<dyn Store>, caller: &Caller) -> RemovalOutcome {
    store.remove_checks(&new_removal(caller, CheckSelection::OfTheApplication)).await.unwrap()
}

/// Returns the version of the list of checks, the total number of checks, and the ids of the checks in the
/// window.
async fn read_checks(store: &Arc<dyn Store>, caller: &Caller, window: Window) -> (i64, u64, Vec<String>) {
    let query = ChecksQuery {
        company_id: id("acme"),
        pay_period_id: id("open"),
        only_own: false,
        worker_id: None,
        window,
    };
    let guarded = store.read_checks(caller, &query).await.unwrap();
    let found = guarded.open_for_scope(caller, Scope::ReadPayroll, NOW.date()).unwrap().1.unwrap();
    let ids: Vec<String> = match found.rows {
        CheckRows::Unprocessed(rows) => {
            let chunks: Vec<_> = rows.into_stream().collect().await;
            chunks.into_iter().flat_map(Result::unwrap).map(|one| one.paycheck_id.to_string()).collect()
        }
        CheckRows::Processed(rows) => {
            let chunks: Vec<_> = rows.into_stream().collect().await;
            chunks.into_iter().flat_map(Result::unwrap).map(|one| one.paycheck_id.to_string()).collect()
        }
        CheckRows::Archived(_) => Vec::new(),
    };
    (found.version, found.total, ids)
}

async fn read_all_ids(store: &Arc<dyn Store>, caller: &Caller) -> Vec<String> {
    let (_, total, ids) = read_checks(store, caller, Window::default()).await;
    let view = store.period(&id("acme"), &id("open"), &[], NOW).await.unwrap().unwrap();
    let count = u64::try_from(ids.len()).unwrap();
    assert_eq!((total, view.check_count), (count, count));
    ids
}

pub(super) async fn removing_a_check_keeps_the_order_of_the_others(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    add_checks(&store, &caller, &["c1", "c2", "c3", "c4"]).await;
    let before = read_checks(&store, &caller, Window::default()).await.0;
    assert_eq!(remove_check(&store, &caller, "c2").await, RemovalOutcome::Done(1));
    assert!(read_checks(&store, &caller, Window::default()).await.0 > before);
    assert_eq!(remove_check(&store, &caller, "c2").await, RemovalOutcome::FactsChanged, "it is gone");
    assert_eq!(remove_check(&store, &caller, "c4").await, RemovalOutcome::Done(1));
    add_checks(&store, &caller, &["c5", "c2"]).await;
    assert_eq!(read_all_ids(&store, &caller).await, ["c1", "c3", "c5", "c2"]);
    let page = async |offset, limit| {
        let window = Window { offset, limit: NonZeroU32::new(limit) };
        let (_, total, ids) = read_checks(&store, &caller, window).await;
        format!("{total}: {}", ids.join(" "))
    };
    for (offset, limit, reported) in [
        (0, 1, "4: c1"),
        (1, 2, "4: c3 c5"),
        (2, 2, "4: c5 c2"),
        (3, 9, "4: c2"),
        (1, 0, "4: c3 c5 c2"),
        (4, 2, "4: "),
    ] {
        assert_eq!(page(offset, limit).await, reported, "{offset} {limit}");
    }
}

pub(super) async fn many_checks_with_gaps_are_streamed_completely(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let other = create_application(&store, "other").await;
    let mut expected = Vec::new();
    for batch in 0..8 {
        let names: Vec<String> = (0..100).map(|number| format!("c{batch}-{number:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // The other application's checks fill complete chunks between the caller's checks. When the other
        // application's checks are removed, the gaps between the caller's checks have the size of complete
        // chunks.
        add_checks(&store, if batch % 4 == 0 { &caller } else { &other }, &names).await;
        expected.extend(names.iter().filter(|_| batch % 4 == 0).map(|&name| name.to_owned()));
    }
    assert_eq!(remove_own_checks(&store, &other).await, RemovalOutcome::Done(600));
    assert_eq!(remove_check(&store, &caller, "c0-00").await, RemovalOutcome::Done(1));
    expected.remove(0);
    assert_eq!(read_all_ids(&store, &caller).await, expected);
    let window = Window { offset: 98, limit: NonZeroU32::new(3) };
    assert_eq!(read_checks(&store, &caller, window).await.2, ["c0-99", "c4-00", "c4-01"]);
}

pub(super) async fn an_application_removes_only_its_own_checks(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let other = create_application(&store, "other").await;
    add_checks(&store, &caller, &["c1"]).await;
    add_checks(&store, &other, &["c2"]).await;
    add_checks(&store, &caller, &["c3"]).await;
    assert_eq!(remove_own_checks(&store, &caller).await, RemovalOutcome::Done(2));
    assert_eq!(read_all_ids(&store, &caller).await, ["c2"]);
    assert_eq!(remove_own_checks(&store, &caller).await, RemovalOutcome::Done(0));
    assert_eq!(
        remove_check(&store, &caller, "c2").await,
        RemovalOutcome::Done(1),
        "one, also of another caller"
    );
    add_checks(&store, &caller, &["c4", "c5"]).await;
    assert_eq!(read_all_ids(&store, &caller).await, ["c4", "c5"], "a period that was empty again");
    let mut lookups = RequiredLookups::default();
    lookups.paychecks = vec![id("c1")];
    let guarded = store.read_check_validation_data(&caller, &id("acme"), &lookups, NOW).await.unwrap();
    let (_, facts) = guarded.open_for_scope(&caller, Scope::WritePayroll, NOW.date()).unwrap();
    assert!(facts.paychecks.is_empty());
}

pub(super) async fn rejects_a_removal_from_a_closed_period_or_locked_company(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    add_checks(&store, &caller, &["c1"]).await;
    let refused = async |change: fn(&mut ChecksToRemove)| {
        for which in [CheckSelection::One(id("c1")), CheckSelection::OfTheApplication] {
            let mut removal = new_removal(&caller, which);
            change(&mut removal);
            assert_eq!(
                store.remove_checks(&removal).await.unwrap(),
                RemovalOutcome::FactsChanged,
                "{removal:?}"
            );
        }
    };
    refused(|removal| removal.pay_period_id = id("closed")).await;
    refused(|removal| removal.pay_period_id = id("nowhere")).await;
    refused(|removal| removal.company_id = id("nowhere")).await;
    let mut held = company("acme");
    held.lock = Some(super::world::operator_lock_until(Some(NOW.plus_seconds(60))));
    import_company(&store, &held).await;
    refused(|_| ()).await;
    let mut later = new_removal(&caller, CheckSelection::One(id("c1")));
    later.now = NOW.plus_seconds(61);
    assert_eq!(store.remove_checks(&later).await.unwrap(), RemovalOutcome::Done(1));
}

pub(super) async fn a_correlation_id_is_free_again_once_its_check_is_removed(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    add_checks(&store, &caller, &["c1"]).await;
    let mut again = new_checks(&caller, vec![sample_check("c2")]);
    again.checks.iter_mut().for_each(|one| one.check.correlation_id = "corr-c1".to_owned());
    again.correlation_ids_last_for_the_pay_period = true;
    assert_eq!(store.add_checks(&again).await.unwrap(), AdditionOutcome::FactsChanged);
    assert_eq!(remove_check(&store, &caller, "c1").await, RemovalOutcome::Done(1));
    assert_eq!(store.add_checks(&again).await.unwrap(), AdditionOutcome::Stored);
}

pub(super) async fn every_removal_writes_audit_rows_with_the_ids_of_checks(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    add_checks(&store, &caller, &["c1", "c2", "c3"]).await;
    assert_eq!(remove_check(&store, &caller, "c2").await, RemovalOutcome::Done(1));
    assert_eq!(remove_own_checks(&store, &caller).await, RemovalOutcome::Done(2));
    assert_eq!(remove_own_checks(&store, &caller).await, RemovalOutcome::Done(0), "which is no change");
    let query = AuditQuery {
        before: None,
        company_id: Some(id("acme")),
        visible_companies: None,
        kind: None,
        resource_id: Some("open".to_owned()),
        from: None,
        until: None,
        limit: NonZeroU32::new(100).unwrap(),
    };
    let rows = store.read_audit_log(&query).await.unwrap().rows;
    let removed = rows.iter().filter(|row| row.action == AuditAction::Delete);
    let reported: Vec<_> =
        removed.map(|row| (row.before.as_deref().unwrap_or_default(), row.after.is_none())).collect();
    assert_eq!(reported, [(r#"{"paycheckIds":["c1","c3"]}"#, true), (r#"{"paycheckIds":["c2"]}"#, true)]);
}

fn open_period_state_change() -> StateChange {
    StateChange {
        company_id: id("acme"),
        pay_period_id: id("open"),
        version: None,
        expected_period: None,
        request: None,
    }
}

fn open_period_completion() -> PeriodCompletion {
    PeriodCompletion {
        state_change: open_period_state_change(),
        completion: Completion::default().into(),
        components: Default::default(),
    }
}

async fn complete_period(store: &Arc<dyn Store>) -> StateChangeOutcome {
    assert!(matches!(
        store.process_period(&open_period_state_change(), &import_audit_context()).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
    let mut ids = IdSequence::new(NOW, [1; 10]);
    open_period_completion()
        .complete_period(store.as_ref(), &mut ids, &import_audit_context(), &|_| ())
        .await
        .unwrap()
}

pub(super) async fn a_period_with_gaps_can_be_completed_and_imported_into(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let names: Vec<String> = (0..10).map(|number| format!("c{number}")).collect();
    add_checks(&store, &caller, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    for name in ["c0", "c4", "c5", "c9"] {
        assert_eq!(remove_check(&store, &caller, name).await, RemovalOutcome::Done(1));
    }
    assert!(matches!(complete_period(&store).await, StateChangeOutcome::Done(_)));
    let left = ["c1", "c2", "c3", "c6", "c7", "c8"];
    assert_eq!(read_all_ids(&store, &caller).await, left);
    let window = Window { offset: 2, limit: NonZeroU32::new(2) };
    assert_eq!(read_checks(&store, &caller, window).await.2, ["c3", "c6"]);
    let mut whole = company("acme");
    let mut imported = period("open", PeriodStatus::Completed);
    imported.processed_checks = vec![super::checks::processed_check(1)];
    imported.processed_checks.iter_mut().for_each(|one| one.pay_period_id = id("open"));
    whole.pay_periods = vec![imported];
    import_company(&store, &whole).await;
    let with_imported: Vec<String> =
        left.iter().map(|&name| name.to_owned()).chain(["p1".to_owned()]).collect();
    assert_eq!(read_all_ids(&store, &caller).await, with_imported);
}

pub(super) async fn an_attempt_cannot_skip_a_check_of_a_period_with_gaps(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    add_checks(&store, &caller, &["c1", "c2", "c3", "c4", "c5"]).await;
    for name in ["c2", "c5"] {
        assert_eq!(remove_check(&store, &caller, name).await, RemovalOutcome::Done(1));
    }
    let (moved, audit) = (open_period_state_change(), import_audit_context());
    assert!(matches!(store.process_period(&moved, &audit).await.unwrap(), StateChangeOutcome::Done(_)));
    store.begin_completion(&moved, "one", &audit).await.unwrap();
    let placed = store.checks_to_complete(&id("acme"), &id("open"), 0, 10).await.unwrap();
    let mut totals = Totals::default();
    let staged = open_period_completion()
        .compute_staged_checks(&placed, &mut IdSequence::new(NOW, [2; 10]), &mut totals)
        .unwrap();
    let [first, second, last] = staged.as_slice() else { panic!("three are left: {placed:?}") };
    assert!(
        store.stage_checks(&moved, "one", &[first.clone(), last.clone()]).await.is_err(),
        "between them is one"
    );
    assert!(
        !store.stage_checks(&moved, "one", std::slice::from_ref(second)).await.unwrap(),
        "before it is one"
    );
    assert!(store.stage_checks(&moved, "one", &[first.clone(), second.clone()]).await.unwrap());
    assert_eq!(
        store.complete_period(&moved, "one", &totals, &audit).await.unwrap(),
        StateChangeOutcome::Overtaken,
        "it left one out"
    );
    assert!(store.stage_checks(&moved, "one", std::slice::from_ref(last)).await.unwrap());
    assert!(matches!(
        store.complete_period(&moved, "one", &totals, &audit).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
}

pub(super) async fn an_import_of_an_open_period_keeps_its_checks(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    add_checks(&store, &caller, &["c1", "c2", "c3"]).await;
    assert_eq!(remove_check(&store, &caller, "c1").await, RemovalOutcome::Done(1));
    let mut whole = company("acme");
    whole.pay_periods.iter_mut().for_each(|one| one.period.description = Some("renamed".to_owned()));
    import_company(&store, &whole).await;
    assert_eq!(read_all_ids(&store, &caller).await, ["c2", "c3"]);
    add_checks(&store, &caller, &["c4"]).await;
    assert_eq!(read_all_ids(&store, &caller).await, ["c2", "c3", "c4"]);
}

pub(super) async fn lists_companies_with_a_period_only_if_the_caller_may_write_payroll(
    store: Arc<dyn Store>,
) {
    let caller = create_company_and_caller(&store).await;
    import_company(&store, &company("bravo")).await;
    import_company(&store, &company("charlie")).await;
    let read_only: Scopes = [Scope::ReadPayroll].into_iter().collect();
    grant_scopes(&store, &caller, "bravo", read_only).await;
    let companies = async |caller: &Caller, period: &str| {
        let guarded = store.companies_of_pay_period(caller, &id(period)).await.unwrap();
        let found = guarded.open_by_any_token().unwrap().1;
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(companies(&caller, "open").await, ["acme"]);
    assert!(companies(&caller, "nowhere").await.is_empty());
    grant_scopes(&store, &caller, "charlie", Scopes::all()).await;
    assert_eq!(companies(&caller, "open").await, ["acme", "charlie"]);
    let narrow = Caller { scopes: read_only, ..caller };
    assert!(companies(&narrow, "open").await.is_empty(), "by the token");
}
