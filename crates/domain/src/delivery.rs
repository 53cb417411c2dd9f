//! The states of a delivery, from the change that queued it until a receiver accepts it (specification §9.2).
//!
//! A process claims a pending delivery and sends it. [`decide_next_step`] then determines whether the
//! delivery is complete, is retried or is given up. [`decide_health_step`] determines whether the hook is
//! healthy, is failing or is disabled.

use crate::date::Timestamp;
use crate::event::{EventAction, EventDomain};
use crate::id::{CompanyId, PayPeriodId, WorkerId};
use crate::named::named_enum;

/// The notification type of a test call.
pub const TEST_NOTIFICATION_TYPE: &str = "TEST_MESSAGE";

/// The content of a notification for a receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The UUID of the event, the same for every hook and every attempt. A test call reports no event and has
    /// a UUID of its own.
    pub notification_id: String,
    /// The company of the change. `None` for a test call of a hook that covers all companies.
    pub company_id: Option<CompanyId>,
    /// The worker whose data changed. `None` unless the event's domain concerns workers.
    pub worker_id: Option<WorkerId>,
    /// The completed pay period. `None` unless the notification reports a completion.
    pub pay_period_id: Option<PayPeriodId>,
    /// The kind of data that changed.
    pub domain: EventDomain,
    /// The type of the change.
    pub action: EventAction,
    /// The instant at which the change was stored.
    pub as_of: Timestamp,
    /// Whether the notification is a test call, which reports no change.
    pub test: bool,
}

impl Notification {
    /// Returns the notification type, which determines how clients process the notification.
    ///
    /// ```
    /// use payroll_domain::date::Timestamp;
    /// use payroll_domain::delivery::Notification;
    /// use payroll_domain::event::{EventAction, EventDomain};
    /// let mut notification = Notification {
    ///     notification_id: "31a271e5-b970-49e6-ac8f-d46f73c061af".to_owned(),
    ///     company_id: Some("ACME".parse()?),
    ///     worker_id: Some("ANN".parse()?),
    ///     pay_period_id: None,
    ///     domain: EventDomain::WorkerAdded,
    ///     action: EventAction::Add,
    ///     as_of: Timestamp::from_micros(0),
    ///     test: false,
    /// };
    /// assert_eq!(notification.notification_type(), "WORKER_MESSAGE");
    /// notification.test = true;
    /// assert_eq!(notification.notification_type(), "TEST_MESSAGE");
    /// # Ok::<(), payroll_domain::id::InvalidId>(())
    /// ```
    #[must_use]
    pub const fn notification_type(&self) -> &'static str {
        if self.test { TEST_NOTIFICATION_TYPE } else { self.domain.notification_type() }
    }
}

/// Writes the body of a notification (specification §9.2). The body reports that data changed, but does not
/// contain the data.
#[cfg(feature = "serde")]
impl serde::Serialize for Notification {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// The members of the notification body, in the order in which they are sent.
        #[derive(serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Body<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            company_id: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            worker_id: Option<&'a str>,
            /// The JSON name of this member starts with a lowercase `p`, because existing clients expect it.
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
        let body = Body {
            company_id: self.company_id.as_ref().map(CompanyId::as_str),
            worker_id: self.worker_id.as_ref().map(WorkerId::as_str),
            pay_period_id: self.pay_period_id.as_ref().map(PayPeriodId::as_str),
            // This instant is written with the UTC offset `+00:00` instead of `Z`, because existing clients
            // expect it.
            as_of_date: self.as_of.to_string().replace('Z', "+00:00"),
            domains: [self.domain.as_str()],
            action: self.action.as_str(),
            notification_type: self.notification_type(),
            notification_id: &self.notification_id,
            test: self.test,
        };
        body.serialize(serializer)
    }
}

