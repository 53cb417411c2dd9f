//! Contract tests for the configuration of a company as partners read it.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::company::Organization;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::resource::ResourceKind;

use super::companies::into_rows;
use super::world::{
    NOW, company, component, create_application, create_company_and_caller, custom_field, day, grant_scopes,
    id, import_company, new_checks, organization, period, sample_check,
};
use crate::checks::AdditionOutcome;
use crate::filters::{ComponentFilter, PeriodFilter};
use crate::setup::{OrganizationView, PeriodWithCheckCount};
use crate::{Store, Window};

/// Returns the version of the list of pay periods that match a filter, and the ids of these periods.
async fn read_periods(store: &Arc<dyn Store>, caller: &Caller, filter: &PeriodFilter) -> (i64, Vec<String>) {
    let guarded = store.pay_periods(caller, &id("acme"), filter, Window::default().into()).await.unwrap();
    let (_, listing) = guarded.open_for_scope(caller, Scope::ReadPayroll, NOW.date()).unwrap();
    let version = listing.version;
    let ids =
        into_rows(listing).into_iter().map(|it: PeriodWithCheckCount| it.period.pay_period_id.to_string());
    (version, ids.collect())
}

pub(super) async fn pay_periods_are_listed_by_state_and_days(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    let mut june = period("june", PeriodStatus::Entry);
    june.period.start_date = day("2026-06-01");
    june.period.end_date = day("2026-06-14");
    whole.pay_periods.push(june);
    import_company(&store, &whole).await;
    let caller = create_application(&store, "partner").await;
    grant_scopes(&store, &caller, "acme", Scopes::all()).await;
    let listed = async |filter: PeriodFilter| read_periods(&store, &caller, &filter).await.1;
    let any = PeriodFilter::default;
    assert_eq!(listed(any()).await, ["open", "closed", "june"]);
    let statuses = vec![PeriodStatus::Entry, PeriodStatus::Completed];
    assert_eq!(listed(PeriodFilter { statuses, ..any() }).await, ["closed", "june"]);
    let from = Some(day("2026-06-01"));
    assert_eq!(listed(PeriodFilter { from, ..any() }).await, ["june"]);
    let to = Some(day("2026-06-13"));
    assert_eq!(listed(PeriodFilter { to, ..any() }).await, ["open", "closed"]);
    assert_eq!(listed(PeriodFilter { from, to, ..any() }).await, Vec::<String>::new());
}

pub(super) async fn adding_a_check_changes_the_count_and_the_versions_of_its_period(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let (acme, open) = (id("acme"), id("open"));
    let completed = PeriodFilter { statuses: vec![PeriodStatus::Completed], ..PeriodFilter::default() };
    let one = async || {
        let guarded = store.pay_period(&caller, &acme, &open).await.unwrap();
        guarded.open_for_scope(&caller, Scope::ReadPayroll, NOW.date()).unwrap().1.unwrap()
    };
    let (listed, before) = (read_periods(&store, &caller, &completed).await.0, one().await);
    let added =
        store.add_checks(&new_checks(&caller, vec![sample_check("c1"), sample_check("c2")])).await.unwrap();
    assert_eq!(added, AdditionOutcome::Stored);
    let after = one().await;
    assert_eq!((before.value.check_count, after.value.check_count), (0, 2));
    assert!(after.version > before.version, "{before:?} {after:?}");
    assert_ne!(read_periods(&store, &caller, &completed).await.0, listed);
}

pub(super) async fn reads_a_pay_period_only_from_its_company(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let mut other = company("bravo");
    other.pay_periods = vec![period("theirs", PeriodStatus::Entry)];
    import_company(&store, &other).await;
    for (name, expected) in [("open", true), ("theirs", false), ("nothing", false)] {
        let guarded = store.pay_period(&caller, &id("acme"), &id(name)).await.unwrap();
        let (_, found) = guarded.open_for_scope(&caller, Scope::ReadPayroll, NOW.date()).unwrap();
        assert_eq!(found.is_some(), expected, "{name}");
    }
    let guarded = store.pay_period(&caller, &id("nowhere"), &id("open")).await.unwrap();
    assert!(guarded.access().company.is_none(), "no company, no access");
}

