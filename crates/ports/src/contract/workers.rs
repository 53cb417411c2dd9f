//! Contract tests for workers as partners read them.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::check::ProcessedCheck;
use payroll_domain::company::{Communication, CommunicationType, UsageType};
use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::money::Amount;
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_domain::worker::{CurrentStatus, StatusType, Worker};

use super::checks::processed_check;
use super::companies::into_rows;
use super::world::{
    NOW, company, create_application, day, full_worker, grant_scopes, id, import_company, organization,
    period, worker,
};
use crate::filters::WorkerFilter;
use crate::workers::{CheckDateRange, WorkerDetail, WorkerKey, WorkerListKind, WorkerView, WorkersQuery};
use crate::{Store, Window};

/// Returns the company `acme` with an organization and two more workers. One of the two workers has every
/// possible reference, and the other has none.
fn company_with_workers() -> CompleteCompany {
    let mut complete = company("acme");
    complete.organizations = vec![organization("ovens")];
    let mut ann = worker("ann");
    ann.employee_id = Some("7".to_owned());
    ann.location_id = Some(id("harbor"));
    ann.organization_id = Some(id("ovens"));
    ann.custom_employment_type_id = Some(id("remote"));
    ann.supervisor_id = Some(id("acme-w1"));
    ann.communications = vec![email_communication("b"), email_communication("a")];
    ann.current_status = Some(CurrentStatus {
        worker_status_id: id("status"),
        status_type: StatusType::Active,
        status_reason: None,
        effective_date: day("2024-03-01"),
    });
    let mut ben = worker("BEN");
    ben.hire_date = Some(day("2025-06-01"));
    complete.workers.extend([ann, ben]);
    complete
}

/// Stores the company, and creates an application with every scope for it.
async fn import_and_grant(store: &Arc<dyn Store>, complete: &CompleteCompany) -> Caller {
    import_company(store, complete).await;
    let caller = create_application(store, "partner").await;
    grant_scopes(store, &caller, complete.company.company_id.as_str(), Scopes::all()).await;
    caller
}

fn email_communication(name: &str) -> Communication {
    Communication {
        communication_id: id(name),
        communication_type: CommunicationType::Email,
        usage_type: UsageType::Home,
        dial_country: None,
        dial_area: None,
        dial_number: None,
        dial_extension: None,
        uri: Some(format!("{name}@demo.example")),
        street_line_one: None,
        street_line_two: None,
        post_office_box: None,
        city: None,
        postal_code: None,
        postal_code_extension: None,
        country_subdivision_code: None,
        country_code: None,
    }
}

async fn list_workers(
    store: &Arc<dyn Store>,
    caller: &Caller,
    query: &WorkersQuery,
) -> (u64, Vec<WorkerView>) {
    let guarded = store.workers(caller, query).await.unwrap();
    let (_, listing) = guarded.open_for_scope(caller, Scope::ReadWorkers, NOW.date()).unwrap();
    (listing.total, into_rows(listing))
}

fn acme_query(filter: WorkerFilter, detail: WorkerDetail) -> WorkersQuery {
    WorkersQuery { company_id: id("acme"), filter, detail, window: Window::default() }
}

/// Returns the worker without the members that the partners' list of workers does not show.
fn worker_without_hidden_members(worker: &Worker) -> Worker {
    Worker { communications: worker.communications.clone(), i9_status: None, ..worker_without_lists(worker) }
}

/// Returns the worker without lists and tax settings.
fn worker_without_lists(worker: &Worker) -> Worker {
    Worker {
        communications: Vec::new(),
        pay_rates: Vec::new(),
        recurring_components: Vec::new(),
        direct_deposits: Vec::new(),
        custom_fields: Vec::new(),
        contacts: Vec::new(),
        time_off: Vec::new(),
        assignment_distributions: Vec::new(),
        statuses: Vec::new(),
        taxes: None,
        ..worker.clone()
    }
}

