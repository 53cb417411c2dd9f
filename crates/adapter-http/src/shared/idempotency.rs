//! `Idempotency-Key` (specification §3.5): a POST that is retried gets the response of the first time, and
//! is done once.
//!
//! A handler calls [`begin`] when it knows that the caller may do what it asks, hands
//! [`Lease::kept`] to the change so that the response is stored with it, and runs the change by
//! [`Lease::commit`]. A change that may be done once more and has its response only when it is done is
//! run by [`Lease::run`]. The key of a rejected request is released by [`Lease::release`]; what is dropped on the
//! way, because the caller hung up or something failed, gives itself back.

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
use payroll_ports::idempotency::{Answer, Begun, IdempotencyStore, KeptAnswer, RequestMark};
use payroll_ports::{Store, StoreError};
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;

use crate::shared::answer;
use crate::shared::error::Failure;
use crate::shared::handled::Handled;
use crate::shared::incoming::Incoming;

pub(crate) use outcome::Outcome;

static IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(crate) static IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Characters of a key: room for any caller's own id, short enough for an index.
const MAX_KEY_LENGTH: usize = 255;
/// Seconds that a response is stored: a day, in which any caller has tried again or given up.
const KEPT_SECONDS: i64 = 24 * 60 * 60;
/// Seconds that a mark stays without its request having ended: more than any change takes, so that it ends by
/// itself only when the process that set it has died, and the store does not know that.
const LEASE_SECONDS: i64 = 60;

/// The pause after which a mark is removed again where the store did not respond.
const RELEASE_AGAIN: Duration = Duration::from_secs(1);

/// How a request with a key goes on.
pub(crate) enum Begin {
    /// It is the first, or has no key.
    Go(Arc<Lease>),
    /// The key has a response from before.
    Replay(Answer),
}

/// The response of a change that is done.
pub(crate) struct ChangeAnswer {
    /// As it is sent.
    pub(crate) sent: Answer,
    /// As it is kept, where that is another: without secrets that are shown once.
    pub(crate) kept: Option<Answer>,
}

impl From<Answer> for ChangeAnswer {
    fn from(sent: Answer) -> Self {
        Self { sent, kept: None }
    }
}

/// The right to do what a request asks, and to store its response.
pub(crate) struct Lease {
    store: Arc<dyn IdempotencyStore>,
    /// `None`: the request has no key.
    mark: Option<RequestMark>,
    began: Timestamp,
    /// The mark is set and no response is kept under it.
    open: AtomicBool,
}

/// Begins a request of that owner of keys: sets the mark of its key, if it has one.
///
/// # Errors
/// 400 API-40 for what is no key, 409 API-409 while the same request is in progress, 422 API-422
/// when another request has used the key.
pub(crate) async fn begin(incoming: &Incoming, owner: &str, body: &Bytes) -> Result<Begin, Failure> {
    let Some(key) = key(incoming.headers())? else { return Ok(Begin::Go(without_key(incoming))) };
    let parts = [incoming.method().as_str(), incoming.path(), incoming.raw_query()].map(str::to_owned);
    let request_hash = incoming.work_on(body, move |body| Ok(request_hash(&parts, body))).await?;
    let mark = RequestMark {
        owner: owner.to_owned(),
        key: key.to_owned(),
        request_hash,
        attempt: incoming.trail.request_id.clone(),
    };
    begin_marked(marks(incoming), mark, incoming.api.now()).await
}

/// Executes a POST of that owner of keys once for each key: a rejection releases the key.
///
/// # Errors
/// Those of [`begin`] and of the making.
pub(crate) async fn once(
    incoming: &Incoming,
    owner: &str,
    body: &Bytes,
    make: impl AsyncFnOnce(&Arc<Lease>) -> Handled,
) -> Handled {
    begin(incoming, owner, body).await?.go(make).await
}

impl Begin {
    /// Returns the stored response, or executes the request; a rejection releases the key.
    ///
    /// # Errors
    /// Those of the making.
    pub(crate) async fn go(self, make: impl AsyncFnOnce(&Arc<Lease>) -> Handled) -> Handled {
        let lease = match self {
            Self::Replay(kept) => return replay(kept),
            Self::Go(lease) => lease,
        };
        let made = make(&lease).await;
        if made.is_err() {
            lease.release().await;
        }
        made
    }
}

/// Begins a request whose key, if it has one, does not count.
pub(crate) fn without_key(incoming: &Incoming) -> Arc<Lease> {
    Arc::new(Lease::new(marks(incoming), None, incoming.api.now()))
}

/// Sends a stored response.
///
/// # Errors
/// A bug: the stored text is no response.
fn replay(kept: Answer) -> Handled {
    let mut response = answer::send(kept)?;
    response.headers_mut().insert(IDEMPOTENT_REPLAYED.clone(), HeaderValue::from_static("true"));
    Ok(response)
}

/// The part of the store that keeps marks.
fn marks(incoming: &Incoming) -> Arc<dyn IdempotencyStore> {
    Arc::<dyn Store>::clone(&incoming.api.store)
}

