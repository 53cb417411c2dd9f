//! Idempotency keys: the record of a request in progress, and the response that is stored for the next.
//!
//! A request with a key first sets its mark ([`IdempotencyStore::begin`]). When it changes
//! something, the response is stored with the change itself ([`KeptAnswer`]); when it is rejected, the
//! mark is taken back ([`IdempotencyStore::release`]). After a crash in between the mark is free as soon
//! as the store knows that the process that set it is gone, and else when its lease ends.
//!
//! A store may take a process for gone that is not, if it must: a change is stored in one transaction
//! with its response, and only while the mark is that of its own attempt. So of two attempts one at most
//! changes anything, however early the second one began.

use std::fmt;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;

use crate::StoreError;

/// A request's key, and what makes it the same request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMark {
    /// Whose key it is: an application's id, or an operator's.
    pub owner: String,
    /// The key, 1 to 255 visible ASCII characters.
    pub key: String,
    /// A hash of method, path, query and body.
    pub request_hash: [u8; 32],
    /// Distinguishes this attempt from every other one.
    pub attempt: String,
}

/// A response as it was first sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status, which is a 2XX.
    pub status: u16,
    /// The media type of the body.
    pub content_type: String,
    /// The body, to the byte, without one-time secrets.
    pub body: Vec<u8>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {} bytes", self.status, self.content_type, self.body.len())
    }
}

/// A response to be stored in the transaction of the change that it reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The record of the request.
    pub mark: RequestMark,
    /// The response to store.
    pub answer: Answer,
    /// Until when it is kept.
    pub expires: Timestamp,
}

/// The state of a key when a request comes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// Nothing, or something that has ended: the mark is set, go on.
    Fresh,
    /// The same request has this response.
    Answered(Answer),
    /// The same request is in progress. By then at the latest it has a response, or the key is free.
    UnderWay(Timestamp),
    /// Another request has used it.
    UsedOtherwise,
}

/// Stores idempotency keys and their responses.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Sets the mark of a request until the lease ends, unless the key is in use. Of many at once exactly one
    /// gets [`Begun::Fresh`]. The mark of a process that is known to be gone blocks no request.
    ///
    /// # Errors
    /// Those of the trait.
    async fn begin(
        &self,
        mark: &RequestMark,
        now: Timestamp,
        lease_ends: Timestamp,
    ) -> Result<Begun, StoreError>;

    /// Stores the response of a change that is done already and may be done again: a crash before this
    /// only means that the next request does it once more. `false` when the mark is lost.
    ///
    /// # Errors
    /// Those of the trait.
    async fn keep(&self, kept: &KeptAnswer) -> Result<bool, StoreError>;

    /// Takes the mark of this attempt back, if it is still set.
    ///
    /// # Errors
    /// Those of the trait.
    async fn release(&self, mark: &RequestMark) -> Result<(), StoreError>;

    /// Removes what has ended, at most `limit` keys; returns how many.
    ///
    /// # Errors
    /// Those of the trait.
    async fn forget_expired(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