pub(super) async fn a_page_of_workers_is_read_with_their_references(store: Arc<dyn Store>) {
    let complete = company_with_workers();
    let caller = import_and_grant(&store, &complete).await;
    let mut query = acme_query(WorkerFilter::default(), WorkerDetail::Full);
    query.window = Window { offset: 2, limit: NonZeroU32::new(1) };
    let (total, page) = list_workers(&store, &caller, &query).await;
    assert_eq!((total, page.len()), (4, 1));
    let only_head = WorkersQuery { window: Window::HEAD_ONLY, ..query.clone() };
    let (total, rows) = list_workers(&store, &caller, &only_head).await;
    assert_eq!((total, rows.len()), (4, 0), "only the head is read");
    let view = page.first().unwrap();
    let ann = complete.workers.get(2).unwrap();
    assert_eq!(view.worker, worker_without_hidden_members(ann));
    assert_eq!(view.custom_employment_type_name.as_deref(), Some("Remote"));
    assert_eq!(view.organization.as_ref().unwrap().name, "The ovens unit");
    assert_eq!(view.supervisor_name, Some(("Sample".to_owned(), "acme-w1".to_owned())));
    query.detail = WorkerDetail::Outline;
    let (_, page) = list_workers(&store, &caller, &query).await;
    let outline = Worker { communications: Vec::new(), legal_id: None, ..worker_without_hidden_members(ann) };
    assert_eq!(page.first().unwrap().worker, outline);
}

pub(super) async fn filters_of_workers_are_combined(store: Arc<dyn Store>) {
    let caller = import_and_grant(&store, &company_with_workers()).await;
    let text = |text: &str| Some(text.to_owned());
    let all = WorkerFilter::default;
    let active = vec![StatusType::Pending, StatusType::Active];
    let filters = [
        (WorkerFilter { part_of_name: text("N sam"), ..all() }, "ann BEN"),
        (WorkerFilter { part_of_name: text("a%"), ..all() }, ""),
        (WorkerFilter { given_name: text("Ben"), ..all() }, "BEN"),
        (WorkerFilter { given_name: text("Be"), ..all() }, ""),
        (WorkerFilter { family_name: text("SAMPLE"), ..all() }, "acme-w1 acme-w2 ann BEN"),
        (WorkerFilter { employee_id: text("7"), ..all() }, "ann"),
        (WorkerFilter { employee_id: text("7\0"), ..all() }, ""),
        (WorkerFilter { location_id: text("harbor"), ..all() }, "ann"),
        (WorkerFilter { statuses: active.clone(), ..all() }, "ann"),
        (WorkerFilter { from: Some(day("2024-03-02")), ..all() }, "BEN"),
        (WorkerFilter { to: Some(day("2024-03-01")), ..all() }, "ann"),
        (WorkerFilter { statuses: active, given_name: text("ben"), ..all() }, ""),
    ];
    for (filter, expected) in filters {
        let (total, found) =
            list_workers(&store, &caller, &acme_query(filter.clone(), WorkerDetail::Outline)).await;
        let ids: Vec<_> = found.iter().map(|view| view.worker.worker_id.to_string()).collect();
        assert_eq!((ids.join(" ").as_str(), total), (expected, ids.len() as u64), "{filter:?}");
    }
}

pub(super) async fn many_workers_are_streamed_in_order(store: Arc<dyn Store>) {
    let mut complete = company("acme");
    let many = (0..600).map(|number| {
        let mut worker = worker(&format!("many-{number:04}"));
        worker.communications = vec![email_communication(&format!("mail-{number:04}"))];
        worker
    });
    complete.workers.extend(many);
    let caller = import_and_grant(&store, &complete).await;
    let guarded =
        store.workers(&caller, &acme_query(WorkerFilter::default(), WorkerDetail::Full)).await.unwrap();
    let (_, listing) = guarded.open_for_scope(&caller, Scope::ReadWorkers, NOW.date()).unwrap();
    let read = listing.rows.into_vec().await.unwrap();
    let expected: Vec<_> = complete.workers.iter().map(worker_without_hidden_members).collect();
    assert_eq!(read.into_iter().map(|view| view.worker).collect::<Vec<_>>(), expected);
}

