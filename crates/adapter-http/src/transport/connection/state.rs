//! The state that an HTTP/1.1 connection and its requests share, bypassing the HTTP library. This module also
//! closes connections that the library drops too early.
//!
//! The library treats a malformed chunk like a client that has disconnected, and drops the request and the
//! connection, even if no response was written. After the response to an invalid request, the library closes
//! the connection immediately, so a client that is still sending never reads the response. In both cases,
//! this module takes over the dropped connection, sends the remaining bytes and then closes the connection.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::transport::connections::{ConnectionGuard, WaitReason};
use crate::transport::limits::MAX_READ_BYTES;
use crate::transport::socket::Transport;

/// The time during which the rest of a rejected body is received and discarded. If the connection were closed
/// while the client still sends, the client would not read the response.
pub(crate) const DROPPED_CONNECTION_TIMEOUT: Duration = Duration::from_secs(2);

/// The phase of a connection in its current request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RequestPhase {
    /// The connection waits for the head of the next request.
    #[default]
    Head,
    /// The head of a request was passed to the HTTP library, which has not started the request yet.
    HeadRead,
    /// A request is in progress, and its body has not arrived completely.
    Body,
    /// A request is in progress, and its body has arrived completely.
    Working,
    /// The response was sent before the body was read. The rest of the body is discarded.
    Discarding,
    /// The connection is about to end, and no more bytes are read.
    Ended,
}

/// The body that a request announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnnouncedBody {
    None,
    /// A body with this number of bytes.
    Sized(u64),
    /// A chunked body of unknown length.
    Chunked,
}

/// The state that a connection and its requests share.
#[derive(Default)]
pub(crate) struct ConnectionState {
    phase: Cell<RequestPhase>,
    /// The number of requests that have started.
    requests: Cell<u64>,
    /// The number of bytes of the body that have not arrived; `None` if the length is unknown.
    missing_body_bytes: Cell<Option<u64>>,
    /// The number of bytes of the body that arrived together with the request head.
    body_bytes_with_head: Cell<usize>,
    /// The number of bytes of the body that the connection may read before the request reads more of the
    /// body.
    requested_bytes: Cell<usize>,
    /// Wakes the connection when it may continue to read.
    reader: RefCell<Option<Waker>>,
    /// Whether the connection ends with the response to the current request.
    last_request: Cell<bool>,
    /// Whether the client of the current request waits for `100 Continue`.
    expects_continue: Cell<bool>,
    /// Whether to send `100 Continue` before reading the body.
    continue_is_due: Cell<bool>,
    /// Whether a request was dropped before its response was created.
    abandoned: Cell<bool>,
    /// Whether the body of the current request is malformed or incomplete.
    body_broken: Cell<bool>,
    /// Whether to close the connection without a response to the current request.
    close_without_response: Cell<bool>,
    /// The connection, if the library dropped it before the connection ended.
    dropped_connection: RefCell<Option<DroppedConnection>>,
}

/// A connection that the library dropped before the client has read the response.
pub(super) struct DroppedConnection {
    pub(super) stream: Transport,
    /// The bytes that must still be sent to the client.
    pub(super) unsent_bytes: Vec<u8>,
    /// Counts the connection as open until it has ended.
    pub(super) guard: Rc<ConnectionGuard>,
}

/// A request whose response is being created.
pub(crate) struct PendingRequest<'s> {
    state: Option<&'s ConnectionState>,
}

