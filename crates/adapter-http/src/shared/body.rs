//! Reading a request's body, within its limits in bytes, time and memory.
//!
//! A large one is read only once the caller is known to have the right to send it: the reader stops
//! where it gets large, and goes on when it was admitted.

use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap};
use actix_web::web::Bytes;
use futures_util::StreamExt;
use payroll_domain::code::Reason;
use payroll_domain::input;
use payroll_domain::violation::Violation;

use crate::shared::error::Failure;
use crate::shared::limits::{BODY_ROOM_BYTES, LARGE_BODY_BYTES};
use crate::transport::connection::{ConnectionState, broken_off};
use crate::transport::memory::Reservation;

/// How much of a body is read, and how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimits {
    pub(crate) max_bytes: usize,
    pub(crate) timeout: Duration,
    /// The error for a larger one.
    pub(crate) too_large: Reason,
    /// It is read as a document, whose tree takes memory as well.
    pub(crate) is_document: bool,
}

/// A body on its way.
pub(crate) struct BodyReader {
    payload: Payload,
    limits: BodyLimits,
    announced: Option<usize>,
    body: Vec<u8>,
    memory: Reservation,
    /// A large body is wanted too.
    admitted: bool,
}

/// How far a body has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Whole,
    /// It is large, and was not admitted.
    Large,
}

impl BodyReader {
    /// # Errors
    /// The limits' own reason for a body that is announced as larger.
    pub(crate) fn new(
        payload: Payload,
        headers: &HeaderMap,
        limits: BodyLimits,
        memory: Reservation,
    ) -> Result<Self, Violation> {
        let announced = announced_bytes(headers).map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if announced.is_some_and(|announced| announced > limits.max_bytes) {
            return Err(too_large(limits));
        }
        Ok(Self { payload, limits, announced, body: Vec::new(), memory, admitted: false })
    }

    /// Whether the announced length of the body exceeds [`LARGE_BODY_BYTES`].
    pub(crate) fn is_announced_large(&self) -> bool {
        self.announced.is_some_and(|announced| announced > LARGE_BODY_BYTES)
    }

    /// The caller may send a large body.
    pub(crate) const fn admit(&mut self) {
        self.admitted = true;
    }

    /// Reads on to the end, or to where the body gets large and is not admitted.
    ///
    /// # Errors
    /// The limits' own reason for a larger one, API-408 for a slower one, API-40 for one that breaks
    /// off, API-429 and API-503 where there is no memory for it.
    pub(crate) async fn read(&mut self, connection: &ConnectionState) -> Result<Progress, Failure> {
        connection.want_body();
        match tokio::time::timeout(self.limits.timeout, self.read_on(connection)).await {
            Ok(read) => read,
            Err(_) => Err(too_slow(self.limits).into()),
        }
    }

    async fn read_on(&mut self, connection: &ConnectionState) -> Result<Progress, Failure> {
        while let Some(chunk) = self.payload.next().await {
            let Ok(chunk) = chunk else {
                connection.break_body();
                return Err(broken_off().into());
            };
            self.make_room(chunk.len())?;
            self.body.extend_from_slice(&chunk);
            if self.body.len() > LARGE_BODY_BYTES && !self.admitted {
                return Ok(Progress::Large);
            }
        }
        Ok(Progress::Whole)
    }

    /// Makes room for further bytes: the next power of two, so that each byte is moved a few times at most
    /// and what a body takes does not depend on how it was cut into packets, but never more than is announced.
    fn make_room(&mut self, more: usize) -> Result<(), Failure> {
        let needed = self.body.len().saturating_add(more);
        if needed > self.limits.max_bytes {
            return Err(too_large(self.limits).into());
        }
        if needed <= self.body.capacity() {
            return Ok(());
        }
        let room = needed.checked_next_power_of_two().unwrap_or(needed).max(BODY_ROOM_BYTES);
        let room = room.min(self.announced.unwrap_or(self.limits.max_bytes)).max(needed);
        self.reserve(room)?;
        self.body.reserve_exact(room.saturating_sub(self.body.len()));
        Ok(())
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Failure> {
        self.memory.resize(bytes).map_err(|refusal| refusal.failure(self.limits.too_large))
    }

    /// The complete body, and the memory of the request that it belongs to.
    ///
    /// # Errors
    /// API-429 and API-503 where there is no memory for what is made of it, and the limits' own reason
    /// where there never is.
    pub(crate) fn finish(mut self) -> Result<(Bytes, Reservation), Failure> {
        if self.limits.is_document {
            self.reserve(self.body.capacity().saturating_add(input::tree_bytes(&self.body)))?;
        }
        Ok((self.body.into(), self.memory))
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
