//! Wrappers for the bodies of requests and responses, between the HTTP library and a connection.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use actix_http::{BoxedPayloadStream, HttpMessage, Payload, Request};
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE};
use actix_web::web::Bytes;
use futures_util::Stream;

use super::state::{AnnouncedBody, ConnectionState};
use crate::transport::limits::MAX_WRITE_BYTES;

/// Returns the kind of body that a request announces. The HTTP library has already validated the headers.
pub(crate) fn announced_body(request: &Request, payload: &Payload) -> AnnouncedBody {
    if matches!(payload, Payload::None) {
        return AnnouncedBody::None;
    }
    let headers = request.headers();
    if headers.contains_key(TRANSFER_ENCODING) || headers.contains_key(UPGRADE) {
        return AnnouncedBody::Chunked;
    }
    let length = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.trim().parse().ok());
    length.map_or(AnnouncedBody::Chunked, AnnouncedBody::Sized)
}

/// Wraps the body of a request so that the connection is notified when the handler reads the body.
pub(crate) fn notify_when_read(payload: Payload, state: &Rc<ConnectionState>) -> Payload {
    if matches!(payload, Payload::None) {
        return payload;
    }
    let payload: BoxedPayloadStream = Box::pin(ObservedBody { payload, state: Rc::clone(state) });
    Payload::Stream { payload }
}

struct ObservedBody {
    payload: Payload,
    state: Rc<ConnectionState>,
}

impl Stream for ObservedBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let part = Pin::new(&mut self.payload).poll_next(context);
        match &part {
            Poll::Pending => self.state.record_body_wait(),
            Poll::Ready(None | Some(Err(_))) => self.state.record_body_end(),
            Poll::Ready(Some(Ok(_))) => {}
        }
        part
    }
}

/// Splits the body of a response into small parts. The HTTP library copies each part into its buffer and
/// requests more only after the client has read most of it. Dropping the body marks the end of the response.
pub(crate) struct ChunkedBody {
    body: BoxBody,
    rest: Bytes,
    state: Rc<ConnectionState>,
}

impl ChunkedBody {
    pub(crate) fn new(body: BoxBody, state: Rc<ConnectionState>) -> Self {
        Self { body, rest: Bytes::new(), state }
    }
}

impl MessageBody for ChunkedBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        while self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_next(context)) {
                Some(Ok(part)) => self.rest = part,
                end => return Poll::Ready(end),
            }
        }
        let part = self.rest.len().min(MAX_WRITE_BYTES);
        Poll::Ready(Some(Ok(self.rest.split_to(part))))
    }
}

impl Drop for ChunkedBody {
    fn drop(&mut self) {
        self.state.record_response_end();
    }
}
