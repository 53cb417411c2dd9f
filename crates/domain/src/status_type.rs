//! The types of a worker's status.

use crate::named::named;

named! {
    /// Where a worker is in their time with the company.
    StatusType {
        /// At work.
        Active = "ACTIVE",
        /// Not at work for now.
        Inactive = "INACTIVE",
        /// Gone.
        Terminated = "TERMINATED",
        /// Not yet there.
        Pending = "PENDING",
        /// Being set up.
        InProgress = "IN_PROGRESS",
    }
}