/// The key of a request, when it has one.
fn key(headers: &HeaderMap) -> Result<Option<&str>, Violation> {
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

/// A request that ignores its key, which is no reason to send what is none.
///
/// # Errors
/// 400 API-40 for what is no key.
pub(crate) fn unused_key(incoming: &Incoming) -> Result<Arc<Lease>, Violation> {
    key(incoming.headers())?;
    Ok(without_key(incoming))
}

/// What makes a request the same: method, path, query and body, to the byte.
fn request_hash(parts: &[impl AsRef<str>; 3], body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts.iter().map(|part| part.as_ref().as_bytes()).chain([body]) {
        // The length first, so that no two requests run together to the same bytes.
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// Sets a mark in a task of its own: if the caller hangs up in the meantime, the lease is dropped
/// and takes the mark back.
async fn begin_marked(
    store: Arc<dyn IdempotencyStore>,
    mark: RequestMark,
    now: Timestamp,
) -> Result<Begin, Failure> {
    let beginning = async move {
        let begun = store.begin(&mark, now, now.plus_seconds(LEASE_SECONDS)).await?;
        Ok(match begun {
            Begun::Fresh => Begin::Go(Arc::new(Lease::new(store, Some(mark), now))),
            Begun::Answered(answer) => Begin::Replay(answer),
            Begun::UnderWay(until) => {
                let problem = "the first request with this Idempotency-Key is still in progress";
                let failure = Failure::from(Violation::new(Reason::Conflict, problem));
                return Err(failure.retry_after(seconds_until(until, now)));
            }
            Begun::UsedOtherwise => return Err(Reason::IdempotencyKeyReused.into()),
        })
    };
    tokio::spawn(beginning).await.map_err(|panic| Failure::Bug(panic.into()))?
}

/// Full seconds until then, and not less than it takes.
fn seconds_until(then: Timestamp, now: Timestamp) -> i64 {
    const SECOND: i64 = 1_000_000;
    then.as_micros().saturating_sub(now.as_micros()).saturating_add(SECOND - 1) / SECOND
}

impl Lease {
    fn new(store: Arc<dyn IdempotencyStore>, mark: Option<RequestMark>, began: Timestamp) -> Self {
        let open = AtomicBool::new(mark.is_some());
        Self { store, mark, began, open }
    }

    /// The response, to be stored in the transaction of the change that it reports.
    pub(crate) fn kept(&self, answer: &Answer) -> Option<KeptAnswer> {
        let mark = self.mark.clone()?;
        Some(KeptAnswer { mark, answer: answer.clone(), expires: self.began.plus_seconds(KEPT_SECONDS) })
    }

    /// Runs a change to its end, whether or not the caller waits for it.
    ///
    /// # Errors
    /// What the store says; a bug.
    pub(crate) async fn commit<T: Outcome>(
        self: &Arc<Self>,
        change: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, Failure> {
        let lease = Arc::clone(self);
        let running = tokio::spawn(async move {
            let outcome = change.await;
            if outcome.as_ref().is_ok_and(Outcome::ends_the_mark) {
                lease.open.store(false, Ordering::Release);
            }
            outcome
        });
        Ok(running.await.map_err(|panic| Failure::Bug(panic.into()))??)
    }

    /// Runs a change that may be done once more, and has its response only when it is done, to its end,
    /// whether or not the caller waits for it; then keeps the response. `None` changed nothing.
    ///
    /// # Errors
    /// What the store says; a bug.
    pub(crate) async fn run(
        self: &Arc<Self>,
        change: impl Future<Output = Result<Option<ChangeAnswer>, StoreError>> + Send + 'static,
    ) -> Result<Option<Answer>, Failure> {
        let lease = Arc::clone(self);
        let running = tokio::spawn(async move {
            let Some(ChangeAnswer { sent, kept }) = change.await? else { return Ok(None) };
            if let Some(kept) = lease.kept(kept.as_ref().unwrap_or(&sent)) {
                lease.keep(&kept).await;
            }
            Ok::<_, StoreError>(Some(sent))
        });
        Ok(running.await.map_err(|panic| Failure::Bug(panic.into()))??)
    }

    /// Stores the response of a change that is done.
    async fn keep(&self, kept: &KeptAnswer) {
        match self.store.keep(kept).await {
            // Where the mark is lost, another request has it.
            Ok(_) => self.open.store(false, Ordering::Release),
            // The change is done; the mark goes back, and the next request does it once more.
            Err(error) => {
                tracing::warn!(request_id = kept.mark.attempt, error = %error, "a response was not stored");
            }
        }
    }

    /// Takes the mark back, so that the next request with the key is validated anew.
    pub(crate) async fn release(&self) {
        if self.open.swap(false, Ordering::AcqRel)
            && let Some(mark) = &self.mark
        {
            match self.store.release(mark).await {
                Ok(()) => {}
                // No request waits for a store that is away.
                Err(_) => drop(tokio::spawn(release(Arc::clone(&self.store), mark.clone()))),
            }
        }
    }
}

/// 409 API-409: the mark was lost to another request, which has just begun.
pub(crate) fn overtaken() -> Failure {
    let problem = "another request with this Idempotency-Key has overtaken this one";
    Failure::from(Violation::new(Reason::Conflict, problem)).retry_after(LEASE_SECONDS)
}

impl Drop for Lease {
    fn drop(&mut self) {
        let open = self.open.swap(false, Ordering::AcqRel);
        // Without a runtime the process is ending, and the mark ends by itself.
        if let (true, Some(mark), Ok(runtime)) = (open, self.mark.take(), Handle::try_current()) {
            let store = Arc::clone(&self.store);
            runtime.spawn(release(store, mark));
        }
    }
}

/// Takes a mark back, again and again while the store is away: a caller that retries must not find its own
/// key in use.
async fn release(store: Arc<dyn IdempotencyStore>, mark: RequestMark) {
    for _ in 0..LEASE_SECONDS {
        match store.release(&mark).await {
            Ok(()) => return,
            Err(StoreError::Unavailable(_)) => tokio::time::sleep(RELEASE_AGAIN).await,
            Err(error) => {
                tracing::warn!(request_id = mark.attempt, error = %error, "an idempotency mark was not taken back");
                return;
            }
        }
    }
    tracing::warn!(request_id = mark.attempt, "an idempotency mark has ended by itself");
}
