//! Rows of the delivery log for reading.

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{Attempt, AttemptCause, DeliveryState, ErrorClass, Notification};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_ports::deliveries::{Delivery, NotificationRequest};

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::table::table;

table! {
    /// The row of a delivery in the log.
    struct LoggedDeliveryRow in "deliveries" key "hook, position" {
        position: int,
        event_id: text,
        company_id: text_or_null,
        worker_id: text_or_null,
        pay_period_id: text_or_null,
        domain: text,
        action: text,
        as_of: int,
        test: bool,
        queued: int,
        state: text,
        due: int_or_null,
        attempts: int,
        replayed: bool,
        ended: int_or_null,
    }
}

impl LoggedDeliveryRow {
    /// Converts the row to a delivery. The caller adds the attempts and the API requests.
    pub(crate) fn into_delivery(self) -> Outcome<Delivery> {
        let key = self.position.to_string();
        let at = RowLocation { table: "deliveries", key: &key };
        Ok(Delivery {
            position: self.position,
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
            state: at.parse_text(&self.state, DeliveryState::parse)?,
            queued: Timestamp::from_micros(self.queued),
            due: self.due.map(Timestamp::from_micros),
            ended: self.ended.map(Timestamp::from_micros),
            replayed: self.replayed,
            attempts: at.read_number(self.attempts)?,
            stored_attempts: Vec::new(),
            requests: Vec::new(),
        })
    }
}

table! {
    /// An attempt of a delivery.
    struct LoggedAttemptRow in "attempts" key "hook, position, number" {
        position: int,
        number: int,
        at: int,
        duration: int,
        cause: text,
        status: int_or_null,
        error: text_or_null,
        answer: text_or_null,
        answer_cut: bool,
        retry_after: int_or_null,
    }
}

impl LoggedAttemptRow {
    /// Returns the attempt and the position of its delivery.
    pub(crate) fn into_attempt(self) -> Outcome<(i64, Attempt)> {
        let key = self.position.to_string();
        let at = RowLocation { table: "attempts", key: &key };
        let attempt = Attempt {
            number: at.read_number(self.number)?,
            at: Timestamp::from_micros(self.at),
            duration_milliseconds: at.read_number(self.duration)?,
            cause: at.parse_text(&self.cause, AttemptCause::parse)?,
            status: self.status.map(|status| at.read_number(status)).transpose()?,
            error: at.parse_optional_text(self.error.as_deref(), ErrorClass::parse)?,
            response_body: self.answer,
            response_truncated: self.answer_cut,
            retry_after: self.retry_after.map(|seconds| at.read_number(seconds)).transpose()?,
        };
        Ok((self.position, attempt))
    }
}

table! {
    /// An API request that contained the id of a notification.
    struct NotificationRequestRow in "noted_requests" key "position" {
        notification_id: text,
        application_id: text,
        at: int,
        method: text,
        route: text,
        status: int,
        request_id: text,
    }
}

impl NotificationRequestRow {
    /// Returns the API request in this row.
    pub(crate) fn into_request(self) -> Outcome<NotificationRequest> {
        let at = RowLocation { table: "noted_requests", key: &self.request_id };
        Ok(NotificationRequest {
            application_id: at.parse_id(&self.application_id)?,
            requested_at: Timestamp::from_micros(self.at),
            status: at.read_number(self.status)?,
            notification_id: self.notification_id,
            method: self.method,
            route: self.route,
            request_id: self.request_id,
        })
    }
}

table! {
    /// The key of a delivery in the rows of its attempts: the hook and the position.
    struct DeliveryAttemptsKey in "attempts" key "hook, position" {
        hook: int,
        position: int,
    }
}
