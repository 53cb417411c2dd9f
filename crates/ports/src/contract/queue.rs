//! Contract tests for the queue of deliveries. The events are new workers of `acme` and changes of grants.

mod steps;

use std::sync::Arc;

use futures_util::future::join_all;
use payroll_domain::access::{Scope, Scopes};
use payroll_domain::audit::{ActorKind, AuditedKind};
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{AttemptCause, HealthStep, HookHealth, NextStep};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::resource::Resource;

use super::hooks::{hook_key, new_hook, register_hook};
use super::idempotency::{LEASE_END, idempotency_record, response_record};
use super::world::{
    NOW, application_settings, company, create_application, grant_scopes, id, import_audit_context,
    import_company, worker,
};
use super::writing::audit_context_of_ada;
use crate::Store;
use crate::audit::AuditQuery;
use crate::deliveries::{ClaimRequest, ClaimedDelivery, HookHealthChange, HookNumber};
use crate::hooks::NewHook;
use crate::idempotency::IdempotencyState;
use crate::resources::{ObjectWrite, WriteOutcome};
use crate::write::AuditContext;
use steps::attempt_record;
pub(super) use steps::{
    CLAIM_TIME, add_worker, create_company_with_hook, read_ready_hooks, record_attempt, retry_at,
};

const CLAIM_EXPIRES: Timestamp = CLAIM_TIME.plus_seconds(60);

/// Claims at most `limit` deliveries from each ready hook.
async fn claim_deliveries_at(store: &Arc<dyn Store>, limit: u32, now: Timestamp) -> Vec<ClaimedDelivery> {
    let wishes: Vec<_> = read_ready_hooks(store)
        .await
        .into_iter()
        .map(|ready| ClaimRequest { hook: ready.hook, limit, in_order: false })
        .collect();
    store.claim_deliveries(&wishes, now, now.plus_seconds(60)).await.unwrap()
}

async fn claim_deliveries(store: &Arc<dyn Store>) -> Vec<ClaimedDelivery> {
    claim_deliveries_at(store, 100, CLAIM_TIME).await
}

fn notified_workers(claimed: &[ClaimedDelivery]) -> Vec<&str> {
    let workers = claimed.iter().map(|it| it.notification.worker_id.as_ref());
    workers.map(|worker| worker.map_or("nobody", |id| id.as_str())).collect()
}

/// Returns the hook of each delivery, sorted.
async fn sorted_hook_names(store: &Arc<dyn Store>, claimed: &[ClaimedDelivery]) -> Vec<String> {
    let mut names = Vec::new();
    for delivery in claimed {
        let targets = store.read_targets(&[delivery.id.hook]).await.unwrap();
        let [target] = targets.as_slice() else { panic!("{targets:?}") };
        assert_eq!(target.version, delivery.hook_version);
        names.push(format!("{}/{}", target.key.application_id, target.key.hook_id));
    }
    names.sort();
    names
}

