//! Reads the body of a request within its limits on bytes, time and memory.
//!
//! A large body is read only after the caller's permission to send a large body was verified. Reading
//! therefore stops when the body exceeds [`LARGE_BODY_BYTES`]. After [`BodyReader::allow_large_body`], the
//! next `read` continues.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::Bytes;
use futures_util::StreamExt;
use payroll_domain::code::Reason;
use payroll_domain::input;
use payroll_domain::violation::Violation;

use crate::shared::error::Failure;
use crate::shared::limits::{INITIAL_BODY_BYTES, LARGE_BODY_BYTES};
use crate::transport::connection::{ConnectionState, incomplete_body_fault};
use crate::transport::memory::ReservedMemory;

/// The limits on the size and the time of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    pub(crate) max_bytes: usize,
    pub(crate) timeout: Duration,
    /// The reason of the error for a body that exceeds `max_bytes`.
    pub(crate) too_large: Reason,
    /// Whether the body is a JSON document. The parsed tree of a JSON document takes additional memory.
    pub(crate) is_document: bool,
}

/// Reads one request body.
pub(crate) struct BodyReader {
    payload: Payload,
    limits: BodyLimits,
    content_length: Option<usize>,
    body: Vec<u8>,
    memory: ReservedMemory,
    /// Whether the caller is allowed to send a large body.
    large_body_allowed: bool,
}

/// The progress of reading a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyProgress {
    Complete,
    /// The body is large, and [`BodyReader::allow_large_body`] was not called yet.
    Large,
}

impl BodyReader {
    /// Creates a reader for this payload.
    ///
    /// # Errors
    /// The reason `too_large` of the limits, if the announced length exceeds them.
    pub(crate) fn new(
        payload: Payload,
        headers: &HeaderMap,
        limits: BodyLimits,
        memory: ReservedMemory,
    ) -> Result<Self, Violation> {
        let announced = announced_length(headers).map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if announced.is_some_and(|announced| announced > limits.max_bytes) {
            return Err(too_large_fault(limits));
        }
        Ok(Self {
            payload,
            limits,
            content_length: announced,
            body: Vec::new(),
            memory,
            large_body_allowed: false,
        })
    }

    /// Whether the announced length of the body exceeds [`LARGE_BODY_BYTES`].
    pub(crate) fn has_large_announced_length(&self) -> bool {
        self.content_length.is_some_and(|announced| announced > LARGE_BODY_BYTES)
    }

    /// Allows the caller to send a large body.
    pub(crate) const fn allow_large_body(&mut self) {
        self.large_body_allowed = true;
    }

    /// Reads to the end of the body. Without [`allow_large_body`](Self::allow_large_body), reading stops when
    /// the body becomes large.
    ///
    /// # Errors
    /// The reason `too_large` of the limits for a body that exceeds them. API-408 if the body takes too long,
    /// API-40 if it ends early, API-429 or API-503 if there is no memory for it.
    pub(crate) async fn read_to_end(
        &mut self,
        connection: &ConnectionState,
    ) -> Result<BodyProgress, Failure> {
        connection.start_body();
        match tokio::time::timeout(self.limits.timeout, self.continue_reading(connection)).await {
            Ok(read) => read,
            Err(_) => Err(too_slow_fault(self.limits).into()),
        }
    }

    async fn continue_reading(&mut self, connection: &ConnectionState) -> Result<BodyProgress, Failure> {
        while let Some(chunk) = self.payload.next().await {
            let Ok(chunk) = chunk else {
                connection.mark_body_broken();
                return Err(incomplete_body_fault().into());
            };
            self.grow_buffer(chunk.len())?;
            self.body.extend_from_slice(&chunk);
            if self.body.len() > LARGE_BODY_BYTES && !self.large_body_allowed {
                return Ok(BodyProgress::Large);
            }
        }
        Ok(BodyProgress::Complete)
    }

    /// Grows the buffer to the next power of two, but not beyond the announced length. With this growth, each
    /// byte is copied only a few times, and memory use does not depend on how the body was split into
    /// packets.
    fn grow_buffer(&mut self, additional_bytes: usize) -> Result<(), Failure> {
        let needed = self.body.len().saturating_add(additional_bytes);
        if needed > self.limits.max_bytes {
            return Err(too_large_fault(self.limits).into());
        }
        if needed <= self.body.capacity() {
            return Ok(());
        }
        let capacity = needed.checked_next_power_of_two().unwrap_or(needed).max(INITIAL_BODY_BYTES);
        let capacity = capacity.min(self.content_length.unwrap_or(self.limits.max_bytes)).max(needed);
        self.reserve(capacity)?;
        self.body.reserve_exact(capacity.saturating_sub(self.body.len()));
        Ok(())
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Failure> {
        self.memory.resize(bytes).map_err(|refusal| refusal.into_failure(self.limits.too_large))
    }

    /// Returns the complete body and the memory reserved for it.
    ///
    /// # Errors
    /// API-429 or API-503 if there is currently no memory for the parsed document. The reason `too_large` of
    /// the limits if the document exceeds the entire budget or the application's share of the budget.
    pub(crate) fn into_body(mut self) -> Result<(Bytes, ReservedMemory), Failure> {
        if self.limits.is_document {
            self.reserve(self.body.capacity().saturating_add(input::estimate_tree_bytes(&self.body)))?;
        }
        Ok((self.body.into(), self.memory))
    }
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large_fault(limits: BodyLimits) -> Violation {
    let description = format!("the request's body may have at most {} bytes", limits.max_bytes);
    Violation::new(limits.too_large, description)
}

fn too_slow_fault(limits: BodyLimits) -> Violation {
    let seconds = limits.timeout.as_secs();
    Violation::new(Reason::BodyTooSlow, format!("the request's body did not arrive within {seconds} seconds"))
}
