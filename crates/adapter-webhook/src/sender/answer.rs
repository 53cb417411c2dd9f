//! The response: its head decides, its body is read for the log, and both are bounded.

use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{ErrorClass, MAX_ANSWER_KEPT};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};

use super::sent::Sent;

/// Bytes of a response's headers that are accepted: four times what web servers send at most.
const MAX_HEAD: usize = 64 * 1_024;
/// Bytes of a response's body that are read, so that its connection can be used again. Of a longer one
/// only what is kept is wanted.
const MAX_BODY: usize = 64 * 1_024;

/// A response, as far as it was read.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    retry_after: Option<u32>,
    kept: Vec<u8>,
    cut: bool,
}

/// Reads a response into `answer`, which holds at any time what there is. What goes wrong with the body
/// only cuts it.
///
/// # Errors
/// [`ErrorClass::InvalidAnswer`]: its head is too large.
pub(super) async fn read(
    mut response: Response,
    now: Timestamp,
    answer: &mut Option<Answer>,
) -> Result<(), ErrorClass> {
    let status = response.status();
    let retry_after = retry_after(response.headers(), now).filter(|_| !status.is_success());
    let answer = answer.insert(Answer { status, retry_after, kept: Vec::new(), cut: true });
    if size(response.headers()) > MAX_HEAD {
        return Err(ErrorClass::InvalidAnswer);
    }
    let is_longer = response.content_length().is_some_and(|length| length > MAX_BODY as u64);
    let most = if is_longer { MAX_ANSWER_KEPT } else { MAX_BODY };
    let mut read = 0;
    while let Ok(chunk) = response.chunk().await {
        let Some(chunk) = chunk else {
            answer.cut = false;
            break;
        };
        read += chunk.len();
        let room = MAX_ANSWER_KEPT.saturating_sub(answer.kept.len());
        answer.kept.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if read > most {
            break;
        }
    }
    Ok(())
}

impl Answer {
    /// The result of an attempt with this response.
    pub(super) fn into_sent(self) -> Sent {
        Sent {
            status: Some(self.status.as_u16()),
            error: (!self.status.is_success()).then_some(ErrorClass::Status),
            retry_after: self.retry_after,
            answer: text(&self.kept),
            answer_cut: self.cut,
        }
    }
}

/// The text of a body, as a database takes it; replaced characters are longer than what they replace.
fn text(bytes: &[u8]) -> Option<String> {
    let mut text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
    text.truncate(text.floor_char_boundary(MAX_ANSWER_KEPT));
    (!text.is_empty()).then_some(text)
}

/// About how long the headers were, with the colon and the end of each line.
fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum()
}

/// `Retry-After` in seconds, which may be given as seconds or as a date (RFC 9110 §10.2.3).
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<u32> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // More digits than a number has are as long as can be said.
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
    fn what_is_kept_of_a_body_is_text_that_a_database_takes() {
        assert_eq!(text(b""), None);
        assert_eq!(text(b"a\0b").as_deref(), Some("a\u{fffd}b"));
        assert_eq!(text(b"\xc3\xa4\xc3").as_deref(), Some("\u{e4}\u{fffd}"));
        assert_eq!(text(&[0xff; MAX_ANSWER_KEPT]).unwrap().len(), MAX_ANSWER_KEPT / 3 * 3);
    }
}
