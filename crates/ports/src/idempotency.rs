//! Idempotency keys: the record of a request in progress, and the stored response for repeated requests.
//!
//! A request with a key first creates its record ([`IdempotencyStore::begin`]). If it changes something, the
//! response is stored together with the change ([`ResponseRecord`]). If it is rejected, the record is deleted
//! ([`IdempotencyStore::release`]). After a crash in between, the key becomes free as soon as the store knows
//! that the process is gone, or when its lease ends.
//!
//! A store may wrongly assume that a process is gone. A change is stored in one transaction with its
//! response, and only while the record belongs to its own attempt. Of two attempts, at most one therefore
//! changes anything, however early the second one started.

use std::fmt;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;

use crate::StoreError;

/// The key of a request, and the data that identifies the same request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The owner of the key: the id of an application or of an operator.
    pub owner: String,
    /// The key, 1 to 255 visible ASCII characters.
    pub key: String,
    /// A hash of method, path, query and body.
    pub request_hash: [u8; 32],
    /// An id that distinguishes this attempt from every other one.
    pub attempt: String,
}

/// The first response to a request, which every retry receives.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status, which is a 2XX.
    pub status: u16,
    /// The media type of the body.
    pub content_type: String,
    /// The exact bytes of the body, without one-time secrets.
    pub body: Vec<u8>,
}

impl fmt::Debug for StoredResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {} bytes", self.status, self.content_type, self.body.len())
    }
}

/// A response that is stored in the transaction of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseRecord {
    /// The record of the request.
    pub record: IdempotencyRecord,
    /// The response to store.
    pub response: StoredResponse,
    /// The instant until which the response is stored.
    pub expires: Timestamp,
}

/// The state of a key when a request uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyState {
    /// The key was unused or expired. The record is created, and the request may proceed.
    Fresh,
    /// The same request already has this response.
    Answered(StoredResponse),
    /// The same request is in progress. It has a response, or the key is free, at this instant at the latest.
    UnderWay(Timestamp),
    /// A different request has used the key.
    UsedOtherwise,
}

/// Stores idempotency keys and their responses.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Creates the record of a request until the lease ends, unless the key is in use. Of many concurrent
    /// calls, exactly one gets [`IdempotencyState::Fresh`]. The record of a process that is known to be gone
    /// blocks no request.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn begin(
        &self,
        record: &IdempotencyRecord,
        now: Timestamp,
        lease_ends: Timestamp,
    ) -> Result<IdempotencyState, StoreError>;

    /// Stores the response of a change that is already done and may be repeated. After a crash before this
    /// call, the next request repeats the change. `false` if the record is lost.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn store_response(&self, record: &ResponseRecord) -> Result<bool, StoreError>;

    /// Deletes the record of this attempt, if it still exists.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn release(&self, record: &IdempotencyRecord) -> Result<(), StoreError>;

    /// Deletes expired keys, at most `limit`. Returns their number.
    ///
    /// # Errors
    /// The errors of the trait.
    async fn delete_expired_records(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
