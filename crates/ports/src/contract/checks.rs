//! Contract tests for reading, adding and deleting checks.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::StreamExt;
use payroll_domain::access::{Caller, Scope};
use payroll_domain::check::{
    ComponentLabel, PaidBy, ProcessedCheck, ProcessedLine, RequiredLookups, Section, StoredCheck, TaxLine,
};
use payroll_domain::money::{Amount, Quantity};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::pay_period::PeriodStatus;

use super::world::{
    NOW, company, create_application, create_company_and_caller, day, grant_scopes, id, import_company,
    new_checks, operator_lock_until, period, sample_check, worker,
};
use crate::checks::{AdditionOutcome, AnyCheck, CheckKey, CheckRows, ChecksQuery, PeriodChecks};
use crate::{Rows, Store, Window};

fn checks_query(pay_period: &str, window: Window) -> ChecksQuery {
    let company_id = id("acme");
    ChecksQuery { company_id, pay_period_id: id(pay_period), only_own: false, worker_id: None, window }
}

async fn read_checks(store: &Arc<dyn Store>, caller: &Caller, query: &ChecksQuery) -> PeriodChecks {
    let guarded = store.read_checks(caller, query).await.unwrap();
    guarded.open_for_scope(caller, Scope::ReadPayroll, NOW.date()).unwrap().1.unwrap()
}

async fn read_unprocessed_checks(
    store: &Arc<dyn Store>,
    caller: &Caller,
    query: &ChecksQuery,
) -> (u64, Vec<StoredCheck>) {
    let response = read_checks(store, caller, query).await;
    let CheckRows::Unprocessed(rows) = response.rows else { panic!("the period is unprocessed") };
    let chunks: Vec<_> = rows.into_stream().collect().await;
    (response.total, chunks.into_iter().flat_map(Result::unwrap).collect())
}

fn paycheck_ids(checks: &[StoredCheck]) -> Vec<&str> {
    checks.iter().map(|one| one.paycheck_id.as_str()).collect()
}

async fn add_checks(store: &Arc<dyn Store>, caller: &Caller, paychecks: &[&str]) -> AdditionOutcome {
    let checks = paychecks.iter().map(|paycheck| sample_check(paycheck)).collect();
    store.add_checks(&new_checks(caller, checks)).await.unwrap()
}

async fn assert_nothing_is_stored(store: &Arc<dyn Store>, caller: &Caller) {
    let (total, checks) =
        read_unprocessed_checks(store, caller, &checks_query("open", Window::default())).await;
    assert_eq!((total, checks.len()), (0, 0));
}

pub(super) async fn checks_are_read_in_the_order_of_their_addition(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let before = read_checks(&store, &caller, &checks_query("open", Window::default())).await.version;
    assert_eq!(add_checks(&store, &caller, &["zeta", "alpha"]).await, AdditionOutcome::Stored);
    assert_eq!(add_checks(&store, &caller, &["beta"]).await, AdditionOutcome::Stored);
    let (total, checks) =
        read_unprocessed_checks(&store, &caller, &checks_query("open", Window::default())).await;
    assert_eq!(total, 3);
    assert_eq!(checks, [sample_check("zeta"), sample_check("alpha"), sample_check("beta")]);
    assert!(read_checks(&store, &caller, &checks_query("open", Window::default())).await.version > before);
}

pub(super) async fn a_window_of_checks_has_the_same_order(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    assert_eq!(add_checks(&store, &caller, &["c1", "c2", "c3", "c4"]).await, AdditionOutcome::Stored);
    let window = Window { offset: 1, limit: NonZeroU32::new(2) };
    let (total, checks) = read_unprocessed_checks(&store, &caller, &checks_query("open", window)).await;
    assert_eq!((total, paycheck_ids(&checks)), (4, vec!["c2", "c3"]));
    let past_the_end = Window { offset: 9, limit: NonZeroU32::new(2) };
    assert_eq!(
        read_unprocessed_checks(&store, &caller, &checks_query("open", past_the_end)).await,
        (4, Vec::new())
    );
}

pub(super) async fn an_application_can_list_only_its_own_checks(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let other = create_application(&store, "other").await;
    assert_eq!(add_checks(&store, &caller, &["mine"]).await, AdditionOutcome::Stored);
    assert_eq!(add_checks(&store, &other, &["theirs"]).await, AdditionOutcome::Stored);
    let own = ChecksQuery { only_own: true, ..checks_query("open", Window::default()) };
    let (total, checks) = read_unprocessed_checks(&store, &caller, &own).await;
    assert_eq!((total, paycheck_ids(&checks)), (1, vec!["mine"]));
}

