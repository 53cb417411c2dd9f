//! `Idempotency-Key` (specification §3.5): a retried POST is executed once, and each retry gets the response
//! of the first request.
//!
//! After authorization, a handler calls [`begin_record`], which returns an [`InFlightGuard`]. The handler
//! passes [`InFlightGuard::response_record`] to the change, so that the transaction of the change also stores
//! the response. The handler then runs the change with [`InFlightGuard::commit`].
//!
//! [`InFlightGuard::run_and_store_response`] is for a change that is safe to repeat and whose response is
//! known only at the end. [`InFlightGuard::release_record`] frees the key of a rejected request. Dropping the
//! guard also frees the key, for example after the client disconnected or an error occurred.

mod outcome;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::violation::Violation;
use payroll_ports::idempotency::{
    IdempotencyRecord, IdempotencyState, IdempotencyStore, ResponseRecord, StoredResponse,
};
use payroll_ports::{Store, StoreError};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;

use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::response;

pub(crate) use outcome::StoreOutcome;

static IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(crate) static IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The maximum number of characters of an idempotency key. The limit leaves room for any client's own ids,
/// and is small enough for a database index.
const MAX_KEY_LENGTH: usize = 255;
/// The number of seconds for which a response is stored: one day, after which clients no longer retry.
const RESPONSE_LIFETIME_SECONDS: i64 = 24 * 60 * 60;
/// The number of seconds after which the record of an unfinished request expires. This time is longer than
/// any change takes, so a record expires this way only if its process crashed.
const PENDING_RECORD_LIFETIME_SECONDS: i64 = 60;

/// The pause before the next attempt to delete a record, if the store was unavailable.
const RELEASE_RETRY_PAUSE: Duration = Duration::from_secs(1);

/// The next step for a request that may have an idempotency key.
pub(crate) enum BeginResult {
    /// The request is the first with its idempotency key, or has no idempotency key.
    Proceed(Arc<InFlightGuard>),
    /// A response is already stored for the idempotency key.
    Replay(StoredResponse),
}

/// The response of a completed change.
pub(crate) struct ChangeResponse {
    /// The response that is sent.
    pub(crate) response: StoredResponse,
    /// The response that is stored, if it differs from `response`. The stored response omits secrets that are
    /// shown only once.
    pub(crate) record: Option<StoredResponse>,
}

impl From<StoredResponse> for ChangeResponse {
    fn from(response: StoredResponse) -> Self {
        Self { response, record: None }
    }
}

/// The permission to execute a request and to store its response.
pub(crate) struct InFlightGuard {
    store: Arc<dyn IdempotencyStore>,
    /// The idempotency record; `None` if the request has no key.
    record: Option<IdempotencyRecord>,
    started_at: Timestamp,
    /// Whether the record exists and has no stored response yet.
    is_pending: AtomicBool,
}

/// Starts a request: creates the idempotency record of its key for this owner, if the request has a key.
///
/// # Errors
/// 400 API-40 for an invalid key. 409 API-409 while the same request is in progress. 422 API-422 if a
/// different request used the key.
pub(crate) async fn begin_record(
    incoming: &IncomingRequest,
    owner: &str,
    body: &Bytes,
) -> Result<BeginResult, Failure> {
    let Some(key) = idempotency_key(incoming.headers())? else {
        return Ok(BeginResult::Proceed(guard_without_record(incoming)));
    };
    let parts = [incoming.method().as_str(), incoming.path(), incoming.raw_query()].map(str::to_owned);
    let request_hash = incoming.process_body(body, move |body| Ok(request_hash(&parts, body))).await?;
    let record = IdempotencyRecord {
        owner: owner.to_owned(),
        key: key.to_owned(),
        request_hash,
        attempt: incoming.context.request_id.clone(),
    };
    begin_with_record(idempotency_store(incoming), record, incoming.api.now()).await
}

/// Executes a POST once for each idempotency key of this owner. If the request is rejected, the key is free
/// again.
///
/// # Errors
/// The errors of [`begin_record`] and of `handler`.
pub(crate) async fn run_with_idempotency(
    incoming: &IncomingRequest,
    owner: &str,
    body: &Bytes,
    handler: impl AsyncFnOnce(&Arc<InFlightGuard>) -> HandlerResult,
) -> HandlerResult {
    begin_record(incoming, owner, body).await?.run_handler(handler).await
}

