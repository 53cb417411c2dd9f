//! The body of a notification (specification §9.2): it says that something has changed, not what.

use payroll_domain::delivery::Notification;
use serde::Serialize;

/// The order of the members is the order on the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    company_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker_id: Option<&'a str>,
    /// With a small p in the middle, as clients know it.
    #[serde(rename = "payperiodId", skip_serializing_if = "Option::is_none")]
    pay_period_id: Option<&'a str>,
    as_of_date: String,
    domains: [&'a str; 1],
    action: &'a str,
    notification_type: &'a str,
    notification_id: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    test: bool,
}

/// The bytes that are sent, and signed.
///
/// # Errors
/// None that text can cause.
pub(super) fn body(notification: &Notification) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Body {
        company_id: notification.company_id.as_ref().map(|id| id.as_str()),
        worker_id: notification.worker_id.as_ref().map(|id| id.as_str()),
        pay_period_id: notification.pay_period_id.as_ref().map(|id| id.as_str()),
        // The offset is written out here and nowhere else, as clients know it.
        as_of_date: notification.as_of.to_string().replace('Z', "+00:00"),
        domains: [notification.domain.as_str()],
        action: notification.action.as_str(),
        notification_type: notification.notification_type(),
        notification_id: &notification.notification_id,
        test: notification.test,
    })
}
