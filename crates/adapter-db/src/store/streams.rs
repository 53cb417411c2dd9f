//! Long responses, which consist of chunks from one snapshot. The chunks are read from the database only as
//! fast as the client reads the response.
//!
//! The number and the duration of streams are limited, because a slow client keeps a snapshot open. `Db`
//! limits the number, and this module limits the duration.

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use payroll_ports::StoreError;
use tokio::sync::{mpsc, oneshot};

use super::{Conn, Db};
use crate::error::{Failure, Outcome};

/// The number of elements in a chunk, large enough to be efficient and small enough to limit memory.
pub(super) const CHUNK_ROWS: u32 = 250;
/// The maximum time for reading one response. After this time, the snapshot ends and the response stays
/// incomplete.
const MAX_STREAM_TIME: Duration = Duration::from_secs(300);

/// The chunks of a stream, in the type of the ports.
pub(super) type Chunks<T> = BoxStream<'static, Result<Vec<T>, StoreError>>;

/// The channel through which a stream sends its data: first the head (the data before the rows), then chunks
/// of rows.
pub(super) struct StreamSender<H, T> {
    head: Option<oneshot::Sender<Outcome<H>>>,
    chunks: mpsc::Sender<Result<Vec<T>, StoreError>>,
}

impl<H, T> StreamSender<H, T> {
    /// Sends the head to the receiver of the stream.
    pub(super) fn send_head(&mut self, head: H) {
        if let Some(sender) = self.head.take() {
            // An error means that the receiver no longer exists. The error is ignored, because sending the
            // first chunk will fail as well.
            drop(sender.send(Ok(head)));
        }
    }

    /// Sends a chunk as soon as there is space for it. Returns `false` if the stream was dropped before it
    /// received the chunk.
    pub(super) async fn send_chunk(&mut self, rows: Vec<T>) -> bool {
        self.chunks.send(Ok(rows)).await.is_ok()
    }

    async fn send_failure(&mut self, failure: Failure) {
        match self.head.take() {
            Some(sender) => drop(sender.send(Err(failure))),
            None => drop(self.chunks.send(Err(failure.into())).await),
        }
    }
}

/// Runs the work in its own snapshot. Returns the head as soon as the work has sent it, and a stream of the
/// chunks.
pub(super) async fn start_stream<H, T, F>(db: &Db, work: F) -> Outcome<(H, Chunks<T>)>
where
    H: Send + 'static,
    T: Send + 'static,
    F: for<'c> FnOnce(&'c Conn, &'c mut StreamSender<H, T>) -> BoxFuture<'c, Outcome<()>> + Send + 'static,
{
    let (head, receiver) = oneshot::channel();
    // One chunk is sent while the next one is read.
    let (chunks, mut rows) = mpsc::channel(1);
    let mut feed = StreamSender { head: Some(head), chunks };
    db.run_in_snapshot(Box::new(move |conn| {
        Box::pin(async move {
            let outcome = tokio::time::timeout(MAX_STREAM_TIME, work(conn, &mut feed)).await;
            let late = |_| Err(Failure::Unavailable("the client read the response too slowly".to_owned()));
            if let Err(failure) = outcome.unwrap_or_else(late) {
                feed.send_failure(failure).await;
            }
            Ok(())
        })
    }))
    .await?;
    let gone = |_| Err(Failure::Unavailable("the snapshot did not begin".to_owned()));
    let head = receiver.await.unwrap_or_else(gone)?;
    Ok((head, stream::poll_fn(move |context| rows.poll_recv(context)).boxed()))
}
