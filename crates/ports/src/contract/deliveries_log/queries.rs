//! Queries of the delivery log.

use super::super::world::NOW;
use crate::Store;
use crate::deliveries::{DeliveryPage, DeliveryQuery, ReplayQuery};
use crate::write::AuditContext;
use payroll_domain::date::Timestamp;
use payroll_domain::hook::HookKey;
use std::num::NonZeroU32;
use std::sync::Arc;

pub(super) fn instant_at(number: i64) -> Timestamp {
    NOW.plus_seconds(number)
}

pub(super) fn audit_context(number: i64) -> AuditContext {
    AuditContext::for_command("tests", instant_at(number))
}

pub(super) fn log_query(limit: u32) -> DeliveryQuery {
    DeliveryQuery {
        state: None,
        domain: None,
        from: None,
        to: None,
        before: None,
        limit: NonZeroU32::new(limit).unwrap(),
    }
}

pub(super) fn replay_query(limit: u32) -> ReplayQuery {
    let limit = NonZeroU32::new(limit).unwrap();
    ReplayQuery { failed_only: true, from: None, to: None, after: None, limit }
}

/// Returns the notification ids of the deliveries, newest first.
pub(super) fn notification_ids(page: &DeliveryPage) -> Vec<&str> {
    page.deliveries.iter().map(|delivery| delivery.notification.notification_id.as_str()).collect()
}

pub(super) async fn read_page(store: &Arc<dyn Store>, hook: &HookKey, query: &DeliveryQuery) -> DeliveryPage {
    store.deliveries(hook, query).await.unwrap()
}
