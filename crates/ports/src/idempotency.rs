//! Idempotency keys: the mark of a request under way, and the answer that is kept for the next.
//!
//! A request with a key first sets its mark ([`IdempotencyStore::begin`]). When it changes
//! something, the answer goes in with the change itself ([`KeptAnswer`]); when it is refused, the
//! mark is taken back ([`IdempotencyStore::release`]). After a crash in between the mark is free as soon
//! as the store knows that the process that set it is gone, and else when its lease ends.
//!
//! A store may take a process for gone that is not, if it must: a change is stored in one transaction
//! with its answer, and only while the mark is that of its own attempt. So of two attempts one at most
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

/// An answer as it was first given.
#[derive(Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status, 2XX.
    pub status: u16,
    /// Media type.
    pub content_type: String,
    /// The body, to the byte, without one-time secrets.
    pub body: Vec<u8>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {} bytes", self.status, self.content_type, self.body.len())
    }
}

/// An answer to be kept in the transaction of the change that it reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The request.
    pub mark: RequestMark,
    /// The answer.
    pub answer: Answer,
    /// Until when it is kept.
    pub expires: Timestamp,
}

/// The state of a key when a request comes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// Nothing, or something that has ended: the mark is set, go on.
    Fresh,
    /// The same request was answered so.
    Answered(Answer),
    /// The same request is under way. By then at the latest it has been answered, or the key is free.
    UnderWay(Timestamp),
    /// Another request has used it.
    UsedOtherwise,
}

/// Keeping idempotency keys.
///
/// # Errors
/// Every method: [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Sets the mark of a request until the lease ends, unless the key is in use. Of many at once exactly one
    /// gets [`Begun::Fresh`]. The mark of a process that is known to be gone blocks no request.
    ///
    /// # Errors
    /// See the trait.
    async fn begin(
        &self,
        mark: &RequestMark,
        now: Timestamp,
        lease_ends: Timestamp,
    ) -> Result<Begun, StoreError>;

    /// Keeps the answer of a change that is done already and may be done again: a crash before this
    /// only means that the next request does it once more. `false` when the mark is lost.
    ///
    /// # Errors
    /// See the trait.
    async fn keep(&self, kept: &KeptAnswer) -> Result<bool, StoreError>;

    /// Takes the mark of this attempt back, if it is still set.
    ///
    /// # Errors
    /// See the trait.
    async fn release(&self, mark: &RequestMark) -> Result<(), StoreError>;

    /// Removes what has ended, at most `limit` keys; returns how many.
    ///
    /// # Errors
    /// See the trait.
    async fn forget_expired(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
