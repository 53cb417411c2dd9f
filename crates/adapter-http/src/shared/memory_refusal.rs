//! The response to a request for which there is not enough memory.

use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

use crate::shared::error::Failure;
use crate::shared::limits::RETRY_AFTER_SECONDS;
use crate::transport::memory::MemoryRefusal;

impl MemoryRefusal {
    /// Converts the refusal to a response: 429 API-429 or 503 API-503 with `Retry-After`. If the request
    /// exceeds the entire budget or the application's share, the reason is `too_large` and there is no
    /// `Retry-After`.
    pub(crate) fn into_failure(self, too_large: Reason) -> Failure {
        let failure = Failure::from(self.into_violation(too_large));
        match self {
            Self::ApplicationLimit | Self::ListenerLimit => {
                failure.with_retry_after(RETRY_AFTER_SECONDS.into())
            }
            Self::NeverFits => failure,
        }
    }

    /// Converts the refusal to a fault. The reason of the fault is `too_large` if the request exceeds the
    /// entire budget or the application's share.
    pub(crate) fn into_violation(self, too_large: Reason) -> Violation {
        let (reason, description) = match self {
            Self::ApplicationLimit => (
                Reason::TooManyRequests,
                "the requests of this application that are in progress take too much memory together",
            ),
            Self::ListenerLimit => {
                (Reason::Unavailable, "the requests that are in progress take too much memory together")
            }
            Self::NeverFits => (
                too_large,
                "the request needs more memory than the limit: its body is too long or has too many values; \
                 split the request",
            ),
        };
        Violation::new(reason, description)
    }
}
