//! Background tasks that end with the value that owns them.

use tokio::task::AbortHandle;

use super::connect::DatabaseConnector;

/// A task that is stopped when this value is dropped.
pub(super) struct BackgroundTask(AbortHandle);

impl BackgroundTask {
    /// Starts the task on the runtime on which the database was opened. The runtime that handles a request
    /// may end while the task is still needed.
    pub(super) fn spawn_task(
        connector: &DatabaseConnector,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let task = match connector.runtime() {
            Some(runtime) => runtime.spawn(work),
            None => tokio::spawn(work),
        };
        Self(task.abort_handle())
    }
}

impl Drop for BackgroundTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
