//! Rows of ids that must be unique over all companies.

use crate::table::table;

table! {
    /// The id of a worker, and its company.
    struct WorkerIdRow in "worker_ids" key "worker_id" {
        worker_id: text,
        company_id: text,
    }
}

table! {
    /// The id of an imported check, and its company.
    struct PaycheckIdRow in "paycheck_ids" key "paycheck_id" {
        paycheck_id: text,
        company_id: text,
    }
}
