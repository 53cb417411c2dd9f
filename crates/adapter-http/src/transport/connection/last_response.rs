//! The last response of a connection. This response replaces the HTTP library's own response. Requests that
//! never reach the library also get this response.

use actix_web::body::MessageBody;
use actix_web::http::header::RETRY_AFTER;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

use crate::transport::host::{ConnectionHost, Rejection};
use crate::transport::limits::MAX_HEADER_FIELDS;

/// The value of `X-Content-Type-Options` in every response, which prevents browsers from displaying other
/// content as a page.
pub(crate) const NO_SNIFFING_VALUE: &str = "nosniff";

/// Recognizes the library's own response at the end of the bytes. Returns the bytes before the response and
/// the status of the response; `None` for any other response.
pub(super) fn split_off_library_response<'a>(bytes: &'a [u8], id_header: &str) -> Option<(&'a [u8], u16)> {
    const STATUS_LINE_START: &[u8] = b"HTTP/1.1 ";
    // Nearly all responses have a body and therefore do not end with an empty line. The function returns
    // here for these responses, so the function costs little.
    let head = bytes.strip_suffix(b"\r\n\r\n")?;
    let start = head.windows(STATUS_LINE_START.len()).rposition(|window| window == STATUS_LINE_START)?;
    let (before, head) = head.split_at_checked(start)?;
    let mut lines = std::str::from_utf8(head).ok()?.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let foreign = |line: &str| {
        line.split_once(':').is_some_and(|(name, _)| !name.trim().eq_ignore_ascii_case(id_header))
    };
    let is_error = matches!(status, 400 | 431 | 500);
    (is_error && lines.all(foreign)).then_some((before, status))
}

/// Returns the fault that replaces the library's own response with this status.
pub(super) fn fault_for_status(status: u16) -> Violation {
    match status {
        431 => too_many_fields_fault(),
        500 => Reason::Internal.into(),
        _ => Violation::new(Reason::InvalidParameter, "the request is not valid HTTP/1.1"),
    }
}

/// Returns 431 API-431: the request has more header fields than are accepted.
pub(crate) fn too_many_fields_fault() -> Violation {
    let description = format!(
        "the request has more than {MAX_HEADER_FIELDS} header fields, or the header fields are too large"
    );
    Violation::new(Reason::HeadersTooLarge, description)
}

/// Returns 408 API-408: the request head did not arrive within the time limit.
pub(super) fn slow_head_fault() -> Violation {
    Violation::new(Reason::BodyTooSlow, "the request's head did not arrive in time")
}

/// Returns 414 API-414 or 431 API-431: the request head exceeds the size limit.
pub(super) fn large_head_fault(is_mostly_target: bool) -> Violation {
    if is_mostly_target { Reason::UriTooLong.into() } else { too_many_fields_fault() }
}

/// Returns 400 API-40: the target has a fragment.
pub(super) fn fragment_fault() -> Violation {
    Violation::new(Reason::InvalidParameter, "the request's target has a `#`; write it as %23")
}

/// Returns 503 API-503: there is no memory for the request head.
pub(crate) fn no_memory_fault() -> Violation {
    let description = "the requests that are in progress take too much memory together";
    Violation::new(Reason::Unavailable, description)
}

/// Returns 503 API-503: the connection was closed to make room for another connection, or for the memory of
/// another request.
pub(super) fn evicted_fault() -> Violation {
    let description = "the server closed this connection to accept other clients, because it had been idle \
        longest; open a new connection";
    Violation::new(Reason::Unavailable, description)
}

/// Returns the last response of a connection as bytes, for a request that has no handler.
pub(super) fn response_bytes(host: &dyn ConnectionHost, fault: Violation) -> Vec<u8> {
    let Rejection { request_id, response } = host.create_rejection(fault);
    let line = response.status();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok());
    let retry_after = retry_after.map_or(String::new(), |seconds| format!("retry-after: {seconds}\r\n"));
    // The body of the error envelope is always in memory, so `try_into_bytes` succeeds.
    let body = response.into_body().try_into_bytes().unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {line}\r\ncontent-length: {}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         {retry_after}vary: Accept\r\nx-content-type-options: {NO_SNIFFING_VALUE}\r\n{}: {request_id}\r\n\r\n",
        body.len(),
        host.request_id_header()
    );
    [head.as_bytes(), &body].concat()
}

/// Returns 400 API-40: the body ends early.
pub(crate) fn incomplete_body_fault() -> Violation {
    Violation::new(Reason::InvalidParameter, "the request body ended early or has an invalid encoding")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_library_response(text: &str) -> Option<(&str, u16)> {
        let (before, status) = split_off_library_response(text.as_bytes(), "x-id")?;
        Some((std::str::from_utf8(before).unwrap(), status))
    }

    #[test]
    fn only_an_error_without_a_request_id_is_replaced() {
        let error = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: now\r\n\r\n";
        assert_eq!(parse_library_response(error), Some(("", 400)));
        assert_eq!(parse_library_response("HTTP/1.1 400 Bad Request\r\nX-Id: 7\r\n\r\n"), None);
        assert_eq!(parse_library_response("HTTP/1.1 204 No Content\r\n\r\n"), None);
        assert_eq!(parse_library_response("HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}"), None);
    }

    #[test]
    fn an_earlier_response_stays_unchanged() {
        let first = "HTTP/1.1 200 OK\r\nx-id: 1\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(
            parse_library_response(&format!("{first}HTTP/1.1 431 Too Large\r\na: b\r\n\r\n")),
            Some((first, 431))
        );
    }

    #[test]
    fn response_text_inside_a_streamed_body_stays_unchanged() {
        assert_eq!(parse_library_response("20\r\n\"HTTP/1.1 400 Bad Request\r\n0\r\n\r\n"), None);
        assert_eq!(parse_library_response("HTTP/1.1 400 Bad\r\n0\r\n\r\n"), None);
    }
}
