//! Deliveries: the queue, and the log of attempts.

pub(super) mod log;
pub(super) mod queue;