pub(super) async fn a_change_is_queued_for_each_permitted_hook(store: Arc<dyn Store>) {
    let (all, _) = create_company_with_hook(&store).await;
    import_company(&store, &company("other")).await;
    let add =
        async |hook: NewHook| store.add_hook(&hook, 20, &import_audit_context()).await.unwrap().unwrap();
    let mut other_domain = new_hook(&all, "other-domain");
    other_domain.hook.domains = vec![EventDomain::WorkerTaxes, EventDomain::CompanyOrganizations];
    let mut of_acme = new_hook(&all, "of-acme");
    of_acme.hook.company_id = Some(id("acme"));
    let mut of_other = new_hook(&all, "of-other");
    of_other.hook.company_id = Some(id("other"));
    grant_scopes(&store, &all, "other", Scopes::all()).await;
    for hook in [other_domain, of_acme, of_other] {
        add(hook).await;
    }
    for (name, scope) in [("payroll", Scope::ReadPayroll), ("workers", Scope::ReadWorkers)] {
        let caller = create_application(&store, name).await;
        grant_scopes(&store, &caller, "acme", [scope].into_iter().collect()).await;
        add(new_hook(&caller, "hook")).await;
    }
    add(new_hook(&create_application(&store, "stranger").await, "hook")).await;
    claim_deliveries(&store).await;
    add_worker(&store, "ann", 1).await;
    let reported = claim_deliveries(&store).await;
    assert_eq!(
        sorted_hook_names(&store, &reported).await,
        ["partner/hook", "partner/of-acme", "workers/hook"]
    );
    assert_eq!(notified_workers(&reported), ["ann"; 3]);
    let [first, rest @ ..] = reported.as_slice() else { panic!("{reported:?}") };
    let notification = &first.notification;
    assert_eq!((notification.domain, notification.action), (EventDomain::WorkerAdded, EventAction::Add));
    assert_eq!(
        (notification.as_of, notification.company_id.clone()),
        (audit_context_of_ada().now, Some(id("acme")))
    );
    assert!(rest.iter().all(|other| other.notification == *notification), "one event, one notification");
    assert_eq!((first.attempts, first.cause), (0, AttemptCause::Change));
}

pub(super) async fn access_events_are_queued_only_for_their_application(store: Arc<dyn Store>) {
    let (partner, _) = create_company_with_hook(&store).await;
    let other = create_application(&store, "other").await;
    register_hook(&store, &other, "hook").await;
    grant_scopes(&store, &other, "acme", Scopes::all()).await;
    let reported = claim_deliveries(&store).await;
    assert_eq!(sorted_hook_names(&store, &reported).await, ["other/hook"]);
    grant_scopes(&store, &partner, "acme", Scopes::NONE).await;
    let reported = claim_deliveries(&store).await;
    assert_eq!(sorted_hook_names(&store, &reported).await, ["partner/hook"], "who lost it may know that");
}

pub(super) async fn many_changes_of_one_transaction_are_all_queued(store: Arc<dyn Store>) {
    let (caller, _) = create_company_with_hook(&store).await;
    register_hook(&store, &caller, "another").await;
    let mut whole = company("acme");
    for number in 0..50 {
        let mut new = worker(&format!("new-{number}"));
        new.employee_id = Some(format!("new-{number}"));
        whole.workers.push(new);
    }
    import_company(&store, &whole).await;
    let reported = claim_deliveries(&store).await;
    let (mut ids, mut sent): (Vec<_>, Vec<_>) =
        reported.iter().map(|it| (it.notification.notification_id.clone(), it.id.hook)).unzip();
    ids.sort();
    ids.dedup();
    sent.sort();
    sent.dedup();
    assert_eq!((reported.len(), ids.len(), sent.len()), (100, 50, 2));
}

pub(super) async fn a_rejected_change_queues_nothing(store: Arc<dyn Store>) {
    create_company_with_hook(&store).await;
    let audit = AuditContext { response_record: Some(response_record("another")), ..audit_context_of_ada() };
    assert_eq!(
        store.begin_request(&idempotency_record("slow"), NOW, LEASE_END).await.unwrap(),
        IdempotencyState::Fresh
    );
    let create = ObjectWrite::Create(Resource::Worker(Box::new(worker("ann"))));
    let written = store.write_resource(&id("acme"), &create, &audit).await.unwrap();
    assert!(matches!(written, WriteOutcome::Refused(_)), "{written:?}");
    assert_eq!(read_ready_hooks(&store).await, []);
}

