//! Contract tests for changing the state of pay periods.

use std::sync::Arc;

use futures_util::StreamExt;
use payroll_domain::access::{Caller, Scope};
use payroll_domain::audit::{Actor, ActorKind};
use payroll_domain::check::{ProcessedCheck, StoredCheck, Totals, WarningKind};
use payroll_domain::document::{self, Completion};
use payroll_domain::id_sequence::IdSequence;
use payroll_domain::pay_component::EffectOnPay;
use payroll_domain::pay_period::{IntervalCode, PeriodStatus};

use super::world::{
    NOW, company, component, create_application, create_company_and_caller, day, id, import_company,
    new_checks, operator_lock_until, period, sample_check,
};
use crate::checks::{AdditionOutcome, CheckRows, ChecksQuery};
use crate::completion::PeriodCompletion;
use crate::idempotency::{IdempotencyRecord, ResponseRecord, StoredResponse};
use crate::periods::{PeriodView, StateChange, StateChangeOutcome};
use crate::resources::CompanyLock;
use crate::write::AuditContext;
use crate::{Store, Window};

pub(super) fn audit_by(name: &str) -> AuditContext {
    let actor = Actor { kind: ActorKind::Operator, name: name.to_owned() };
    AuditContext::new(actor, NOW, None)
}

pub(super) fn state_change(pay_period: &str) -> StateChange {
    StateChange {
        company_id: id("acme"),
        pay_period_id: id(pay_period),
        version: None,
        expected_period: None,
        request: None,
    }
}

pub(super) async fn read_view(store: &Arc<dyn Store>, pay_period: &str) -> PeriodView {
    let components = [id("hourly"), id("savings"), id("nothing")];
    store.period(&id("acme"), &id(pay_period), &components, NOW).await.unwrap().unwrap()
}

pub(super) async fn process_period(store: &Arc<dyn Store>, pay_period: &str) -> StateChangeOutcome {
    store.process_period(&state_change(pay_period), &audit_by("anna")).await.unwrap()
}

async fn add_checks(store: &Arc<dyn Store>, caller: &Caller, paychecks: &[&str]) -> AdditionOutcome {
    let checks = paychecks.iter().map(|paycheck| sample_check(paycheck)).collect();
    store.add_checks(&new_checks(caller, checks)).await.unwrap()
}

/// Creates a company with the given checks in the open period, and with a pay component that reduces pay.
pub(super) async fn create_company_with_checks(store: &Arc<dyn Store>, paychecks: &[&str]) -> Caller {
    let caller = create_company_and_caller(store).await;
    let mut whole = company("acme");
    let mut savings = component("savings");
    savings.effect_on_pay = EffectOnPay::Reduction;
    whole.pay_components.push(savings);
    import_company(store, &whole).await;
    assert_eq!(add_checks(store, &caller, paychecks).await, AdditionOutcome::Stored);
    caller
}

async fn read_check_rows(store: &Arc<dyn Store>, caller: &Caller) -> CheckRows {
    let query = ChecksQuery {
        company_id: id("acme"),
        pay_period_id: id("open"),
        only_own: false,
        worker_id: None,
        window: Window::default(),
    };
    let guarded = store.read_checks(caller, &query).await.unwrap();
    guarded.open_for_scope(caller, Scope::ReadPayroll, NOW.date()).unwrap().1.unwrap().rows
}

async fn read_unprocessed_checks(store: &Arc<dyn Store>, caller: &Caller) -> Vec<StoredCheck> {
    let CheckRows::Unprocessed(rows) = read_check_rows(store, caller).await else {
        panic!("the period is unprocessed")
    };
    let chunks: Vec<_> = rows.into_stream().collect().await;
    chunks.into_iter().flat_map(Result::unwrap).collect()
}

async fn read_processed_checks(store: &Arc<dyn Store>, caller: &Caller) -> Vec<ProcessedCheck> {
    let CheckRows::Processed(rows) = read_check_rows(store, caller).await else {
        panic!("the period is processed")
    };
    let chunks: Vec<_> = rows.into_stream().collect().await;
    chunks.into_iter().flat_map(Result::unwrap).collect()
}

