//! What a connection of HTTP/1.1 and the requests on it let each other know, past the HTTP library
//! between them; and the end of a connection that the library drops too early.
//!
//! The library takes a chunk that is no chunk for a client that is gone, and drops both the request and the
//! connection, whether or not a response was written; and it closes the connection at once after the response
//! to what is no HTTP, so that a client which is still sending never reads it. Either is seen when the
//! connection is dropped though the client is there: then it is ended here.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::transport::connections::{Place, Wait};
use crate::transport::limits::READ_BYTES;
use crate::transport::socket::Transport;

/// How long the rest of a rejected body is still taken in and thrown away: a client that is cut off
/// while it sends does not read the response.
pub(crate) const LINGER: Duration = Duration::from_secs(2);

/// How far a connection is with its present request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Phase {
    /// The next head is awaited.
    #[default]
    Head,
    /// A head has been handed to the HTTP library, which has not begun its request yet.
    HeadRead,
    /// A request is in progress, and its body has not arrived in full.
    Body,
    /// A request is in progress, and nothing more of it is awaited.
    Working,
    /// A request had its response before its body was read: the rest of the body is thrown away.
    Discarding,
    /// The connection is to end, and nothing is read any more.
    Ended,
}

/// The body that a request announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnnouncedBody {
    None,
    /// A body of that many bytes.
    Sized(u64),
    /// A body in chunks.
    Chunked,
}

/// What a connection and its requests share.
#[derive(Default)]
pub(crate) struct ConnectionState {
    phase: Cell<Phase>,
    /// Requests that have begun.
    requests: Cell<u64>,
    /// Bytes of the body that have not arrived. `None`: its end is only known when it is there.
    missing: Cell<Option<u64>>,
    /// Bytes of the body that came with the head.
    with_head: Cell<usize>,
    /// Bytes of the body that the connection may read until the request waits for more.
    wanted: Cell<usize>,
    /// Wakes the connection when it may read on.
    reader: RefCell<Option<Waker>>,
    /// The connection ends with the response to its present request.
    last_request: Cell<bool>,
    /// The client of the request in progress waits for the word to send its body.
    expects_continue: Cell<bool>,
    /// The client is to be given that word.
    continue_wanted: Cell<bool>,
    /// A request was dropped before its response was there.
    abandoned: Cell<bool>,
    /// The body of the request in progress ends in the middle.
    body_broken: Cell<bool>,
    /// The connection is to end without the response to the request in progress.
    cut_off: Cell<bool>,
    /// What the library has dropped.
    dropped: RefCell<Option<DroppedConnection>>,
}

/// A connection that the library has dropped before the client has read its response.
pub(super) struct DroppedConnection {
    pub(super) stream: Transport,
    /// What the client is still to be sent.
    pub(super) unsent: Vec<u8>,
    /// It keeps its place until it has ended.
    pub(super) place: Rc<Place>,
}

/// A request whose response is being created.
pub(crate) struct UnansweredRequest<'s> {
    state: Option<&'s ConnectionState>,
}

