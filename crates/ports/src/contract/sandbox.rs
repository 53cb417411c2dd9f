//! Contract tests for the methods that only a sandbox uses.

use std::num::NonZeroU32;
use std::sync::Arc;

use payroll_domain::access::Scopes;
use payroll_domain::event::{EventAction, EventDomain, FiredEvent};

use super::world::{
    company, create_company_and_caller, grant_scopes, id, import_audit_context, import_company,
};
use crate::Store;
use crate::events::{FeedQuery, FeedResult};

fn worker_event(worker: &str) -> FiredEvent {
    FiredEvent {
        domain: EventDomain::WorkerDemographics,
        action: EventAction::Update,
        worker_id: Some(id(worker)),
        pay_period_id: None,
    }
}

/// Returns the ids of the stored events about personal data of workers.
async fn read_event_ids(store: &Arc<dyn Store>) -> Vec<String> {
    let domain = Some(EventDomain::WorkerDemographics);
    let query = FeedQuery {
        after: None,
        company_id: None,
        visible_companies: None,
        domain,
        limit: NonZeroU32::new(7).unwrap(),
    };
    match store.read_events(&query).await.unwrap() {
        FeedResult::Events { events, .. } => events.into_iter().map(|event| event.event_id).collect(),
        FeedResult::TooOld => panic!("too old"),
    }
}

pub(super) async fn triggers_an_event_only_for_an_existing_company_and_worker(store: Arc<dyn Store>) {
    let whole = company("acme");
    let worker = whole.workers.first().unwrap().worker_id.clone();
    import_company(&store, &whole).await;
    let trigger = async |company: &str, worker: &str| {
        store.trigger_events(&id(company), &worker_event(worker), &import_audit_context()).await.unwrap()
    };
    assert_eq!(trigger("acme", "nobody").await, None);
    assert_eq!(trigger("nowhere", worker.as_str()).await, None);
    let event = trigger("acme", worker.as_str()).await.unwrap();
    // An event may not be visible until transactions that began before it have ended.
    let mut event_ids = Vec::new();
    while event_ids.is_empty() {
        event_ids = read_event_ids(&store).await;
    }
    assert_eq!(event_ids, [event]);
}

pub(super) async fn clearing_a_store_keeps_applications_and_deletes_companies(store: Arc<dyn Store>) {
    let caller = create_company_and_caller(&store).await;
    let worker = company("acme").workers.first().unwrap().worker_id.clone();
    store
        .trigger_events(&id("acme"), &worker_event(worker.as_str()), &import_audit_context())
        .await
        .unwrap()
        .unwrap();
    store.clear_database().await.unwrap();
    assert!(read_event_ids(&store).await.is_empty());
    assert!(
        store
            .trigger_events(&id("acme"), &worker_event(worker.as_str()), &import_audit_context())
            .await
            .unwrap()
            .is_none()
    );
    // After the reset, the application still exists but has no access to the company until access is granted
    // again.
    import_company(&store, &company("acme")).await;
    let access = store.read_access(&caller, Some(&id("acme"))).await.unwrap();
    assert!(access.authenticate().is_ok());
    grant_scopes(&store, &caller, "acme", Scopes::for_companies()).await;
}

pub(super) async fn a_marked_store_stays_a_sandbox(store: Arc<dyn Store>) {
    assert!(!store.is_sandbox().await.unwrap());
    store.mark_as_sandbox().await.unwrap();
    store.mark_as_sandbox().await.unwrap();
    store.clear_database().await.unwrap();
    assert!(store.is_sandbox().await.unwrap());
}
