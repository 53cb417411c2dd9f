//! Helper functions that several contract tests of deliveries share.

use super::super::hooks::register_hook;
use super::super::world::{NOW, create_company_and_caller, id, worker};
use super::super::writing::audit_context_of_ada;
use crate::Store;
use crate::deliveries::{AttemptRecord, ClaimedDelivery, ReadyHook};
use crate::resources::{ObjectWrite, WriteOutcome};
use crate::write::AuditContext;
use payroll_domain::access::Caller;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Attempt, ErrorClass, NextStep};
use payroll_domain::hook::HookKey;
use payroll_domain::resource::Resource;
use std::sync::Arc;

/// The instant at which these tests claim deliveries.
pub(in super::super) const CLAIM_TIME: Timestamp = NOW.plus_seconds(100);

/// Stores a new worker of `acme` the given number of seconds after `NOW`.
pub(in super::super) async fn add_worker(store: &Arc<dyn Store>, worker_id: &str, second: i64) {
    let audit = AuditContext { now: NOW.plus_seconds(second), ..audit_context_of_ada() };
    let mut new = worker(worker_id);
    new.employee_id = Some(worker_id.to_owned());
    let create = ObjectWrite::Create(Resource::Worker(Box::new(new)));
    let written = store.write_resource(&id("acme"), &create, &audit).await.unwrap();
    assert!(matches!(written, WriteOutcome::Stored(_)), "{written:?}");
}

pub(in super::super) async fn read_ready_hooks(store: &Arc<dyn Store>) -> Vec<ReadyHook> {
    store.ready_hooks().await.unwrap()
}

/// Returns the record of an attempt that started when the delivery was claimed and took a second.
pub(super) fn attempt_record(delivery: &ClaimedDelivery, next: NextStep) -> AttemptRecord {
    let delivered = next == NextStep::Delivered;
    let attempt = Attempt {
        number: delivery.attempts + 1,
        at: CLAIM_TIME,
        duration_milliseconds: 1_000,
        cause: delivery.cause,
        status: Some(if delivered { 204 } else { 500 }),
        error: (!delivered).then_some(ErrorClass::Status),
        response_body: Some("a NUL \0 is no text everywhere".to_owned()),
        response_truncated: false,
        retry_after: None,
    };
    AttemptRecord { id: delivery.id, attempt, next_step: next }
}

pub(in super::super) const fn retry_at(second: i64) -> NextStep {
    NextStep::TryAgain { due: CLAIM_TIME.plus_seconds(second) }
}

pub(in super::super) async fn record_attempt(
    store: &Arc<dyn Store>,
    delivery: &ClaimedDelivery,
    next: NextStep,
) {
    store.record_attempts(&[attempt_record(delivery, next)], &[]).await.unwrap();
}

/// Creates a hook for a caller with every permission for `acme`.
pub(in super::super) async fn create_company_with_hook(store: &Arc<dyn Store>) -> (Caller, HookKey) {
    let caller = create_company_and_caller(store).await;
    let hook = register_hook(store, &caller, "hook").await;
    (caller, hook.key)
}
