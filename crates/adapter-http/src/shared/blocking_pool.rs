//! Processes large bodies outside the threads that serve requests. Parsing a document of 2 MB takes as long
//! as a hundred small requests, which would otherwise have to wait.

use std::num::NonZeroUsize;
use std::sync::Arc;

use actix_web::web::Bytes;
use payroll_domain::input::{self, Node};
use payroll_domain::violation::Violation;
use tokio::sync::Semaphore;

use crate::shared::error::Failure;
use crate::shared::limits::LARGE_BODY_BYTES;

/// The pool in which large bodies are processed.
pub(crate) struct BlockingPool {
    permits: Arc<Semaphore>,
}

impl BlockingPool {
    /// Creates a pool that runs one task per processor. More parallel tasks would not be faster. The queue
    /// needs no length limit, because each waiting body reserves memory from a limited budget.
    pub(crate) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { permits: Arc::new(Semaphore::new(processors)) }
    }

    /// Parses a JSON document. A large document is parsed in the pool.
    ///
    /// # Errors
    /// 400 if the body is not JSON, and the errors of `read`.
    pub(crate) async fn parse<T, E>(
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
        self.run_in_pool(bytes, document).await?
    }

    /// Runs work on a body of this size. Work on a body above [`LARGE_BODY_BYTES`] runs in the pool, other
    /// work on the current thread.
    ///
    /// # Errors
    /// [`Failure::Bug`] if the work panics.
    pub(crate) async fn run_in_pool<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        if bytes <= LARGE_BODY_BYTES {
            return Ok(work());
        }
        let bug = |error: payroll_ports::BoxError| Failure::Bug(error);
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|closed| bug(closed.into()))?;
        let working = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        working.await.map_err(|panic| bug(panic.into()))
    }
}