pub(super) async fn the_checks_of_one_worker_are_paged(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let other = create_application(&store, "other").await;
    let mut whole = company("acme");
    whole.workers.push(worker("acme-w9"));
    import_company(&store, &whole).await;
    let of = |paycheck: &str, worker: &str| {
        let mut check = sample_check(paycheck);
        check.check.worker_id = id(worker);
        check
    };
    let checks = vec![of("c1", "acme-w9"), of("c2", "acme-w1"), of("c3", "acme-w9"), of("c4", "acme-w9")];
    assert_eq!(store.add_checks(&new_checks(&caller, checks)).await.unwrap(), AdditionOutcome::Stored);
    let theirs = new_checks(&other, vec![of("c5", "acme-w9")]);
    assert_eq!(store.add_checks(&theirs).await.unwrap(), AdditionOutcome::Stored);
    let page = |offset, limit| Window { offset, limit: NonZeroU32::new(limit) };
    let of_worker = |window, only_own| ChecksQuery {
        worker_id: Some(id("acme-w9")),
        only_own,
        ..checks_query("open", window)
    };
    for (offset, limit, only_own, reported) in [
        (0, 0, false, "4: c1 c3 c4 c5"),
        (1, 2, false, "4: c3 c4"),
        (0, 0, true, "3: c1 c3 c4"),
        (2, 1, true, "3: c4"),
    ] {
        let (total, checks) =
            read_unprocessed_checks(&store, &caller, &of_worker(page(offset, limit), only_own)).await;
        assert_eq!(
            format!("{total}: {}", paycheck_ids(&checks).join(" ")),
            reported,
            "{offset} {limit} {only_own}"
        );
    }
}

pub(super) async fn a_check_is_found_only_for_its_own_worker(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    import_company(&store, &company("bravo")).await;
    assert_eq!(add_checks(&store, &caller, &["c1", "c2"]).await, AdditionOutcome::Stored);
    let one = async |company: &str, worker: &str, paycheck: &str| {
        let key = CheckKey { company_id: id(company), worker_id: id(worker), paycheck_id: id(paycheck) };
        store.read_check(&caller, &key).await.unwrap().open_by_any_token().unwrap().1
    };
    let found = one("acme", "acme-w1", "c2").await.unwrap();
    let list = read_checks(&store, &caller, &checks_query("open", Window::default())).await;
    assert_eq!((found.version, found.check), (list.version, AnyCheck::Unprocessed(sample_check("c2"))));
    for (company, worker, paycheck) in [
        ("acme", "acme-w1", "c9"),
        ("acme", "acme-w2", "c2"),
        ("bravo", "acme-w1", "c2"),
        ("bravo", "bravo-w1", "c2"),
    ] {
        assert_eq!(one(company, worker, paycheck).await, None, "{company} {worker} {paycheck}");
    }
}

pub(super) async fn a_closed_period_accepts_no_check(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let mut closed = new_checks(&caller, vec![sample_check("c1")]);
    closed.pay_period_id = id("closed");
    closed.checks.iter_mut().for_each(|one| one.check.pay_period_id = id("closed"));
    assert_eq!(store.add_checks(&closed).await.unwrap(), AdditionOutcome::FactsChanged);
    let missing = super::world::new_checks(&caller, vec![sample_check("c1")]);
    let missing = crate::checks::NewChecks { pay_period_id: id("nowhere"), ..missing };
    assert_eq!(store.add_checks(&missing).await.unwrap(), AdditionOutcome::FactsChanged);
    assert_nothing_is_stored(&store, &caller).await;
}

pub(super) async fn a_locked_company_accepts_no_check_until_the_lock_expires(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.lock = Some(operator_lock_until(Some(NOW.plus_seconds(60))));
    import_company(&store, &whole).await;
    let caller = create_application(&store, "partner").await;
    let all = payroll_domain::access::Scopes::all();
    grant_scopes(&store, &caller, "acme", all).await;
    assert_eq!(add_checks(&store, &caller, &["c1"]).await, AdditionOutcome::FactsChanged);
    assert_nothing_is_stored(&store, &caller).await;
    let mut later = new_checks(&caller, vec![sample_check("c1")]);
    later.now = NOW.plus_seconds(60);
    assert_eq!(store.add_checks(&later).await.unwrap(), AdditionOutcome::Stored);
}

pub(super) async fn a_period_in_processing_locks_its_company(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.pay_periods.push(period("processing", PeriodStatus::Processing));
    import_company(&store, &whole).await;
    let caller = create_application(&store, "partner").await;
    let all = payroll_domain::access::Scopes::all();
    grant_scopes(&store, &caller, "acme", all).await;
    let guarded = store
        .read_check_validation_data(&caller, &id("acme"), &RequiredLookups::default(), NOW)
        .await
        .unwrap();
    let (_, facts) = guarded.open_for_scope(&caller, Scope::WritePayroll, NOW.date()).unwrap();
    assert_eq!(facts.lock, Some(payroll_domain::check::LockFacts::WITHOUT_END));
    assert_eq!(add_checks(&store, &caller, &["c1"]).await, AdditionOutcome::FactsChanged);
}

