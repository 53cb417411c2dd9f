//! Contract tests for reading and writing the objects of companies as an operator.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::company::{CompanyState, to_display_key};
use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::resource::{Resource, ResourceKind};

use super::world::{NOW, company, empty_company, full_worker, id, import_company};
use crate::filters::{CompanyFilter, ResourceFilter};
use crate::resources::Versioned;
use crate::{Listing, Store, Window};

/// Returns a company with objects of every kind, and a worker with every member.
pub(super) fn full_company(company_id: &str) -> CompleteCompany {
    let mut complete = company(company_id);
    complete.organizations = vec![super::world::organization("unit")];
    complete.workers.push(full_worker(&format!("{company_id}-w3")));
    complete
}

fn filter_of_kind(kind: ResourceKind) -> ResourceFilter {
    ResourceFilter::All(kind)
}

async fn collect_rows(listing: Listing<Versioned<Resource>>) -> Vec<Versioned<Resource>> {
    use futures_util::TryStreamExt;
    listing.rows.into_stream().try_concat().await.unwrap()
}

pub(super) async fn every_kind_of_object_is_read_as_it_was_imported(store: Arc<dyn Store>) {
    let complete = full_company("acme");
    import_company(&store, &complete).await;
    for object in complete.resources() {
        let found = store.resource(&id("acme"), object.kind(), object.id()).await.unwrap();
        assert_eq!(found.map(|found| found.value), Some(object));
    }
}

pub(super) async fn the_objects_of_a_kind_are_listed_in_their_order(store: Arc<dyn Store>) {
    let complete = full_company("acme");
    import_company(&store, &complete).await;
    for kind in ResourceKind::ALL {
        let listing =
            store.resources(&id("acme"), &filter_of_kind(*kind), Window::default()).await.unwrap().unwrap();
        let expected: Vec<_> =
            complete.resources().into_iter().filter(|object| object.kind() == *kind).collect();
        assert_eq!(listing.total, expected.len() as u64, "{kind}");
        let found: Vec<_> = collect_rows(listing).await.into_iter().map(|found| found.value).collect();
        assert_eq!(found, expected);
    }
    let window = Window { offset: 1, limit: NonZeroU32::new(1) };
    let listing =
        store.resources(&id("acme"), &filter_of_kind(ResourceKind::Worker), window).await.unwrap().unwrap();
    assert_eq!(listing.total, 3);
    let found: Vec<_> =
        collect_rows(listing).await.into_iter().map(|found| found.value.id().to_owned()).collect();
    assert_eq!(found, ["acme-w2"]);
}

pub(super) async fn a_long_list_is_streamed_in_order(store: Arc<dyn Store>) {
    let mut complete = empty_company("acme");
    let ids: Vec<_> = (0..700).map(|number| format!("w{number:04}")).collect();
    complete.workers = ids.iter().map(|id| full_worker(id)).map(worker_without_references).collect();
    import_company(&store, &complete).await;
    let listing = store
        .resources(&id("acme"), &filter_of_kind(ResourceKind::Worker), Window::default())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(listing.total, 700);
    let found: Vec<_> = collect_rows(listing).await.into_iter().map(|found| found.value).collect();
    let expected: Vec<_> = complete.workers.into_iter().map(|it| Resource::Worker(Box::new(it))).collect();
    assert!(found == expected, "{} of 700, in another order or form", found.len());
}

/// Returns the worker without references to other objects, so that a company without other objects can have
/// this worker.
fn worker_without_references(mut worker: payroll_domain::worker::Worker) -> payroll_domain::worker::Worker {
    worker.organization_id = None;
    worker.supervisor_id = None;
    worker.custom_employment_type_id = None;
    worker.recurring_components.clear();
    worker.custom_fields.clear();
    worker.contacts.clear();
    worker
}

pub(super) async fn missing_objects_are_not_read(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    import_company(&store, &company("bravo")).await;
    let (acme, nowhere) = (id("acme"), id("nowhere"));
    for (company_id, kind, name) in [
        (&acme, ResourceKind::Worker, "bravo-w1"),
        (&acme, ResourceKind::Company, "bravo"),
        (&acme, ResourceKind::PayPeriod, "nul\0"),
        (&nowhere, ResourceKind::Company, "nowhere"),
        (&nowhere, ResourceKind::Worker, "acme-w1"),
    ] {
        assert_eq!(store.resource(company_id, kind, name).await.unwrap(), None, "{kind} {name:?}");
    }
    let listing =
        store.resources(&nowhere, &filter_of_kind(ResourceKind::Worker), Window::default()).await.unwrap();
    assert!(listing.is_none());
    let listing =
        store.resources(&nowhere, &filter_of_kind(ResourceKind::Company), Window::default()).await.unwrap();
    assert!(listing.is_none());
}

pub(super) async fn all_companies_are_listed_and_found_by_their_display_keys(store: Arc<dyn Store>) {
    for name in ["acme", "bravo", "coral"] {
        import_company(&store, &company(name)).await;
    }
    let any = CompanyFilter::default;
    let after_first = Window { offset: 1, limit: None };
    let listing = store.all_companies(&any(), after_first).await.unwrap();
    assert_eq!(listing.total, 3);
    let found: Vec<_> = collect_rows(listing).await.into_iter().map(|found| found.value).collect();
    let expected_companies = ["bravo", "coral"].map(|name| company(name).resources().swap_remove(0));
    assert_eq!(found, expected_companies);
    let text = |text: &str| Some(text.to_owned());
    let active = Some((vec![CompanyState::Active], NOW.date()));
    let ended = Some((vec![CompanyState::Ended, CompanyState::Converting], NOW.date()));
    for (filter, expected) in [
        (CompanyFilter { display_key: Some(to_display_key("D-CORAL")), ..any() }, "coral"),
        (CompanyFilter { display_key: text("\0"), ..any() }, ""),
        (CompanyFilter { part_of_name: text("RAVO"), ..any() }, "bravo"),
        (CompanyFilter { part_of_name: text("ravo"), states: ended, ..any() }, ""),
        (CompanyFilter { visible_companies: Some(vec![id("coral")]), ..any() }, "coral"),
        (CompanyFilter { visible_companies: Some(Vec::new()), ..any() }, ""),
        (CompanyFilter { states: active, ..any() }, "acme bravo coral"),
    ] {
        let listing = store.all_companies(&filter, Window::default()).await.unwrap();
        let total = listing.total;
        let found: Vec<_> =
            collect_rows(listing).await.into_iter().map(|it| it.value.id().to_owned()).collect();
        assert_eq!((found.join(" ").as_str(), total), (expected, found.len() as u64), "{filter:?}");
    }
}
