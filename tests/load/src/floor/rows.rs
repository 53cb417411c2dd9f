//! What one POST writes.

use crate::world::{BATCH_CHECKS, BATCH_LINES};

/// The rows that one POST writes: ids that no other POST has, constant everything else.
pub(super) struct Rows {
    pub(super) paycheck_ids: Vec<String>,
    pub(super) worker_ids: Vec<String>,
    pub(super) correlation_ids: Vec<String>,
    pub(super) line_ids: Vec<String>,
}

impl Rows {
    pub(super) fn new(company_id: &str) -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (process, batch) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let of = |what: &str, count: usize| -> Vec<String> {
            (0..count).map(|number| format!("{process:08}{batch:010}{number:04}{what}")).collect()
        };
        Self {
            paycheck_ids: of("FLOC", BATCH_CHECKS),
            worker_ids: (0..BATCH_CHECKS).map(|number| crate::world::worker_id(company_id, number)).collect(),
            correlation_ids: (0..BATCH_CHECKS).map(|number| format!("c{number}")).collect(),
            line_ids: of("FLOL", BATCH_LINES),
        }
    }
}
