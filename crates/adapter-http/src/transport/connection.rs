//! A connection of HTTP/1.1, below the HTTP library.
//!
//! The library reads whatever a client sends, and holds it. Here it is given a request at a time: its head, then
//! as much of its body as the request takes, and the next head when the response is written. So what a client
//! can make a connection hold is known, and so is what the connection waits for, which has a time limit each.
//!
//! A request that is no HTTP, or whose head is too large, gets its response from the library
//! below every handler, with a status and no body, and it has no hook for that. Such a response is the last
//! one of its connection and is recognised on its way out: it is a bare head, and the header with the
//! request's id, which every response of ours has, is not in it. What says something else is in `last_response`.
//!
//! A client that waits for `100 Continue` gets it when a request wants the body, and not before, so that a
//! request that is rejected without it is rejected at once: the library would send it before the request was
//! read. What a connection shares with its requests is in `state`.

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

use crate::transport::connections::Wait;
use crate::transport::host::OpenConnection;
use crate::transport::memory::Reservation;
use crate::transport::socket::Transport;
use head::Head;
use last_response::{bare_answer, envelope, refusal};
use state::DroppedConnection;

pub(crate) use bodies::{PacedBody, announced_body, watched};
pub(crate) use last_response::{NO_SNIFFING, broken_off, no_memory, too_many_fields};
pub(crate) use state::{AnnouncedBody, ConnectionState, LINGER};

/// The response that has a client send its body (RFC 9110 §15.2.1).
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A connection of the server on which HTTP/1.1 is spoken.
pub(crate) struct Connection {
    /// `None`: it was handed on to its end.
    stream: Option<Transport>,
    state: Rc<ConnectionState>,
    /// The head that is read.
    head: Head,
    /// Memory of a large head, as long as its request is in progress.
    memory: Reservation,
    /// What was read behind a head, and is not handed on yet.
    ahead: BytesMut,
    /// Bytes of a body that were handed on without a pause.
    turn: usize,
    patience: Option<Patience>,
    /// What the connection waits for, and by the number of its request since when.
    waits_for: Option<(Wait, u64)>,
    /// The client takes nothing of what is written.
    write_blocked: bool,
    /// What is still to be written in place of the library's own response, and how far that is.
    substitute: Vec<u8>,
    written: usize,
    /// The library has ended it in an orderly way, or it is broken.
    ended: bool,
    /// What was written instead of the library's own response: the library closes after it.
    substituted: bool,
    /// It is counted as long as it is open.
    open: OpenConnection,
}

/// How long a client is waited for, and for what: the head of a request or the rest of its body, by the number of
/// the request, or to read its response.
struct Patience {
    awaited: Awaited,
    timer: Pin<Box<Sleep>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Head(u64),
    Rest(u64),
    Reader,
}

impl Connection {
    /// A connection that is counted by that value.
    pub(crate) fn new(stream: Transport, open: OpenConnection) -> Self {
        Self {
            stream: Some(stream),
            state: Rc::default(),
            head: Head::default(),
            memory: open.host().memory().reservation(None),
            ahead: BytesMut::new(),
            turn: 0,
            patience: None,
            waits_for: None,
            write_blocked: false,
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

    /// The connection may be evicted from now on. A client that sends a byte now and then does not make it younger.
    fn wait(&mut self, wait: Wait) {
        let waits_for = Some((wait, self.state.requests()));
        if self.waits_for != waits_for {
            self.waits_for = waits_for;
            self.open.place.wait(wait);
        }
    }

    /// The connection is not evicted from now on.
    fn work(&mut self) {
        if self.waits_for.take().is_some() || self.state.requests() == 0 {
            self.open.place.work();
        }
    }

    /// Waits for the client, as long as that may take.
    fn poll_patience(&mut self, context: &mut Context<'_>, awaited: Awaited, longest: Duration) -> Poll<()> {
        let timer = match &mut self.patience {
            Some(patience) if patience.awaited == awaited => &mut patience.timer,
            patience => {
                let timer = Box::pin(tokio::time::sleep(longest));
                &mut patience.insert(Patience { awaited, timer }).timer
            }
        };
        timer.as_mut().poll(context)
    }

    /// Waits until the client reads what is written.
    fn poll_reader<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        self.write_blocked = true;
        let longest = self.open.host().settings().write_timeout();
        ready!(self.poll_patience(context, Awaited::Reader, longest));
        self.ended = true;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Writes to the client, who is patient as long as it takes some of it.
    fn poll_stream(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = self.stream()?.poll_write(context, bytes);
        if written.is_pending() {
            return self.poll_reader(context);
        }
        self.patience = None;
        self.noting(written)
    }

    /// Writes what is left of the substitute.
    fn poll_substitute(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest @ [_, ..]) = self.substitute.get(self.written..) {
            let Some(stream) = &mut self.stream else { break };
            let count = match Pin::new(stream).poll_write(context, rest) {
                Poll::Pending => return self.poll_reader(context),
                Poll::Ready(Ok(0)) => Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(written) => written,
            };
            self.ended |= count.is_err();
            self.written = self.written.saturating_add(count?);
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
        if self.state.is_cut_off() {
            self.ended = true;
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        ready!(self.poll_substitute(context))?;
        let Some((before, status)) = bare_answer(bytes, self.open.host().request_id_header().as_str()) else {
            return self.poll_stream(context, bytes);
        };
        self.substitute = [before, &envelope(self.open.host(), refusal(status))].concat();
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
        if flushed.is_pending() {
            // TLS takes what is written into a buffer of its own, so here too a client can be waited for.
            return self.poll_reader(context);
        }
        if std::mem::take(&mut self.write_blocked) {
            self.state.wake_reader();
        }
        self.noting(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.substituted {
            // Whoever is still sending is let finish, when the library has dropped the connection.
            return Poll::Ready(Ok(()));
        }
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
            let fault = if self.open.place.is_evicted() { last_response::evicted() } else { broken_off() };
            unsent.extend(envelope(self.open.host(), fault));
        }
        self.state.leave_behind(DroppedConnection { stream, unsent, place: Rc::clone(&self.open.place) });
    }
}
