//! The domains of the events that each change of an object fires (specification §9.3).
//!
//! The descriptions of workers and companies declare the event domain of each member. A test fails if a
//! member has no domain. This module determines the events for changes of lists.

use std::collections::{HashMap, HashSet};

use super::{EventAction, EventDomain, FiredEvent};
use crate::company::{Organization, Product};
use crate::date::Date;
use crate::description::Described;
use crate::pay_period::{PayPeriod, PeriodStatus};
use crate::resource::{CompanyRecord, Resource, ResourceKind};
use crate::steps;
use crate::worker::parts::{PartVisitor, visit_parts};
use crate::worker::{FederalTax, StateTax, TaxSettings, Worker, WorkerPart};

#[cfg(test)]
mod tests;

/// Returns the events that the change of an object fires. The list is empty if nothing changed. `before` is
/// `None` for a new object, and `after` is `None` for a removed object. The two objects must have the same
/// kind and id.
///
/// ```
/// use payroll_domain::company::Organization;
/// use payroll_domain::event::{EventAction, EventDomain, find_events_of_change};
/// use payroll_domain::resource::Resource;
/// let unit = Resource::Organization(Organization {
///     organization_id: "O-1".parse().unwrap(),
///     name: "Bakery".to_owned(),
///     number: None,
///     level: None,
///     parent_organization_id: None,
/// });
/// let events = find_events_of_change(None, Some(&unit));
/// assert_eq!((events[0].domain, events[0].action), (EventDomain::CompanyOrganizations, EventAction::Add));
/// assert_eq!(find_events_of_change(Some(&unit), Some(&unit)), []);
/// ```
#[must_use]
pub fn find_events_of_change(before: Option<&Resource>, after: Option<&Resource>) -> Vec<FiredEvent> {
    let Some(kind) = after.or(before).map(Resource::kind) else { return Vec::new() };
    match kind {
        ResourceKind::Company => find_company_events(as_company(before), as_company(after)),
        ResourceKind::Organization => {
            find_organization_events(as_organization(before), as_organization(after))
        }
        ResourceKind::PayPeriod => find_pay_period_events(as_pay_period(before), as_pay_period(after)),
        ResourceKind::Worker => find_worker_events(as_worker(before), as_worker(after)),
        // Changes of configuration objects, such as custom fields, fire no event.
        ResourceKind::ContactType
        | ResourceKind::CustomFieldCategory
        | ResourceKind::CustomField
        | ResourceKind::PayComponent
        | ResourceKind::Lookup(_) => Vec::new(),
    }
}

fn as_company(resource: Option<&Resource>) -> Option<&CompanyRecord> {
    if let Some(Resource::Company(company)) = resource { Some(company) } else { None }
}

fn as_organization(resource: Option<&Resource>) -> Option<&Organization> {
    if let Some(Resource::Organization(unit)) = resource { Some(unit) } else { None }
}

fn as_pay_period(resource: Option<&Resource>) -> Option<&PayPeriod> {
    if let Some(Resource::PayPeriod(period)) = resource { Some(period) } else { None }
}

fn as_worker(resource: Option<&Resource>) -> Option<&Worker> {
    if let Some(Resource::Worker(worker)) = resource { Some(worker) } else { None }
}

/// Returns the events for a changed company. A new or removed company fires no event, because no application
/// has access to it.
fn find_company_events(before: Option<&CompanyRecord>, after: Option<&CompanyRecord>) -> Vec<FiredEvent> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    let communications =
        find_list_action(&before.company.communications, &after.company.communications, WorkerPart::id);
    let differs = before.company.differs_for_event(&after.company, EventDomain::CompanyDemographics);
    let demographics = combine_actions(differs, communications);
    let reported = [
        (EventDomain::CompanyDemographics, demographics),
        (EventDomain::CompanyProducts, find_products_action(&before.products, &after.products)),
    ];
    reported.into_iter().filter_map(|(domain, action)| Some(new_company_event(domain, action?))).collect()
}

fn find_organization_events(before: Option<&Organization>, after: Option<&Organization>) -> Vec<FiredEvent> {
    let action = match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some(EventAction::Add),
        (Some(_), None) => Some(EventAction::Delete),
        (Some(before), Some(after)) => (before != after).then_some(EventAction::Update),
    };
    action.into_iter().map(|action| new_company_event(EventDomain::CompanyOrganizations, action)).collect()
}

/// Returns the action of the event that a change of products causes. Removing a product and setting a new end
/// date cause an event. Adding a product and removing an end date cause no event.
fn find_products_action(before: &[Product], after: &[Product]) -> Option<EventAction> {
    let mut after = group_by_code(after);
    let actions = group_by_code(before)
        .into_iter()
        .filter_map(|(code, times)| find_product_action(times, after.remove(code).unwrap_or_default()));
    actions.reduce(EventAction::combine_with)
}

fn group_by_code(products: &[Product]) -> HashMap<&str, Vec<&Product>> {
    let mut of_code: HashMap<&str, Vec<&Product>> = HashMap::new();
    for product in products {
        steps::record_steps(1);
        of_code.entry(&product.product_code).or_default().push(product);
    }
    of_code
}

