//! Contract tests for the totals of pay periods.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::join_all;
use payroll_domain::access::Caller;
use payroll_domain::check::{
    EnteredPay, EnteredTotals, PaidBy, PeriodTotals, ProcessedCheck, StoredCheck, TaxLine, Totals,
};
use payroll_domain::complete_company::{CompleteCompany, ImportedPeriod};
use payroll_domain::document;
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::money::Amount;
use payroll_domain::pay_component::EffectOnPay;
use payroll_domain::pay_period::PeriodStatus;

use super::world::{
    NOW, company, component, create_application, create_company_and_caller, id, import_audit_context,
    import_company, new_checks, period, sample_check,
};
use crate::checks::{AdditionOutcome, CheckRows, CheckSelection, ChecksToRemove, RemovalOutcome};
use crate::completion::PeriodCompletion;
use crate::filters::{PayRunFilter, PeriodFilter};
use crate::import::{ImportOutcome, ImportRules};
use crate::periods::{PeriodRegister, StateChange, StateChangeOutcome};
use crate::{Store, Window};

async fn read_totals(store: &Arc<dyn Store>, pay_period: &str) -> PeriodTotals {
    store.period_summary(&id("acme"), &id(pay_period)).await.unwrap().unwrap().value.totals
}

/// Reads all checks of the period and computes the totals from them.
async fn compute_totals(store: &Arc<dyn Store>, pay_period: &str) -> PeriodTotals {
    let found = store.checks_of_period(&id("acme"), &id(pay_period), Window::default()).await;
    match found.unwrap().unwrap().rows {
        CheckRows::Unprocessed(rows) => {
            let rows: Vec<_> = rows.into_stream().collect().await;
            let checks: Vec<StoredCheck> = rows.into_iter().flat_map(Result::unwrap).collect();
            let workers: HashSet<_> = checks.iter().map(|stored| &stored.check.worker_id).collect();
            let pay = checks.iter().fold(EnteredPay::default(), |sum, stored| {
                sum.checked_add(EnteredPay::from_lines(&stored.check.lines).unwrap()).unwrap()
            });
            let (checks, workers) = (to_u64(checks.len()), to_u64(workers.len()));
            PeriodTotals::Entered(EnteredTotals { checks, workers, pay })
        }
        CheckRows::Archived(_) => panic!("nothing is archived"),
        CheckRows::Processed(rows) => {
            let rows: Vec<_> = rows.into_stream().collect().await;
            let checks: Vec<ProcessedCheck> = rows.into_iter().flat_map(Result::unwrap).collect();
            let workers: HashSet<_> = checks.iter().map(|check| &check.worker_id).collect();
            let sums =
                checks.iter().fold(Totals::default(), |sums, check| sums.add_processed_check(check).unwrap());
            PeriodTotals::Processed(Totals { workers: to_u64(workers.len()), ..sums })
        }
    }
}

fn to_u64(length: usize) -> u64 {
    u64::try_from(length).unwrap()
}

pub(super) async fn assert_totals_equal_computed_ones(store: &Arc<dyn Store>, pay_period: &str, when: &str) {
    assert_eq!(read_totals(store, pay_period).await, compute_totals(store, pay_period).await, "{when}");
}

/// Returns a check of the first worker if `worker` is even, and of the second worker otherwise. One of the
/// lines of the check reduces pay.
fn check_of_worker(worker: usize, paycheck: &str) -> StoredCheck {
    let mut stored = sample_check(paycheck);
    stored.check.worker_id = id(if worker.is_multiple_of(2) { "acme-w1" } else { "acme-w2" });
    let mut deduction = stored.check.lines.last().unwrap().clone();
    deduction.component.effect_on_pay = EffectOnPay::Reduction;
    deduction.pay_amount = Amount::parse(&format!("{}.05", worker % 7)).ok();
    stored.check.lines.push(deduction);
    stored.check_component_ids.push(id(&format!("{paycheck}-3")));
    stored
}

async fn remove_checks(store: &Arc<dyn Store>, caller: &Caller, selection: CheckSelection) {
    let removed = ChecksToRemove {
        company_id: id("acme"),
        pay_period_id: id("open"),
        selection,
        application_id: caller.application_id.clone(),
        now: NOW,
    };
    assert!(matches!(store.remove_checks(&removed).await.unwrap(), RemovalOutcome::Done(_)));
}

