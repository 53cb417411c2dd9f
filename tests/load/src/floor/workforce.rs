//! The minimal server (floor) for workforce data: lists of a company and of a worker, and the rows of a new
//! worker.

use std::sync::atomic::{AtomicU64, Ordering};

/// A row of a list as the response shows it.
pub(super) type Row = Vec<Option<String>>;

/// A list of the API: the last part of its path, and its SQL statement. In the statement, `$1` is the company
/// and `$2` is the worker.
pub(super) struct ListQuery {
    pub(super) name: &'static str,
    pub(super) sql: &'static str,
}

/// The lists of the API that the benchmark measures.
pub(super) const LISTS: [ListQuery; 7] = [
    ListQuery {
        name: "jobs",
        sql: "SELECT job_id, job_name, first_segment, second_segment, third_segment, CAST(start_date AS TEXT), \
            CAST(end_date AS TEXT) FROM jobs WHERE company_id = $1 AND $2 = $2 ORDER BY created, job_id",
    },
    ListQuery {
        name: "jobtitles",
        sql: "SELECT job_title_id, title, CAST(start_date AS TEXT), CAST(end_date AS TEXT) FROM job_titles \
            WHERE company_id = $1 AND $2 = $2 ORDER BY created, job_title_id",
    },
    ListQuery {
        name: "laborassignments",
        sql: "SELECT labor_assignment_id, name, CAST(start_date AS TEXT), CAST(end_date AS TEXT), \
            organization_id, position_id, location_id FROM labor_assignments \
            WHERE company_id = $1 AND $2 = $2 ORDER BY created, labor_assignment_id",
    },
    ListQuery {
        name: "locations",
        sql: "SELECT location_id, name, street_line_one, street_line_two, post_office_box, city, postal_code, \
            postal_code_extension, country_subdivision_code, country_code FROM locations \
            WHERE company_id = $1 AND $2 = $2 ORDER BY created, location_id",
    },
    ListQuery {
        name: "communications",
        sql: "SELECT communication_id, communication_type, usage_type, dial_country, dial_area, dial_number, uri, \
            street_line_one, city, postal_code, country_subdivision_code, country_code FROM communications \
            WHERE company_id = $1 AND owner_id = $2 ORDER BY position",
    },
    ListQuery {
        name: "timeoff",
        sql: "SELECT policy_id, time_off_type, name, CAST(balance AS TEXT), measure FROM time_off \
            WHERE company_id = $1 AND worker_id = $2 ORDER BY position",
    },
    ListQuery {
        name: "assignmentdistributions",
        sql: "SELECT job_id, labor_assignment_id, CAST(value AS TEXT) FROM assignment_distributions \
            WHERE company_id = $1 AND worker_id = $2 ORDER BY position",
    },
];

/// Inserts the row of a new worker.
pub(super) const INSERT_NEW_WORKER: &str = "INSERT INTO workers (company_id, worker_id, created, worker_type, family_name, \
    given_name, status_type, status_reason) \
    VALUES ($1, $2, 0, 'EMPLOYEE', 'Sample', 'Worker', 'IN_PROGRESS', 'PENDING_HIRE')";

pub(super) fn new_worker_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("FLOW{:08}{:010}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the index of a list in [`LISTS`].
pub(super) fn list_index(name: &str) -> Result<usize, String> {
    LISTS.iter().position(|list| list.name == name).ok_or_else(|| format!("the floor has no list {name}"))
}
