//! An event as the feed shows it (specification §11.20).

use payroll_domain::date::Timestamp;
use payroll_domain::event::Event;
use payroll_domain::id::{ApplicationId, CompanyId, PayPeriodId, WorkerId};
use serde::Serialize;

use super::value::DisplayedText;

/// An event. Members that only operators see are omitted for partners.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventResource<'a> {
    event_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<i64>,
    company_id: DisplayedText<&'a CompanyId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    application_id: Option<DisplayedText<&'a ApplicationId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker_id: Option<DisplayedText<&'a WorkerId>>,
    /// The name is `payperiodId`, as in notifications, although all other names are in camel case.
    #[serde(rename = "payperiodId", skip_serializing_if = "Option::is_none")]
    pay_period_id: Option<DisplayedText<&'a PayPeriodId>>,
    domain: &'static str,
    action: &'static str,
    as_of_date: String,
    notification_type: &'static str,
}

impl<'a> EventResource<'a> {
    /// Creates the resource as partners see it.
    pub(crate) fn for_partner(event: &'a Event) -> Self {
        let fired = &event.fired;
        Self {
            event_id: &event.event_id,
            position: None,
            company_id: DisplayedText(&event.company_id),
            application_id: None,
            worker_id: fired.worker_id.as_ref().map(DisplayedText),
            pay_period_id: fired.pay_period_id.as_ref().map(DisplayedText),
            domain: fired.domain.as_str(),
            action: fired.action.as_str(),
            as_of_date: format_instant(event.as_of),
            notification_type: fired.domain.notification_type(),
        }
    }

    /// Creates the resource as operators see it, with the position in the feed. If only one application can
    /// see the event, the resource also contains this application.
    pub(crate) fn for_operator(event: &'a Event) -> Self {
        Self {
            position: Some(event.position),
            application_id: event.application_id.as_ref().map(DisplayedText),
            ..Self::for_partner(event)
        }
    }
}

/// Formats a time as `yyyy-MM-ddTHH:mm:ss.SSS+00:00`, as in notifications.
fn format_instant(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{}+00:00", text.trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::event::{EventAction, EventDomain, FiredEvent};

    #[test]
    fn a_partners_event_has_no_position_and_a_lowercase_period_member() {
        let event = Event {
            position: 7,
            event_id: "31a271e5-b970-49e6-ac8f-d46f73c061af".to_owned(),
            company_id: "ACME".parse().unwrap(),
            application_id: Some("app".parse().unwrap()),
            fired: FiredEvent {
                domain: EventDomain::PayrunCompleted,
                action: EventAction::PayrunCompleted,
                worker_id: None,
                pay_period_id: Some("P-1".parse().unwrap()),
            },
            as_of: Timestamp::parse("2026-06-07T10:10:24.000Z").unwrap(),
        };
        let shared = r#""domain":"CLT_PYRN","action":"PAYRUN_COMPLETED","asOfDate":"2026-06-07T10:10:24.000+00:00","notificationType":"PAYRUN_MESSAGE"}"#;
        let id = "31a271e5-b970-49e6-ac8f-d46f73c061af";
        assert_eq!(
            serde_json::to_string(&EventResource::for_partner(&event)).unwrap(),
            format!(r#"{{"eventId":"{id}","companyId":"ACME","payperiodId":"P-1",{shared}"#)
        );
        assert_eq!(
            serde_json::to_string(&EventResource::for_operator(&event)).unwrap(),
            format!(
                r#"{{"eventId":"{id}","position":7,"companyId":"ACME","applicationId":"app","payperiodId":"P-1",{shared}"#
            )
        );
    }
}
