//! Rows of the delivery queue, which claim, release, cancel or finish deliveries.

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{AttemptCause, DeliveryState, NextStep, Notification};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_ports::deliveries::{AttemptRecord, ClaimedDelivery, DeliveryId, HookNumber};

use crate::columns::query_row;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::access::parse_scopes;
use crate::statement::{BindValue, binds};
use crate::table::table;

table! {
    /// The instant until which a delivery is claimed.
    struct ClaimRow in "deliveries" key "hook, position" {
        hook: int,
        position: int,
        claimed_until: int,
    }
}

impl ClaimRow {
    /// Creates the row of a delivery that no process has claimed.
    pub(crate) const fn new_unclaimed(id: DeliveryId) -> Self {
        Self { hook: id.hook.0, position: id.position, claimed_until: 0 }
    }
}

table! {
    /// A delivery that has ended.
    struct FinishedDeliveryRow in "deliveries" key "hook, position" {
        hook: int,
        position: int,
        state: text,
        due: int_or_null,
        claimed_until: int,
        ended: int_or_null,
    }
}

impl FinishedDeliveryRow {
    /// Creates the row of a delivery whose data the application may no longer access.
    pub(crate) fn new_cancelled(id: DeliveryId, now: Timestamp) -> Self {
        Self {
            hook: id.hook.0,
            position: id.position,
            state: DeliveryState::Cancelled.as_str().to_owned(),
            due: None,
            claimed_until: 0,
            ended: Some(now.as_micros()),
        }
    }
}

query_row! {
    /// A claimed delivery, with the application of its hook.
    #[derive(Debug)]
    pub(crate) struct ClaimedRow {
        position: i64,
        event_id: String,
        company_id: Option<String>,
        worker_id: Option<String>,
        pay_period_id: Option<String>,
        domain: String,
        action: String,
        as_of: i64,
        test: bool,
        state: String,
        attempts: i64,
        replayed: bool,
        due: Option<i64>,
        hook_version: i64,
        application_id: String,
    }
}

impl ClaimedRow {
    /// Returns the sort key of the delivery in the queue of its hook: the instant at which the delivery is
    /// due, and the position of the delivery.
    pub(crate) const fn queue_position(&self) -> (Option<i64>, i64) {
        (self.due, self.position)
    }

    pub(crate) const fn id(&self, hook: HookNumber) -> DeliveryId {
        DeliveryId { hook, position: self.position }
    }

    /// Returns the application that owns the hook.
    pub(crate) fn application_id(&self) -> &str {
        &self.application_id
    }

    /// Returns the company of the notification. `None` if the notification has no company.
    pub(crate) fn company_id(&self) -> Option<&str> {
        self.company_id.as_deref()
    }

    /// Returns whether an application with these scopes for the company may see the delivery. Test calls and
    /// events about the application's own access are always visible.
    pub(crate) fn is_visible_with(&self, granted_scopes: &str) -> Outcome<bool> {
        let key = self.position.to_string();
        let at = RowLocation { table: "deliveries", key: &key };
        let domain = at.parse_text(&self.domain, EventDomain::parse)?;
        let granted = parse_scopes(granted_scopes, &key)?;
        Ok(self.test || domain.needed_scopes().difference(granted).is_empty())
    }

    /// Converts the row to a claimed delivery of the hook with this number.
    pub(crate) fn into_claimed_delivery(self, hook: HookNumber) -> Outcome<ClaimedDelivery> {
        let key = self.position.to_string();
        let at = RowLocation { table: "deliveries", key: &key };
        Ok(ClaimedDelivery {
            id: self.id(hook),
            hook_version: self.hook_version,
            attempts: at.read_number(self.attempts)?,
            cause: self.attempt_cause(),
            notification: Notification {
                company_id: at.parse_optional_id(self.company_id.as_deref())?,
                worker_id: at.parse_optional_id(self.worker_id.as_deref())?,
                pay_period_id: at.parse_optional_id(self.pay_period_id.as_deref())?,
                domain: at.parse_text(&self.domain, EventDomain::parse)?,
                action: at.parse_text(&self.action, EventAction::parse)?,
                as_of: Timestamp::from_micros(self.as_of),
                test: self.test,
                notification_id: self.event_id,
            },
        })
    }

    /// Returns the cause of the next attempt. A replayed delivery is treated like a new delivery until its
    /// first attempt.
    fn attempt_cause(&self) -> AttemptCause {
        match (DeliveryState::parse(&self.state), self.replayed, self.test) {
            (Some(DeliveryState::Retrying), _, _) => AttemptCause::Retry,
            (_, true, _) => AttemptCause::Replay,
            (_, false, true) => AttemptCause::Test,
            (_, false, false) => AttemptCause::Change,
        }
    }
}

/// The value that is stored as the instant of the next attempt if no further attempt follows. Every real
/// instant is greater.
const NO_NEXT_ATTEMPT: i64 = -1;

/// Returns the values of an attempt, in the order of the parameters of both databases: the delivery, its next
/// attempt, its end, and the attempt itself. The database assigns the number of the attempt.
pub(crate) fn attempt_bind_values(record: &AttemptRecord) -> Vec<BindValue<'_>> {
    let attempt = &record.attempt;
    let began = attempt.at.as_micros();
    let next = match record.next_step {
        NextStep::Delivered => None,
        NextStep::TryAgain { due } => Some(due.as_micros()),
        NextStep::GivenUp => Some(NO_NEXT_ATTEMPT),
    };
    // PostgreSQL text cannot contain NUL. Without the replacement, the response of a receiver could block the
    // queue.
    let response_body = attempt.response_body.as_ref().map(|body| body.replace('\0', "\u{fffd}"));
    Vec::from(binds![
        record.id.hook.0,
        record.id.position,
        next,
        began.saturating_add(i64::from(attempt.duration_milliseconds) * 1_000),
        began,
        i64::from(attempt.duration_milliseconds),
        attempt.cause.as_str(),
        attempt.status.map(i64::from),
        attempt.error.map(payroll_domain::delivery::ErrorClass::as_str),
        response_body,
        attempt.response_truncated,
        attempt.retry_after.map(i64::from),
    ])
}