impl ConnectionState {
    /// Starts a request. `expects_continue` is `true` if the client waits for `100 Continue`.
    pub(crate) fn begin_request(&self, expects_continue: bool, body: AnnouncedBody) -> PendingRequest<'_> {
        self.expects_continue.set(expects_continue);
        self.requests.set(self.requests.get() + 1);
        self.requested_bytes.set(0);
        self.missing_body_bytes.set(match body {
            AnnouncedBody::Sized(bytes) => Some(bytes),
            AnnouncedBody::None | AnnouncedBody::Chunked => None,
        });
        self.phase.set(if body == AnnouncedBody::None { RequestPhase::Working } else { RequestPhase::Body });
        self.record_body_read(self.body_bytes_with_head.take());
        PendingRequest { state: Some(self) }
    }

    pub(super) const fn phase(&self) -> RequestPhase {
        self.phase.get()
    }

    /// Returns the number of requests that have started.
    pub(super) const fn request_count(&self) -> u64 {
        self.requests.get()
    }

    /// Records that a complete request head and `with_head` bytes of the body were passed to the HTTP
    /// library.
    pub(super) fn record_head_read(&self, with_head: usize) {
        self.phase.set(RequestPhase::HeadRead);
        self.body_bytes_with_head.set(with_head);
    }

    /// Returns the number of bytes of the body that the connection may read now.
    pub(super) fn readable_bytes(&self) -> usize {
        let room = if self.phase.get() == RequestPhase::Discarding {
            MAX_READ_BYTES
        } else {
            self.requested_bytes.get()
        };
        let missing =
            self.missing_body_bytes.get().map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
        room.min(missing)
    }

    /// Records that the connection has read this number of bytes of the body.
    pub(super) fn record_body_read(&self, bytes: usize) {
        self.requested_bytes.set(self.requested_bytes.get().saturating_sub(bytes));
        if bytes == 0 {
            return;
        }
        let Some(missing) = self.missing_body_bytes.get() else { return };
        let missing = missing.saturating_sub(bytes as u64);
        self.missing_body_bytes.set(Some(missing));
        if missing == 0 {
            self.phase.set(if self.phase.get() == RequestPhase::Body {
                RequestPhase::Working
            } else {
                RequestPhase::Head
            });
        }
    }

    /// Records that the handler has read all received bytes and waits for more.
    pub(super) fn record_body_wait(&self) {
        if self.requested_bytes.replace(MAX_READ_BYTES) < MAX_READ_BYTES {
            self.wake_reader();
        }
    }

    /// Records that the body has ended or is broken.
    pub(super) fn record_body_end(&self) {
        if self.phase.get() == RequestPhase::Body {
            self.phase.set(RequestPhase::Working);
        }
    }

    /// Whether the request waits for more bytes of its body.
    pub(super) const fn waits_for_body(&self) -> bool {
        self.requested_bytes.get() == MAX_READ_BYTES
    }

    /// Records that the complete response was passed to the HTTP library.
    pub(crate) fn record_response_end(&self) {
        match self.phase.get() {
            RequestPhase::Body => self.phase.set(RequestPhase::Discarding),
            RequestPhase::Working | RequestPhase::HeadRead => self.phase.set(RequestPhase::Head),
            RequestPhase::Head | RequestPhase::Discarding | RequestPhase::Ended => {}
        }
        self.wake_reader();
    }

    /// Stops reading from the connection.
    pub(super) fn stop_reading(&self) {
        self.phase.set(RequestPhase::Ended);
    }

    /// Registers the connection to be woken when it may continue to read.
    pub(super) fn register_reader(&self, context: &Context<'_>) {
        let mut reader = self.reader.borrow_mut();
        if !reader.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *reader = Some(context.waker().clone());
        }
    }

    pub(super) fn wake_reader(&self) {
        if let Some(waker) = self.reader.take() {
            waker.wake();
        }
    }

    /// Ends the connection after the response to the current request.
    pub(super) fn end_with_response(&self) {
        self.last_request.set(true);
    }

    /// Whether the connection ends after the response to the current request.
    pub(crate) const fn ends_with_response(&self) -> bool {
        self.last_request.get()
    }

    /// Whether the client of the current request waits for `100 Continue`.
    pub(crate) const fn expects_continue(&self) -> bool {
        self.expects_continue.get()
    }

    /// Starts reading the body. A client that waits for `100 Continue` then receives this response.
    pub(crate) fn start_body(&self) {
        self.continue_is_due.set(self.expects_continue.take());
    }

    /// Records that the body of the current request is malformed or incomplete.
    pub(crate) fn mark_body_broken(&self) {
        self.body_broken.set(true);
    }

    /// Closes the connection without a response to the current request.
    pub(crate) fn close_without_response(&self) {
        self.close_without_response.set(true);
    }

    /// Whether to close the connection without a response to the current request.
    pub(crate) const fn closes_without_response(&self) -> bool {
        self.close_without_response.get()
    }

    /// Whether to send `100 Continue` now. The next call returns `false`.
    pub(crate) fn take_pending_continue(&self) -> bool {
        self.continue_is_due.take()
    }

    /// Whether a request was dropped before its response was created.
    pub(super) const fn is_abandoned(&self) -> bool {
        self.abandoned.get()
    }

    /// Whether the body was malformed or incomplete, so that the client may still be sending.
    pub(super) const fn is_body_broken(&self) -> bool {
        self.body_broken.get()
    }

    pub(super) fn store_dropped_connection(&self, dropped: DroppedConnection) {
        self.dropped_connection.replace(Some(dropped));
    }

    /// Ends a connection that the library has dropped too early. The remaining bytes are sent, and further
    /// bytes from the client are discarded.
    pub(crate) async fn finish_dropped_connection(&self) {
        let Some(DroppedConnection { mut stream, unsent_bytes: unsent, guard: place }) =
            self.dropped_connection.take()
        else {
            return;
        };
        place.mark_waiting(WaitReason::NextRequest);
        let ending = async {
            stream.write_all(&unsent).await?;
            stream.shutdown().await?;
            let mut thrown_away = [0; 4_096];
            let rest = async {
                while stream.read(&mut thrown_away).await? > 0 {}
                std::io::Result::Ok(())
            };
            tokio::select! {
                rest = rest => rest,
                () = place.wait_until_evicted() => Ok(()),
            }
        };
        // The connection ends in any case, so an error or a timeout of the wait is ignored.
        let _ = tokio::time::timeout(DROPPED_CONNECTION_TIMEOUT, ending).await;
    }
}

impl PendingRequest<'_> {
    /// Records that the response was created, so `100 Continue` is no longer needed.
    pub(crate) fn record_response_created(mut self) {
        if let Some(state) = self.state.take() {
            state.expects_continue.set(false);
            state.continue_is_due.set(false);
        }
    }
}

impl Drop for PendingRequest<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.state {
            state.abandoned.set(true);
        }
    }
}
