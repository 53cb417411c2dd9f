//! The external dependencies of the dispatcher loop.

use std::sync::Arc;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::Notification;
use payroll_ports::Clock;
use payroll_ports::deliveries::{DeliveryQueue, DeliveryTarget};

use crate::{SendResult, Sender};

/// The external dependencies of the dispatcher loop, which tests replace: the queue, the sender and the
/// clock.
#[derive(Clone)]
pub(super) struct DispatchEnvironment {
    pub(super) queue: Arc<dyn DeliveryQueue>,
    pub(super) sender: Arc<dyn NotificationSender>,
    pub(super) clock: Arc<dyn Clock>,
}

/// Makes one attempt to send a notification, within the limits of [`SendLimits`](crate::SendLimits).
#[async_trait]
pub(super) trait NotificationSender: Send + Sync {
    async fn send_notification(
        &self,
        target: &DeliveryTarget,
        notification: &Notification,
        now: Timestamp,
    ) -> SendResult;
}

#[async_trait]
impl NotificationSender for Sender {
    async fn send_notification(
        &self,
        target: &DeliveryTarget,
        notification: &Notification,
        now: Timestamp,
    ) -> SendResult {
        self.send(target, notification, now).await
    }
}