named_enum! {
    /// The state of a delivery.
    DeliveryState {
        /// The delivery is pending: it has not been attempted, or a replay was requested.
        Waiting = "WAITING",
        /// An attempt failed and another one will follow.
        Retrying = "RETRYING",
        /// The receiver accepted the notification.
        Delivered = "DELIVERED",
        /// The application no longer has access to the data, so the delivery is not attempted again.
        Cancelled = "CANCELLED",
        /// The delivery is not attempted again. The delivery was pending too long at an inactive hook, the
        /// hook's limit of attempts was reached, or it is a test call that failed.
        Expired = "EXPIRED",
    }
}

named_enum! {
    /// The reason why an attempt was made.
    AttemptCause {
        /// The first attempt for a change of data.
        Change = "CHANGE",
        /// An earlier attempt of the delivery failed.
        Retry = "RETRY",
        /// A replay of the delivery was requested.
        Replay = "REPLAY",
        /// A test call was requested.
        Test = "TEST",
    }
}

named_enum! {
    /// The class of error of a failed attempt.
    ErrorClass {
        /// The host name could not be resolved.
        Dns = "DNS",
        /// The host name resolved to a forbidden address.
        ForbiddenAddress = "FORBIDDEN_ADDRESS",
        /// The connection could not be established.
        Connect = "CONNECT",
        /// The connection was not established in time.
        ConnectTimeout = "CONNECT_TIMEOUT",
        /// The TLS handshake failed, for example because of the certificate.
        Tls = "TLS",
        /// The headers of the response were not complete in time.
        Timeout = "TIMEOUT",
        /// The connection ended before the headers of the response were complete.
        ConnectionClosed = "CONNECTION_CLOSED",
        /// The response is not valid HTTP.
        InvalidAnswer = "INVALID_ANSWER",
        /// The status of the response is not 2XX.
        Status = "STATUS",
        /// The OAuth token could not be fetched.
        Token = "TOKEN",
        /// An internal error of this server prevented the request.
        Internal = "INTERNAL",
    }
}

/// One attempt of a delivery, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// The instant at which the attempt started.
    pub at: Timestamp,
    /// The time from the start to the end of the attempt, in milliseconds.
    pub duration_milliseconds: u32,
    /// The reason why the attempt was made.
    pub cause: AttemptCause,
    /// The HTTP status of the response. `None` if there was no response.
    pub status: Option<u16>,
    /// The error. `None` if the receiver accepted the delivery.
    pub error: Option<ErrorClass>,
    /// The first bytes of the response's body, at most [`MAX_STORED_RESPONSE_BYTES`]. Invalid UTF-8 becomes
    /// the replacement character.
    pub response_body: Option<String>,
    /// Whether the response's body was longer than the stored part.
    pub response_truncated: bool,
    /// The seconds to wait from the receiver's `Retry-After` header. `None` if the response had none.
    pub retry_after: Option<u32>,
}

/// The maximum number of bytes of a response's body that are stored, which is enough for an error message.
pub const MAX_STORED_RESPONSE_BYTES: usize = 2_048;

/// The policy for retries and for disabling a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The seconds between two attempts.
    pub retry_seconds: u32,
    /// Whether a receiver's `Retry-After` that is longer than `retry_seconds` extends the wait.
    pub obey_retry_after: bool,
    /// The seconds of uninterrupted failure after which a hook is disabled.
    pub disable_after_seconds: u32,
}

/// The maximum wait in seconds that a `Retry-After` can cause: one day.
pub const MAX_RETRY_AFTER_SECONDS: u32 = 86_400;

/// The result of an attempt, with the other data that determines the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptResult {
    /// Whether the receiver accepted the notification.
    pub success: bool,
    /// The seconds to wait from the receiver's `Retry-After` header. `None` if the response had none.
    pub retry_after: Option<u32>,
    /// Whether no further attempt may follow, because the attempt was a test call or the last attempt that
    /// the hook allows.
    pub is_last: bool,
}

/// The next step for a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// The delivery is complete.
    Delivered,
    /// The delivery is attempted again.
    TryAgain {
        /// The earliest instant of the next attempt.
        due: Timestamp,
    },
    /// The delivery is not attempted again.
    GivenUp,
}

