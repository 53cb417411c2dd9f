//! The types of a worker's status.

use crate::named::named_enum;

named_enum! {
    /// The status of a worker's employment.
    StatusType {
        /// The worker works for the company.
        Active = "ACTIVE",
        /// The worker does not work at present.
        Inactive = "INACTIVE",
        /// The worker has left the company.
        Terminated = "TERMINATED",
        /// The worker has not started yet.
        Pending = "PENDING",
        /// The worker is being set up.
        InProgress = "IN_PROGRESS",
    }
}