impl BeginResult {
    /// Returns the stored response, or executes the request. If the request is rejected, its idempotency key
    /// is free again.
    ///
    /// # Errors
    /// Returns the errors of `handler`.
    pub(crate) async fn run_handler(
        self,
        handler: impl AsyncFnOnce(&Arc<InFlightGuard>) -> HandlerResult,
    ) -> HandlerResult {
        let guard = match self {
            Self::Replay(stored_response) => return replay_response(stored_response),
            Self::Proceed(guard) => guard,
        };
        let created = handler(&guard).await;
        if created.is_err() {
            guard.release_record().await;
        }
        created
    }
}

/// Starts a request without an idempotency record.
pub(crate) fn guard_without_record(incoming: &IncomingRequest) -> Arc<InFlightGuard> {
    Arc::new(InFlightGuard::new(idempotency_store(incoming), None, incoming.api.now()))
}

/// Sends a stored response.
///
/// # Errors
/// An invalid stored response is a bug, which is reported as 500.
fn replay_response(record: StoredResponse) -> HandlerResult {
    let mut response = response::from_stored(record)?;
    response.headers_mut().insert(IDEMPOTENT_REPLAYED.clone(), HeaderValue::from_static("true"));
    Ok(response)
}

/// Returns the store of idempotency records.
fn idempotency_store(incoming: &IncomingRequest) -> Arc<dyn IdempotencyStore> {
    Arc::<dyn Store>::clone(&incoming.api.store)
}

/// Returns the idempotency key of a request; `None` if the request has no key.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, Violation> {
    let mut values = headers.get_all(&IDEMPOTENCY_KEY);
    let Some(value) = values.next() else { return Ok(None) };
    let visible = value.as_bytes().iter().all(u8::is_ascii_graphic);
    let right = visible && (1..=MAX_KEY_LENGTH).contains(&value.len()) && values.next().is_none();
    match value.to_str() {
        Ok(key) if right => Ok(Some(key)),
        _ => {
            let problem = format!(
                "the header Idempotency-Key must be given once, with 1 to {MAX_KEY_LENGTH} visible ASCII \
                 characters"
            );
            Err(Violation::new(Reason::InvalidParameter, problem))
        }
    }
}

/// Validates the idempotency key of a request that needs no record, and returns a guard without a record.
///
/// # Errors
/// 400 API-40 for an invalid key.
pub(crate) fn validate_key_without_record(
    incoming: &IncomingRequest,
) -> Result<Arc<InFlightGuard>, Violation> {
    idempotency_key(incoming.headers())?;
    Ok(guard_without_record(incoming))
}