pub(super) async fn one_of_sixteen_processes_claims_a_delivery(store: Arc<dyn Store>) {
    create_company_with_hook(&store).await;
    for number in 0..40 {
        add_worker(&store, &format!("new-{number}"), 1).await;
    }
    let hook = read_ready_hooks(&store).await.first().unwrap().hook;
    let claimer = || {
        let store = Arc::clone(&store);
        async move {
            let mut all = Vec::new();
            loop {
                let wish = ClaimRequest { hook, limit: 3, in_order: false };
                let got = store.claim_deliveries(&[wish], CLAIM_TIME, CLAIM_EXPIRES).await.unwrap();
                if got.is_empty() {
                    return all;
                }
                all.extend(got.into_iter().map(|it| it.id));
            }
        }
    };
    let mut all: Vec<_> = join_all((0..16).map(|_| claimer())).await.into_iter().flatten().collect();
    // A claim skips rows that concurrent claims have locked. The test therefore claims again to get the
    // remaining deliveries.
    all.extend(claim_deliveries(&store).await.into_iter().map(|it| it.id));
    let claims = all.len();
    all.sort();
    all.dedup();
    assert_eq!((claims, all.len()), (40, 40));
}

pub(super) async fn a_claim_expires_or_is_released(store: Arc<dyn Store>) {
    create_company_with_hook(&store).await;
    add_worker(&store, "ann", 1).await;
    let first = claim_deliveries(&store).await;
    assert_eq!(notified_workers(&first), ["ann"]);
    assert_eq!(claim_deliveries(&store).await, []);
    let due = read_ready_hooks(&store).await.iter().map(|ready| ready.due).collect::<Vec<_>>();
    assert_eq!(due, [audit_context_of_ada().now], "what is claimed still waits");
    assert_eq!(claim_deliveries_at(&store, 9, CLAIM_EXPIRES.plus_seconds(-1)).await, []);
    assert_eq!(claim_deliveries_at(&store, 9, CLAIM_EXPIRES).await, first, "the claim has ended");
    store.release_claims(&[first.first().unwrap().id]).await.unwrap();
    assert_eq!(claim_deliveries(&store).await, first);
    store.release_claims(&[]).await.unwrap();
}

pub(super) async fn the_earliest_due_deliveries_are_claimed_first(store: Arc<dyn Store>) {
    create_company_with_hook(&store).await;
    for (name, second) in [("late", 30), ("early", 10), ("middle", 20), ("too-late", 101)] {
        add_worker(&store, name, second).await;
    }
    let two = claim_deliveries_at(&store, 2, CLAIM_TIME).await;
    assert_eq!(notified_workers(&two), ["early", "middle"]);
    assert_eq!(notified_workers(&claim_deliveries(&store).await), ["late"]);
    let early = two.first().unwrap();
    record_attempt(&store, early, retry_at(60)).await;
    assert_eq!(claim_deliveries(&store).await, [], "the delivery is not due before its scheduled time");
    let then = claim_deliveries_at(&store, 9, CLAIM_TIME.plus_seconds(60)).await;
    assert!(notified_workers(&then).contains(&"early"), "{then:?}");
}

pub(super) async fn deliveries_without_permission_are_cancelled(store: Arc<dyn Store>) {
    let (caller, _) = create_company_with_hook(&store).await;
    add_worker(&store, "ann", 1).await;
    grant_scopes(&store, &caller, "acme", [Scope::ReadWorkers].into_iter().collect()).await;
    add_worker(&store, "bob", 2).await;
    let narrowed = claim_deliveries(&store).await;
    assert_eq!(notified_workers(&narrowed), ["nobody", "ann", "bob"], "read:workers is enough");
    grant_scopes(&store, &caller, "acme", [Scope::ReadPayroll].into_iter().collect()).await;
    let left = claim_deliveries_at(&store, 9, CLAIM_EXPIRES).await;
    assert_eq!(notified_workers(&left), ["nobody", "nobody"], "both grants are sent");
    // A cancelled delivery remains cancelled, unless an attempt that had already started delivers it.
    for delivery in narrowed.iter().filter(|it| it.notification.worker_id.is_some()) {
        record_attempt(&store, delivery, retry_at(0)).await;
    }
    grant_scopes(&store, &caller, "acme", Scopes::all()).await;
    let later = claim_deliveries_at(&store, 9, CLAIM_EXPIRES.plus_seconds(60)).await;
    assert_eq!(notified_workers(&later), ["nobody"; 3], "a grant that comes back brings nothing back");
}

