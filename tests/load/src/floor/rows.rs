//! The rows that the minimal server (floor) writes for one POST of checks.

use crate::world::{BATCH_CHECKS, BATCH_LINES, COMPONENTS};

/// The number of lines of a check.
const LINES_PER_CHECK: usize = BATCH_LINES / BATCH_CHECKS;

/// The rows that the minimal server writes for one POST of checks. Their ids are unique, and all other values
/// are constant.
pub(super) struct BatchRows {
    pub(super) paycheck_ids: Vec<String>,
    pub(super) worker_ids: Vec<String>,
    pub(super) correlation_ids: Vec<String>,
    /// The lines of each check, in the form in which they are stored.
    pub(super) lines: Vec<String>,
}

impl BatchRows {
    /// Creates the rows of a POST of this many checks.
    pub(super) fn new(company_id: &str, checks: usize) -> Self {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let (process, batch) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let of = |what: &str, count: usize| -> Vec<String> {
            (0..count).map(|number| format!("{process:08}{batch:010}{number:04}{what}")).collect()
        };
        Self {
            paycheck_ids: of("FLOC", checks),
            worker_ids: (0..checks).map(|number| crate::world::worker_id(company_id, number)).collect(),
            correlation_ids: (0..checks).map(|number| format!("c{number}")).collect(),
            lines: of("FLOL", checks * LINES_PER_CHECK)
                .chunks(LINES_PER_CHECK)
                .map(stored_lines_json)
                .collect(),
        }
    }
}

/// Returns the stored lines of one check.
fn stored_lines_json(ids: &[String]) -> String {
    let line = |(id, component): (&String, &&str)| {
        format!(
            "{{\"checkComponentId\":\"{id}\",\"section\":\"earnings\",\"componentId\":\"{component}\",\
             \"name\":\"Hourly\",\"classificationType\":\"REGULAR\",\"effectOnPay\":\"ADDITION\",\
             \"rate\":200000,\"hours\":80000}}"
        )
    };
    let lines: Vec<String> = ids.iter().zip(COMPONENTS.iter().cycle()).map(line).collect();
    format!("[{}]", lines.join(","))
}
