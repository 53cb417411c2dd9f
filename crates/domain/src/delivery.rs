//! The life of a notification: from the change that queued it to a receiver that has taken it
//! (specification §9.2).
//!
//! It waits; a process claims it and sends it; the outcome and the present instant say what is next
//! ([`next_step`]). What an outcome means for the hook as a whole is [`health`].

use crate::date::Timestamp;
use crate::event::{EventAction, EventDomain};
use crate::id::{CompanyId, PayPeriodId, WorkerId};
use crate::named::named;

/// The notification type of a test call.
pub const TEST_NOTIFICATION_TYPE: &str = "TEST_MESSAGE";

/// What a receiver is told.
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
    /// The word by which clients sort what they are told.
    #[must_use]
    pub const fn notification_type(&self) -> &'static str {
        if self.test { TEST_NOTIFICATION_TYPE } else { self.domain.notification_type() }
    }
}

named! {
    /// How far a delivery is.
    DeliveryState {
        /// It was not tried yet.
        Waiting = "WAITING",
        /// It was tried and will be tried again.
        Retrying = "RETRYING",
        /// The receiver has taken it.
        Delivered = "DELIVERED",
        /// The application may no longer be told.
        Cancelled = "CANCELLED",
        /// It waited too long at a hook that is not active.
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
        /// Somebody asked for it to be sent again.
        Replay = "REPLAY",
        /// Somebody asked for a test call.
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
        /// No whole head of an answer in time.
        Timeout = "TIMEOUT",
        /// The connection ended before the head of an answer.
        ConnectionClosed = "CONNECTION_CLOSED",
        /// The answer is not HTTP.
        InvalidAnswer = "INVALID_ANSWER",
        /// The answer's status is none of 2XX.
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
    /// The answer's status, where there was an answer.
    pub status: Option<u16>,
    /// What was wrong; `None`: the receiver has taken it.
    pub error: Option<ErrorClass>,
    /// The beginning of the answer's body, at most [`MAX_ANSWER_KEPT`] bytes; what is no UTF-8 is
    /// replaced.
    pub answer: Option<String>,
    /// The answer's body was not read to its end.
    pub answer_cut: bool,
}

/// Bytes of an answer's body that are kept: enough for an error message.
pub const MAX_ANSWER_KEPT: usize = 2_048;

/// When a delivery is tried again, and when a hook is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Seconds between two attempts.
    pub retry_seconds: u32,
    /// A longer wait that the receiver asks for by `Retry-After` is kept to.
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
}

/// What is next after an attempt that ended now.
#[must_use]
pub fn next_step(policy: &RetryPolicy, outcome: Outcome, now: Timestamp) -> NextStep {
    if outcome.success {
        return NextStep::Delivered;
    }
    let asked = outcome.retry_after.filter(|_| policy.obey_retry_after).unwrap_or_default();
    let seconds = policy.retry_seconds.max(asked.min(MAX_RETRY_AFTER_SECONDS));
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

/// What an outcome now means for a hook.
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