/// Returns the completion of the open period with the data in `input`. The period must be in processing.
pub(super) async fn read_period_completion(store: &Arc<dyn Store>, input: &str) -> PeriodCompletion {
    let completion = match payroll_domain::input::parse(input.as_bytes()) {
        Ok(node) => document::read_completion(&node).unwrap(),
        Err(_) => Completion::default(),
    };
    let view = read_view(store, "open").await;
    let moved = StateChange { version: Some(view.version), ..state_change("open") };
    PeriodCompletion { state_change: moved, completion: completion.into(), components: view.components }
}

fn seeded_id_sequence(seed: u8) -> IdSequence {
    IdSequence::new(NOW, [seed; 10])
}

async fn complete_period(store: &Arc<dyn Store>, completion: &PeriodCompletion) -> StateChangeOutcome {
    let store: &dyn Store = store.as_ref();
    assert!(completion.validate_period(store).await.unwrap().is_ok());
    completion.complete_period(store, &mut seeded_id_sequence(1), &audit_by("anna"), &|_| ()).await.unwrap()
}

/// Stages the amounts of the first `count` checks. Returns whether the store accepted them.
async fn stage_checks(
    store: &Arc<dyn Store>,
    completion: &PeriodCompletion,
    attempt: &str,
    count: u32,
) -> bool {
    let placed = store.checks_to_complete(&id("acme"), &id("open"), 0, count).await.unwrap();
    let rows = completion
        .compute_staged_checks(&placed, &mut seeded_id_sequence(2), &mut Totals::default())
        .unwrap();
    store.stage_checks(&completion.state_change, attempt, &rows).await.unwrap()
}

const COMPLETION_DOCUMENT: &str = r#"{"checks": [{"paycheckId": "c1", "checkNumber": "17", "checkType": "Manual",
    "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
              {"name": "Another", "amount": "9", "paidBy": "EMPLOYER_LIABILITY"}],
    "deductions": [{"componentId": "savings", "amount": "25"}]}]}"#;

pub(super) async fn a_period_in_processing_accepts_no_check_until_it_is_reopened(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1"]).await;
    let open = read_view(&store, "open").await;
    let StateChangeOutcome::Done(closed) = process_period(&store, "open").await else {
        panic!("it was open")
    };
    assert!(closed > open.version);
    assert_eq!(read_view(&store, "open").await.period.status, PeriodStatus::Processing);
    assert_eq!(add_checks(&store, &caller, &["c2"]).await, AdditionOutcome::FactsChanged);
    let StateChangeOutcome::Done(opened) =
        store.reopen_period(&state_change("open"), &audit_by("anna")).await.unwrap()
    else {
        panic!("it was in processing")
    };
    assert!(opened > closed);
    assert_eq!(read_view(&store, "open").await.period.status, PeriodStatus::Entry);
    assert_eq!(add_checks(&store, &caller, &["c2"]).await, AdditionOutcome::Stored);
}