/// Returns the next step after an attempt that ended at `now`. A receiver can request a longer wait than the
/// policy, but not a shorter one. [`decide_health_step`] decides whether the hook is disabled.
///
/// ```
/// use payroll_domain::date::Timestamp;
/// use payroll_domain::delivery::{NextStep, AttemptResult, RetryPolicy, decide_next_step};
/// let policy =
///     RetryPolicy { retry_seconds: 300, obey_retry_after: false, disable_after_seconds: 259_200 };
/// let now = Timestamp::from_micros(0);
/// let failed = AttemptResult { success: false, retry_after: Some(600), is_last: false };
/// let due = now.plus_seconds(300);
/// assert_eq!(decide_next_step(&policy, failed, now), NextStep::TryAgain { due });
/// assert_eq!(decide_next_step(&policy, AttemptResult { success: true, ..failed }, now), NextStep::Delivered);
/// assert_eq!(decide_next_step(&policy, AttemptResult { is_last: true, ..failed }, now), NextStep::GivenUp);
/// ```
#[must_use]
pub fn decide_next_step(policy: &RetryPolicy, outcome: AttemptResult, now: Timestamp) -> NextStep {
    if outcome.success {
        return NextStep::Delivered;
    }
    if outcome.is_last {
        return NextStep::GivenUp;
    }
    let requested = outcome.retry_after.filter(|_| policy.obey_retry_after).unwrap_or_default();
    let seconds = policy.retry_seconds.max(requested.min(MAX_RETRY_AFTER_SECONDS));
    NextStep::TryAgain { due: now.plus_seconds(i64::from(seconds)) }
}

/// The recent failures of a hook. The default is a hook whose last attempt succeeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HookHealth {
    /// The instant of the first failure since the last success. `None` if the last attempt succeeded.
    pub failing_since: Option<Timestamp>,
    /// Whether the operator was already warned about the current failures of the hook.
    pub warned: bool,
}

/// The effect of an attempt's result on the health of its hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthStep {
    /// Nothing changes for the hook.
    Same,
    /// The hook works again after failures.
    Recovered,
    /// The hook failed for the first time since its last success.
    Failing,
    /// The hook has been failing for half of the time after which it is disabled.
    Warn,
    /// The hook has been failing for the time after which it is disabled.
    Disable,
}

/// Returns the effect of an attempt's result at the instant `now` on its hook. The first failure never
/// disables the hook. The time until the hook is disabled starts at the first failure and does not depend on
/// the number of attempts.
///
/// ```
/// use payroll_domain::date::Timestamp;
/// use payroll_domain::delivery::{HookHealth, HealthStep, RetryPolicy, decide_health_step};
/// let policy =
///     RetryPolicy { retry_seconds: 300, obey_retry_after: false, disable_after_seconds: 259_200 };
/// let since = Timestamp::from_micros(0);
/// assert_eq!(decide_health_step(&policy, HookHealth::default(), false, since), HealthStep::Failing);
/// let failing = HookHealth { failing_since: Some(since), warned: false };
/// assert_eq!(decide_health_step(&policy, failing, false, since.plus_seconds(129_600)), HealthStep::Warn);
/// assert_eq!(decide_health_step(&policy, failing, true, since.plus_seconds(129_600)), HealthStep::Recovered);
/// ```
#[must_use]
pub fn decide_health_step(
    policy: &RetryPolicy,
    health: HookHealth,
    success: bool,
    now: Timestamp,
) -> HealthStep {
    match (success, health.failing_since) {
        (true, None) => HealthStep::Same,
        (true, Some(_)) => HealthStep::Recovered,
        (false, None) => HealthStep::Failing,
        (false, Some(since)) => {
            let limit = i64::from(policy.disable_after_seconds);
            if now >= since.plus_seconds(limit) {
                HealthStep::Disable
            } else if !health.warned && now >= since.plus_seconds(limit / 2) {
                HealthStep::Warn
            } else {
                HealthStep::Same
            }
        }
    }
}

#[cfg(test)]
mod tests;
