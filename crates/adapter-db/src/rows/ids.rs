//! Rows of ids that no two companies may have.

use crate::table::table;

table! {
    /// The id of a worker, and whose it is.
    struct WorkerIdRow in "worker_ids" key "worker_id" {
        worker_id: text,
        company_id: text,
    }
}

table! {
    /// The id of an imported check, and whose it is.
    struct PaycheckIdRow in "paycheck_ids" key "paycheck_id" {
        paycheck_id: text,
        company_id: text,
    }
}
