//! A connection that puts the envelope into what the HTTP library answers by itself.
//!
//! A request that is no HTTP, whose head is too large or comes too slowly, is answered by the
//! library below every handler, with a status and no body, and it has no hook for that. Such an
//! answer is the last one of its connection and is recognised on its way out: it is a bare head,
//! and the header with the request's id, which every answer of ours has, is not in it.
//!
//! The library also waits for ever for the rest of a head that is not the first of its connection,
//! and for a client that reads no more. Here the patience ends.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use actix_web::body::MessageBody;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::api::Api;
use crate::dispatch::{NO_SNIFFING, log_unheard};
use crate::error::Failure;
use crate::figures::Held;
use crate::transport::Transport;

/// A connection of the server on which HTTP/1.1 is spoken.
pub(crate) struct Connection {
    stream: Transport,
    api: Arc<Api>,
    /// Bytes that were read since the last answer.
    unanswered: usize,
    /// Ends when nothing was written for too long, though there was something to answer or to write.
    patience: Option<Pin<Box<Sleep>>>,
    /// What is still to be written in place of the library's own answer, and how far that is.
    substitute: Vec<u8>,
    written: usize,
    /// It is counted as long as it is open.
    _open: Held,
}

impl Connection {
    /// A connection that is counted by that value.
    pub(crate) const fn new(stream: Transport, api: Arc<Api>, open: Held) -> Self {
        Self { stream, api, unanswered: 0, patience: None, substitute: Vec::new(), written: 0, _open: open }
    }

    /// Waits for the client, as long as a request may take from its first byte to its answer.
    fn poll_patience<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let settings = &self.api.settings;
        let patience = self.patience.get_or_insert_with(|| {
            let longest = settings.head_timeout + settings.body_timeout + settings.shutdown_timeout;
            Box::pin(tokio::time::sleep(longest))
        });
        ready!(patience.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Writes to the client, who is patient as long as it takes some of it.
    fn poll_stream(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_pending() {
            return self.poll_patience(context);
        }
        self.patience = None;
        written
    }

    /// Writes what is left of the substitute.
    fn poll_substitute(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest @ [_, ..]) = self.substitute.get(self.written..) {
            let count = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written = self.written.saturating_add(count);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.unanswered = self.unanswered.saturating_add(buffer.filled().len().saturating_sub(before));
        if read.is_pending() && self.unanswered > 0 { self.poll_patience(context) } else { read }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_substitute(context))?;
        let unanswered = std::mem::take(&mut self.unanswered);
        let Some((before, status)) = bare_answer(bytes, self.api.headers.request_id.as_str()) else {
            return self.poll_stream(context, bytes);
        };
        self.substitute = [before, &envelope(&self.api, status, unanswered)].concat();
        self.written = 0;
        // The rest, if any, goes out with the flush that follows every write.
        match self.poll_substitute(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_substitute(context))?;
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        // TLS takes what is written into a buffer of its own, so here too a client can be waited for.
        if flushed.is_pending() { self.poll_patience(context) } else { flushed }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_substitute(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// The status of the library's own answer at the end of the bytes, and what stands before it.
fn bare_answer<'a>(bytes: &'a [u8], id_header: &str) -> Option<(&'a [u8], u16)> {
    const START: &[u8] = b"HTTP/1.1 ";
    // Nearly every answer has a body and fails here at once.
    let head = bytes.strip_suffix(b"\r\n\r\n")?;
    let start = head.windows(START.len()).rposition(|window| window == START)?;
    let (before, head) = head.split_at_checked(start)?;
    let mut lines = std::str::from_utf8(head).ok()?.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let foreign = |line: &str| {
        line.split_once(':').is_some_and(|(name, _)| !name.trim().eq_ignore_ascii_case(id_header))
    };
    let is_error = matches!(status, 400 | 408 | 431 | 500);
    (is_error && lines.all(foreign)).then_some((before, status))
}

/// Bytes of an address above which the library can only tell that something is wrong.
const LIBRARY_MAX_ADDRESS: usize = 65_534;

/// The answer that takes the place of a bare one, to a request of that many bytes.
fn envelope(api: &Api, status: u16, request_bytes: usize) -> Vec<u8> {
    let failure = Failure::from(match status {
        400 if request_bytes > LIBRARY_MAX_ADDRESS => Reason::UriTooLong.into(),
        408 => Violation::new(Reason::BodyTooSlow, "the request's head did not arrive in time"),
        431 => Violation::new(Reason::HeadersTooLarge, "the request has too many headers, or too large ones"),
        500 => Reason::Internal.into(),
        _ => Violation::new(Reason::InvalidParameter, "the request is no HTTP/1.1"),
    });
    let request_id = api.request_ids.next();
    let response = failure.into_response(&request_id);
    let line = response.status();
    log_unheard(api, &request_id, line);
    // An envelope is always whole, so there is nothing to wait for.
    let body = response.into_body().try_into_bytes().unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {line}\r\ncontent-length: {}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         vary: Accept\r\nx-content-type-options: {NO_SNIFFING}\r\n{}: {request_id}\r\n\r\n",
        body.len(),
        api.headers.request_id
    );
    [head.as_bytes(), &body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(text: &str) -> Option<(&str, u16)> {
        let (before, status) = bare_answer(text.as_bytes(), "x-id")?;
        Some((std::str::from_utf8(before).unwrap(), status))
    }

    #[test]
    fn only_an_error_without_our_id_is_bare() {
        let error = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\ndate: now\r\n\r\n";
        assert_eq!(bare(error), Some(("", 400)));
        assert_eq!(bare("HTTP/1.1 400 Bad Request\r\nX-Id: 7\r\n\r\n"), None);
        assert_eq!(bare("HTTP/1.1 204 No Content\r\n\r\n"), None);
        assert_eq!(bare("HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}"), None);
    }

    #[test]
    fn what_was_answered_before_stays() {
        let first = "HTTP/1.1 200 OK\r\nx-id: 1\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(bare(&format!("{first}HTTP/1.1 431 Too Large\r\na: b\r\n\r\n")), Some((first, 431)));
    }

    #[test]
    fn the_words_of_an_answer_inside_a_streamed_body_are_left_alone() {
        assert_eq!(bare("20\r\n\"HTTP/1.1 400 Bad Request\r\n0\r\n\r\n"), None);
        assert_eq!(bare("HTTP/1.1 400 Bad\r\n0\r\n\r\n"), None);
    }
}