impl ConnectionState {
    /// A request begins, whose client may wait for the word to send its body.
    pub(crate) fn begin(&self, expects_continue: bool, body: AnnouncedBody) -> UnansweredRequest<'_> {
        self.expects_continue.set(expects_continue);
        self.requests.set(self.requests.get() + 1);
        self.wanted.set(0);
        self.missing.set(match body {
            AnnouncedBody::Sized(bytes) => Some(bytes),
            AnnouncedBody::None | AnnouncedBody::Chunked => None,
        });
        self.phase.set(if body == AnnouncedBody::None { Phase::Working } else { Phase::Body });
        self.body_read(self.with_head.take());
        UnansweredRequest { state: Some(self) }
    }

    pub(super) const fn phase(&self) -> Phase {
        self.phase.get()
    }

    /// How many requests have begun.
    pub(super) const fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// A complete head has been handed to the HTTP library, and that many bytes of the body behind it.
    pub(super) fn head_read(&self, with_head: usize) {
        self.phase.set(Phase::HeadRead);
        self.with_head.set(with_head);
    }

    /// How many bytes of the body the connection may read now.
    pub(super) fn readable(&self) -> usize {
        let room = if self.phase.get() == Phase::Discarding { READ_BYTES } else { self.wanted.get() };
        let missing = self.missing.get().map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
        room.min(missing)
    }

    /// The connection has read that many bytes of the body.
    pub(super) fn body_read(&self, bytes: usize) {
        self.wanted.set(self.wanted.get().saturating_sub(bytes));
        if bytes == 0 {
            return;
        }
        let Some(missing) = self.missing.get() else { return };
        let missing = missing.saturating_sub(bytes as u64);
        self.missing.set(Some(missing));
        if missing == 0 {
            self.phase.set(if self.phase.get() == Phase::Body { Phase::Working } else { Phase::Head });
        }
    }

    /// The handler has read all bytes of the body received so far, and waits for more.
    pub(super) fn body_wanted(&self) {
        if self.wanted.replace(READ_BYTES) < READ_BYTES {
            self.wake_reader();
        }
    }

    /// The body has ended, or is broken.
    pub(super) fn body_ended(&self) {
        if self.phase.get() == Phase::Body {
            self.phase.set(Phase::Working);
        }
    }

    /// Whether the request has taken all of its body that is there.
    pub(super) const fn waits_for_body(&self) -> bool {
        self.wanted.get() == READ_BYTES
    }

    /// All of the response is with the HTTP library.
    pub(crate) fn response_ended(&self) {
        match self.phase.get() {
            Phase::Body => self.phase.set(Phase::Discarding),
            Phase::Working | Phase::HeadRead => self.phase.set(Phase::Head),
            Phase::Head | Phase::Discarding | Phase::Ended => {}
        }
        self.wake_reader();
    }

    /// Nothing is read from the connection any more.
    pub(super) fn end(&self) {
        self.phase.set(Phase::Ended);
    }

    /// The connection goes on to read when something of the above has changed.
    pub(super) fn read_later(&self, context: &Context<'_>) {
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

    /// The connection ends with the response to its present request.
    pub(super) fn end_with_response(&self) {
        self.last_request.set(true);
    }

    /// Whether the connection ends with the response to its present request.
    pub(crate) const fn ends_with_response(&self) -> bool {
        self.last_request.get()
    }

    /// Whether the client of the request in progress waits for the word to send its body.
    pub(crate) const fn expects_continue(&self) -> bool {
        self.expects_continue.get()
    }

    /// The body of the request in progress is wanted: a client that waits for the word is given it.
    pub(crate) fn want_body(&self) {
        self.continue_wanted.set(self.expects_continue.take());
    }

    /// The body of the request in progress ends in the middle.
    pub(crate) fn break_body(&self) {
        self.body_broken.set(true);
    }

    /// Ends the connection without the response to the request in progress.
    pub(crate) fn cut_off(&self) {
        self.cut_off.set(true);
    }

    /// Whether the connection is to end without a response.
    pub(crate) const fn is_cut_off(&self) -> bool {
        self.cut_off.get()
    }

    /// Whether a `100 Continue` is to be sent now, so that the client sends its body.
    pub(crate) fn takes_continue(&self) -> bool {
        self.continue_wanted.take()
    }

    /// Whether a request was dropped before its response was there.
    pub(super) const fn is_abandoned(&self) -> bool {
        self.abandoned.get()
    }

    /// Whether the client is still sending what is not read.
    pub(super) const fn is_body_broken(&self) -> bool {
        self.body_broken.get()
    }

    pub(super) fn leave_behind(&self, dropped: DroppedConnection) {
        self.dropped.replace(Some(dropped));
    }

    /// Ends a connection that the library has dropped too early: sends what is left, and takes in
    /// what the client is still sending.
    pub(crate) async fn finish(&self) {
        let Some(DroppedConnection { mut stream, unsent, place }) = self.dropped.take() else { return };
        place.wait(Wait::NextRequest);
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
                () = place.evicted() => Ok(()),
            }
        };
        // A client that goes away meanwhile, or never stops, has had its chance.
        let _ = tokio::time::timeout(LINGER, ending).await;
    }
}

impl UnansweredRequest<'_> {
    /// The response is there: no `100 Continue` is needed any more.
    pub(crate) fn answered(mut self) {
        if let Some(state) = self.state.take() {
            state.expects_continue.set(false);
            state.continue_wanted.set(false);
        }
    }
}

impl Drop for UnansweredRequest<'_> {
    fn drop(&mut self) {
        if let Some(state) = self.state {
            state.abandoned.set(true);
        }
    }
}
