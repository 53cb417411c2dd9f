//! Hooks as operators see them (specification §10.15).

use std::ops::Not;

use payroll_domain::date::Timestamp;
use payroll_domain::id::{ApplicationId, CompanyId, HookId};
use payroll_ports::deliveries::QueueSummary;
use payroll_ports::hooks::{HookQueue, HookWithQueue};
use serde::Serialize;

use crate::shared::wire::value::DisplayedText;

/// A hook with the state of its queue of pending deliveries.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookReportResource<'a> {
    application_id: DisplayedText<&'a ApplicationId>,
    hook_id: DisplayedText<&'a HookId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    company_id: Option<DisplayedText<&'a CompanyId>>,
    /// The URL without its query, which may contain a secret of the receiver.
    uri: String,
    domains: Vec<&'static str>,
    auth_type: &'static str,
    active: bool,
    #[serde(skip_serializing_if = "Not::not")]
    ordered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_per_second: Option<u32>,
    created_date: DisplayedText<Timestamp>,
    queue: HookQueueResource,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HookQueueResource {
    waiting: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_waiting: Option<DisplayedText<Timestamp>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<DisplayedText<Timestamp>>,
    failures: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled_date: Option<DisplayedText<Timestamp>>,
    expired: u64,
}

/// A summary of the entire delivery queue.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QueueSummaryResource {
    waiting: u64,
    retrying: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_waiting: Option<DisplayedText<Timestamp>>,
    held: u64,
    active_hooks: u64,
    inactive_hooks: u64,
    failing_hooks: u64,
}

impl<'a> HookReportResource<'a> {
    pub(crate) fn new(report: &'a HookWithQueue) -> Self {
        let hook = &report.hook;
        Self {
            application_id: DisplayedText(&hook.key.application_id),
            hook_id: DisplayedText(&hook.key.hook_id),
            company_id: hook.company_id.as_ref().map(DisplayedText),
            uri: hook.address.without_query(),
            domains: hook.domains.iter().map(|domain| domain.as_str()).collect(),
            auth_type: hook.auth_type.as_str(),
            active: hook.active,
            ordered: hook.delivery.ordered,
            max_attempts: hook.delivery.max_attempts,
            max_per_second: hook.delivery.max_per_second,
            created_date: DisplayedText(hook.created),
            queue: HookQueueResource::new(&report.queue),
        }
    }
}

impl HookQueueResource {
    fn new(queue: &HookQueue) -> Self {
        Self {
            waiting: queue.pending,
            oldest_waiting: queue.oldest_waiting.map(DisplayedText),
            failing_since: queue.failing_since.map(DisplayedText),
            failures: queue.failures,
            disabled_date: queue.disabled.map(DisplayedText),
            expired: queue.expired,
        }
    }
}

impl QueueSummaryResource {
    pub(crate) fn new(summary: &QueueSummary) -> Self {
        Self {
            waiting: summary.pending,
            retrying: summary.retrying,
            oldest_waiting: summary.oldest_waiting.map(DisplayedText),
            held: summary.collected,
            active_hooks: summary.active_hooks,
            inactive_hooks: summary.inactive_hooks,
            failing_hooks: summary.failing_hooks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::wire::samples::id;
    use payroll_domain::event::EventDomain;
    use payroll_domain::hook::{Address, AuthType, DeliveryOptions, Hook, HookKey};

    const CREATED: &str = "2026-07-28T00:37:25.149Z";

    fn report() -> HookWithQueue {
        let hook = Hook {
            key: HookKey { application_id: id("APP"), hook_id: id("HOOK") },
            company_id: None,
            address: Address::from_stored("https://receiver.example.org/in?token=hunter2").unwrap(),
            domains: vec![EventDomain::WorkerDemographics, EventDomain::PayrunCompleted],
            auth_type: AuthType::ApiKey,
            active: true,
            delivery: DeliveryOptions::default(),
            created: Timestamp::parse(CREATED).unwrap(),
            version: 1,
        };
        HookWithQueue { hook, queue: HookQueue::default() }
    }

    #[test]
    fn an_address_is_shown_without_its_query_and_missing_times_are_omitted() {
        let shown = serde_json::to_string(&HookReportResource::new(&report())).unwrap();
        let expected = concat!(
            r#"{"applicationId":"APP","hookId":"HOOK","uri":"https://receiver.example.org/in","#,
            r#""domains":["WRKR_DEM","CLT_PYRN"],"authType":"APIKEY","active":true,"#,
            r#""createdDate":"2026-07-28T00:37:25.149Z","queue":{"waiting":0,"failures":0,"expired":0}}"#
        );
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_failing_hook_shows_the_start_and_number_of_its_failures() {
        let at = Timestamp::parse(CREATED).unwrap();
        let mut failing = report();
        failing.hook.company_id = Some(id("ACME"));
        failing.queue = HookQueue {
            pending: 3,
            oldest_waiting: Some(at),
            failing_since: Some(at),
            failures: 4,
            disabled: Some(at),
            expired: 5,
        };
        let shown = serde_json::to_value(HookReportResource::new(&failing)).unwrap();
        assert_eq!(shown["companyId"], "ACME");
        let expected = serde_json::json!({"waiting": 3, "oldestWaiting": CREATED, "failingSince": CREATED,
            "failures": 4, "disabledDate": CREATED, "expired": 5});
        assert_eq!(shown["queue"], expected);
    }

    #[test]
    fn an_empty_queue_has_no_oldest_delivery() {
        let shown = serde_json::to_string(&QueueSummaryResource::new(&QueueSummary::default())).unwrap();
        let expected =
            r#"{"waiting":0,"retrying":0,"held":0,"activeHooks":0,"inactiveHooks":0,"failingHooks":0}"#;
        assert_eq!(shown, expected);
    }
}