pub(super) async fn totals_equal_the_sums_after_any_changes(store: Arc<dyn Store>) {
    let one = create_company_and_caller(&store).await;
    let other = create_application(&store, "other").await;
    assert_totals_equal_computed_ones(&store, "open", "nothing is added").await;
    for round in 0..4 {
        for (number, caller) in [&one, &other].into_iter().enumerate() {
            // The checks of the first application belong to the first worker. The checks of the second
            // application belong to both workers. Each batch has one to four checks.
            let names = (0..=round).map(|at| (at * number, format!("c{round}-{number}-{at}")));
            let checks = names.map(|(worker, name)| check_of_worker(worker, &name)).collect();
            assert_eq!(store.add_checks(&new_checks(caller, checks)).await.unwrap(), AdditionOutcome::Stored);
            assert_totals_equal_computed_ones(&store, "open", &format!("added in round {round}")).await;
        }
        let last = format!("c{round}-1-{round}");
        remove_checks(&store, &one, CheckSelection::One(id(&last))).await;
        assert_totals_equal_computed_ones(&store, "open", &format!("removed in round {round}")).await;
    }
    remove_checks(&store, &other, CheckSelection::OfTheApplication).await;
    assert_totals_equal_computed_ones(&store, "open", "all of one application are removed").await;
    remove_checks(&store, &one, CheckSelection::OfTheApplication).await;
    let nothing = PeriodTotals::Entered(EnteredTotals::default());
    assert_eq!(read_totals(&store, "open").await, nothing);
}

pub(super) async fn concurrent_additions_count_a_worker_once(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let add = async |number: usize| {
        let new = new_checks(&caller, vec![check_of_worker(1, &format!("c{number}"))]);
        assert_eq!(store.add_checks(&new).await.unwrap(), AdditionOutcome::Stored);
    };
    join_all((0..8).map(add)).await;
    let PeriodTotals::Entered(entered) = read_totals(&store, "open").await else { panic!("it is open") };
    assert_eq!((entered.checks, entered.workers), (8, 1));
    assert_totals_equal_computed_ones(&store, "open", "added at once").await;
}

pub(super) async fn completing_a_period_computes_exact_totals(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let mut complete = company("acme");
    let mut savings = component("savings");
    savings.effect_on_pay = EffectOnPay::Reduction;
    complete.pay_components.push(savings);
    import_company(&store, &complete).await;
    let checks = (0..5).map(|at| check_of_worker(at, &format!("c{at}"))).collect();
    assert_eq!(store.add_checks(&new_checks(&caller, checks)).await.unwrap(), AdditionOutcome::Stored);
    let change = StateChange {
        company_id: id("acme"),
        pay_period_id: id("open"),
        version: None,
        expected_period: None,
        request: None,
    };
    let audit = import_audit_context();
    for step in 0..3 {
        let moved = if step == 1 {
            store.reopen_period(&change, &audit).await
        } else {
            store.process_period(&change, &audit).await
        };
        assert!(matches!(moved.unwrap(), StateChangeOutcome::Done(_)));
        assert_totals_equal_computed_ones(&store, "open", "it is moved").await;
    }
    let handed_in = br#"{"checks": [{"paycheckId": "c1",
        "taxes": [{"name": "A", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                  {"name": "B", "amount": "9", "paidBy": "EMPLOYER_LIABILITY"}],
        "deductions": [{"componentId": "savings", "amount": "25"}]}]}"#;
    let completion = document::read_completion(&payroll_domain::input::parse(handed_in).unwrap()).unwrap();
    let view = store.period(&id("acme"), &id("open"), &[id("savings")], NOW).await.unwrap().unwrap();
    let completing =
        PeriodCompletion { state_change: change, completion: completion.into(), components: view.components };
    let validated = completing.validate_period(store.as_ref()).await.unwrap().unwrap();
    let mut ids = IdSequence::new(NOW, [1; 10]);
    let completed = completing.complete_period(store.as_ref(), &mut ids, &audit, &|_| ()).await.unwrap();
    assert!(matches!(completed, StateChangeOutcome::Done(_)));
    assert_eq!(read_totals(&store, "open").await, PeriodTotals::Processed(validated));
    assert_totals_equal_computed_ones(&store, "open", "it is completed").await;
}