/// Hashes the method, path, query and body. Two requests are the same if these four parts are equal byte
/// for byte.
fn request_hash(parts: &[impl AsRef<str>; 3], body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts.iter().map(|part| part.as_ref().as_bytes()).chain([body]) {
        // The length of each part is hashed before the part. Otherwise `/a` with the query `b` would have
        // the same hash as `/ab` without a query.
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Creates the idempotency record in its own task. If the client disconnects before the record exists, the
/// guard is dropped and deletes the record.
async fn begin_with_record(
    store: Arc<dyn IdempotencyStore>,
    record: IdempotencyRecord,
    now: Timestamp,
) -> Result<BeginResult, Failure> {
    let beginning = async move {
        let started =
            store.begin_request(&record, now, now.plus_seconds(PENDING_RECORD_LIFETIME_SECONDS)).await?;
        Ok(match started {
            IdempotencyState::Fresh => {
                BeginResult::Proceed(Arc::new(InFlightGuard::new(store, Some(record), now)))
            }
            IdempotencyState::Answered(response) => BeginResult::Replay(response),
            IdempotencyState::UnderWay(until) => {
                let problem = "the first request with this Idempotency-Key is still in progress";
                let failure = Failure::from(Violation::new(Reason::Conflict, problem));
                return Err(failure.with_retry_after(seconds_until(until, now)));
            }
            IdempotencyState::UsedOtherwise => return Err(Reason::IdempotencyKeyReused.into()),
        })
    };
    tokio::spawn(beginning).await.map_err(|panic| Failure::Bug(panic.into()))?
}

/// Returns the number of seconds from `now` to `expires_at`, rounded up.
fn seconds_until(expires_at: Timestamp, now: Timestamp) -> i64 {
    const MICROS_PER_SECOND: i64 = 1_000_000;
    expires_at.as_micros().saturating_sub(now.as_micros()).saturating_add(MICROS_PER_SECOND - 1)
        / MICROS_PER_SECOND
}

impl InFlightGuard {
    fn new(
        store: Arc<dyn IdempotencyStore>,
        record: Option<IdempotencyRecord>,
        started_at: Timestamp,
    ) -> Self {
        let open = AtomicBool::new(record.is_some());
        Self { store, record, started_at, is_pending: open }
    }

    /// Returns the idempotency record with the response, for the transaction that stores the change; `None`
    /// if the request has no key.
    pub(crate) fn response_record(&self, response: &StoredResponse) -> Option<ResponseRecord> {
        let record = self.record.clone()?;
        Some(ResponseRecord {
            record,
            response: response.clone(),
            expires: self.started_at.plus_seconds(RESPONSE_LIFETIME_SECONDS),
        })
    }

    /// Runs a change to completion, even if the client disconnects.
    ///
    /// # Errors
    /// The error of the store, or [`Failure::Bug`] if the change panics.
    pub(crate) async fn commit<T: StoreOutcome>(
        self: &Arc<Self>,
        change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, Failure> {
        let guard = Arc::clone(self);
        let running = tokio::spawn(async move {
            let outcome = change.await;
            if outcome.as_ref().is_ok_and(StoreOutcome::completes_record) {
                guard.is_pending.store(false, Ordering::Release);
            }
            outcome
        });
        Ok(running.await.map_err(|panic| Failure::Bug(panic.into()))??)
    }

    /// Runs a change that is safe to repeat and whose response is known only at the end, and stores the
    /// response. The change completes even if the client disconnects. `None` means that nothing changed.
    ///
    /// # Errors
    /// The error of the store, or [`Failure::Bug`] if the change panics.
    pub(crate) async fn run_and_store_response(
        self: &Arc<Self>,
        change: impl Future<Output = Result<Option<ChangeResponse>, StoreError>> + Send + 'static,
    ) -> Result<Option<StoredResponse>, Failure> {
        let guard = Arc::clone(self);
        let running = tokio::spawn(async move {
            let Some(ChangeResponse { response: sent, record: stored_response }) = change.await? else {
                return Ok(None);
            };
            if let Some(record) = guard.response_record(stored_response.as_ref().unwrap_or(&sent)) {
                guard.store_response(&record).await;
            }
            Ok::<_, StoreError>(Some(sent))
        });
        Ok(running.await.map_err(|panic| Failure::Bug(panic.into()))??)
    }

    /// Stores the response of a completed change.
    async fn store_response(&self, record: &ResponseRecord) {
        match self.store.store_response(record).await {
            // `Ok` means that the response is stored, or that another request has taken over the record. In
            // both cases, this guard must not delete the record.
            Ok(_) => self.is_pending.store(false, Ordering::Release),
            // The change is done, but its response is not stored. Dropping the guard frees the key, so a
            // retry repeats the change. Only changes that are safe to repeat reach this function.
            Err(error) => {
                tracing::warn!(request_id = record.record.attempt, error = %error, "a response was not stored");
            }
        }
    }

    /// Deletes the idempotency record, so that the next request with the same key is executed.
    pub(crate) async fn release_record(&self) {
        if self.is_pending.swap(false, Ordering::AcqRel)
            && let Some(record) = &self.record
        {
            match self.store.release_record(record).await {
                Ok(()) => {}
                // The deletion is retried in the background, so that the request does not wait for an
                // unreachable store.
                Err(_) => drop(tokio::spawn(release_with_retries(Arc::clone(&self.store), record.clone()))),
            }
        }
    }
}

/// Returns 409 API-409: the record expired, and another request with the same key has started.
pub(crate) fn superseded_failure() -> Failure {
    let problem = "another request with this Idempotency-Key was executed instead of this one; retry to get \
        its response";
    Failure::from(Violation::new(Reason::Conflict, problem)).with_retry_after(PENDING_RECORD_LIFETIME_SECONDS)
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let open = self.is_pending.swap(false, Ordering::AcqRel);
        // A process without a tokio runtime is about to exit, so the record cannot be deleted here. The
        // record then remains until it expires.
        if let (true, Some(record), Ok(runtime)) = (open, self.record.take(), Handle::try_current()) {
            let store = Arc::clone(&self.store);
            runtime.spawn(release_with_retries(store, record));
        }
    }
}

/// Deletes a record. If the store is unavailable, the deletion is retried each second until the record has
/// expired. Otherwise a client that retries would get 409 for its own key.
async fn release_with_retries(store: Arc<dyn IdempotencyStore>, record: IdempotencyRecord) {
    for _ in 0..PENDING_RECORD_LIFETIME_SECONDS {
        match store.release_record(&record).await {
            Ok(()) => return,
            Err(StoreError::Unavailable(_)) => tokio::time::sleep(RELEASE_RETRY_PAUSE).await,
            Err(error) => {
                tracing::warn!(request_id = record.attempt, error = %error, "the record of an idempotency \
                    key could not be deleted");
                return;
            }
        }
    }
    tracing::warn!(
        request_id = record.attempt,
        "the record of an idempotency key expired before it could be deleted"
    );
}
