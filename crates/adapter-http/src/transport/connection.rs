//! A connection that puts the envelope into what the HTTP library answers by itself.
//!
//! A request that is no HTTP, whose head is too large or comes too slowly, gets its response from the library
//! below every handler, with a status and no body, and it has no hook for that. Such a response is the last
//! one of its connection and is recognised on its way out: it is a bare head, and the header with the
//! request's id, which every answer of ours has, is not in it.
//!
//! A client that waits for `100 Continue` gets it when a request wants the body, and not before, so that a
//! request that is refused without it is refused at once: the library would send it before the request was
//! looked at. What a connection shares with its requests is in `state`.
//!
//! The library also waits for ever for the rest of a head that is not the first of its connection,
//! and for a client that reads no more. Here the patience ends.

mod state;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use actix_web::body::MessageBody;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::transport::host::{Host, OpenConnection, Refused};
use crate::transport::socket::Transport;
use state::DroppedConnection;

pub(crate) use state::{ConnectionState, LINGER};

/// What `X-Content-Type-Options` says on every answer: what is no page is never shown as one.
pub(crate) const NO_SNIFFING: &str = "nosniff";

/// The response that has a client send its body (RFC 9110 §15.2.1).
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A connection of the server on which HTTP/1.1 is spoken.
pub(crate) struct Connection {
    /// `None`: it was handed on to its end.
    stream: Option<Transport>,
    state: Rc<ConnectionState>,
    /// Bytes that were read since the last answer.
    unanswered: usize,
    /// Ends when nothing was written for too long, though there was something to answer or to write.
    patience: Option<Pin<Box<Sleep>>>,
    /// What is still to be written in place of the library's own answer, and how far that is.
    substitute: Vec<u8>,
    written: usize,
    /// The library has ended it in an orderly way, or it is broken.
    ended: bool,
    /// What was written instead of the library's own response: the library closes after it.
    substituted: bool,
    /// It is counted as long as it is open.
    open: OpenConnection,
}

impl Connection {
    /// A connection that is counted by that value.
    pub(crate) fn new(stream: Transport, open: OpenConnection) -> Self {
        Self {
            stream: Some(stream),
            state: Rc::default(),
            unanswered: 0,
            patience: None,
            substitute: Vec::new(),
            written: 0,
            ended: false,
            substituted: false,
            open,
        }
    }

    /// What it shares with its requests.
    pub(crate) fn state(&self) -> Rc<ConnectionState> {
        Rc::clone(&self.state)
    }

    /// The bytes below, as long as it is not dropped.
    fn stream(&mut self) -> io::Result<Pin<&mut Transport>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Notes the end of a connection that is broken.
    fn noting<T>(&mut self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.ended |= matches!(polled, Poll::Ready(Err(_)));
        polled
    }

    /// Waits for the client, as long as a request may take from its first byte to its answer.
    fn poll_patience<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let longest = self.open.host().settings().write_timeout();
        let patience = self.patience.get_or_insert_with(|| Box::pin(tokio::time::sleep(longest)));
        ready!(patience.as_mut().poll(context));
        self.ended = true;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Writes to the client, who is patient as long as it takes some of it.
    fn poll_stream(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.stream()?.poll_write(context, bytes);
        if written.is_pending() {
            return self.poll_patience(context);
        }
        self.patience = None;
        self.noting(written)
    }

    /// Writes what is left of the substitute.
    fn poll_substitute(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest @ [_, ..]) = self.substitute.get(self.written..) {
            let Some(stream) = &mut self.stream else { break };
            let count = match ready!(Pin::new(stream).poll_write(context, rest)) {
                Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                written => written,
            };
            self.ended |= count.is_err();
            self.written = self.written.saturating_add(count?);
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
        let read = self.stream()?.poll_read(context, buffer);
        let count = buffer.filled().len().saturating_sub(before);
        self.unanswered = self.unanswered.saturating_add(count);
        if read.is_pending() && self.unanswered > 0 { self.poll_patience(context) } else { self.noting(read) }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.state.is_cut_off() {
            self.ended = true;
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        ready!(self.poll_substitute(context))?;
        let unanswered = std::mem::take(&mut self.unanswered);
        let Some((before, status)) = bare_answer(bytes, self.open.host().request_id_header().as_str()) else {
            return self.poll_stream(context, bytes);
        };
        self.substitute = [before, &envelope(self.open.host(), refusal(status, unanswered))].concat();
        self.written = 0;
        self.substituted = true;
        // The rest, if any, goes out with the flush that follows every write.
        match self.poll_substitute(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_substitute(context))?;
        if self.state.takes_continue() {
            self.substitute = CONTINUE.to_vec();
            self.written = 0;
            ready!(self.poll_substitute(context))?;
        }
        let flushed = self.stream()?.poll_flush(context);
        // TLS takes what is written into a buffer of its own, so here too a client can be waited for.
        if flushed.is_pending() { self.poll_patience(context) } else { self.noting(flushed) }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_substitute(context))?;
        self.ended = true;
        self.stream()?.poll_shutdown(context)
    }
}

/// Where the library drops a connection whose client is still there, it has to be ended here.
impl Drop for Connection {
    fn drop(&mut self) {
        let to_be_ended = self.state.is_abandoned() || self.state.is_body_broken() || self.substituted;
        if self.ended || !to_be_ended {
            return;
        }
        let Some(stream) = self.stream.take() else { return };
        let mut unsent = self.substitute.split_off(self.written.min(self.substitute.len()));
        if self.state.is_abandoned() && !self.substituted {
            unsent.extend(envelope(self.open.host(), broken_off()));
        }
        self.state.leave_behind(DroppedConnection { stream, unsent });
    }
}

/// The status of the library's own answer at the end of the bytes, and what comes before it.
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

/// Bytes of an address above which the library can only report that something is wrong.
const LIBRARY_MAX_ADDRESS: usize = 65_534;

/// What a bare answer with that status says, to a request of that many bytes.
fn refusal(status: u16, request_bytes: usize) -> Violation {
    match status {
        400 if request_bytes > LIBRARY_MAX_ADDRESS => Reason::UriTooLong.into(),
        408 => Violation::new(Reason::BodyTooSlow, "the request's head did not arrive in time"),
        431 => Violation::new(Reason::HeadersTooLarge, "the request has too many headers, or too large ones"),
        500 => Reason::Internal.into(),
        _ => Violation::new(Reason::InvalidParameter, "the request is no HTTP/1.1"),
    }
}

/// The last answer of a connection, to a request that no handler answers.
fn envelope(host: &dyn Host, fault: Violation) -> Vec<u8> {
    let Refused { request_id, response } = host.refuse(fault);
    let line = response.status();
    // An envelope is always whole, so there is nothing to wait for.
    let body = response.into_body().try_into_bytes().unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {line}\r\ncontent-length: {}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         vary: Accept\r\nx-content-type-options: {NO_SNIFFING}\r\n{}: {request_id}\r\n\r\n",
        body.len(),
        host.request_id_header()
    );
    [head.as_bytes(), &body].concat()
}

/// 400 API-40: the body ends in the middle.
pub(crate) fn broken_off() -> Violation {
    Violation::new(Reason::InvalidParameter, "the request's body breaks off or is wrongly encoded")
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
