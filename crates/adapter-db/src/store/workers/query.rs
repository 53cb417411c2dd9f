//! The query for the data of one worker.

use super::super::lists::ListQuery;

/// The worker whose data is read.
pub(in super::super) struct WorkerQuery {
    pub(super) query: ListQuery,
    pub(super) worker_id: String,
}

impl WorkerQuery {
    pub(in super::super) fn company_id(&self) -> &str {
        self.query.company_id()
    }

    pub(in super::super) fn worker_id(&self) -> &str {
        &self.worker_id
    }
}
