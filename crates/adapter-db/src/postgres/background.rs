//! Work in addition to all requests, for as long as something is there.

use tokio::task::AbortHandle;

use super::connect::Way;

/// A task that ends with this value.
pub(super) struct Background(AbortHandle);

impl Background {
    /// Begins the work, on the runtime that the database was opened on: the thread of the request that happens to
    /// be the first may end before others.
    pub(super) fn begin(way: &Way, work: impl Future<Output = ()> + Send + 'static) -> Self {
        let task = match way.home() {
            Some(home) => home.spawn(work),
            None => tokio::spawn(work),
        };
        Self(task.abort_handle())
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.0.abort();
    }
}
