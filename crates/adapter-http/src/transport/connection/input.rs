//! The input of a connection. Each request begins with its head (request line and headers). Then the
//! connection reads as much of the body as the handler requests.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use actix_web::web::BytesMut;
use payroll_domain::violation::Violation;
use tokio::io::{AsyncRead, ReadBuf};

use super::head::{HeadScanner, content_length};
use super::last_response;
use super::state::{DROPPED_CONNECTION_TIMEOUT, RequestPhase};
use super::{AwaitedEvent, Connection};
use crate::transport::connections::WaitReason;
use crate::transport::limits::{
    MAX_HEAD_BYTES, MAX_READ_BYTES, RESERVED_REQUEST_BYTES, UNCOUNTED_HEAD_BYTES,
};

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read_ahead.is_empty() && self.read_ahead.capacity() > 0 {
            self.read_ahead = BytesMut::new();
        }
        match self.state.phase() {
            RequestPhase::Head => self.poll_head(context, buffer),
            RequestPhase::Body | RequestPhase::Discarding => self.poll_body(context, buffer),
            RequestPhase::HeadRead | RequestPhase::Working => {
                if self.waits_for.is_some() {
                    self.set_busy();
                }
                self.state.register_reader(context);
                Poll::Pending
            }
            RequestPhase::Ended => Poll::Ready(Ok(())),
        }
    }
}

impl Connection {
    /// Reads the head of the next request.
    fn poll_head(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.open_guard.guard.poll_evicted(context).is_ready() {
            // An evicted client gets a response only if the client has started a request.
            return self.end_input((self.head.scanned_bytes() > 0).then(last_response::evicted_fault));
        }
        if self.head.scanned_bytes() == 0 {
            self.memory.resize_unchecked(0);
        }
        if self.write_blocked {
            // While the client does not read its responses, no further request is read.
            self.state.register_reader(context);
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let mut with_head = 0;
        let end = if self.read_ahead.is_empty() {
            let Poll::Ready(read) = self.stream()?.poll_read(context, buffer) else {
                return self.poll_next_head(context);
            };
            self.is_ended |= read.is_err();
            read?;
            let read = buffer.filled().get(before..).unwrap_or_default();
            if read.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let end = self.head.scan_bytes(read);
            if let Some(end) = end
                && end < read.len()
            {
                // Bytes of the body that arrived with the head are passed on together with the head, because
                // most requests read these bytes immediately.
                let (head, rest) = read.split_at_checked(end).unwrap_or_default();
                let length = if self.head.scanned_bytes() == end { content_length(head) } else { 0 };
                with_head = rest.len().min(length).min(MAX_READ_BYTES);
                self.read_ahead.extend_from_slice(rest.get(with_head..).unwrap_or_default());
                buffer.set_filled(before.saturating_add(end).saturating_add(with_head));
            }
            end
        } else {
            let room = self.read_ahead.len().min(buffer.remaining());
            let end = self.head.scan_bytes(self.read_ahead.get(..room).unwrap_or_default());
            buffer.put_slice(&self.read_ahead.split_to(end.unwrap_or(room)));
            end
        };
        if let Err(fault) = self.check_head(end.is_some()) {
            buffer.set_filled(before);
            return self.end_input(Some(fault));
        }
        if end.is_some() {
            self.head = HeadScanner::default();
            self.state.record_head_read(with_head);
            self.set_busy();
            if self.open_guard.guard.is_last_request() {
                self.state.end_with_response();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Validates the received part of the request head and reserves memory for it. When the head is complete,
    /// this function also reserves memory for the request.
    fn check_head(&mut self, is_complete: bool) -> Result<(), Violation> {
        if self.head.has_fragment() {
            return Err(last_response::fragment_fault());
        }
        let bytes = self.head.scanned_bytes();
        if bytes > MAX_HEAD_BYTES {
            return Err(last_response::large_head_fault(self.head.is_mostly_target()));
        }
        let of_head = if bytes > UNCOUNTED_HEAD_BYTES { bytes } else { 0 };
        let counted = if is_complete { of_head.saturating_add(RESERVED_REQUEST_BYTES) } else { of_head };
        if self.memory.resize(counted).is_err() {
            if !is_complete || !self.open_guard.evict_waiting_connection() {
                return Err(last_response::no_memory_fault());
            }
            self.memory.resize_unchecked(counted);
        }
        Ok(())
    }

    /// Waits for the head of the next request.
    fn poll_next_head(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let number = self.state.request_count();
        let is_first = number == 0;
        self.mark_waiting(if is_first { WaitReason::FirstRequest } else { WaitReason::NextRequest });
        // While no byte of the next request has arrived, the time limit of the HTTP library applies.
        if !is_first && self.head.scanned_bytes() == 0 {
            return Poll::Pending;
        }
        let longest = self.open_guard.host().settings().head_timeout;
        ready!(self.poll_time_limit(context, AwaitedEvent::Head(number), longest));
        self.end_input(Some(last_response::slow_head_fault()))
    }

    /// Reads the next part of a body.
    fn poll_body(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let is_discarded = self.state.phase() == RequestPhase::Discarding;
        if self.open_guard.guard.poll_evicted(context).is_ready() {
            let broken = io::ErrorKind::ConnectionAborted.into();
            return if is_discarded { self.end_input(None) } else { Poll::Ready(Err(broken)) };
        }
        let readable = self.state.readable_bytes();
        if readable == 0 {
            self.bytes_this_turn = 0;
            self.state.register_reader(context);
            return Poll::Pending;
        }
        if self.bytes_this_turn >= MAX_READ_BYTES {
            self.bytes_this_turn = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let limit = readable.min(buffer.remaining());
        let count = if self.read_ahead.is_empty() {
            let mut part = ReadBuf::new(buffer.initialize_unfilled_to(limit));
            let read = self.stream()?.poll_read(context, &mut part);
            let count = part.filled().len();
            if read.is_pending() {
                return self.poll_remaining_body(context, is_discarded);
            }
            ready!(self.record_error(read))?;
            buffer.advance(count);
            count
        } else {
            let count = self.read_ahead.len().min(limit);
            buffer.put_slice(&self.read_ahead.split_to(count));
            count
        };
        self.bytes_this_turn = self.bytes_this_turn.saturating_add(count);
        self.state.record_body_read(count);
        if self.state.phase() == RequestPhase::Working {
            self.set_busy();
        }
        Poll::Ready(Ok(()))
    }

    /// Waits for the rest of a body. While the request is in progress, the time limit of the request applies.
    /// After the end of the request, this function applies a time limit.
    fn poll_remaining_body(&mut self, context: &mut Context<'_>, is_discarded: bool) -> Poll<io::Result<()>> {
        self.bytes_this_turn = 0;
        if !is_discarded {
            if self.state.waits_for_body() {
                self.mark_waiting(WaitReason::Body);
            }
            return Poll::Pending;
        }
        self.mark_waiting(WaitReason::NextRequest);
        ready!(self.poll_time_limit(
            context,
            AwaitedEvent::Rest(self.state.request_count()),
            DROPPED_CONNECTION_TIMEOUT
        ));
        self.end_input(None)
    }

    /// Ends the connection. If there is a fault, a last response is sent. The library then acts as if the
    /// client had closed the connection.
    fn end_input(&mut self, fault: Option<Violation>) -> Poll<io::Result<()>> {
        if let Some(fault) = fault {
            self.substitute = last_response::response_bytes(self.open_guard.host(), fault);
            self.written_bytes = 0;
            self.has_substitute = true;
        }
        self.state.stop_reading();
        Poll::Ready(Ok(()))
    }
}
