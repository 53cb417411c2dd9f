//! The life of a notification: from the change that queued it to a receiver that has taken it
//! (specification §9.2).
//!
//! It waits; a process claims it and sends it; the outcome and the present instant say what is next
//! ([`next_step`]). What an outcome means for the complete hook is [`health`].

use crate::date::Timestamp;
use crate::event::{EventAction, EventDomain};
use crate::id::{CompanyId, PayPeriodId, WorkerId};
use crate::named::named;

/// The notification type of a test call.
pub const TEST_NOTIFICATION_TYPE: &str = "TEST_MESSAGE";

/// What a receiver is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// A UUID: that of the event, the same on every hook and every attempt; a test call has its own.
    pub notification_id: String,
    /// The company that it is about; a test call of a hook for all companies has none.
    pub company_id: Option<CompanyId>,
    /// The worker, in the domains of workers.
    pub worker_id: Option<WorkerId>,
    /// The period, when one was completed.
    pub pay_period_id: Option<PayPeriodId>,
    /// What has changed.
    pub domain: EventDomain,
    /// What has happened to it.
    pub action: EventAction,
    /// When the change was stored.
    pub as_of: Timestamp,
    /// It is a test call: nothing has changed.
    pub test: bool,
}

impl Notification {
    /// The word by which clients sort what they receive.
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

/// The body of a notification (specification §9.2): it says that something has changed, not what.
#[cfg(feature = "serde")]
impl serde::Serialize for Notification {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// The order of the members is the order on the wire.
        #[derive(serde::Serialize)]
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
        let body = Body {
            company_id: self.company_id.as_ref().map(CompanyId::as_str),
            worker_id: self.worker_id.as_ref().map(WorkerId::as_str),
            pay_period_id: self.pay_period_id.as_ref().map(PayPeriodId::as_str),
            // The offset is written out here and nowhere else, as clients know it.
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

named! {
    /// How far a delivery is.
    DeliveryState {
        /// It was not tried yet, or not since its replay was requested.
        Waiting = "WAITING",
        /// It was tried and will be tried again.
        Retrying = "RETRYING",
        /// The receiver has taken it.
        Delivered = "DELIVERED",
        /// The application may no longer see it.
        Cancelled = "CANCELLED",
        /// It waited too long at a hook that is not active, or is a test call that did not arrive.
        Expired = "EXPIRED",
    }
}

named! {
    /// Why an attempt was made.
    AttemptCause {
        /// The change itself.
        Change = "CHANGE",
        /// An attempt before it failed.
        Retry = "RETRY",
        /// Its replay was requested.
        Replay = "REPLAY",
        /// A test call was requested.
        Test = "TEST",
    }
}

named! {
    /// What was wrong with an attempt.
    ErrorClass {
        /// The name could not be resolved.
        Dns = "DNS",
        /// The name led to an address that must not be dialled.
        ForbiddenAddress = "FORBIDDEN_ADDRESS",
        /// No connection.
        Connect = "CONNECT",
        /// No connection in time.
        ConnectTimeout = "CONNECT_TIMEOUT",
        /// The certificate or the handshake.
        Tls = "TLS",
        /// No complete head of a response in time.
        Timeout = "TIMEOUT",
        /// The connection ended before the head of a response.
        ConnectionClosed = "CONNECTION_CLOSED",
        /// The response is not HTTP.
        InvalidAnswer = "INVALID_ANSWER",
        /// The status of the response is not a 2XX.
        Status = "STATUS",
        /// No token could be fetched.
        Token = "TOKEN",
        /// The server could not make the request.
        Internal = "INTERNAL",
    }
}

/// One attempt, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// 1 is the delivery's first.
    pub number: u32,
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub duration_milliseconds: u32,
    /// Why it was made.
    pub cause: AttemptCause,
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// What was wrong; `None`: the receiver has taken it.
    pub error: Option<ErrorClass>,
    /// The beginning of the response's body, at most [`MAX_ANSWER_KEPT`] bytes; what is no UTF-8 is
    /// replaced.
    pub answer: Option<String>,
    /// The body of the response was not read completely.
    pub answer_cut: bool,
    /// Seconds that the receiver requested to wait.
    pub retry_after: Option<u32>,
}

/// Bytes of a response's body that are stored: enough for an error message.
pub const MAX_ANSWER_KEPT: usize = 2_048;

/// When a delivery is tried again, and when a hook is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Seconds between two attempts.
    pub retry_seconds: u32,
    /// A longer wait that the receiver requests by `Retry-After` is obeyed.
    pub obey_retry_after: bool,
    /// Seconds of failure without one success after which a hook is disabled.
    pub disable_after_seconds: u32,
}

/// The longest `Retry-After` that is kept to, in seconds: a day.
pub const MAX_RETRY_AFTER_SECONDS: u32 = 86_400;

/// What an attempt has come to, as far as it decides what is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The receiver has taken the notification.
    pub success: bool,
    /// Seconds that the receiver asks to wait.
    pub retry_after: Option<u32>,
    /// It was a test call.
    pub test: bool,
}

