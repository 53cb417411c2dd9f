//! An HTTP/1.1 connection: the layer between the socket and the HTTP library.
//!
//! Without this layer, the library would read and buffer everything that a client sends. The layer passes one
//! request at a time to the library. It first passes the head (request line and headers), and then as much of
//! the body as the handler reads. The next head follows after the response was written. The layer thereby
//! limits the memory of a connection. Every wait for the client has a time limit.
//!
//! For an invalid request or a head that is too large, the library sends a response without a body. The
//! library offers no hook to change this response. The layer recognizes such a response during the write,
//! because the response has no body and no header with the request id. Such a response is the last one of its
//! connection, and `last_response` replaces it.
//!
//! A client that waits for `100 Continue` receives this response when the request reads the body. If a
//! request is rejected without reading its body, the client never receives `100 Continue`. The library alone
//! would send `100 Continue` before the request is handled. `state` contains the state that a connection
//! shares with its requests.

mod bodies;
mod head;
mod input;
mod last_response;
pub(super) mod state;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::web::BytesMut;
use tokio::io::AsyncWrite;
use tokio::time::Sleep;

use crate::transport::connections::WaitReason;
use crate::transport::host::OpenConnection;
use crate::transport::memory::ReservedMemory;
use crate::transport::socket::Transport;
use head::HeadScanner;
use last_response::{fault_for_status, response_bytes, split_off_library_response};
use state::DroppedConnection;

pub(crate) use bodies::{ChunkedBody, announced_body, notify_when_read};
pub(crate) use last_response::{
    NO_SNIFFING_VALUE, incomplete_body_fault, no_memory_fault, too_many_fields_fault,
};
pub(crate) use state::{AnnouncedBody, ConnectionState, DROPPED_CONNECTION_TIMEOUT};

/// The response after which a client sends its body (RFC 9110 §15.2.1).
const CONTINUE_RESPONSE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A connection of the server with HTTP/1.1.
pub(crate) struct Connection {
    /// The socket; `None` after the socket was handed over.
    stream: Option<Transport>,
    state: Rc<ConnectionState>,
    /// The parser of the request head that is being received.
    head: HeadScanner,
    /// The memory that is reserved for a large head (request line and headers). The reservation ends after
    /// the request.
    memory: ReservedMemory,
    /// Bytes that were read after a head and not passed to the library yet.
    read_ahead: BytesMut,
    /// The number of bytes of a body that were passed to the library since the connection last yielded to
    /// other tasks.
    bytes_this_turn: usize,
    timeouts: Option<ClientTimeout>,
    /// The event that the connection waits for, and the number of requests when the wait began.
    waits_for: Option<(WaitReason, u64)>,
    /// Whether a write is blocked because the client does not read the response.
    write_blocked: bool,
    /// Bytes of this layer that are written before further bytes of the library: the last response of the
    /// connection, or `100 Continue`.
    substitute: Vec<u8>,
    written_bytes: usize,
    /// Whether the connection is broken, or the library has closed it without an error.
    is_ended: bool,
    /// Whether this layer has created the last response of the connection. The library closes the connection
    /// after this response.
    has_substitute: bool,
    /// Counts the connection as open until this value is dropped.
    open_guard: OpenConnection,
}

/// The time limit for an action of the client: sending the head of a request, sending the rest of its body,
/// or reading the response.
struct ClientTimeout {
    awaited_event: AwaitedEvent,
    timer: Pin<Box<Sleep>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AwaitedEvent {
    Head(u64),
    Rest(u64),
    Reader,
}

impl Connection {
    /// Creates a connection. `open_guard` counts the connection as open.
    pub(crate) fn new(stream: Transport, open_guard: OpenConnection) -> Self {
        Self {
            stream: Some(stream),
            state: Rc::default(),
            head: HeadScanner::default(),
            memory: open_guard.host().memory_budget().new_reservation(None),
            read_ahead: BytesMut::new(),
            bytes_this_turn: 0,
            timeouts: None,
            waits_for: None,
            write_blocked: false,
            substitute: Vec::new(),
            written_bytes: 0,
            is_ended: false,
            has_substitute: false,
            open_guard,
        }
    }

    /// Returns the state that the connection shares with its requests.
    pub(crate) fn state(&self) -> Rc<ConnectionState> {
        Rc::clone(&self.state)
    }

    /// Returns the socket, or an error if the socket was handed over.
    fn stream(&mut self) -> io::Result<Pin<&mut Transport>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Records that the connection is broken if the result is an error.
    fn record_error<T>(&mut self, polled: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.is_ended |= matches!(polled, Poll::Ready(Err(_)));
        polled
    }