pub(super) async fn the_result_of_an_attempt_decides_the_next_step(store: Arc<dyn Store>) {
    create_company_with_hook(&store).await;
    add_worker(&store, "ann", 1).await;
    let first = claim_deliveries(&store).await.remove(0);
    record_attempt(&store, &first, retry_at(300)).await;
    let [waits] = read_ready_hooks(&store).await.try_into().unwrap();
    assert_eq!(waits.due, CLAIM_TIME.plus_seconds(300));
    assert_eq!(claim_deliveries_at(&store, 9, CLAIM_TIME.plus_seconds(299)).await, []);
    let second = claim_deliveries_at(&store, 9, CLAIM_TIME.plus_seconds(300)).await.remove(0);
    assert_eq!((second.attempts, second.cause, second.id), (1, AttemptCause::Retry, first.id));
    assert_eq!(second.notification, first.notification);
    record_attempt(&store, &second, NextStep::Delivered).await;
    assert_eq!(read_ready_hooks(&store).await, []);
    // Simulates a process that has lost its claim and records its attempt late, and twice in one batch.
    let late = [attempt_record(&first, retry_at(0)), attempt_record(&first, retry_at(1))];
    store.record_attempts(&late, &[]).await.unwrap();
    assert_eq!(read_ready_hooks(&store).await, [], "it has arrived");
    let mut gone = attempt_record(&first, retry_at(0));
    gone.id.hook = HookNumber(i64::MAX);
    store.record_attempts(&[gone], &[]).await.unwrap();
}

pub(super) async fn inactive_hooks_collect_deliveries(store: Arc<dyn Store>) {
    let (caller, hook) = create_company_with_hook(&store).await;
    add_worker(&store, "ann", 1).await;
    let number = read_ready_hooks(&store).await.first().unwrap().hook;
    let set_enabled = async |enabled| {
        let settings =
            crate::applications::ApplicationSettings { enabled, ..application_settings("partner") };
        let audit = import_audit_context();
        let changed = store.change_application(&caller.application_id, &settings, None, &audit);
        changed.await.unwrap().unwrap();
    };
    let wished = async || {
        store
            .claim_deliveries(
                &[ClaimRequest { hook: number, limit: 9, in_order: false }],
                CLAIM_TIME,
                CLAIM_EXPIRES,
            )
            .await
            .unwrap()
    };
    set_enabled(false).await;
    add_worker(&store, "bob", 2).await;
    assert_eq!(
        (read_ready_hooks(&store).await, wished().await),
        (vec![], vec![]),
        "the application is disabled"
    );
    set_enabled(true).await;
    store.set_hook_active(&hook, false, &import_audit_context()).await.unwrap().unwrap();
    add_worker(&store, "cleo", 3).await;
    assert_eq!((read_ready_hooks(&store).await, wished().await), (vec![], vec![]), "the hook is not active");
    store.set_hook_active(&hook, true, &import_audit_context()).await.unwrap().unwrap();
    assert_eq!(notified_workers(&wished().await), ["ann", "bob", "cleo"]);
    store.remove_hook(&hook, None, &import_audit_context()).await.unwrap().unwrap();
    assert_eq!((read_ready_hooks(&store).await, wished().await), (vec![], vec![]), "the hook is gone");
    assert_eq!(store.read_targets(&[number]).await.unwrap(), []);
}

/// Records a change of a hook's health. The change happens the given number of seconds after the claim.
async fn record_health(
    store: &Arc<dyn Store>,
    hook: HookNumber,
    (step, failures): (HealthStep, u32),
    second: i64,
) {
    let at = CLAIM_TIME.plus_seconds(second);
    store.record_attempts(&[], &[HookHealthChange { hook, step, failures, changed_at: at }]).await.unwrap();
}

async fn read_health(store: &Arc<dyn Store>, hook: HookNumber) -> HookHealth {
    store.read_targets(&[hook]).await.unwrap().remove(0).health
}

