//! Simulates faults in a sandbox. The header `Sandbox-Fault` selects the fault, so that a partner can test
//! retries (docs/sandbox.md). Other servers ignore the header.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderMap;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

use crate::shared::error::{Failure, status_for_kind};
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::transport::connection::ConnectionState;

/// The name of the header that selects the fault to simulate.
const SANDBOX_FAULT_HEADER: &str = "sandbox-fault";
/// The default delay of a simulated slow response, in seconds. This delay exceeds the usual timeouts of
/// clients.
const DEFAULT_SLOW_SECONDS: u32 = 10;
/// The maximum delay of a simulated slow response, in seconds. The connection stays open during the delay.
const MAX_SLOW_SECONDS: u32 = 120;
/// The value of `Retry-After` in a simulated error, in seconds.
const RETRY_AFTER_SECONDS: i64 = 1;

/// The fault to simulate for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SandboxFault {
    /// The request is rejected for this reason, without being executed.
    Refused(Reason),
    /// The request is executed after a delay.
    Slow(Duration),
    /// The request is executed, and the connection is closed without a response.
    ResponseDropped,
    /// The connection is closed, and the request is not executed.
    ConnectionReset,
}

impl SandboxFault {
    /// Reads the fault that an authenticated caller requests. Outside a sandbox the result is `None`.
    ///
    /// # Errors
    /// 400 API-40 if the value is invalid.
    pub(crate) fn from_request(incoming: &IncomingRequest) -> Result<Option<Self>, Failure> {
        if incoming.api.settings.sandbox { Self::from_headers(incoming.headers()) } else { Ok(None) }
    }

    fn from_headers(headers: &HeaderMap) -> Result<Option<Self>, Failure> {
        let Some(value) = headers.get(SANDBOX_FAULT_HEADER) else { return Ok(None) };
        let read = value.to_str().ok().and_then(|text| Self::parse(text.trim()));
        let rule = "the header Sandbox-Fault must be a code such as API-10, a status such as 503, slow, \
                    slow=SECONDS with at most 120, lost, or reset";
        read.map(Some).ok_or_else(|| Violation::new(Reason::InvalidParameter, rule).into())
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "lost" => return Some(Self::ResponseDropped),
            "reset" => return Some(Self::ConnectionReset),
            "slow" => return Some(Self::Slow(Duration::from_secs(DEFAULT_SLOW_SECONDS.into()))),
            _ => {}
        }
        if let Some(seconds) = text.strip_prefix("slow=") {
            let seconds: u32 =
                seconds.parse().ok().filter(|seconds| (1..=MAX_SLOW_SECONDS).contains(seconds))?;
            return Some(Self::Slow(Duration::from_secs(seconds.into())));
        }
        let fits =
            |reason: &&Reason| reason.code() == text || status_for_kind(reason.kind()).as_str() == text;
        // Several reasons may have the requested code or status. The first of these reasons is used, which
        // is never a fault of a document.
        Reason::ALL.iter().find(fits).copied().map(Self::Refused)
    }
}

/// Executes a request, or simulates the fault. Only authenticated requests reach this function, so no other
/// client can delay or close a connection.
pub(crate) async fn execute_or_simulate(
    fault: Option<SandboxFault>,
    connection: &ConnectionState,
    response: impl Future<Output = HandlerResult>,
) -> HandlerResult {
    match fault {
        None => response.await,
        Some(SandboxFault::Refused(reason)) => Err(simulated_failure(reason)),
        Some(SandboxFault::Slow(time)) => {
            tokio::time::sleep(time).await;
            response.await
        }
        Some(SandboxFault::ResponseDropped) => {
            let handled = response.await;
            connection.close_without_response();
            handled
        }
        Some(SandboxFault::ConnectionReset) => {
            connection.close_without_response();
            Ok(HttpResponse::NoContent().finish())
        }
    }
}

/// Returns the error for a reason, in the form of the real error.
fn simulated_failure(reason: Reason) -> Failure {
    let failure = Failure::from(Violation::new(
        reason,
        format!("{}; simulated, because the request has the header Sandbox-Fault", reason.summary()),
    ));
    match status_for_kind(reason.kind()).as_u16() {
        423 | 429 | 503 => failure.with_retry_after(RETRY_AFTER_SECONDS),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn read_sandbox_fault(value: &'static str) -> Result<Option<SandboxFault>, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static(SANDBOX_FAULT_HEADER), HeaderValue::from_static(value));
        SandboxFault::from_headers(&headers)
    }

    #[test]
    fn a_sandbox_fault_is_a_code_a_status_or_a_fault_name() {
        for (value, fault) in [
            ("API-10", SandboxFault::Refused(Reason::CompanyLocked)),
            ("423", SandboxFault::Refused(Reason::CompanyLocked)),
            ("500", SandboxFault::Refused(Reason::Internal)),
            ("503", SandboxFault::Refused(Reason::Unavailable)),
            ("429", SandboxFault::Refused(Reason::TooManyRequests)),
            (" slow=2 ", SandboxFault::Slow(Duration::from_secs(2))),
            ("slow", SandboxFault::Slow(Duration::from_secs(10))),
            ("lost", SandboxFault::ResponseDropped),
            ("reset", SandboxFault::ConnectionReset),
        ] {
            assert_eq!(read_sandbox_fault(value).unwrap(), Some(fault), "{value}");
        }
        for wrong in ["", "API-0", "200", "slow=", "slow=0", "slow=121", "slow=-1", "Lost", "API-10, 503"] {
            assert!(read_sandbox_fault(wrong).is_err(), "{wrong}");
        }
        assert_eq!(SandboxFault::from_headers(&HeaderMap::new()).unwrap(), None);
    }
}
