//! Faults on demand: what the header `Sandbox-Fault` has a sandbox do with a request, so that a partner's
//! retries can be tried without luck (docs/sandbox.md). A server that is no sandbox ignores the header.

use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::http::header::HeaderMap;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

use crate::shared::error::{Failure, status};
use crate::shared::handled::Handled;
use crate::shared::incoming::Incoming;
use crate::transport::connection::ConnectionState;

/// The header.
const HEADER: &str = "sandbox-fault";
/// How long a slow response takes without a given time: longer than careful clients wait.
const SLOW_SECONDS: u32 = 10;
/// The longest that a response may be delayed: a connection is held as long.
const MAX_SLOW_SECONDS: u32 = 120;
/// Seconds that the caller is to wait after a refusal of these kinds.
const RETRY_AFTER: i64 = 1;

/// What is done with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SandboxFault {
    /// It is rejected for this reason, and not executed.
    Refused(Reason),
    /// It is carried out after this time.
    Slow(Duration),
    /// It is carried out, and the connection ends without a response.
    Lost,
    /// The connection ends, and nothing is carried out.
    Reset,
}

impl SandboxFault {
    /// What the request of a caller who is known asks for. A server that is no sandbox does nothing of it.
    ///
    /// # Errors
    /// 400 API-40 for a value that is none of those.
    pub(crate) fn requested(incoming: &Incoming) -> Result<Option<Self>, Failure> {
        if incoming.api.settings.sandbox { Self::read(incoming.headers()) } else { Ok(None) }
    }

    fn read(headers: &HeaderMap) -> Result<Option<Self>, Failure> {
        let Some(value) = headers.get(HEADER) else { return Ok(None) };
        let read = value.to_str().ok().and_then(|text| Self::parse(text.trim()));
        let rule = "the header Sandbox-Fault must be a code such as API-10, a status such as 503, slow, \
                    slow=SECONDS with at most 120, lost, or reset";
        read.map(Some).ok_or_else(|| Violation::new(Reason::InvalidParameter, rule).into())
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "lost" => return Some(Self::Lost),
            "reset" => return Some(Self::Reset),
            "slow" => return Some(Self::Slow(Duration::from_secs(SLOW_SECONDS.into()))),
            _ => {}
        }
        if let Some(seconds) = text.strip_prefix("slow=") {
            let seconds: u32 =
                seconds.parse().ok().filter(|seconds| (1..=MAX_SLOW_SECONDS).contains(seconds))?;
            return Some(Self::Slow(Duration::from_secs(seconds.into())));
        }
        let fits = |reason: &&Reason| reason.code() == text || status(reason.kind()).as_str() == text;
        // Of several reasons with one status, the one that is no fault of a document.
        Reason::ALL.iter().find(fits).copied().map(Self::Refused)
    }
}

/// Carries out the request of a caller who is known, or what it asks for instead. A request without a good token
/// or key never comes here, so no other client can hold or cut a connection.
pub(crate) async fn carry_out(
    fault: Option<SandboxFault>,
    connection: &ConnectionState,
    handled: impl Future<Output = Handled>,
) -> Handled {
    match fault {
        None => handled.await,
        Some(SandboxFault::Refused(reason)) => Err(refusal(reason)),
        Some(SandboxFault::Slow(time)) => {
            tokio::time::sleep(time).await;
            handled.await
        }
        Some(SandboxFault::Lost) => {
            let handled = handled.await;
            connection.cut_off();
            handled
        }
        Some(SandboxFault::Reset) => {
            connection.cut_off();
            Ok(HttpResponse::NoContent().finish())
        }
    }
}

/// The refusal for that reason, as the server would give it by itself.
fn refusal(reason: Reason) -> Failure {
    let failure = Failure::from(Violation::new(
        reason,
        format!("{}; the header Sandbox-Fault asked for it", reason.summary()),
    ));
    match status(reason.kind()).as_u16() {
        423 | 429 | 503 => failure.retry_after(RETRY_AFTER),
        _ => failure,
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn asked(value: &'static str) -> Result<Option<SandboxFault>, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(HeaderName::from_static(HEADER), HeaderValue::from_static(value));
        SandboxFault::read(&headers)
    }

    #[test]
    fn codes_statuses_and_words_are_read_and_anything_else_is_refused() {
        for (value, fault) in [
            ("API-10", SandboxFault::Refused(Reason::CompanyLocked)),
            ("423", SandboxFault::Refused(Reason::CompanyLocked)),
            ("500", SandboxFault::Refused(Reason::Internal)),
            ("503", SandboxFault::Refused(Reason::Unavailable)),
            ("429", SandboxFault::Refused(Reason::TooManyRequests)),
            (" slow=2 ", SandboxFault::Slow(Duration::from_secs(2))),
            ("slow", SandboxFault::Slow(Duration::from_secs(10))),
            ("lost", SandboxFault::Lost),
            ("reset", SandboxFault::Reset),
        ] {
            assert_eq!(asked(value).unwrap(), Some(fault), "{value}");
        }
        for wrong in ["", "API-0", "200", "slow=", "slow=0", "slow=121", "slow=-1", "Lost", "API-10, 503"] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
        assert_eq!(SandboxFault::read(&HeaderMap::new()).unwrap(), None);
    }
}
