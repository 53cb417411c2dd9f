//! The log of deliveries: what was queued, tried and asked for, until it is forgotten.

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
    Delivery, DeliveryLog, DeliveryPage, DeliveryQuery, NotedRequest, QueueSummary, ReplayQuery, Replayed,
};
use payroll_ports::write::By;

use super::{Conn, Store, dialect, idempotency};

#[async_trait]
impl DeliveryLog for Store {
    async fn deliveries(&self, hook: &HookKey, query: &DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        let (hook, query) = (hook.clone(), query.clone());
        let read = self.db.read(move |conn| Box::pin(async move { read::page(conn, &hook, &query).await }));
        Ok(read.await?)
    }

    async fn delivery(&self, hook: &HookKey, position: i64) -> Result<Option<Delivery>, StoreError> {
        let hook = hook.clone();
        let read = self.db.read(move |conn| Box::pin(async move { read::one(conn, &hook, position).await }));
        Ok(read.await?)
    }

    async fn replay(&self, hook: &HookKey, position: i64, by: &By) -> Result<bool, StoreError> {
        let (hook, by) = (hook.clone(), by.clone());
        let written = self
            .db
            .write(move |conn| Box::pin(async move { write::replay(conn, &hook, position, &by).await }));
        Ok(written.await?)
    }

    async fn replay_many(
        &self,
        hook: &HookKey,
        query: &ReplayQuery,
        by: &By,
    ) -> Result<Replayed, StoreError> {
        let (hook, query, by) = (hook.clone(), *query, by.clone());
        let written = self
            .db
            .write(move |conn| Box::pin(async move { write::replay_many(conn, &hook, &query, &by).await }));
        Ok(written.await?)
    }

    async fn queue_test(
        &self,
        hook: &HookKey,
        notification: &Notification,
        by: &By,
    ) -> Result<Option<i64>, StoreError> {
        let (hook, notification, by) = (hook.clone(), notification.clone(), by.clone());
        let written = self.db.write(move |conn| {
            Box::pin(async move { write::queue_test(conn, &hook, &notification, &by).await })
        });
        Ok(written.await?)
    }

    async fn queue_summary(&self) -> Result<QueueSummary, StoreError> {
        Ok(self.db.read(|conn| Box::pin(read::summary(conn))).await?)
    }

    async fn note_requests(&self, requests: &[NotedRequest]) -> Result<(), StoreError> {
        if requests.is_empty() {
            return Ok(());
        }
        let requests = requests.to_vec();
        // Nobody's work depends on them: a loss of power may take the last of them.
        let written =
            self.db.write_in_passing(move |conn| Box::pin(async move { write::note(conn, &requests).await }));
        Ok(written.await?)
    }

    async fn forget_deliveries(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let forgotten = self
            .db
            .write_of_many(move |conn| Box::pin(async move { ending::forget(conn, before, limit).await }));
        Ok(forgotten.await?)
    }

    async fn expire_deliveries(
        &self,
        before: Timestamp,
        now: Timestamp,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let expired = self.db.write_of_many(move |conn| {
            Box::pin(async move { ending::expire(conn, before, now, limit).await })
        });
        Ok(expired.await?)
    }
}
