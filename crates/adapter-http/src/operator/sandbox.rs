//! The operations of a sandbox (specification §10.19): set the clock, trigger events, and reset the data.
//! Other servers do not have these paths.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::document::{self, ClockChange, Trigger};
use payroll_domain::hook::HookKey;
use payroll_domain::violation::{DocumentPosition, Violation};
use payroll_ports::StoreError;
use payroll_ports::deliveries::{Delivery, DeliveryQuery};
use payroll_ports::sandbox::{ClockAdvance, Sandbox};
use payroll_ports::write::AuditContext;
use serde_json::json;

use super::call::OperatorCall;
use super::response;
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::idempotency;
use crate::shared::media_type::JSON;
use crate::shared::response::from_stored;

/// The maximum number of seconds by which one request advances the clock: one leap year.
const MAX_ADVANCE_SECONDS: i64 = 366 * 86_400;
/// The number of seconds between the two events of a trigger that requests delivery out of order. The second
/// event has the earlier date.
const OUT_OF_ORDER_AGE_SECONDS: i64 = 60;
/// The number of newest deliveries of each hook that are searched for the deliveries of an event.
const MAX_SHOWN_DELIVERIES: u32 = 100;
/// The maximum wait for the first attempt to deliver an event. The server waits for this attempt before it
/// repeats a delivery, or stores the second event of a delivery out of order.
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// The interval between two reads of the deliveries.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Handles a request for `GET /operator/v1/sandbox/clock`.
pub(super) async fn show_clock(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    clock_response(&call, &*require_sandbox(&call)?)
}

/// Handles a request for `PUT /operator/v1/sandbox/clock`.
pub(super) async fn set_clock(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    let sandbox = require_sandbox(&call)?;
    let body = call.body().await?;
    let change = call.incoming.read_document(&body, |node| document::read_clock_change(&node)).await?;
    let instant = target_instant(change, call.incoming.api.now())?;
    match sandbox.advance_to(instant).await? {
        ClockAdvance::Reached => clock_response(&call, &*sandbox),
        ClockAdvance::UnderWay(at) => {
            let problem = format!(
                "the clock is at {at}: the server is still processing what is due at that time; retry"
            );
            Err(Failure::from(Violation::new(Reason::Unavailable, problem)).with_retry_after(1))
        }
    }
}

/// Handles a request for `DELETE /operator/v1/sandbox/clock`.
pub(super) async fn release_clock(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    require_sandbox(&call)?.release_clock();
    Ok(response::no_content_response())
}

/// Handles a request for `POST /operator/v1/sandbox/reset`.
pub(super) async fn reset_sandbox(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    idempotency::validate_key_without_record(&call.incoming)?;
    let sandbox = require_sandbox(&call)?;
    let body = call.body().await?;
    let named = call.incoming.read_document(&body, |node| document::read_reset_database(&node)).await?;
    if named != sandbox.database_name() {
        let problem = format!(
            "database is {named:?} and must be {:?}, the name of the database to reset",
            sandbox.database_name()
        );
        return Err(Violation::new(Reason::FieldInvalid, problem)
            .at_position("/database", DocumentPosition::default())
            .into());
    }
    sandbox.reset_database().await?;
    Ok(response::no_content_response())
}

/// Handles a request for `POST /operator/v1/sandbox/triggers`.
pub(super) async fn trigger_event(mut call: OperatorCall) -> HandlerResult {
    call.check_media_types(&[JSON])?;
    idempotency::validate_key_without_record(&call.incoming)?;
    let body = call.body().await?;
    let trigger_request = call.incoming.read_document(&body, |node| document::read_trigger(&node)).await?;
    let first = trigger_events(&call, &trigger_request, call.audit_context(None)).await?;
    let mut notification_ids = vec![first.clone()];
    if trigger_request.duplicate {
        for (key, delivery) in wait_for_attempts(&call, &first).await? {
            call.store().replay_delivery(&key, delivery.position, &call.audit_context(None)).await?;
        }
    }
    if trigger_request.out_of_order {
        wait_for_attempts(&call, &first).await?;
        let mut audit = call.audit_context(None);
        audit.now = audit.now.plus_seconds(-OUT_OF_ORDER_AGE_SECONDS);
        notification_ids.push(trigger_events(&call, &trigger_request, audit).await?);
    }
    let content =
        json!({"companyId": trigger_request.company_id.as_str(), "notificationIds": notification_ids});
    from_stored(response::create_stored_response(
        202,
        &content.to_string(),
        vec![response::link_to_request(&call)],
    )?)
}

