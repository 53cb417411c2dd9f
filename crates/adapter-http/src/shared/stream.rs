//! Limits the number and the duration of streamed responses.
//!
//! A stream pins a snapshot of the database. While a client does not read, the connection does not poll its
//! stream. Such a client could pin the snapshot forever. A separate task therefore drives each stream and
//! ends it at the time limit.

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use payroll_domain::code::Reason;
use payroll_ports::BoxError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::shared::error::Failure;
use crate::shared::limits::{RETRY_AFTER_SECONDS, STREAM_BUFFER_BYTES};
use crate::transport::memory::{MemoryBudget, ReservedMemory};

/// The number of chunks that wait for the client. While one chunk is sent, the next one is read.
const QUEUED_CHUNKS: usize = 1;

/// A stream of chunks from the storage.
pub(crate) type Chunks = BoxStream<'static, Result<Bytes, BoxError>>;

/// The error at the end of a response that is incomplete. The connection must then be closed.
#[derive(Debug)]
pub(crate) struct IncompleteResponseError;

impl fmt::Display for IncompleteResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the response was cut off")
    }
}

impl std::error::Error for IncompleteResponseError {}

/// Limits the streams of one server.
pub(crate) struct StreamLimiter {
    permits: Arc<Semaphore>,
    time: Duration,
    memory: Arc<MemoryBudget>,
}

/// A permit for one stream. Dropping the value releases the permit.
pub(crate) struct StreamPermit {
    _permit: OwnedSemaphorePermit,
    memory: Arc<ReservedMemory>,
}

/// A chunk that is being sent. The memory of the stream stays reserved until the client has received the
/// chunk.
struct StreamChunk {
    bytes: Bytes,
    _memory: Arc<ReservedMemory>,
}

impl AsRef<[u8]> for StreamChunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A chunk of a stream, or the marker that the stream has ended completely.
enum StreamMessage {
    Chunk(Bytes),
    End,
}

impl StreamLimiter {
    /// Allows at most `max` concurrent streams, each for at most `time`.
    pub(crate) fn new(max: usize, time: Duration, memory: Arc<MemoryBudget>) -> Self {
        Self { permits: Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))), time, memory }
    }

    /// Returns a function that returns the number of running streams.
    pub(crate) fn in_use(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (free, all) = (Arc::clone(&self.permits), self.permits.available_permits());
        move || all.saturating_sub(free.available_permits())
    }

    /// Acquires a permit for a response that pins no snapshot and needs no task to drive it. Dropping the
    /// permit releases it.
    ///
    /// # Errors
    /// 503 API-503 if too many streams are running or there is no memory for another stream.
    pub(crate) fn acquire_permit(&self) -> Result<StreamPermit, Failure> {
        let permit = Arc::clone(&self.permits)
            .try_acquire_owned()
            .map_err(|_| Failure::from(Reason::Unavailable).with_retry_after(RETRY_AFTER_SECONDS.into()))?;
        let mut memory = self.memory.new_reservation(None);
        memory.resize(STREAM_BUFFER_BYTES).map_err(|refusal| refusal.into_failure(Reason::Unavailable))?;
        Ok(StreamPermit { _permit: permit, memory: Arc::new(memory) })
    }

    /// Runs a stream in its own task. The returned stream ends with [`IncompleteResponseError`] if `chunks`
    /// fails or exceeds the time limit. The reason is logged.
    ///
    /// # Errors
    /// 503 API-503 if too many streams are running. `chunks` is then dropped, which releases its snapshot.
    pub(crate) fn stream_response(
        &self,
        chunks: Chunks,
        request_id: &str,
    ) -> Result<BoxStream<'static, Result<Bytes, IncompleteResponseError>>, Failure> {
        let permit = self.acquire_permit()?;
        let (sender, receiver) = mpsc::channel(QUEUED_CHUNKS);
        let (time, request_id) = (self.time, request_id.to_owned());
        tokio::spawn(async move {
            match tokio::time::timeout(time, send_chunks(chunks, sender, &permit)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(request_id, error = %error, "a streamed response failed"),
                Err(_) => tracing::warn!(request_id, "a streamed response took too long"),
            }
        });
        Ok(stream::unfold(receiver, receive_chunk).boxed())
    }
}

/// Forwards chunks until the stream ends or fails, or until the receiver is dropped. Without
/// [`StreamMessage::End`], the receiver treats the response as incomplete.
async fn send_chunks(
    mut chunks: Chunks,
    sender: mpsc::Sender<StreamMessage>,
    permit: &StreamPermit,
) -> Result<(), BoxError> {
    while let Some(chunk) = chunks.next().await {
        let chunk = StreamChunk { bytes: chunk?, _memory: Arc::clone(&permit.memory) };
        if sender.send(StreamMessage::Chunk(Bytes::from_owner(chunk))).await.is_err() {
            return Ok(());
        }
    }
    // `send` fails only if the client has disconnected, so its result is ignored.
    let _ = sender.send(StreamMessage::End).await;
    Ok(())
}

type ReceivedChunk = (Result<Bytes, IncompleteResponseError>, mpsc::Receiver<StreamMessage>);

async fn receive_chunk(mut receiver: mpsc::Receiver<StreamMessage>) -> Option<ReceivedChunk> {
    match receiver.recv().await {
        Some(StreamMessage::Chunk(bytes)) => Some((Ok(bytes), receiver)),
        Some(StreamMessage::End) => None,
        None => Some((Err(IncompleteResponseError), receiver)),
    }
}