pub(super) async fn a_hook_shows_how_long_it_has_been_failing(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store).await;
    add_worker(&store, "ann", 1).await;
    let number = read_ready_hooks(&store).await.first().unwrap().hook;
    let queue = async || store.hook(&hook).await.unwrap().unwrap().queue;
    record_health(&store, number, (HealthStep::Failing, 2), 0).await;
    record_health(&store, number, (HealthStep::Same, 3), 1).await;
    record_health(&store, number, (HealthStep::Warn, 1), 2).await;
    assert_eq!(
        read_health(&store, number).await,
        HookHealth { failing_since: Some(CLAIM_TIME), warned: true }
    );
    assert_eq!((queue().await.failures, queue().await.failing_since), (6, Some(CLAIM_TIME)));
    record_health(&store, number, (HealthStep::Recovered, 0), 3).await;
    assert_eq!((read_health(&store, number).await, queue().await.failures), (HookHealth::default(), 0));
}

/// Returns the kind of the actor of each change of the hook, newest change first.
async fn read_actors_of_changes(store: &Arc<dyn Store>) -> Vec<ActorKind> {
    let query = AuditQuery {
        before: None,
        company_id: None,
        visible_companies: None,
        kind: Some(AuditedKind::Hook),
        resource_id: None,
        from: None,
        until: None,
        limit: std::num::NonZeroU32::new(9).unwrap(),
    };
    let rows = store.read_audit_log(&query).await.unwrap().rows;
    rows.into_iter().map(|row| row.actor.kind).collect()
}

pub(super) async fn a_failing_hook_is_disabled_unless_it_recovers(store: Arc<dyn Store>) {
    let (_, hook) = create_company_with_hook(&store).await;
    add_worker(&store, "ann", 1).await;
    let number = read_ready_hooks(&store).await.first().unwrap().hook;
    record_health(&store, number, (HealthStep::Disable, 1), 4).await;
    assert_eq!(read_ready_hooks(&store).await.len(), 1, "it has recovered in the meantime");
    record_health(&store, number, (HealthStep::Failing, 1), 5).await;
    let version = store.hook(&hook).await.unwrap().unwrap().hook.version;
    record_health(&store, number, (HealthStep::Disable, 1), 6).await;
    let report = store.hook(&hook).await.unwrap().unwrap();
    assert!(!report.hook.active && report.hook.version > version);
    assert_eq!(report.queue.disabled, Some(CLAIM_TIME.plus_seconds(6)));
    assert_eq!(read_ready_hooks(&store).await, []);
    assert_eq!(read_actors_of_changes(&store).await, [ActorKind::Server, ActorKind::CommandLine]);
    store.set_hook_active(&hook, true, &import_audit_context()).await.unwrap().unwrap();
    assert_eq!(
        (read_health(&store, number).await, read_ready_hooks(&store).await.len()),
        (HookHealth::default(), 1)
    );
}

pub(super) async fn the_sender_gets_the_registered_target(store: Arc<dyn Store>) {
    let (caller, hook) = create_company_with_hook(&store).await;
    add_worker(&store, "ann", 1).await;
    let number = read_ready_hooks(&store).await.first().unwrap().hook;
    let new = new_hook(&caller, "hook");
    let until = NOW.plus_seconds(86_400);
    let secret = payroll_domain::hook::SigningSecret([2; 32]);
    let before = store.read_targets(&[number, HookNumber(i64::MAX)]).await.unwrap().remove(0);
    assert_eq!((before.key.clone(), before.address.clone()), (hook_key(&caller, "hook"), new.hook.address));
    assert_eq!(before.authentication, new.authentication);
    assert_eq!((before.signing_secret, before.old_signing_secret), (new.signing_secret, None));
    store.rotate_signing_secret(&hook, secret, until, &import_audit_context()).await.unwrap().unwrap();
    let after = store.read_targets(&[number]).await.unwrap().remove(0);
    assert!(after.version > before.version);
    assert_eq!(after.signing_secret, secret);
    assert_eq!(after.old_signing_secret, Some((new.signing_secret, until)));
}