pub(super) async fn an_ended_company_accepts_no_check(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let mut whole = company("acme");
    whole.company.end_date = Some(day("2026-05-11"));
    import_company(&store, &whole).await;
    assert_eq!(add_checks(&store, &caller, &["c1"]).await, AdditionOutcome::FactsChanged);
}

pub(super) async fn one_unknown_worker_rejects_the_complete_batch(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    import_company(&store, &company("bravo")).await;
    for stranger in ["nobody", "bravo-w1"] {
        let mut second = sample_check("c2");
        second.check.worker_id = id(stranger);
        let new = new_checks(&caller, vec![sample_check("c1"), second]);
        assert_eq!(store.add_checks(&new).await.unwrap(), AdditionOutcome::FactsChanged, "{stranger}");
    }
    assert_nothing_is_stored(&store, &caller).await;
}

pub(super) async fn one_duplicate_id_rejects_the_complete_batch(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    assert_eq!(add_checks(&store, &caller, &["c1"]).await, AdditionOutcome::Stored);
    assert_eq!(add_checks(&store, &caller, &["c2", "c1"]).await, AdditionOutcome::FactsChanged);
    let (_, checks) =
        read_unprocessed_checks(&store, &caller, &checks_query("open", Window::default())).await;
    assert_eq!(paycheck_ids(&checks), ["c1"]);
}

pub(super) async fn correlation_ids_can_be_unique_per_pay_period(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    assert_eq!(add_checks(&store, &caller, &["c1"]).await, AdditionOutcome::Stored);
    let mut again = sample_check("c2");
    again.check.correlation_id = "corr-c1".to_owned();
    let mut new = new_checks(&caller, vec![again]);
    new.correlation_ids_last_for_the_pay_period = true;
    assert_eq!(store.add_checks(&new).await.unwrap(), AdditionOutcome::FactsChanged);
    new.correlation_ids_last_for_the_pay_period = false;
    assert_eq!(store.add_checks(&new).await.unwrap(), AdditionOutcome::Stored);
}

pub(super) async fn validation_data_contains_only_the_requested_objects(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    import_company(&store, &company("bravo")).await;
    assert_eq!(add_checks(&store, &caller, &["c1"]).await, AdditionOutcome::Stored);
    let mut lookups = RequiredLookups::default();
    lookups.pay_periods = vec![id("open"), id("nowhere")];
    lookups.workers = vec![id("acme-w1"), id("bravo-w1")];
    lookups.components = vec![id("hourly"), id("nothing")];
    lookups.organizations = vec![id("nowhere")];
    lookups.paychecks = vec![id("c1"), id("c9")];
    lookups.correlation_ids = vec!["corr-c1".to_owned()];
    let guarded = store.read_check_validation_data(&caller, &id("acme"), &lookups, NOW).await.unwrap();
    let (_, facts) = guarded.open_for_scope(&caller, Scope::WritePayroll, NOW.date()).unwrap();
    let expected = company("acme");
    assert_eq!(facts.products, expected.products.unwrap());
    assert_eq!(facts.workers.keys().map(|key| key.as_str()).collect::<Vec<_>>(), ["acme-w1"]);
    assert_eq!(facts.workers.get("acme-w1").unwrap().pay_rates, expected.workers.first().unwrap().pay_rates);
    assert_eq!(
        facts.components.values().collect::<Vec<_>>(),
        expected.pay_components.iter().collect::<Vec<_>>()
    );
    assert_eq!(facts.pay_periods.get("open").unwrap().status, PeriodStatus::Entry);
    assert_eq!(facts.pay_periods.len(), 1);
    assert_eq!(facts.paychecks.into_iter().collect::<Vec<_>>(), [id("c1")]);
    assert_eq!(facts.lock, None);
    assert!(facts.used_correlation_ids.is_empty(), "the application's ids last for a request only");
}