/// Compares the entries of one product. A company may have several entries with different start dates.
/// Entries with the same start date are compared with each other. The remaining entries are paired in order,
/// as if only their start date had changed.
fn find_product_action(mut before: Vec<&Product>, mut after: Vec<&Product>) -> Option<EventAction> {
    before.sort_by_key(|product| product.start_date);
    after.sort_by_key(|product| product.start_date);
    let starts: HashSet<Date> = after.iter().map(|product| product.start_date).collect();
    let (same, moved): (Vec<_>, Vec<_>) =
        before.into_iter().partition(|product| starts.contains(&product.start_date));
    let retained_starts: HashSet<Date> = same.iter().map(|product| product.start_date).collect();
    let (same_after, moved_after): (Vec<_>, Vec<_>) =
        after.into_iter().partition(|product| retained_starts.contains(&product.start_date));
    let ends = |(before, after): (&Product, &Product)| {
        (after.end_date.is_some() && after.end_date != before.end_date).then_some(EventAction::Update)
    };
    let gone = (moved.len() > moved_after.len()).then_some(EventAction::Delete);
    let same = same.into_iter().zip(same_after);
    same.chain(moved.into_iter().zip(moved_after))
        .filter_map(ends)
        .chain(gone)
        .reduce(EventAction::combine_with)
}

/// Returns the event for a period that was completed. A new period that is already processed was imported and
/// fires no event.
fn find_pay_period_events(before: Option<&PayPeriod>, after: Option<&PayPeriod>) -> Vec<FiredEvent> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    if before.status == PeriodStatus::Completed || after.status != PeriodStatus::Completed {
        return Vec::new();
    }
    vec![FiredEvent {
        domain: EventDomain::PayrunCompleted,
        action: EventAction::PayrunCompleted,
        worker_id: None,
        pay_period_id: Some(after.pay_period_id.clone()),
    }]
}

fn find_worker_events(before: Option<&Worker>, after: Option<&Worker>) -> Vec<FiredEvent> {
    let of = |worker: &Worker, domain, action| FiredEvent {
        domain,
        action,
        worker_id: Some(worker.worker_id.clone()),
        pay_period_id: None,
    };
    match (before, after) {
        (None, None) => Vec::new(),
        (None, Some(worker)) => vec![of(worker, EventDomain::WorkerAdded, EventAction::Add)],
        (Some(worker), None) => vec![of(worker, EventDomain::WorkerEmployment, EventAction::Delete)],
        (Some(before), Some(after)) => {
            let changes = find_worker_changes(before, after);
            changes.filter_map(|(domain, action)| Some(of(after, domain, action?))).collect()
        }
    }
}

/// Returns the domains in which a worker changed, with the action for each domain. The description of a
/// member determines the domain of its changes.
fn find_worker_changes(
    before: &Worker,
    after: &Worker,
) -> impl Iterator<Item = (EventDomain, Option<EventAction>)> {
    let mut lists = ListChanges { before, after, actions: HashMap::new() };
    visit_parts(&mut lists);
    let ((federal, states), (federal_after, states_after)) = (tax_settings(before), tax_settings(after));
    lists.add(
        EventDomain::WorkerTaxes,
        find_list_action(states, states_after, |it| &it.country_subdivision_code),
    );
    [
        (EventDomain::WorkerDemographics, false),
        (EventDomain::WorkerEmployment, false),
        (EventDomain::WorkerTaxes, federal != federal_after),
        (EventDomain::WorkerAssignment, false),
        (EventDomain::WorkerCompensation, false),
    ]
    .into_iter()
    .map(move |(domain, differs)| {
        let differs = differs || before.differs_for_event(after, domain);
        (domain, combine_actions(differs, lists.actions.remove(&domain)))
    })
}

/// The actions for a worker's changed lists, by the domains of their events.
struct ListChanges<'w> {
    before: &'w Worker,
    after: &'w Worker,
    actions: HashMap<EventDomain, EventAction>,
}

impl ListChanges<'_> {
    fn add(&mut self, domain: EventDomain, action: Option<EventAction>) {
        let all = action.into_iter().chain(self.actions.remove(&domain)).reduce(EventAction::combine_with);
        self.actions.extend(all.map(|action| (domain, action)));
    }
}

impl PartVisitor for ListChanges<'_> {
    fn visit<T: WorkerPart>(&mut self) {
        if let Some(domain) = T::EVENT {
            self.add(domain, find_list_action(T::elements(self.before), T::elements(self.after), T::id));
        }
    }
}

/// Returns the tax settings of a worker. Absent tax settings are treated like empty tax settings.
fn tax_settings(worker: &Worker) -> (FederalTax, &[StateTax]) {
    match &worker.taxes {
        Some(TaxSettings { federal, states }) => (federal.clone().unwrap_or_default(), states),
        None => Default::default(),
    }
}

const fn new_company_event(domain: EventDomain, action: EventAction) -> FiredEvent {
    FiredEvent { domain, action, worker_id: None, pay_period_id: None }
}

/// Returns the one action that the event of a domain reports. A domain can have single members and a list. If
/// only the list changed, the action is that of the list. If any other member changed, the action is an
/// update.
const fn combine_actions(members_differ: bool, items: Option<EventAction>) -> Option<EventAction> {
    if members_differ { Some(EventAction::Update) } else { items }
}

/// Returns the action for a change of a list. `id` returns the id of an element. `None` if the lists are
/// equal.
fn find_list_action<T: PartialEq>(before: &[T], after: &[T], id: fn(&T) -> &str) -> Option<EventAction> {
    if before == after {
        return None;
    }
    let ids_before: HashSet<&str> = before.iter().map(id).collect();
    let ids_after: HashSet<&str> = after.iter().map(id).collect();
    let stayed = before.iter().filter(|it| ids_after.contains(id(it)));
    let stayed_after = after.iter().filter(|it| ids_before.contains(id(it)));
    let came = !ids_after.is_subset(&ids_before);
    let went = !ids_before.is_subset(&ids_after);
    // A changed order of the elements also counts as an update, because readers see the order.
    match (stayed.eq(stayed_after), came, went) {
        (true, true, false) => Some(EventAction::Add),
        (true, false, true) => Some(EventAction::Delete),
        (true, true, true) | (true, false, false) | (false, _, _) => Some(EventAction::Update),
    }
}
