//! Contract tests for companies and their lists.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::access::{Caller, Scope, Scopes};
use payroll_domain::company::to_display_key;
use payroll_domain::custom_field::CustomField;
use payroll_domain::lookup::LookupKind;
use payroll_domain::resource::{Resource, ResourceKind};

use super::world::{
    company, create_application, create_company_and_caller, custom_field, day, empty_company, grant_scopes,
    id, import_company,
};
use crate::filters::LookupFilter;
use crate::resources::{ObjectWrite, WriteOutcome, WriteRefusal};
use crate::setup::SetupList;
use crate::write::AuditContext;
use crate::{Listing, Rows, Store, Window};

/// Returns the rows of a list that is short enough not to be streamed.
pub(super) fn into_rows<T>(listing: Listing<T>) -> Vec<T> {
    match listing.rows {
        Rows::All(rows) => rows,
        Rows::Stream(_) => panic!("a few rows come at once"),
    }
}

async fn create_three_companies(store: &Arc<dyn Store>) -> Caller {
    let caller = create_application(store, "partner").await;
    for name in ["acme", "bravo", "coral"] {
        import_company(store, &empty_company(name)).await;
    }
    let read: Scopes = [Scope::ReadCompanies].into_iter().collect();
    grant_scopes(store, &caller, "acme", read).await;
    grant_scopes(store, &caller, "coral", read).await;
    let payroll_only: Scopes = [Scope::ReadPayroll].into_iter().collect();
    grant_scopes(store, &caller, "bravo", payroll_only).await;
    caller
}

async fn list_companies(
    store: &Arc<dyn Store>,
    caller: &Caller,
    key: Option<&str>,
    window: Window,
) -> (u64, Vec<String>) {
    let guarded = store.companies(caller, key, window.into()).await.unwrap();
    let (_, listing) = guarded.open_without_company(caller, Scope::ReadCompanies).unwrap();
    let total = listing.total;
    (total, into_rows(listing).into_iter().map(|row| row.company.company_id.to_string()).collect())
}

pub(super) async fn only_companies_with_the_scope_read_companies_are_listed(store: Arc<dyn Store>) {
    let caller = create_three_companies(&store).await;
    let (total, ids) = list_companies(&store, &caller, None, Window::default()).await;
    assert_eq!((total, ids), (2, vec!["acme".to_owned(), "coral".to_owned()]));
}

pub(super) async fn the_list_of_companies_is_filtered_by_display_key(store: Arc<dyn Store>) {
    let caller = create_three_companies(&store).await;
    let (total, ids) =
        list_companies(&store, &caller, Some(&to_display_key("D-CORAL")), Window::default()).await;
    assert_eq!((total, ids), (1, vec!["coral".to_owned()]));
    let (total, ids) =
        list_companies(&store, &caller, Some(&to_display_key("Dbravo")), Window::default()).await;
    assert_eq!((total, ids.len()), (0, 0), "a company whose grant lacks read:companies is not listed");
}

pub(super) async fn a_window_limits_the_listed_companies_but_not_the_total(store: Arc<dyn Store>) {
    let caller = create_three_companies(&store).await;
    let window = Window { offset: 1, limit: NonZeroU32::new(5) };
    assert_eq!(list_companies(&store, &caller, None, window).await, (2, vec!["coral".to_owned()]));
    let past_the_end = Window { offset: 9, limit: None };
    assert_eq!(list_companies(&store, &caller, None, past_the_end).await, (2, Vec::new()));
}

pub(super) async fn lineage_contains_only_companies_that_the_caller_may_read(store: Arc<dyn Store>) {
    let caller = create_application(&store, "partner").await;
    let mut parent = None;
    for name in ["top", "hidden", "middle", "leaf"] {
        let mut whole = empty_company(name);
        whole.company.parent_company_id = parent.replace(id(name));
        import_company(&store, &whole).await;
        if name != "hidden" {
            let all = Scopes::all();
            grant_scopes(&store, &caller, name, all).await;
        }
    }
    let guarded = store.company(&caller, &id("middle"), true).await.unwrap();
    let today = super::world::NOW.date();
    let (_, view) = guarded.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap();
    let lineage = view.unwrap().lineage.unwrap();
    let names = |relatives: &[payroll_domain::company::Relative]| -> Vec<String> {
        relatives.iter().map(|one| one.company_id.to_string()).collect()
    };
    assert_eq!(names(&lineage.ancestors), ["top"]);
    assert_eq!(names(&lineage.descendants), ["leaf"]);
    let without = store.company(&caller, &id("middle"), false).await.unwrap();
    let (_, view) = without.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap();
    assert_eq!(view.unwrap().lineage, None);
}