    /// Marks the connection as waiting for its client, so that it may be evicted. A repeated call for the
    /// same wait does not restart the wait, so sending single bytes does not protect a client from eviction.
    fn mark_waiting(&mut self, wait: WaitReason) {
        let waits_for = Some((wait, self.state.request_count()));
        if self.waits_for != waits_for {
            self.waits_for = waits_for;
            self.open_guard.guard.mark_waiting(wait);
        }
    }

    /// Marks the connection as busy, so that it cannot be evicted.
    fn set_busy(&mut self) {
        if self.waits_for.take().is_some() || self.state.request_count() == 0 {
            self.open_guard.guard.set_busy();
        }
    }

    /// Returns `Pending` until the time limit for an action of the client expires.
    fn poll_time_limit(
        &mut self,
        context: &mut Context<'_>,
        awaited_event: AwaitedEvent,
        timeout: Duration,
    ) -> Poll<()> {
        let timer = match &mut self.timeouts {
            Some(patience) if patience.awaited_event == awaited_event => &mut patience.timer,
            patience => {
                let timer = Box::pin(tokio::time::sleep(timeout));
                &mut patience.insert(ClientTimeout { awaited_event, timer }).timer
            }
        };
        timer.as_mut().poll(context)
    }

    /// Returns `Pending` while the client does not read the response. Returns an error after the time limit.
    fn poll_write_timeout<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        self.write_blocked = true;
        let longest = self.open_guard.host().settings().write_timeout();
        ready!(self.poll_time_limit(context, AwaitedEvent::Reader, longest));
        self.is_ended = true;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Writes to the client. The time limit restarts whenever the client has read some bytes.
    fn poll_write_bytes(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.stream()?.poll_write(context, bytes);
        if written.is_pending() {
            return self.poll_write_timeout(context);
        }
        self.timeouts = None;
        self.record_error(written)
    }

    /// Writes the rest of the bytes that this layer sends itself: a last response or `100 Continue`.
    fn poll_substitute_response(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest @ [_, ..]) = self.substitute.get(self.written_bytes..) {
            let Some(stream) = &mut self.stream else { break };
            let count = match Pin::new(stream).poll_write(context, rest) {
                Poll::Pending => return self.poll_write_timeout(context),
                Poll::Ready(Ok(0)) => Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(written) => written,
            };
            self.is_ended |= count.is_err();
            self.written_bytes = self.written_bytes.saturating_add(count?);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.state.closes_without_response() {
            self.is_ended = true;
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        ready!(self.poll_substitute_response(context))?;
        let Some((before, status)) =
            split_off_library_response(bytes, self.open_guard.host().request_id_header().as_str())
        else {
            return self.poll_write_bytes(context, bytes);
        };
        self.substitute =
            [before, &response_bytes(self.open_guard.host(), fault_for_status(status))].concat();
        self.written_bytes = 0;
        self.has_substitute = true;
        // If a part of the last response is still unsent, the flush after each write sends this part.
        match self.poll_substitute_response(context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_substitute_response(context))?;
        if self.state.take_pending_continue() {
            self.substitute = CONTINUE_RESPONSE.to_vec();
            self.written_bytes = 0;
            ready!(self.poll_substitute_response(context))?;
        }
        let flushed = self.stream()?.poll_flush(context);
        if flushed.is_pending() {
            // TLS has its own write buffer, so a flush can also wait for the client.
            return self.poll_write_timeout(context);
        }
        if std::mem::take(&mut self.write_blocked) {
            self.state.wake_reader();
        }
        self.record_error(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.has_substitute {
            // The socket stays open, so that a client that is still sending can finish. `Drop` closes the
            // socket.
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_substitute_response(context))?;
        self.is_ended = true;
        self.stream()?.poll_shutdown(context)
    }
}

/// If the library drops the connection too early, the socket is handed over to `ConnectionState`. This state
/// sends the remaining bytes and closes the socket without a reset.
impl Drop for Connection {
    fn drop(&mut self) {
        let to_be_ended = self.state.is_abandoned() || self.state.is_body_broken() || self.has_substitute;
        if self.is_ended || !to_be_ended {
            return;
        }
        let Some(stream) = self.stream.take() else { return };
        let mut unsent = self.substitute.split_off(self.written_bytes.min(self.substitute.len()));
        if self.state.is_abandoned() && !self.has_substitute {
            let fault = if self.open_guard.guard.is_evicted() {
                last_response::evicted_fault()
            } else {
                incomplete_body_fault()
            };
            unsent.extend(response_bytes(self.open_guard.host(), fault));
        }
        self.state.store_dropped_connection(DroppedConnection {
            stream,
            unsent_bytes: unsent,
            guard: Rc::clone(&self.open_guard.guard),
        });
    }
}