pub(super) fn processed_check(number: u32) -> ProcessedCheck {
    let line = ProcessedLine {
        section: Section::Earnings,
        check_component_id: id(&format!("p{number}-1")),
        component: ComponentLabel {
            component_id: id("hourly"),
            name: "The hourly component".to_owned(),
            classification_type: ClassificationType::Regular,
            effect_on_pay: EffectOnPay::Addition,
        },
        memoed: false,
        amount: Amount::parse("400").unwrap(),
        rate: None,
        hours: Some(Quantity::parse("20").unwrap()),
        units: None,
        line_date: None,
        job_id: None,
        labor_assignment_id: None,
        organization: None,
    };
    let tax = TaxLine {
        name: "Federal Income Tax".to_owned(),
        amount: Amount::parse("28.33").unwrap(),
        paid_by: PaidBy::Employee,
    };
    ProcessedCheck {
        paycheck_id: id(&format!("p{number}")),
        worker_id: id("acme-w1"),
        pay_period_id: id("done"),
        correlation_id: None,
        check_date: day("2026-05-18"),
        net_pay: Amount::parse("371.67").unwrap(),
        gross_earnings: Amount::parse("400").unwrap(),
        check_type: "Regular".to_owned(),
        check_number: Some(number.to_string()),
        reversal_of: None,
        lines: vec![line],
        taxes: vec![tax],
    }
}

pub(super) async fn processed_checks_are_read_as_they_were_imported(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    let mut done = period("done", PeriodStatus::Completed);
    done.processed_checks = vec![processed_check(2), processed_check(1)];
    whole.pay_periods.push(done);
    let caller = create_company_and_caller(&store).await;
    import_company(&store, &whole).await;
    let response = read_checks(&store, &caller, &checks_query("done", Window::default())).await;
    let CheckRows::Processed(Rows::All(checks)) = response.rows else { panic!("few and processed") };
    assert_eq!(checks, [processed_check(2), processed_check(1)]);
    assert_eq!(response.total, 2);
}

pub(super) async fn many_checks_are_streamed_in_order_from_one_snapshot(store: Arc<dyn Store>) {
    const BATCH_COUNT: usize = 30;
    let caller = create_company_and_caller(&store).await;
    for batch in 0..BATCH_COUNT {
        let names: Vec<String> = (0..100).map(|number| format!("c{batch:03}-{number:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(add_checks(&store, &caller, &names).await, AdditionOutcome::Stored);
    }
    let response = read_checks(&store, &caller, &checks_query("open", Window::default())).await;
    assert_eq!(response.total, 3_000);
    let CheckRows::Unprocessed(rows) = response.rows else { panic!("the period is unprocessed") };
    let mut chunks = rows.into_stream();
    let mut seen: Vec<StoredCheck> = chunks.next().await.unwrap().unwrap();
    // The list is still being read from a snapshot. A check that is added now must not be in this snapshot.
    assert_eq!(add_checks(&store, &caller, &["later"]).await, AdditionOutcome::Stored);
    while let Some(chunk) = chunks.next().await {
        seen.extend(chunk.unwrap());
    }
    assert_eq!(seen.len(), 3_000);
    assert!(paycheck_ids(&seen).is_sorted(), "in the order of creation");
    assert!(seen.iter().all(|one| one.check.lines.len() == 2 && one.check_component_ids.len() == 2));
}

pub(super) async fn concurrent_writers_of_a_period_lose_no_check(store: Arc<dyn Store>) {
    const WRITER_COUNT: usize = 16;
    let caller = create_company_and_caller(&store).await;
    let writers = (0..WRITER_COUNT).map(|writer| {
        let (store, caller) = (Arc::clone(&store), caller.clone());
        async move { add_checks(&store, &caller, &[&format!("w{writer}-a"), &format!("w{writer}-b")]).await }
    });
    let outcomes = futures_util::future::join_all(writers).await;
    assert!(outcomes.iter().all(|outcome| *outcome == AdditionOutcome::Stored), "{outcomes:?}");
    let (total, checks) =
        read_unprocessed_checks(&store, &caller, &checks_query("open", Window::default())).await;
    assert_eq!((total, checks.len()), (32, 32));
    let whole_batches = checks.chunks(2).all(|pair| {
        let writer = |check: &StoredCheck| check.paycheck_id.as_str().split('-').next().map(str::to_owned);
        pair.first().map(writer) == pair.last().map(writer)
    });
    assert!(whole_batches, "batches do not interleave");
}

pub(super) async fn checks_and_their_total_are_from_one_snapshot(store: Arc<dyn Store>) {
    const BATCH_COUNT: usize = 40;
    let caller = create_company_and_caller(&store).await;
    let writer = async {
        for batch in 0..BATCH_COUNT {
            assert_eq!(add_checks(&store, &caller, &[&format!("b{batch}")]).await, AdditionOutcome::Stored);
        }
    };
    let reader = async {
        loop {
            let (total, checks) =
                read_unprocessed_checks(&store, &caller, &checks_query("open", Window::default())).await;
            assert_eq!(total, checks.len() as u64, "a check came between the total and the rows");
            if checks.len() == BATCH_COUNT {
                break;
            }
        }
    };
    futures_util::join!(writer, reader);
}