pub(super) async fn an_unknown_company_has_no_access_and_no_view(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let guarded = store.company(&caller, &id("nowhere"), false).await.unwrap();
    assert!(guarded.access().company.is_none());
    assert!(guarded.access().application_enabled);
    let other = create_application(&store, "other").await;
    let access = store.read_access(&other, Some(&id("acme"))).await.unwrap();
    assert!(access.company.unwrap().granted_scopes.is_empty(), "no grant is an empty set of scopes");
}

pub(super) async fn the_company_of_a_worker_is_found(store: Arc<dyn Store>) {
    create_company_and_caller(&store).await;
    let worker = company("acme").workers.first().unwrap().worker_id.clone();
    assert_eq!(store.company_of_worker(&worker).await.unwrap(), Some(id("acme")));
    assert_eq!(store.company_of_worker(&id("nobody")).await.unwrap(), None);
}

pub(super) async fn lists_are_read_in_the_form_in_which_they_were_imported(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let (acme, whole, all) = (id("acme"), company("acme"), Window::default());
    let today = super::world::NOW.date();
    let fields = whole.custom_fields.into_iter().map(|field| Resource::CustomField(Box::new(field)));
    let lookups = whole.lookups.objects().map(Resource::Lookup).collect::<Vec<_>>();
    let of_kind =
        |kind| lookups.iter().filter(move |it| it.kind() == ResourceKind::Lookup(kind)).cloned().collect();
    let everything = LookupFilter::default();
    let mut lists: Vec<(SetupList, Vec<Resource>)> =
        LookupKind::ALL.iter().map(|kind| (SetupList::Lookup(*kind, everything), of_kind(*kind))).collect();
    assert!(lists.iter().all(|(_, objects)| !objects.is_empty()), "the world has an object of each kind");
    lists.extend([
        (SetupList::ContactTypes, wrap_as_resources(whole.contact_types, Resource::ContactType)),
        (
            SetupList::CustomFieldCategories,
            wrap_as_resources(whole.custom_field_categories, Resource::CustomFieldCategory),
        ),
        (SetupList::CustomFields, fields.collect()),
    ]);
    for (list, expected) in lists {
        let opened = store.setup_list(&caller, &acme, list, all).await.unwrap();
        let (_, found) = opened.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap();
        assert_eq!(into_rows(found), expected, "{list:?}");
    }
    let opened = store.company(&caller, &acme, false).await.unwrap();
    let view = opened.open_for_scope(&caller, Scope::ReadCompanies, today).unwrap().1.unwrap();
    assert_eq!(view.company, whole.company);
}

pub(super) async fn list_for_a_day_contains_only_valid_objects(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    // The job title of the test company is valid in 2025 and 2026.
    let days = [("2024-12-31", 0), ("2025-01-01", 1), ("2026-12-31", 1), ("2027-01-01", 0)];
    for (on, expected) in days {
        let filter = LookupFilter { in_force_on: Some(day(on)), ..LookupFilter::default() };
        // Objects without a first and last day are always valid, so their lists do not depend on the day in
        // the filter.
        let lists = [
            (LookupKind::CompanyJobTitle, expected),
            (LookupKind::LaborAssignment, 1),
            (LookupKind::CalculationBase, 1),
        ];
        for (kind, expected) in lists {
            let list = SetupList::Lookup(kind, filter);
            for window in [Window::default(), Window { offset: 0, limit: NonZeroU32::new(5) }] {
                let opened = store.setup_list(&caller, &id("acme"), list, window).await.unwrap();
                let (_, found) =
                    opened.open_for_scope(&caller, Scope::ReadCompanies, super::world::NOW.date()).unwrap();
                assert_eq!(
                    (found.total, into_rows(found).len() as u64),
                    (expected, expected),
                    "{kind} on {on}"
                );
            }
        }
    }
}

fn wrap_as_resources<T>(objects: Vec<T>, wrap: fn(T) -> Resource) -> Vec<Resource> {
    objects.into_iter().map(wrap).collect()
}

pub(super) async fn a_custom_field_is_added_once(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let audit = AuditContext::for_application(&caller.application_id, super::world::NOW, None);
    let add = async |field: CustomField| {
        let write = ObjectWrite::Create(Resource::CustomField(Box::new(field)));
        store.write_resource(&id("acme"), &write, &audit).await.unwrap()
    };
    assert!(matches!(add(custom_field("badge")).await, WriteOutcome::Stored(_)));
    let again = CustomField { custom_field_id: id("another"), ..custom_field("badge") };
    assert!(matches!(add(again).await, WriteOutcome::Refused(WriteRefusal::Taken(_))));
    let guarded = store.custom_field_validation_data(&caller, &id("acme")).await.unwrap();
    let today = super::world::NOW.date();
    let (_, facts) = guarded.open_for_scope(&caller, Scope::WriteCompanies, today).unwrap();
    assert!(facts.used_names.contains("badge") && facts.used_names.contains("shirt"));
    assert_eq!(facts.default_category(), Some(&id("general")));
}
