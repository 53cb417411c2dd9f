//! What a connection of HTTP/1.1 and the requests on it let each other know, past the HTTP library
//! between them; and the end of a connection that the library drops too early.
//!
//! The library takes a chunk that is no chunk for a client that is gone, and drops both the request and the
//! connection, whether or not an answer was written; and it closes the connection at once after the response
//! to what is no HTTP, so that a client which is still sending never reads it. Either is seen when the
//! connection is dropped though the client is there: then it is ended here.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::transport::socket::Transport;

/// How long the rest of a refused body is still taken in and thrown away: a client that is cut off
/// while it sends does not read the answer.
pub(crate) const LINGER: Duration = Duration::from_secs(2);

/// What a connection and its requests share.
#[derive(Default)]
pub(crate) struct ConnectionState {
    /// The client of the request under way waits for the word to send its body.
    expects_continue: Cell<bool>,
    /// The client is to be given that word.
    continue_wanted: Cell<bool>,
    /// A request was dropped before its answer was there.
    abandoned: Cell<bool>,
    /// The body of the request under way ends in the middle.
    body_broken: Cell<bool>,
    /// The connection is to end without the answer to the request under way.
    cut_off: Cell<bool>,
    /// What the library has dropped.
    dropped: RefCell<Option<DroppedConnection>>,
}

/// A connection that the library has dropped before the client has read its answer.
pub(super) struct DroppedConnection {
    pub(super) stream: Transport,
    /// What the client is still to be sent.
    pub(super) unsent: Vec<u8>,
}

/// A request that is being answered.
pub(crate) struct UnansweredRequest<'s> {
    state: Option<&'s ConnectionState>,
}

impl ConnectionState {
    /// A request begins, whose client may wait for the word to send its body.
    pub(crate) fn begin(&self, expects_continue: bool) -> UnansweredRequest<'_> {
        self.expects_continue.set(expects_continue);
        UnansweredRequest { state: Some(self) }
    }

    /// Whether the client of the request under way waits for the word to send its body.
    pub(crate) const fn expects_continue(&self) -> bool {
        self.expects_continue.get()
    }

    /// The body of the request under way is wanted: a client that waits for the word is given it.
    pub(crate) fn want_body(&self) {
        self.continue_wanted.set(self.expects_continue.take());
    }

    /// The body of the request under way ends in the middle.
    pub(crate) fn break_body(&self) {
        self.body_broken.set(true);
    }

    /// Ends the connection without the answer to the request under way.
    pub(crate) fn cut_off(&self) {
        self.cut_off.set(true);
    }

    /// Whether the connection is to end without an answer.
    pub(crate) const fn is_cut_off(&self) -> bool {
        self.cut_off.get()
    }

    /// Whether a `100 Continue` is to be sent now, so that the client sends its body.
    pub(crate) fn takes_continue(&self) -> bool {
        self.continue_wanted.take()
    }

    /// Whether a request was dropped before its answer was there.
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
        let Some(DroppedConnection { mut stream, unsent }) = self.dropped.take() else { return };
        let ending = async {
            stream.write_all(&unsent).await?;
            stream.shutdown().await?;
            let mut thrown_away = [0; 4_096];
            while stream.read(&mut thrown_away).await? > 0 {}
            std::io::Result::Ok(())
        };
        // A client that goes away meanwhile, or never stops, has had its chance.
        let _ = tokio::time::timeout(LINGER, ending).await;
    }
}

impl UnansweredRequest<'_> {
    /// The answer is there: no `100 Continue` is needed any more.
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