pub(super) async fn a_register_contains_the_worker_of_each_check(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let checks = (0..300).map(|at| check_of_worker(at, &format!("c{at:03}")));
    for some in checks.collect::<Vec<_>>().chunks(100) {
        let new = new_checks(&caller, some.to_vec());
        assert_eq!(store.add_checks(&new).await.unwrap(), AdditionOutcome::Stored);
    }
    remove_checks(&store, &caller, CheckSelection::One(id("c001"))).await;
    let register = async |offset, limit| {
        let window = Window { offset, limit: std::num::NonZeroU32::new(limit) };
        let found = store.read_register(&id("acme"), &id("open"), window).await.unwrap();
        let Some(PeriodRegister::Checks(listing)) = found else { panic!("there is a register") };
        assert_eq!(listing.total, 299);
        listing.rows.into_vec().await.unwrap()
    };
    let all = register(0, 0).await;
    assert_eq!(all.len(), 299);
    assert!(all.iter().all(|check| check.worker.as_ref().unwrap().given_name == check.worker_id.as_str()));
    assert_eq!(register(1, 2).await, all.get(1..3).unwrap());
    let first = all.first().unwrap();
    let sums = (first.gross_earnings.to_string(), first.net_pay, first.lines.len());
    assert_eq!(sums, ("265.50".to_owned(), None, 3));
    assert!(store.read_register(&id("acme"), &id("nowhere"), Window::default()).await.unwrap().is_none());
}

/// Returns a processed check as an import contains it.
pub(super) fn processed_check(paycheck: &str, worker: &str, net: &str) -> ProcessedCheck {
    let amount = |text| Amount::parse(text).unwrap();
    let tax = |paid_by, text| TaxLine { name: "A tax".to_owned(), amount: amount(text), paid_by };
    ProcessedCheck {
        paycheck_id: id(paycheck),
        worker_id: id(worker),
        pay_period_id: id("closed"),
        correlation_id: None,
        check_date: period("closed", PeriodStatus::Completed).period.check_date,
        net_pay: amount(net),
        gross_earnings: amount("100"),
        check_type: "Regular".to_owned(),
        check_number: None,
        reversal_of: None,
        lines: Vec::new(),
        taxes: vec![tax(PaidBy::Employee, "7.65"), tax(PaidBy::Employer, "8.01")],
    }
}

fn closed_period_mut(complete: &mut CompleteCompany) -> &mut ImportedPeriod {
    complete.pay_periods.last_mut().unwrap()
}

pub(super) async fn imported_checks_are_in_the_totals_once(store: Arc<dyn Store>) {
    let mut complete = company("acme");
    closed_period_mut(&mut complete).processed_checks =
        vec![processed_check("p1", "acme-w1", "92.35"), processed_check("p2", "acme-w2", "92.35")];
    import_company(&store, &complete).await;
    assert_totals_equal_computed_ones(&store, "closed", "imported").await;
    // The file contains an unchanged check, a changed check and a new one. One of the stored checks is
    // missing from the file.
    closed_period_mut(&mut complete).processed_checks =
        vec![processed_check("p2", "acme-w2", "-10"), processed_check("p3", "acme-w2", "0.05")];
    for _ in 0..2 {
        import_company(&store, &complete).await;
        assert_totals_equal_computed_ones(&store, "closed", "imported again").await;
    }
    let PeriodTotals::Processed(sums) = read_totals(&store, "closed").await else {
        panic!("it is processed")
    };
    assert_eq!((sums.checks, sums.workers, sums.net_pay.to_string()), (3, 2, "82.40".to_owned()));
}

pub(super) async fn rejects_imported_checks_whose_totals_are_too_large(store: Arc<dyn Store>) {
    let mut complete = company("acme");
    let most = "99999999999999.99";
    let checks = (0..10).map(|at| processed_check(&format!("p{at}"), "acme-w1", most));
    closed_period_mut(&mut complete).processed_checks = checks.collect();
    let refused = store
        .import_company((&complete).into(), ImportRules::default(), &import_audit_context())
        .await
        .unwrap();
    assert!(matches!(refused, ImportOutcome::Refused(_)), "{refused:?}");
    assert!(store.period_summary(&id("acme"), &id("closed")).await.unwrap().is_none(), "all or nothing");
}

/// Imports two companies. The pay periods of one of the companies have a later check date and a submit-by
/// day.
async fn create_two_companies(store: &Arc<dyn Store>) {
    let mut later = company("later");
    for imported in &mut later.pay_periods {
        imported.period.submit_by_date = Some(imported.period.check_date);
        imported.period.check_date = imported.period.check_date.next_day().unwrap();
    }
    import_company(store, &later).await;
    create_company_and_caller(store).await;
}

