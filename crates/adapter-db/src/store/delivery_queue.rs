//! The queue of deliveries: claimed, sent elsewhere, recorded.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::deliveries::{
    Attempted, ClaimWish, Claimed, DeliveryId, DeliveryQueue, HookNumber, HookOutcome, ReadyHook, Target,
};

use super::{Store, dialect};
use crate::error::Failure;
use crate::rows::deliveries::ClaimRow;

fn not_built<T>() -> Result<T, StoreError> {
    Err(Failure::Bug("deliveries are not stored yet".to_owned()).into())
}

#[async_trait]
impl DeliveryQueue for Store {
    async fn queued(&self) {
        self.db.queued().await;
    }

    async fn ready(&self) -> Result<Vec<ReadyHook>, StoreError> {
        Ok(Vec::new())
    }

    async fn claim(&self, _: &[ClaimWish], _: Timestamp, _: Timestamp) -> Result<Vec<Claimed>, StoreError> {
        not_built()
    }

    async fn targets(&self, _: &[HookNumber]) -> Result<Vec<Target>, StoreError> {
        not_built()
    }

    async fn record(&self, _: &[Attempted], _: &[HookOutcome]) -> Result<(), StoreError> {
        not_built()
    }

    async fn give_back(&self, claimed: &[DeliveryId]) -> Result<(), StoreError> {
        let rows: Vec<ClaimRow> = claimed.iter().copied().map(ClaimRow::free).collect();
        let given = self.db.write_in_passing(move |conn| {
            Box::pin(async move {
                if dialect::bulk_update(conn, &rows).await? > 0 {
                    conn.queued();
                }
                Ok(())
            })
        });
        Ok(given.await?)
    }
}
