//! A response whose memory counts against the listener's budget until the client has received it. The
//! connection sends the body in parts, without a second complete copy.

use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::Method;
use actix_web::web::Bytes;
use payroll_domain::code::Reason;

use crate::shared::api::ListenerState;
use crate::shared::limits::LARGE_RESPONSE_BYTES;
use crate::shared::request_context::RequestContext;
use crate::transport::memory::ReservedMemory;

/// The bytes of a complete response and the reservation of their memory. The reservation ends when the
/// connection drops the last part.
struct BufferedResponse {
    bytes: Bytes,
    _memory: ReservedMemory,
}

impl AsRef<[u8]> for BufferedResponse {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reserves memory for a response. If there is no memory, an error replaces the response. The response to a
/// successful change is sent without a reservation, because the client must learn that the change is stored.
pub(crate) fn reserve_memory(
    response: HttpResponse,
    api: &ListenerState,
    context: &RequestContext,
) -> HttpResponse {
    let memory = context.memory.take();
    let bytes = match response.body().size() {
        BodySize::Sized(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        // A stream reserves its own memory, so none is reserved here.
        BodySize::None | BodySize::Stream => 0,
    };
    if bytes <= LARGE_RESPONSE_BYTES || context.method() == Method::HEAD {
        return response;
    }
    let mut memory = memory.unwrap_or_else(|| api.memory.new_reservation(context.application.get().cloned()));
    let tells_of_a_change = response.status().is_success() && context.method() != Method::GET;
    if tells_of_a_change {
        memory.resize_unchecked(bytes);
    } else if let Err(refusal) = memory.resize(bytes) {
        return refusal.into_failure(Reason::Unavailable).into_response(&context.request_id);
    }
    let (head, body) = response.into_parts();
    match body.try_into_bytes() {
        Ok(bytes) => {
            head.set_body(BoxBody::new(Bytes::from_owner(BufferedResponse { bytes, _memory: memory })))
        }
        Err(body) => head.set_body(body),
    }
}
