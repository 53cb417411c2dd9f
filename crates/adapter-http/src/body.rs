//! Reading a request's body whole, within its limits in bytes and time.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::{Bytes, BytesMut};
use futures_util::StreamExt;
use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

/// How much of a body is read, and how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    pub(crate) max_bytes: usize,
    pub(crate) timeout: Duration,
    /// What a larger one is told.
    pub(crate) too_large: Reason,
}

/// Reads the body.
///
/// # Errors
/// The limits' own reason for a larger one, API-408 for a slower one, API-40 for one that breaks
/// off.
pub(crate) async fn read(
    mut payload: Payload,
    headers: &HeaderMap,
    limits: BodyLimits,
) -> Result<Bytes, Violation> {
    if announced_bytes(headers).is_some_and(|announced| announced > limits.max_bytes as u64) {
        return Err(too_large(limits));
    }
    let reading = async {
        let mut body = BytesMut::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|_| broken_off())?;
            if body.len().saturating_add(chunk.len()) > limits.max_bytes {
                return Err(too_large(limits));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.freeze())
    };
    match tokio::time::timeout(limits.timeout, reading).await {
        Ok(read) => read,
        Err(_) => Err(too_slow(limits)),
    }
}

fn announced_bytes(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(limits: BodyLimits) -> Violation {
    let description = format!("the request's body may have at most {} bytes", limits.max_bytes);
    Violation::new(limits.too_large, description)
}

fn too_slow(limits: BodyLimits) -> Violation {
    let seconds = limits.timeout.as_secs();
    Violation::new(Reason::BodyTooSlow, format!("the request's body did not arrive within {seconds} seconds"))
}

fn broken_off() -> Violation {
    Violation::new(Reason::InvalidParameter, "the request's body breaks off or is wrongly encoded")
}
