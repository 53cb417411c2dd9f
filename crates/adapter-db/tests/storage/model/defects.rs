//! Tests that the comparison of the storage with the model detects deliberate defects of the storage.

use std::sync::Arc;

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::audit::AuditAction;
use payroll_domain::date::Timestamp;
use payroll_domain::event::EventAction;
use payroll_ports::StoreError;
use payroll_ports::audit::{AuditPage, AuditQuery, AuditStore};
use payroll_ports::events::{EventStore, FeedQuery, FeedResult};
use payroll_ports::idempotency::{IdempotencyRecord, IdempotencyState, IdempotencyStore, ResponseRecord};

use super::system::Ports;
use super::{TestDatabase, run_with_defect};

/// The maximum number of sequences within which a defect must be found.
const SEQUENCES: u32 = 1_000;
/// The maximum number of transitions that are needed to show a defect.
const MAX_DEFECT_TRANSITIONS: usize = 4;

/// A defective feed that omits the events of revoked grants.
struct StoreWithoutRevocationEvents(Arc<dyn EventStore>);

#[async_trait]
impl EventStore for StoreWithoutRevocationEvents {
    async fn read_events(&self, query: &FeedQuery) -> Result<FeedResult, StoreError> {
        let mut feed = self.0.read_events(query).await?;
        if let FeedResult::Events { events, .. } = &mut feed {
            events.retain(|event| event.fired.action != EventAction::Delete);
        }
        Ok(feed)
    }

    async fn read_caller_events(
        &self,
        caller: &Caller,
        query: &FeedQuery,
    ) -> Result<Guarded<FeedResult>, StoreError> {
        self.0.read_caller_events(caller, query).await
    }

    async fn delete_events_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.0.delete_events_before(before, limit).await
    }
}

/// A defective audit log that omits deletions.
struct StoreWithoutDeletionRows(Arc<dyn AuditStore>);

#[async_trait]
impl AuditStore for StoreWithoutDeletionRows {
    async fn read_audit_log(&self, query: &AuditQuery) -> Result<AuditPage, StoreError> {
        let mut page = self.0.read_audit_log(query).await?;
        page.rows.retain(|row| row.action != AuditAction::Delete);
        Ok(page)
    }

    async fn delete_audit_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.0.delete_audit_before(before, limit).await
    }
}

/// A defective store of idempotency keys, which accepts repeated requests while the first request is in
/// progress.
struct StoreWithoutInFlightCheck(Arc<dyn IdempotencyStore>);

#[async_trait]
impl IdempotencyStore for StoreWithoutInFlightCheck {
    async fn begin_request(
        &self,
        record: &IdempotencyRecord,
        now: Timestamp,
        lease_ends: Timestamp,
    ) -> Result<IdempotencyState, StoreError> {
        let started = self.0.begin_request(record, now, lease_ends).await?;
        Ok(if matches!(started, IdempotencyState::UnderWay(_)) { IdempotencyState::Fresh } else { started })
    }

    async fn store_response(&self, record: &ResponseRecord) -> Result<bool, StoreError> {
        self.0.store_response(record).await
    }

    async fn release_record(&self, record: &IdempotencyRecord) -> Result<(), StoreError> {
        self.0.release_record(record).await
    }

    async fn delete_expired_records(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.0.delete_expired_records(now, limit).await
    }
}

/// Asserts that the comparison finds a defect, with a short sequence and this message.
fn assert_defect_found(plant: impl FnOnce(&mut Ports), message: &str) {
    let failure = run_with_defect(TestDatabase::sqlite(), SEQUENCES, plant).unwrap_err();
    assert!(failure.reason.contains(message), "{failure:?}");
    assert!(failure.transitions.len() <= MAX_DEFECT_TRANSITIONS, "{failure:?}");
}

#[test]
fn the_model_test_detects_a_dropped_event() {
    assert_defect_found(
        |ports| ports.events = Arc::new(StoreWithoutRevocationEvents(Arc::clone(&ports.events))),
        "the feed",
    );
}

#[test]
fn the_model_test_detects_a_missing_audit_row() {
    assert_defect_found(
        |ports| ports.audit = Arc::new(StoreWithoutDeletionRows(Arc::clone(&ports.audit))),
        "the audit log",
    );
}

#[test]
fn the_model_test_detects_a_request_that_is_executed_twice() {
    let plant = |ports: &mut Ports| {
        ports.idempotency = Arc::new(StoreWithoutInFlightCheck(Arc::clone(&ports.idempotency)))
    };
    assert_defect_found(plant, "Begin");
}
