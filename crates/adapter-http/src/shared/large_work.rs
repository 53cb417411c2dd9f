//! Work on large bodies, apart from the threads that serve requests: reading a document of two
//! megabytes takes as long as a hundred small requests, which would wait for it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::input::{self, Node};
use payroll_domain::violation::Violation;
use tokio::sync::Semaphore;

use crate::shared::error::Failure;
use crate::shared::limits::LARGE_BODY_BYTES;

/// Where large bodies are worked on.
pub(crate) struct LargeWork {
    free: Arc<Semaphore>,
}

impl LargeWork {
    /// As many at one time as there are processors: more would only take them from each other. What
    /// waits is bounded by the memory that it holds.
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { free: Arc::new(Semaphore::new(processors)) }
    }

    /// Reads a document: apart from the threads that serve requests if it is large.
    ///
    /// # Errors
    /// 400 for what is no JSON, and those of the reading.
    pub(crate) async fn read<T, E>(
        &self,
        body: Bytes,
        read: impl FnOnce(Node<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: Into<Failure>,
    {
        let bytes = body.len();
        let document = move || read(input::parse(&body).map_err(Violation::from)?).map_err(Into::into);
        self.run(bytes, document).await?
    }

    /// Does work on a number of bytes: at once where they are few.
    ///
    /// # Errors
    /// A bug: the work has panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        if bytes <= LARGE_BODY_BYTES {
            return Ok(work());
        }
        let bug = |error: payroll_ports::BoxError| Failure::Bug(error);
        let permit = Arc::clone(&self.free).acquire_owned().await.map_err(|closed| bug(closed.into()))?;
        let working = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        working.await.map_err(|panic| bug(panic.into()))
    }
}