pub(super) async fn pending_pay_runs_of_all_companies_are_listed_by_check_date(store: Arc<dyn Store>) {
    create_two_companies(&store).await;
    let runs = async |status, offset| {
        let window = Window { offset, limit: None };
        let filter = PayRunFilter { status, ..PayRunFilter::default() };
        let listing = store.pay_runs(&filter, window).await.unwrap();
        let rows = listing.rows.into_vec().await.unwrap();
        let ids = rows.iter().map(|run| format!("{} {}", run.company_id, run.summary.period.pay_period_id));
        (listing.total, listing.version, ids.collect::<Vec<_>>(), rows)
    };
    let (total, version, ids, rows) = runs(None, 0).await;
    assert_eq!((total, ids), (2, vec!["acme open".to_owned(), "later open".to_owned()]));
    let first = rows.first().unwrap();
    let one = store.period_summary(&id("acme"), &id("open")).await.unwrap().unwrap();
    assert_eq!((&first.summary, first.legal_name.is_empty()), (&one.value, false));
    assert_eq!(runs(None, 1).await.2, ["later open"]);
    assert_eq!(runs(Some(PeriodStatus::Processing), 0).await.0, 0);
    let moved = super::periods::state_change("open");
    assert!(matches!(
        store.process_period(&moved, &import_audit_context()).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
    assert_eq!(runs(Some(PeriodStatus::Processing), 0).await.2, ["acme open"]);
    assert_ne!(runs(None, 0).await.1, version, "another version");
}

pub(super) async fn pay_runs_are_selected_by_company_check_date_and_overdue_day(store: Arc<dyn Store>) {
    create_two_companies(&store).await;
    let of = async |filter: PayRunFilter| {
        let listing = store.pay_runs(&filter, Window::default()).await.unwrap();
        let rows = listing.rows.into_vec().await.unwrap();
        assert_eq!(usize::try_from(listing.total).unwrap(), rows.len());
        rows.iter().map(|run| run.company_id.to_string()).collect::<Vec<_>>().join(" ")
    };
    let any = PayRunFilter::default();
    let first = store.period_summary(&id("acme"), &id("open")).await.unwrap().unwrap();
    let submit_by = first.value.period.check_date;
    let later = submit_by.next_day().unwrap();
    let overdue_on = Some(later);
    for (filter, expected) in [
        (PayRunFilter { company_id: Some(id("later")), ..any.clone() }, "later"),
        (PayRunFilter { visible_companies: Some(vec![id("later")]), ..any.clone() }, "later"),
        (PayRunFilter { visible_companies: Some(Vec::new()), ..any.clone() }, ""),
        (PayRunFilter { check_date_from: Some(later), ..any.clone() }, "later"),
        (PayRunFilter { check_date_to: later.previous_day(), ..any.clone() }, "acme"),
        (PayRunFilter { overdue_on: Some(submit_by), ..any.clone() }, ""),
        (PayRunFilter { overdue_on, ..any.clone() }, "later"),
        (PayRunFilter { overdue_on, company_id: Some(id("acme")), ..any.clone() }, ""),
    ] {
        assert_eq!(of(filter.clone()).await, expected, "{filter:?}");
    }
    let late = StateChange { company_id: id("later"), ..super::periods::state_change("open") };
    assert!(matches!(
        store.process_period(&late, &import_audit_context()).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
    assert_eq!(of(PayRunFilter { overdue_on, ..any }).await, "", "in processing it takes no checks");
}

pub(super) async fn the_version_of_period_summaries_changes_with_their_checks(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let any = PeriodFilter::default();
    let listed = async || {
        let listing = store.period_summaries(&id("acme"), &any, Window::default()).await.unwrap().unwrap();
        (listing.version, listing.total, listing.rows.into_vec().await.unwrap())
    };
    let (before, total, rows) = listed().await;
    let ids: Vec<_> = rows.iter().map(|row| row.value.period.pay_period_id.to_string()).collect();
    assert_eq!((total, ids), (2, vec!["open".to_owned(), "closed".to_owned()]));
    let new = new_checks(&caller, vec![check_of_worker(0, "c1")]);
    assert_eq!(store.add_checks(&new).await.unwrap(), AdditionOutcome::Stored);
    let (after, _, rows) = listed().await;
    assert_ne!(before, after);
    let one = store.period_summary(&id("acme"), &id("open")).await.unwrap().unwrap();
    assert_eq!(rows.first(), Some(&one));
    assert_eq!(one.value.totals, compute_totals(&store, "open").await);
    let unknown = store.period_summaries(&id("nobody"), &any, Window::default()).await.unwrap();
    assert!(unknown.is_none());
    assert!(store.period_summary(&id("acme"), &id("nowhere")).await.unwrap().is_none());
}