/// What is next for a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// It has arrived.
    Delivered,
    /// It is tried again then.
    TryAgain {
        /// Not before.
        due: Timestamp,
    },
    /// It is not tried again.
    GivenUp,
}

/// What is next after an attempt that ended now. A test call is tried once: the one who requested it sees
/// what became of it, and requests another. A receiver may request a longer wait than the usual one, never
/// for a shorter; no hook is disabled here, see [`health`].
///
/// ```
/// use payroll_domain::date::Timestamp;
/// use payroll_domain::delivery::{NextStep, Outcome, RetryPolicy, next_step};
/// let policy =
///     RetryPolicy { retry_seconds: 300, obey_retry_after: false, disable_after_seconds: 259_200 };
/// let now = Timestamp::from_micros(0);
/// let failed = Outcome { success: false, retry_after: Some(600), test: false };
/// let due = now.plus_seconds(300);
/// assert_eq!(next_step(&policy, failed, now), NextStep::TryAgain { due });
/// assert_eq!(next_step(&policy, Outcome { success: true, ..failed }, now), NextStep::Delivered);
/// assert_eq!(next_step(&policy, Outcome { test: true, ..failed }, now), NextStep::GivenUp);
/// ```
#[must_use]
pub fn next_step(policy: &RetryPolicy, outcome: Outcome, now: Timestamp) -> NextStep {
    if outcome.success {
        return NextStep::Delivered;
    }
    if outcome.test {
        return NextStep::GivenUp;
    }
    let requested = outcome.retry_after.filter(|_| policy.obey_retry_after).unwrap_or_default();
    let seconds = policy.retry_seconds.max(requested.min(MAX_RETRY_AFTER_SECONDS));
    NextStep::TryAgain { due: now.plus_seconds(i64::from(seconds)) }
}

/// How a hook has been doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    /// The first failure since the last success.
    pub failing_since: Option<Timestamp>,
    /// Its operator was warned of that.
    pub warned: bool,
}

/// What an outcome means for a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthStep {
    /// It is as it was.
    Same,
    /// It is well again.
    Recovered,
    /// It has begun to fail.
    Failing,
    /// It has failed for half of the time after which it is disabled.
    Warn,
    /// It has failed for too long.
    Disable,
}

/// What an outcome now means for a hook. The first failure never disables it; the time counts from
/// there, however many attempts were made since.
///
/// ```
/// use payroll_domain::date::Timestamp;
/// use payroll_domain::delivery::{Health, HealthStep, RetryPolicy, health};
/// let policy =
///     RetryPolicy { retry_seconds: 300, obey_retry_after: false, disable_after_seconds: 259_200 };
/// let since = Timestamp::from_micros(0);
/// assert_eq!(health(&policy, Health::default(), false, since), HealthStep::Failing);
/// let failing = Health { failing_since: Some(since), warned: false };
/// assert_eq!(health(&policy, failing, false, since.plus_seconds(129_600)), HealthStep::Warn);
/// assert_eq!(health(&policy, failing, true, since.plus_seconds(129_600)), HealthStep::Recovered);
/// ```
#[must_use]
pub fn health(policy: &RetryPolicy, health: Health, success: bool, now: Timestamp) -> HealthStep {
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
