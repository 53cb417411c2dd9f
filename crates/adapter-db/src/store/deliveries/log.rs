//! The log of deliveries: queued deliveries, attempts and requests, until they are deleted.

mod ending;
mod read;
mod texts;
mod write;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::Notification;
use payroll_domain::hook::HookKey;
use payroll_ports::StoreError;
use payroll_ports::deliveries::{
    Delivery, DeliveryLog, DeliveryPage, DeliveryQuery, NotificationRequest, QueueSummary, ReplayOutcome,
    ReplayQuery,
};
use payroll_ports::write::AuditContext;

use super::super::{Conn, Store, dialect, idempotency};
use crate::connections::run_on_connection;

#[async_trait]
impl DeliveryLog for Store {
    async fn deliveries(&self, hook: &HookKey, query: &DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        Ok(run_on_connection!(self.read, |conn, hook, query| read::read_delivery_page(conn, &hook, &query))?)
    }

    async fn delivery(&self, hook: &HookKey, position: i64) -> Result<Option<Delivery>, StoreError> {
        Ok(run_on_connection!(self.read, |conn, hook| read::read_delivery(conn, &hook, position))?)
    }

    async fn replay_delivery(
        &self,
        hook: &HookKey,
        position: i64,
        audit: &AuditContext,
    ) -> Result<bool, StoreError> {
        Ok(run_on_connection!(self.write, |conn, hook, audit| write::replay_delivery(
            conn, &hook, position, &audit
        ))?)
    }

    async fn replay_deliveries(
        &self,
        hook: &HookKey,
        query: &ReplayQuery,
        audit: &AuditContext,
    ) -> Result<ReplayOutcome, StoreError> {
        let query = *query;
        Ok(run_on_connection!(self.write, |conn, hook, audit| write::replay_deliveries(
            conn, &hook, &query, &audit
        ))?)
    }

    async fn queue_test_delivery(
        &self,
        hook: &HookKey,
        notification: &Notification,
        audit: &AuditContext,
    ) -> Result<Option<i64>, StoreError> {
        Ok(run_on_connection!(self.write, |conn, hook, notification, audit| write::queue_test_delivery(
            conn,
            &hook,
            &notification,
            &audit
        ))?)
    }

    async fn queue_summary(&self) -> Result<QueueSummary, StoreError> {
        Ok(self.db.read(|conn| Box::pin(read::read_queue_summary(conn))).await?)
    }

    async fn link_requests_to_notifications(
        &self,
        requests: &[NotificationRequest],
    ) -> Result<(), StoreError> {
        if requests.is_empty() {
            return Ok(());
        }
        let requests = requests.to_vec();
        // These rows are only for information, so a power failure may lose the last of these rows.
        Ok(run_on_connection!(self.write_without_sync, |conn| write::insert_requests(conn, &requests))?)
    }

    async fn delete_deliveries_before(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(run_on_connection!(self.write_in_series, |conn| ending::delete_ended_deliveries(
            conn, before, limit
        ))?)
    }

    async fn expire_deliveries(
        &self,
        before: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError> {
        Ok(run_on_connection!(self.write_in_series, |conn| ending::expire_deliveries(
            conn, before, now, limit
        ))?)
    }
}
