//! Long responses on their way to a caller: how many at one time, and how long each.
//!
//! A stream pins a snapshot of the database. A caller who reads slowly, or not at all, would pin it for ever,
//! and nothing polls the stream in the meantime; so a task of its own drives each stream, and ends it when
//! its time is over, read or not.

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
use crate::shared::limits::{RETRY_AFTER_SECONDS, STREAM_BYTES};
use crate::transport::memory::{MemoryBudget, Reservation};

/// Chunks that wait for a caller to read them: one is sent while the next is being read.
const CHUNKS_AHEAD: usize = 1;

/// Bytes as they are made.
pub(crate) type Chunks = BoxStream<'static, Result<Bytes, BoxError>>;

/// The response ends here, unfinished: its sender must cut the connection.
#[derive(Debug)]
pub(crate) struct CutOff;

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the response was cut off")
    }
}

impl std::error::Error for CutOff {}

/// The streams of one server.
pub(crate) struct Streams {
    free: Arc<Semaphore>,
    time: Duration,
    memory: Arc<MemoryBudget>,
}

/// The place of one stream.
pub(crate) struct StreamPermit {
    _place: OwnedSemaphorePermit,
    memory: Arc<Reservation>,
}

/// A chunk on its way to the client, and the memory of its stream until the client has taken it.
struct StreamChunk {
    bytes: Bytes,
    _memory: Arc<Reservation>,
}

impl AsRef<[u8]> for StreamChunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A part of a stream, or the sign that it has ended well.
enum Part {
    Chunk(Bytes),
    End,
}

impl Streams {
    /// At most that many streams at one time, each for at most that long.
    pub(crate) fn new(max: usize, time: Duration, memory: Arc<MemoryBudget>) -> Self {
        Self { free: Arc::new(Semaphore::new(max.min(Semaphore::MAX_PERMITS))), time, memory }
    }

    /// Counts how many run.
    pub(crate) fn in_use(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (free, all) = (Arc::clone(&self.free), self.free.available_permits());
        move || all.saturating_sub(free.available_permits())
    }

    /// The place of a response among those that are streamed, for one that drives itself and pins no
    /// snapshot; it is free again when the permit goes.
    ///
    /// # Errors
    /// 503 API-503 when too many run, or there is no memory for one more.
    pub(crate) fn permit(&self) -> Result<StreamPermit, Failure> {
        let place = Arc::clone(&self.free)
            .try_acquire_owned()
            .map_err(|_| Failure::from(Reason::Unavailable).retry_after(RETRY_AFTER_SECONDS.into()))?;
        let mut memory = self.memory.reservation(None);
        memory.resize(STREAM_BYTES).map_err(|refusal| refusal.failure(Reason::Unavailable))?;
        Ok(StreamPermit { _place: place, memory: Arc::new(memory) })
    }

    /// Takes a stream among those that run; what comes out is cut off where making it fails or
    /// its time is over, and the log says why.
    ///
    /// # Errors
    /// 503 API-503 when too many run; the stream is dropped, and its snapshot with it.
    pub(crate) fn run(
        &self,
        chunks: Chunks,
        request_id: &str,
    ) -> Result<BoxStream<'static, Result<Bytes, CutOff>>, Failure> {
        let permit = self.permit()?;
        let (sender, receiver) = mpsc::channel(CHUNKS_AHEAD);
        let (time, request_id) = (self.time, request_id.to_owned());
        tokio::spawn(async move {
            match tokio::time::timeout(time, drive(chunks, sender, &permit)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(request_id, error = %error, "a streamed answer failed"),
                Err(_) => tracing::warn!(request_id, "a streamed response took too long"),
            }
        });
        Ok(stream::unfold(receiver, receive).boxed())
    }
}

/// Hands on chunks until there are none, one fails, or the receiver is gone. Without the sign of the end the
/// other side is cut off.
async fn drive(
    mut chunks: Chunks,
    sender: mpsc::Sender<Part>,
    permit: &StreamPermit,
) -> Result<(), BoxError> {
    while let Some(chunk) = chunks.next().await {
        let chunk = StreamChunk { bytes: chunk?, _memory: Arc::clone(&permit.memory) };
        if sender.send(Part::Chunk(Bytes::from_owner(chunk))).await.is_err() {
            return Ok(());
        }
    }
    // A client that has gone away needs no sign either.
    let _ = sender.send(Part::End).await;
    Ok(())
}

type Received = (Result<Bytes, CutOff>, mpsc::Receiver<Part>);

async fn receive(mut receiver: mpsc::Receiver<Part>) -> Option<Received> {
    match receiver.recv().await {
        Some(Part::Chunk(bytes)) => Some((Ok(bytes), receiver)),
        Some(Part::End) => None,
        None => Some((Err(CutOff), receiver)),
    }
}
