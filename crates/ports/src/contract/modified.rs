//! Contract tests for listing the objects that have changed since an instant.

use std::sync::Arc;

use payroll_domain::date::Timestamp;
use payroll_domain::resource::ResourceKind;

use super::resources::full_company;
use super::world::{NOW, company, create_company_and_caller, id, import_company, new_checks, sample_check};
use super::writing::{audit_by, change_one_member};
use crate::checks::AdditionOutcome;
use crate::filters::{ComponentFilter, PeriodFilter, ResourceFilter, WorkerFilter};
use crate::import::ImportRules;
use crate::resources::{ObjectWrite, WriteOutcome};
use crate::{Store, Window};

/// Returns the ids of the objects of a kind that were changed at the given instant or later.
async fn find_ids_modified_since(
    store: &Arc<dyn Store>,
    kind: ResourceKind,
    instant: Timestamp,
) -> Vec<String> {
    let modified_since = Some(instant);
    let acme = id("acme");
    if kind == ResourceKind::PayPeriod {
        let filter = PeriodFilter { modified_since, ..PeriodFilter::default() };
        let listing = store.period_summaries(&acme, &filter, Window::default()).await.unwrap().unwrap();
        let rows = listing.rows.into_vec().await.unwrap();
        return rows.into_iter().map(|row| row.value.period.pay_period_id.to_string()).collect();
    }
    let filter = match kind {
        ResourceKind::Worker => {
            ResourceFilter::Workers(WorkerFilter { modified_since, ..WorkerFilter::default() })
        }
        _ => ResourceFilter::PayComponents(ComponentFilter { modified_since, ..ComponentFilter::default() }),
    };
    let listing = store.resources(&acme, &filter, Window::default()).await.unwrap().unwrap();
    let rows = listing.rows.into_vec().await.unwrap();
    rows.into_iter().map(|row| row.value.id().to_owned()).collect()
}

pub(super) async fn changed_objects_are_found_from_the_instant_of_the_change(store: Arc<dyn Store>) {
    let whole = full_company("acme");
    import_company(&store, &whole).await;
    let later = NOW.plus_seconds(60);
    for kind in [ResourceKind::Worker, ResourceKind::PayComponent, ResourceKind::PayPeriod] {
        let all: Vec<_> = whole.resources().into_iter().filter(|object| object.kind() == kind).collect();
        let ids: Vec<_> = all.iter().map(|object| object.id().to_owned()).collect();
        assert_eq!(
            find_ids_modified_since(&store, kind, NOW).await,
            ids,
            "{kind}: what is imported is changed then"
        );
        assert!(find_ids_modified_since(&store, kind, NOW.plus_seconds(1)).await.is_empty(), "{kind}");
        let first = all.first().unwrap();
        let write = ObjectWrite::Replace(change_one_member(first), None);
        let written = store.write_resource(&id("acme"), &write, &audit_by("ada", later)).await.unwrap();
        assert!(matches!(written, WriteOutcome::Stored(_)), "{written:?}");
        assert_eq!(find_ids_modified_since(&store, kind, later).await, [first.id()], "{kind}: equal counts");
        assert!(find_ids_modified_since(&store, kind, later.plus_seconds(1)).await.is_empty(), "{kind}");
        let same =
            store.write_resource(&id("acme"), &write, &audit_by("ada", later.plus_seconds(9))).await.unwrap();
        assert!(matches!(same, WriteOutcome::Stored(_)), "{same:?}");
        assert!(
            find_ids_modified_since(&store, kind, later.plus_seconds(1)).await.is_empty(),
            "{kind}: nothing has changed"
        );
    }
}

pub(super) async fn an_import_without_a_change_keeps_the_instant(store: Arc<dyn Store>) {
    import_company(&store, &company("acme")).await;
    let mut whole = company("acme");
    whole.workers.first_mut().unwrap().clock_id = Some("99".to_owned());
    let later = crate::write::AuditContext::for_command("import", NOW.plus_seconds(60));
    store.import_company((&whole).into(), ImportRules::default(), &later).await.unwrap();
    let instant = NOW.plus_seconds(1);
    assert_eq!(find_ids_modified_since(&store, ResourceKind::Worker, instant).await, ["acme-w1"]);
    assert!(find_ids_modified_since(&store, ResourceKind::PayPeriod, instant).await.is_empty());
}

pub(super) async fn adding_a_check_changes_its_period(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let new = new_checks(&caller, vec![sample_check("p1")]);
    let later = NOW.plus_seconds(60);
    let new = crate::checks::NewChecks { now: later, ..new };
    assert_eq!(store.add_checks(&new).await.unwrap(), AdditionOutcome::Stored);
    assert_eq!(find_ids_modified_since(&store, ResourceKind::PayPeriod, later).await, ["open"]);
    assert!(find_ids_modified_since(&store, ResourceKind::Worker, later).await.is_empty());
}
