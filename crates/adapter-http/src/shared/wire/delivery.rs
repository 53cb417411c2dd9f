//! A delivery as partners and operators see it (specification §11.22).

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Attempt, Notification};
use payroll_domain::id::{CompanyId, PayPeriodId, WorkerId};
use payroll_ports::deliveries::{Delivery, NotificationRequest};
use serde::Serialize;

use super::value::DisplayedText;
use crate::shared::cursor::CursorKind;

/// A delivery with its attempts and with the requests that the receiver sent because of the delivery.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveryResource<'a> {
    delivery_id: String,
    notification_id: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    company_id: Option<DisplayedText<&'a CompanyId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker_id: Option<DisplayedText<&'a WorkerId>>,
    /// The name is `payperiodId`, as in the notification, although all other names are in camel case.
    #[serde(rename = "payperiodId", skip_serializing_if = "Option::is_none")]
    pay_period_id: Option<DisplayedText<&'a PayPeriodId>>,
    domain: &'static str,
    action: &'static str,
    test: bool,
    replayed: bool,
    queued_date: DisplayedText<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    due_date: Option<DisplayedText<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_date: Option<DisplayedText<Timestamp>>,
    attempt_count: u32,
    attempts: Vec<AttemptResource<'a>>,
    requests: Vec<RequestResource<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptResource<'a> {
    number: u32,
    date: DisplayedText<Timestamp>,
    duration_milliseconds: u32,
    cause: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
    answer_cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestResource<'a> {
    date: DisplayedText<Timestamp>,
    method: &'a str,
    route: &'a str,
    status: u16,
    request_id: &'a str,
}

impl<'a> DeliveryResource<'a> {
    pub(crate) fn new(delivery: &'a Delivery) -> Self {
        let Notification {
            notification_id, company_id, worker_id, pay_period_id, domain, action, test, ..
        } = &delivery.notification;
        Self {
            delivery_id: CursorKind::Delivery.encode(delivery.position),
            notification_id,
            state: delivery.state.as_str(),
            company_id: company_id.as_ref().map(DisplayedText),
            worker_id: worker_id.as_ref().map(DisplayedText),
            pay_period_id: pay_period_id.as_ref().map(DisplayedText),
            domain: domain.as_str(),
            action: action.as_str(),
            test: *test,
            replayed: delivery.replayed,
            queued_date: DisplayedText(delivery.queued),
            due_date: delivery.due.map(DisplayedText),
            ended_date: delivery.ended.map(DisplayedText),
            attempt_count: delivery.attempts,
            attempts: delivery.stored_attempts.iter().map(AttemptResource::new).collect(),
            requests: delivery.requests.iter().map(RequestResource::new).collect(),
            body: None,
        }
    }

    /// Creates the resource with the exact body that the hook receives.
    ///
    /// # Errors
    /// The error of the serializer, which cannot occur for the members of a notification.
    pub(crate) fn with_body(delivery: &'a Delivery) -> serde_json::Result<Self> {
        let body = serde_json::to_string(&delivery.notification)?;
        Ok(Self { body: Some(body), ..Self::new(delivery) })
    }
}

impl<'a> AttemptResource<'a> {
    fn new(attempt: &'a Attempt) -> Self {
        Self {
            number: attempt.number,
            date: DisplayedText(attempt.at),
            duration_milliseconds: attempt.duration_milliseconds,
            cause: attempt.cause.as_str(),
            status: attempt.status,
            error: attempt.error.map(payroll_domain::delivery::ErrorClass::as_str),
            answer: attempt.response_body.as_deref(),
            answer_cut: attempt.response_truncated,
            retry_after_seconds: attempt.retry_after,
        }
    }
}

impl<'a> RequestResource<'a> {
    fn new(request: &'a NotificationRequest) -> Self {
        Self {
            date: DisplayedText(request.requested_at),
            method: &request.method,
            route: &request.route,
            status: request.status,
            request_id: &request.request_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::delivery::{AttemptCause, DeliveryState, ErrorClass};
    use payroll_domain::event::{EventAction, EventDomain};

    fn timestamp(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn delivery() -> Delivery {
        Delivery {
            position: 7,
            notification: Notification {
                notification_id: "31a271e5-b970-49e6-ac8f-d46f73c061af".to_owned(),
                company_id: Some("ACME".parse().unwrap()),
                worker_id: Some("W-1".parse().unwrap()),
                pay_period_id: None,
                domain: EventDomain::WorkerDemographics,
                action: EventAction::Update,
                as_of: timestamp("2026-06-07T10:10:24.000Z"),
                test: false,
            },
            state: DeliveryState::Retrying,
            queued: timestamp("2026-06-07T10:10:24.000Z"),
            due: Some(timestamp("2026-06-07T10:15:25.000Z")),
            ended: None,
            replayed: true,
            attempts: 21,
            stored_attempts: vec![Attempt {
                number: 21,
                at: timestamp("2026-06-07T10:10:24.001Z"),
                duration_milliseconds: 12,
                cause: AttemptCause::Replay,
                status: Some(500),
                error: Some(ErrorClass::Status),
                response_body: Some("oops".to_owned()),
                response_truncated: false,
                retry_after: Some(120),
            }],
            requests: vec![NotificationRequest {
                notification_id: "31a271e5-b970-49e6-ac8f-d46f73c061af".to_owned(),
                application_id: "app".parse().unwrap(),
                requested_at: timestamp("2026-06-07T10:10:25.000Z"),
                method: "GET".to_owned(),
                route: "/companies/{companyId}".to_owned(),
                status: 200,
                request_id: "r-1".to_owned(),
            }],
        }
    }

    #[test]
    fn a_delivery_shows_its_state_attempts_and_caused_requests() {
        let shown = serde_json::to_string(&DeliveryResource::new(&delivery())).unwrap();
        let expected = concat!(
            r#","notificationId":"31a271e5-b970-49e6-ac8f-d46f73c061af","state":"RETRYING","#,
            r#""companyId":"ACME","workerId":"W-1","domain":"WRKR_DEM","action":"UPDATE","test":false,"#,
            r#""replayed":true,"queuedDate":"2026-06-07T10:10:24.000Z","dueDate":"2026-06-07T10:15:25.000Z","#,
            r#""attemptCount":21,"attempts":[{"number":21,"date":"2026-06-07T10:10:24.001Z","#,
            r#""durationMilliseconds":12,"cause":"REPLAY","status":500,"error":"STATUS","answer":"oops","#,
            r#""answerCut":false,"retryAfterSeconds":120}],"requests":[{"date":"2026-06-07T10:10:25.000Z","method":"GET","#,
            r#""route":"/companies/{companyId}","status":200,"requestId":"r-1"}]}"#,
        );
        let id = CursorKind::Delivery.encode(7);
        assert_eq!(shown, format!(r#"{{"deliveryId":"{id}"{expected}"#));
    }
}
