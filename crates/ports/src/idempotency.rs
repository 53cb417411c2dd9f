//! Idempotency keys: the record of a request in progress, and the stored response for repeated requests.
//!
//! A request with an idempotency key first creates a record for the key
//! ([`IdempotencyStore::begin_request`]). If the request changes data, its response is stored together with
//! the change ([`ResponseRecord`]). If the request is rejected, the record is deleted
//! ([`IdempotencyStore::release_record`]). If the process crashes before that, the key becomes free when the
//! lease of the record ends. The key becomes free earlier if the store detects that the process has ended.
//!
//! The detection of an ended process can be wrong. A change is therefore stored in one transaction with its
//! response. The transaction only succeeds if the record still belongs to the attempt that makes the change.
//! Of two attempts for the same key, at most one changes data, no matter when the second attempt starts.

use std::fmt;

use async_trait::async_trait;
use payroll_domain::date::Timestamp;

use crate::StoreError;

/// The idempotency key of an HTTP request, and the data by which a retry of the request is recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The owner of the idempotency key: the id of an application or of an operator.
    pub owner: String,
    /// The idempotency key, 1 to 255 visible ASCII characters.
    pub key: String,
    /// The hash of the method, path, query and body of the request.
    pub request_hash: [u8; 32],
    /// An id that distinguishes this attempt from all other attempts.
    pub attempt: String,
}

/// The first response to a request. Every retry with the same key gets this response.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status, which is always a 2XX status.
    pub status: u16,
    /// The media type of the body.
    pub content_type: String,
    /// The exact bytes of the body, except one-time secrets, which are omitted.
    pub body: Vec<u8>,
}

impl fmt::Debug for StoredResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} of {} bytes", self.status, self.content_type, self.body.len())
    }
}

/// A response that is stored for retries, in the same transaction as the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseRecord {
    /// The idempotency record, which must still belong to this attempt.
    pub record: IdempotencyRecord,
    /// The response that retries of the request get.
    pub response: StoredResponse,
    /// The instant until which the response is stored for retries.
    pub expires: Timestamp,
}

/// The state of an idempotency key when a request uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdempotencyState {
    /// The idempotency key was unused or expired. The record is created, and the request may proceed.
    Fresh,
    /// The same request was already completed with the contained response.
    Answered(StoredResponse),
    /// The same request is in progress. Contains the end of the lease. When the lease ends, either the
    /// response is stored or the key is free again.
    UnderWay(Timestamp),
    /// The key was already used for a different request.
    UsedOtherwise,
}

/// Stores idempotency keys and their responses.
///
/// # Errors
/// Every method can return [`StoreError::Unavailable`], [`StoreError::Corrupt`] or [`StoreError::Bug`].
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Creates the idempotency record of a request, unless the key of the request is in use. The record is
    /// valid until the lease ends. If many calls are concurrent, exactly one of them gets
    /// [`IdempotencyState::Fresh`]. A record whose process is known to have ended does not block other
    /// requests.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn begin_request(
        &self,
        record: &IdempotencyRecord,
        now: Timestamp,
        lease_ends: Timestamp,
    ) -> Result<IdempotencyState, StoreError>;

    /// Stores the response of a change that was already committed. Use this method only for a change that can
    /// safely be repeated. If the process crashes before this call, a retry of the request repeats the
    /// change. Returns `false` if the record no longer belongs to this attempt.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn store_response(&self, record: &ResponseRecord) -> Result<bool, StoreError>;

    /// Deletes the idempotency record of this attempt, if it still exists.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn release_record(&self, record: &IdempotencyRecord) -> Result<(), StoreError>;

    /// Deletes at most `limit` expired idempotency records and returns their number.
    ///
    /// # Errors
    /// Returns the errors that the trait documents.
    async fn delete_expired_records(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}