pub(super) async fn one_worker_is_read_with_their_data(store: Arc<dyn Store>) {
    let complete = company_with_workers();
    let caller = import_and_grant(&store, &complete).await;
    let (expected, today) = (complete.workers.get(2).unwrap(), NOW.date());
    let of = |worker: &str| WorkerKey { company_id: id("acme"), worker_id: id(worker) };
    let read = store.worker(&caller, &of("ann"), WorkerDetail::Full).await.unwrap();
    let view = read.open_for_scope(&caller, Scope::ReadWorkers, today).unwrap().1.unwrap();
    assert_eq!(
        (&view.value.worker, view.value.organization.is_some()),
        (&worker_without_hidden_members(expected), true)
    );
    let read = store.communications(&caller, &of("ann")).await.unwrap();
    let own = read.open_for_scope(&caller, Scope::ReadWorkers, today).unwrap().1.unwrap();
    assert_eq!((&own.value, own.version), (&expected.communications, view.version));
    let read = store.pay_rates(&caller, &of("ann")).await.unwrap();
    assert_eq!(
        read.open_for_scope(&caller, Scope::ReadPayroll, today).unwrap().1.unwrap().value,
        expected.pay_rates
    );
    let nobody = of("nobody");
    let none = store.worker(&caller, &nobody, WorkerDetail::Full).await.unwrap();
    assert!(none.open_for_scope(&caller, Scope::ReadWorkers, today).unwrap().1.is_none());
    let none = store.pay_rates(&caller, &nobody).await.unwrap();
    assert!(none.open_for_scope(&caller, Scope::ReadPayroll, today).unwrap().1.is_none());
}

pub(super) async fn reading_one_list_of_a_worker_omits_the_others(store: Arc<dyn Store>) {
    let mut complete = company_with_workers();
    let expected = Worker { organization_id: None, ..full_worker("all") };
    complete.workers.push(expected.clone());
    let caller = import_and_grant(&store, &complete).await;
    let read = async |worker_id: &str, list: Option<WorkerListKind>| {
        let key = WorkerKey { company_id: id("acme"), worker_id: id(worker_id) };
        let read = store.worker_with_list(&caller, &key, list).await.unwrap();
        read.open_for_scope(&caller, Scope::ReadWorkers, NOW.date()).unwrap().1
    };
    let worker_without_lists = worker_without_lists(&expected);
    // A worker with a current status always has a history, which then contains at least this status. Here the
    // stored history is not read, so the history is removed before the comparison.
    let history = |worker: Worker| Worker { statuses: Vec::new(), ..worker };
    let found = read("all", None).await.unwrap();
    assert_eq!(history(found.value), worker_without_lists);
    let complete = store.object(&caller, &id("acme"), ResourceKind::Worker, "all").await.unwrap();
    let complete = complete.open_for_scope(&caller, Scope::ReadWorkers, NOW.date()).unwrap().1.unwrap();
    assert_eq!(found.version, complete.version);
    type CopyWorkerList = fn(&mut Worker, Worker);
    let lists: [(WorkerListKind, CopyWorkerList); 6] = [
        (WorkerListKind::AssignmentDistributions, |worker, all| {
            worker.assignment_distributions = all.assignment_distributions;
        }),
        (WorkerListKind::Contacts, |worker, all| worker.contacts = all.contacts),
        (WorkerListKind::CustomFields, |worker, all| worker.custom_fields = all.custom_fields),
        (WorkerListKind::DirectDeposits, |worker, all| worker.direct_deposits = all.direct_deposits),
        (WorkerListKind::RecurringComponents, |worker, all| {
            worker.recurring_components = all.recurring_components;
        }),
        (WorkerListKind::TimeOff, |worker, all| worker.time_off = all.time_off),
    ];
    for (list, copy) in lists {
        let mut with_list = worker_without_lists.clone();
        copy(&mut with_list, expected.clone());
        assert_ne!(with_list, worker_without_lists, "{list:?} has elements");
        assert_eq!(history(read("all", Some(list)).await.unwrap().value), with_list, "{list:?}");
    }
    let with_statuses = Worker { statuses: expected.statuses, ..worker_without_lists };
    assert_eq!(read("all", Some(WorkerListKind::Statuses)).await.unwrap().value, with_statuses);
    assert_eq!(read("nobody", Some(WorkerListKind::Contacts)).await, None);
}

