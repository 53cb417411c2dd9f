//! The log of deliveries.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::Notification;
use payroll_domain::hook::HookKey;
use payroll_ports::StoreError;
use payroll_ports::deliveries::{
    Delivery, DeliveryLog, DeliveryPage, DeliveryQuery, NotedRequest, QueueSummary, ReplayQuery, Replayed,
};
use payroll_ports::write::By;

use super::Store;
use crate::error::Failure;

fn not_built<T>() -> Result<T, StoreError> {
    Err(Failure::Bug("the log is not stored yet".to_owned()).into())
}

#[async_trait]
impl DeliveryLog for Store {
    async fn deliveries(&self, _: &HookKey, _: &DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        not_built()
    }

    async fn delivery(&self, _: &HookKey, _: i64) -> Result<Option<Delivery>, StoreError> {
        not_built()
    }

    async fn replay(&self, _: &HookKey, _: i64, _: &By) -> Result<bool, StoreError> {
        not_built()
    }

    async fn replay_many(&self, _: &HookKey, _: &ReplayQuery, _: &By) -> Result<Replayed, StoreError> {
        not_built()
    }

    async fn queue_test(&self, _: &HookKey, _: &Notification, _: &By) -> Result<Option<i64>, StoreError> {
        not_built()
    }

    async fn queue_summary(&self) -> Result<QueueSummary, StoreError> {
        not_built()
    }

    async fn note_requests(&self, _: &[NotedRequest]) -> Result<(), StoreError> {
        not_built()
    }

    async fn forget_deliveries(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn expire_deliveries(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        Ok(0)
    }
}
