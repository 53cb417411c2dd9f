//! Reads the response of a receiver. The HTTP status decides whether the attempt succeeded. The body is read
//! for the delivery log. The sizes of the headers and the body are limited.

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{ErrorClass, MAX_STORED_RESPONSE_BYTES};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};

use super::send_result::SendResult;

/// The maximum bytes of a response's headers: four times the usual maximum of web servers.
const MAX_HEAD_BYTES: usize = 64 * 1_024;
/// The maximum bytes of a body that is read completely, so that the connection can be reused. Only the
/// beginning of a longer body is read, for the delivery log.
const MAX_BODY_BYTES: usize = 64 * 1_024;

/// The part of a receiver's response that has arrived so far.
pub(super) struct ReceiverResponse {
    pub(super) status: StatusCode,
    retry_after: Option<u32>,
    body: Vec<u8>,
    is_truncated: bool,
}

/// Reads a response into `received_response`, which always contains the part that was received so far. An
/// error in the body only truncates the stored body.
///
/// # Errors
/// [`ErrorClass::InvalidAnswer`] if the headers of the response are too large.
pub(super) async fn read_response(
    mut response: Response,
    now: Timestamp,
    received_response: &mut Option<ReceiverResponse>,
) -> Result<(), ErrorClass> {
    let status = response.status();
    let retry_after = parse_retry_after(response.headers(), now).filter(|_| !status.is_success());
    let received = received_response.insert(ReceiverResponse {
        status,
        retry_after,
        body: Vec::new(),
        is_truncated: true,
    });
    if header_size(response.headers()) > MAX_HEAD_BYTES {
        return Err(ErrorClass::InvalidAnswer);
    }
    let is_longer = response.content_length().is_some_and(|length| length > MAX_BODY_BYTES as u64);
    let most = if is_longer { MAX_STORED_RESPONSE_BYTES } else { MAX_BODY_BYTES };
    let mut read = 0;
    while let Ok(chunk) = response.chunk().await {
        let Some(chunk) = chunk else {
            received.is_truncated = false;
            break;
        };
        read += chunk.len();
        let room = MAX_STORED_RESPONSE_BYTES.saturating_sub(received.body.len());
        received.body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if read > most {
            break;
        }
    }
    Ok(())
}

impl ReceiverResponse {
    /// Returns the result of an attempt that got this response.
    pub(super) fn into_result(self) -> SendResult {
        SendResult {
            status: Some(self.status.as_u16()),
            error: (!self.status.is_success()).then_some(ErrorClass::Status),
            retry_after: self.retry_after,
            response_body: to_storable_text(&self.body),
            response_truncated: self.is_truncated,
        }
    }
}

/// Returns a body as text that a database accepts, or `None` if the body is empty. Invalid characters are
/// replaced first, because the replacements may be longer. The text is then truncated.
fn to_storable_text(bytes: &[u8]) -> Option<String> {
    let mut text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
    text.truncate(text.floor_char_boundary(MAX_STORED_RESPONSE_BYTES));
    (!text.is_empty()).then_some(text)
}

/// Returns the approximate number of bytes of the headers, including the colon and the line end of each.
fn header_size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum()
}

/// Returns the header `Retry-After` in seconds. The header may contain seconds or a date (RFC 9110 §10.2.3).
fn parse_retry_after(headers: &HeaderMap, now: Timestamp) -> Option<u32> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number of seconds that exceeds the range of `u32` is replaced by the maximum.
        return Some(text.parse().unwrap_or(u32::MAX));
    }
    let then = httpdate::parse_http_date(text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    let seconds = i64::try_from(then.as_secs()).ok()?.saturating_sub(now.as_seconds());
    Some(u32::try_from(seconds.max(0)).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_part_of_a_body_is_valid_text_for_a_database() {
        assert_eq!(to_storable_text(b""), None);
        assert_eq!(to_storable_text(b"a\0b").as_deref(), Some("a\u{fffd}b"));
        assert_eq!(to_storable_text(b"\xc3\xa4\xc3").as_deref(), Some("\u{e4}\u{fffd}"));
        assert_eq!(
            to_storable_text(&[0xff; MAX_STORED_RESPONSE_BYTES]).unwrap().len(),
            MAX_STORED_RESPONSE_BYTES / 3 * 3
        );
    }
}