pub(super) async fn compensation_includes_amounts_paid_in_a_date_range(store: Arc<dyn Store>) {
    let mut complete = company_with_workers();
    let expected = Worker { organization_id: None, ..full_worker("all") };
    complete.workers.push(expected.clone());
    let mut done = period("done", PeriodStatus::Completed);
    done.processed_checks = vec![processed_check(1), processed_check(2)];
    let mut reversed = period("reversed", PeriodStatus::Reversed);
    reversed.processed_checks = vec![ProcessedCheck { pay_period_id: id("reversed"), ..processed_check(3) }];
    complete.pay_periods.extend([done, reversed]);
    let caller = import_and_grant(&store, &complete).await;
    let paid = async |worker: &str, first: &str, last: &str| {
        let worker = WorkerKey { company_id: id("acme"), worker_id: id(worker) };
        let days = CheckDateRange { first: day(first), last: day(last) };
        let read = store.compensation(&caller, &worker, days).await.unwrap();
        read.open_for_scope(&caller, Scope::ReadPayroll, NOW.date()).unwrap().1
    };
    let pay = paid("acme-w1", "2026-05-18", "2026-05-18").await.unwrap().value;
    assert_eq!(pay.paid, Amount::parse("800").ok(), "reversed checks were taken back");
    assert!(pay.version_of_paid > 0);
    for (first, last) in [("2026-05-19", "2026-06-01"), ("2026-01-01", "2026-05-17")] {
        assert_eq!(paid("acme-w1", first, last).await.unwrap().value.paid, None);
    }
    let all = paid("all", "2026-01-01", "2026-12-31").await.unwrap().value;
    assert_eq!((all.pay_rates, all.pay_standards), (expected.pay_rates, expected.pay_standards));
    assert_eq!(paid("nobody", "2026-01-01", "2026-12-31").await, None);
}

pub(super) async fn deposits_awaiting_approval_are_listed_with_company_and_worker(store: Arc<dyn Store>) {
    let mut complete = company_with_workers();
    let expected = Worker { organization_id: None, ..full_worker("all") };
    complete.workers.push(expected.clone());
    let caller = import_and_grant(&store, &complete).await;
    let pending = store.deposits_awaiting_approval(None, 10).await.unwrap();
    let deposits: Vec<_> = pending.iter().map(|it| it.deposit.clone()).collect();
    let wait: Vec<_> = expected.direct_deposits.iter().filter(|it| it.is_pending()).cloned().collect();
    assert_eq!((deposits, wait.len()), (wait, 2));
    assert!(pending.iter().all(|it| it.company_id.as_str() == "acme" && it.worker_id.as_str() == "all"));
    assert_eq!(store.deposits_awaiting_approval(None, 1).await.unwrap().len(), 1);
    let read = store.object(&caller, &id("acme"), ResourceKind::Worker, "all").await.unwrap();
    let (_, found) = read.open_for_scope(&caller, Scope::ReadDeposits, NOW.date()).unwrap();
    assert_eq!(found.unwrap().value, Resource::Worker(Box::new(expected)), "account numbers are opened");
}