pub(super) async fn pay_components_are_listed_by_their_filters(store: Arc<dyn Store>) {
    let mut whole = company("acme");
    whole.pay_components.push(PayComponent {
        effect_on_pay: EffectOnPay::Reduction,
        classification_type: ClassificationType::UnionDues,
        ..component("dues")
    });
    import_company(&store, &whole).await;
    let caller = create_application(&store, "partner").await;
    grant_scopes(&store, &caller, "acme", Scopes::all()).await;
    let listed = async |filter: ComponentFilter| {
        let guarded = store.pay_components(&caller, &id("acme"), &filter, Window::default()).await.unwrap();
        let listing = guarded.open_for_scope(&caller, Scope::ReadPayroll, NOW.date()).unwrap().1;
        let (total, found) = (listing.total, into_rows(listing));
        assert_eq!(usize::try_from(total), Ok(found.len()));
        found.into_iter().map(|it| it.component_id.to_string()).collect::<Vec<_>>()
    };
    let any = ComponentFilter::default;
    assert_eq!(listed(any()).await, ["hourly", "dues"]);
    let effect_on_pay = Some(EffectOnPay::Reduction);
    assert_eq!(listed(ComponentFilter { effect_on_pay, ..any() }).await, ["dues"]);
    let classification_type = Some(ClassificationType::Regular);
    assert_eq!(listed(ComponentFilter { classification_type, ..any() }).await, ["hourly"]);
    let name = Some("The dues component".to_owned());
    assert_eq!(listed(ComponentFilter { name: name.clone(), ..any() }).await, ["dues"]);
    assert!(listed(ComponentFilter { name, classification_type, ..any() }).await.is_empty());
    let part_of_name = Some("DUES c".to_owned());
    assert_eq!(listed(ComponentFilter { part_of_name, ..any() }).await, ["dues"]);
    let unspeakable = Some("a\0b".to_owned());
    assert!(listed(ComponentFilter { name: unspeakable, ..any() }).await.is_empty());
}

pub(super) async fn organizations_are_read_with_their_direct_children(store: Arc<dyn Store>) {
    let below = |name: &str, parent: &str| Organization {
        parent_organization_id: Some(id(parent)),
        ..organization(name)
    };
    let mut whole = company("acme");
    whole.organizations =
        vec![organization("top"), below("left", "top"), below("right", "top"), below("leaf", "left")];
    import_company(&store, &whole).await;
    let caller = create_application(&store, "partner").await;
    grant_scopes(&store, &caller, "acme", Scopes::all()).await;
    let (acme, today) = (id("acme"), NOW.date());
    let window = Window { offset: 1, limit: NonZeroU32::new(2) };
    let guarded = store.organizations(&caller, &acme, window).await.unwrap();
    let page = into_rows(guarded.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap().1);
    let view = |name: &str, parent: &str, children: &[&str]| OrganizationView {
        organization: below(name, parent),
        children: children.iter().map(|it| id(it)).collect(),
    };
    assert_eq!(page, [view("left", "top", &["leaf"]), view("right", "top", &[])]);
    let guarded = store.organization(&caller, &acme, &id("top")).await.unwrap();
    let top = guarded.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap().1.unwrap().value;
    assert_eq!((top.organization, top.children), (organization("top"), vec![id("left"), id("right")]));
    let guarded = store.organization(&caller, &acme, &id("nothing")).await.unwrap();
    assert_eq!(guarded.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap().1, None);
}

pub(super) async fn reads_an_object_only_from_its_company_with_its_version(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let (acme, today) = (id("acme"), NOW.date());
    let guarded = store.pay_component(&caller, &acme, &id("hourly")).await.unwrap();
    let found = guarded.open_for_scope(&caller, Scope::ReadPayroll, today).unwrap().1.unwrap();
    assert_eq!(found.value, component("hourly"));
    let shirt = custom_field("shirt");
    let kind = ResourceKind::CustomField;
    let guarded = store.object(&caller, &acme, kind, shirt.custom_field_id.as_str()).await.unwrap();
    let found = guarded.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap().1;
    let stored = store.resource(&acme, kind, shirt.custom_field_id.as_str()).await.unwrap();
    assert_eq!((found.as_ref(), found.is_some()), (stored.as_ref(), true));
    let guarded = store.object(&caller, &acme, kind, "nothing").await.unwrap();
    assert_eq!(guarded.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap().1, None);
}