/// Returns the controls of the sandbox. Every server with these paths has the controls.
fn require_sandbox(call: &OperatorCall) -> Result<Arc<dyn Sandbox>, Failure> {
    call.incoming.api.sandbox.clone().ok_or_else(|| Reason::UnknownResource.into())
}

fn clock_response(call: &OperatorCall, sandbox: &dyn Sandbox) -> HandlerResult {
    let now = call.incoming.api.now().to_string();
    let content = json!({"now": now, "secondsAhead": sandbox.seconds_ahead()});
    from_stored(response::create_stored_response(
        200,
        &content.to_string(),
        vec![response::link_to_request(call)],
    )?)
}

/// Returns the time to which a request sets the clock of the sandbox.
fn target_instant(change: ClockChange, now: Timestamp) -> Result<Timestamp, Violation> {
    let latest = now.plus_seconds(MAX_ADVANCE_SECONDS);
    let wrong = |member: &str, problem: String| {
        Err(Violation::new(Reason::FieldInvalid, problem)
            .at_position(format!("/{member}"), DocumentPosition::default()))
    };
    match change {
        ClockChange::Now(instant) if instant < now => {
            wrong("now", format!("now must not be earlier than {now}: the clock goes forward"))
        }
        ClockChange::Now(instant) if instant > latest => {
            wrong("now", format!("now must be at most {latest}, a year ahead of the clock"))
        }
        ClockChange::Now(instant) => Ok(instant),
        ClockChange::Advance(seconds) if seconds > MAX_ADVANCE_SECONDS => {
            wrong("advance", "advance must be at most P366D".to_owned())
        }
        ClockChange::Advance(seconds) => Ok(now.plus_seconds(seconds)),
    }
}

/// Stores the event and returns its id.
async fn trigger_events(
    call: &OperatorCall,
    trigger: &Trigger,
    audit: AuditContext,
) -> Result<String, Failure> {
    let fired = call.store().trigger_events(&trigger.company_id, &trigger.event, &audit).await?;
    let unknown = "companyId must be the id of a company, workerId of one of its workers, and payPeriodId of \
                   one of its pay periods";
    let refused = || {
        Violation::new(Reason::FieldInvalid, unknown).at_position("/companyId", DocumentPosition::default())
    };
    fired.ok_or_else(|| refused().into())
}

/// Waits until each delivery of an event was attempted or has ended, at most for [`DELIVERY_TIMEOUT`].
/// Returns the deliveries.
async fn wait_for_attempts(call: &OperatorCall, event_id: &str) -> Result<Vec<(HookKey, Delivery)>, Failure> {
    let waiting = async {
        loop {
            let found = deliveries_of_event(call, event_id).await?;
            if found.iter().all(|(_, delivery)| delivery.attempts > 0 || delivery.ended.is_some()) {
                return Ok(found);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    match tokio::time::timeout(DELIVERY_TIMEOUT, waiting).await {
        Ok(found) => found,
        Err(_) => Ok(deliveries_of_event(call, event_id).await?),
    }
}

async fn deliveries_of_event(
    call: &OperatorCall,
    event_id: &str,
) -> Result<Vec<(HookKey, Delivery)>, StoreError> {
    let limit = std::num::NonZeroU32::MIN.saturating_add(MAX_SHOWN_DELIVERIES.saturating_sub(1));
    let query = DeliveryQuery { state: None, domain: None, from: None, to: None, before: None, limit };
    let mut found = Vec::new();
    for report in call.store().hooks(None).await? {
        let page = call.store().deliveries(&report.hook.key, &query).await?;
        let mut own = page.deliveries.into_iter();
        let of_event = own.find(|delivery| delivery.notification.notification_id == event_id);
        found.extend(of_event.map(|delivery| (report.hook.key, delivery)));
    }
    Ok(found)
}