pub(super) async fn a_company_has_at_most_one_period_in_processing(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.pay_periods.push(period("next", PeriodStatus::Initial));
    import_company(&store, &whole).await;
    assert!(matches!(process_period(&store, "open").await, StateChangeOutcome::Done(_)));
    assert_eq!(
        process_period(&store, "next").await,
        StateChangeOutcome::Locked(CompanyLock::Processing(id("open")))
    );
    assert!(matches!(
        store.reopen_period(&state_change("open"), &audit_by("anna")).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
    assert!(matches!(process_period(&store, "next").await, StateChangeOutcome::Done(_)));
}

pub(super) async fn a_lock_rejects_changes_of_state_by_others(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.lock = Some(operator_lock_until(Some(NOW.plus_seconds(60))));
    import_company(&store, &whole).await;
    let held = operator_lock_until(Some(NOW.plus_seconds(60)));
    assert_eq!(
        process_period(&store, "open").await,
        StateChangeOutcome::Locked(CompanyLock::Operator(held.clone()))
    );
    assert_eq!(read_view(&store, "open").await.lock, Some(held.clone()));
    let holder = audit_by(&held.holder);
    assert!(matches!(
        store.process_period(&state_change("open"), &holder).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
    let later = AuditContext { now: NOW.plus_seconds(60), ..audit_by("anna") };
    assert!(
        matches!(
            store.reopen_period(&state_change("open"), &later).await.unwrap(),
            StateChangeOutcome::Done(_)
        ),
        "the lock has ended"
    );
}

pub(super) async fn rejects_an_impossible_change_of_state(store: Arc<dyn Store>) {
    create_company_and_caller(&store).await;
    let anna = audit_by("anna");
    let elsewhere = StateChange { company_id: id("nobody"), ..state_change("open") };
    assert_eq!(store.process_period(&elsewhere, &anna).await.unwrap(), StateChangeOutcome::UnknownCompany);
    assert_eq!(process_period(&store, "nowhere").await, StateChangeOutcome::UnknownPeriod);
    assert_eq!(process_period(&store, "closed").await, StateChangeOutcome::NotFrom(PeriodStatus::Completed));
    assert_eq!(
        store.reopen_period(&state_change("open"), &anna).await.unwrap(),
        StateChangeOutcome::NotFrom(PeriodStatus::Initial)
    );
    let started = store.begin_completion(&state_change("open"), "a", &anna).await.unwrap();
    assert_eq!(started, StateChangeOutcome::NotFrom(PeriodStatus::Initial));
    let stale = StateChange { version: Some(-1), ..state_change("open") };
    assert_eq!(store.process_period(&stale, &anna).await.unwrap(), StateChangeOutcome::Stale);
    let mut seen = read_view(&store, "open").await.period;
    seen.description = Some("another one".to_owned());
    let otherwise = StateChange { expected_period: Some(seen), ..state_change("open") };
    assert_eq!(store.process_period(&otherwise, &anna).await.unwrap(), StateChangeOutcome::Stale);
    assert_eq!(read_view(&store, "open").await.period.status, PeriodStatus::Initial, "nothing has moved");
}

pub(super) async fn a_completed_period_shows_the_amounts_of_its_checks(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    let completing = read_period_completion(&store, COMPLETION_DOCUMENT).await;
    assert!(matches!(complete_period(&store, &completing).await, StateChangeOutcome::Done(_)));
    let reported: Vec<_> = read_processed_checks(&store, &caller).await.iter().map(check_summary).collect();
    let expected = [
        "c1 Manual 17 gross 265.50 net 212.17 lines 145.00 120.50 25.00 taxes 28.33 9.00",
        "c2 Regular - gross 265.50 net 265.50 lines 145.00 120.50 taxes",
    ];
    assert_eq!(reported, expected);
    let again = store.begin_completion(&state_change("open"), "again", &audit_by("anna")).await.unwrap();
    assert_eq!(again, StateChangeOutcome::NotFrom(PeriodStatus::Completed));
}

/// Returns a processed check as one line of text.
fn check_summary(check: &ProcessedCheck) -> String {
    let lines: String = check.lines.iter().map(|line| format!(" {}", line.amount)).collect();
    let taxes: String = check.taxes.iter().map(|tax| format!(" {}", tax.amount)).collect();
    let number = check.check_number.as_deref().unwrap_or("-");
    let ProcessedCheck { paycheck_id, check_type, gross_earnings, net_pay, .. } = check;
    format!(
        "{paycheck_id} {check_type} {number} gross {gross_earnings} net {net_pay} lines{lines} taxes{taxes}"
    )
}

pub(super) async fn staged_data_is_visible_only_after_the_completion(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    let completing = read_period_completion(&store, COMPLETION_DOCUMENT).await;
    store.begin_completion(&completing.state_change, "crashed", &audit_by("anna")).await.unwrap();
    assert!(stage_checks(&store, &completing, "crashed", 2).await);
    assert_eq!(read_unprocessed_checks(&store, &caller).await, [sample_check("c1"), sample_check("c2")]);
    let placed = store.checks_to_complete(&id("acme"), &id("open"), 0, 10).await.unwrap();
    let left: Vec<_> = placed.into_iter().map(|placed| placed.check).collect();
    assert_eq!(left, [sample_check("c1"), sample_check("c2")]);
    store.reopen_period(&state_change("open"), &audit_by("anna")).await.unwrap();
    assert_eq!(read_unprocessed_checks(&store, &caller).await, [sample_check("c1"), sample_check("c2")]);
    assert_eq!(add_checks(&store, &caller, &["c3"]).await, AdditionOutcome::Stored);
    assert_eq!(read_unprocessed_checks(&store, &caller).await.len(), 3);
}

pub(super) async fn staging_again_replaces_the_staged_data(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    let with_taxes = read_period_completion(&store, COMPLETION_DOCUMENT).await;
    store.begin_completion(&with_taxes.state_change, "crashed", &audit_by("anna")).await.unwrap();
    assert!(stage_checks(&store, &with_taxes, "crashed", 2).await);
    assert!(stage_checks(&store, &with_taxes, "crashed", 2).await, "also by the same attempt");
    let without = read_period_completion(&store, "").await;
    assert!(matches!(complete_period(&store, &without).await, StateChangeOutcome::Done(_)));
    let reported: Vec<_> = read_processed_checks(&store, &caller).await.iter().map(check_summary).collect();
    let expected =
        |paycheck: &str| format!("{paycheck} Regular - gross 265.50 net 265.50 lines 145.00 120.50 taxes");
    assert_eq!(reported, ["c1", "c2"].map(expected));
}

pub(super) async fn a_new_attempt_supersedes_the_previous_one(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    let completing = read_period_completion(&store, "").await;
    let (moved, anna) = (&completing.state_change, audit_by("anna"));
    store.begin_completion(moved, "slow", &anna).await.unwrap();
    assert!(stage_checks(&store, &completing, "slow", 2).await);
    store.begin_completion(moved, "quick", &anna).await.unwrap();
    assert!(!stage_checks(&store, &completing, "slow", 2).await);
    assert_eq!(
        store.complete_period(moved, "slow", &Totals::default(), &anna).await.unwrap(),
        StateChangeOutcome::Overtaken
    );
    assert_eq!(
        store.complete_period(moved, "quick", &Totals::default(), &anna).await.unwrap(),
        StateChangeOutcome::Overtaken,
        "it staged nothing"
    );
    assert!(stage_checks(&store, &completing, "quick", 1).await);
    assert_eq!(
        store.complete_period(moved, "quick", &Totals::default(), &anna).await.unwrap(),
        StateChangeOutcome::Overtaken,
        "it left one out"
    );
    assert_eq!(read_unprocessed_checks(&store, &caller).await.len(), 2);
    assert!(stage_checks(&store, &completing, "quick", 2).await);
    assert!(matches!(
        store.complete_period(moved, "quick", &Totals::default(), &anna).await.unwrap(),
        StateChangeOutcome::Done(_)
    ));
}

pub(super) async fn reports_all_faults_of_a_completion_and_stages_nothing(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1", "c2"]).await;
    process_period(&store, "open").await;
    let handed_in = r#"{"checks": [
        {"paycheckId": "c2", "deductions": [{"componentId": "savings", "amount": "265.51"}]},
        {"paycheckId": "c1", "deductions": [{"componentId": "hourly", "amount": "1"}]},
        {"paycheckId": "c9"}]}"#;
    let completing = read_period_completion(&store, handed_in).await;
    let faults = completing.validate_period(store.as_ref()).await.unwrap().unwrap_err();
    let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_deref().unwrap()).collect();
    assert_eq!(pointers, ["/checks/0", "/checks/1/deductions/0/componentId", "/checks/2/paycheckId"]);
    assert_eq!(read_unprocessed_checks(&store, &caller).await.len(), 2);
}

pub(super) async fn a_lost_idempotency_record_changes_no_state(store: Arc<dyn Store>) {
    create_company_and_caller(&store).await;
    let record = IdempotencyRecord {
        owner: "operator".to_owned(),
        key: "key".to_owned(),
        request_hash: [7; 32],
        attempt: "nobody's".to_owned(),
    };
    let response =
        StoredResponse { status: 200, content_type: "application/json".to_owned(), body: Vec::new() };
    let response_record = Some(ResponseRecord { record, response, expires: NOW.plus_seconds(60) });
    let audit = AuditContext { response_record, ..audit_by("anna") };
    assert_eq!(
        store.process_period(&state_change("open"), &audit).await.unwrap(),
        StateChangeOutcome::RecordLost
    );
    assert_eq!(read_view(&store, "open").await.period.status, PeriodStatus::Initial);
}

pub(super) async fn the_operator_reads_the_checks_of_every_application(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1"]).await;
    let other = create_application(&store, "other").await;
    assert_eq!(add_checks(&store, &other, &["c2"]).await, AdditionOutcome::Stored);
    let checks = store.checks_of_period(&id("acme"), &id("open"), Window::default()).await.unwrap().unwrap();
    assert_eq!(checks.total, 2);
    assert_eq!(read_unprocessed_checks(&store, &caller).await.len(), 2);
    let unknown = store.checks_of_period(&id("acme"), &id("nowhere"), Window::default()).await.unwrap();
    assert!(unknown.is_none());
}

pub(super) async fn finds_the_last_paid_period_before_a_day(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    let dated = |pay_period, status, check_date| {
        let mut period = period(pay_period, status);
        period.period.check_date = day(check_date);
        period
    };
    whole.pay_periods = vec![
        dated("january", PeriodStatus::CompletedByMec, "2026-01-30"),
        dated("march", PeriodStatus::Completed, "2026-03-30"),
        dated("same-day", PeriodStatus::Released, "2026-03-30"),
        dated("taken-back", PeriodStatus::Reversed, "2026-04-15"),
        dated("open", PeriodStatus::Entry, "2026-04-20"),
        dated("other-interval", PeriodStatus::Completed, "2026-04-21"),
    ];
    whole.pay_periods.last_mut().unwrap().period.interval_code = IntervalCode::Quarterly;
    let interval = whole.pay_periods.first().unwrap().period.interval_code;
    let last_paid_period_before = async |company: &str, before: &str| {
        store.last_paid_period_before(&id(company), interval, day(before)).await.unwrap()
    };
    import_company(&store, &whole).await;
    for (before, expected) in [
        ("2026-01-30", None),
        ("2026-01-31", Some("january")),
        ("2026-03-30", Some("january")),
        ("2026-12-31", Some("same-day")),
    ] {
        assert_eq!(last_paid_period_before("acme", before).await, expected.map(id), "{before}");
    }
    assert_eq!(last_paid_period_before("nobody", "2026-12-31").await, None);
}

pub(super) async fn a_preview_returns_the_totals_and_writes_nothing(store: Arc<dyn Store>) {
    let caller = create_company_with_checks(&store, &["c1", "c2"]).await;
    let before = read_view(&store, "open").await;
    let completing = read_period_completion(&store, COMPLETION_DOCUMENT).await;
    let products = company("acme").products.unwrap();
    let preview = completing.preview_completion(store.as_ref(), &before.period, &products).await.unwrap();
    let Totals { checks, workers, gross_earnings, net_pay, employer_cost, .. } = preview.totals;
    assert_eq!((checks, workers, preview.faults), (2, 1, None));
    let sums = [gross_earnings, net_pay, employer_cost].map(|sum| sum.to_string());
    assert_eq!(sums, ["531.00", "477.67", "540.00"]);
    assert_eq!(preview.checks.len(), 2);
    let kinds: Vec<_> = preview.warnings.listed.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::WorkerWithSeveralChecks]);
    assert_eq!(read_view(&store, "open").await, before);
    assert_eq!(read_unprocessed_checks(&store, &caller).await, [sample_check("c1"), sample_check("c2")]);
}
