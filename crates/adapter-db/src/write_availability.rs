//! Tracks whether the database can be written. The state is derived from the results of this process's
//! writes. Writes fail, for example, if the disk is full, if the file system is read-only, or if the server
//! has become a standby after a failover.
//!
//! After such a failure, the readiness check of the server fails until a test write of this check succeeds.
//! In the meantime, requests still try to write.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Failure, Outcome};

/// The minimum interval between two log entries about failed writes. On a nearly full disk, large writes may
/// fail while small writes succeed. Without the interval, each of these writes could log a change of state.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// The last known state of the database.
#[derive(Debug, Default)]
pub(crate) struct WriteAvailability(Mutex<WriteStatus>);

#[derive(Debug, Default)]
struct WriteStatus {
    /// The error of the last failed write.
    cause: Option<String>,
    /// The instant at which the state was last logged.
    last_logged: Option<Instant>,
    /// Whether the last log entry reported that writes fail.
    log_is_red: bool,
}

impl WriteAvailability {
    /// Records the result of a write. Only [`Failure::Unwritable`] changes the state. A success does not
    /// change the state, because the transaction may have written nothing.
    pub(crate) fn record_outcome<T>(&self, outcome: &Outcome<T>) {
        if let Err(Failure::Unwritable(cause)) = outcome {
            self.record_failure(cause);
        }
    }

    /// Records that a write failed because nothing can be written.
    pub(crate) fn record_failure(&self, cause: &str) {
        let mut status = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        status.cause = Some(cause.to_owned());
        if status.last_logged.is_none_or(|logged| logged.elapsed() >= LOG_INTERVAL) {
            status.last_logged = Some(Instant::now());
            status.log_is_red = true;
            tracing::error!(cause, "the database cannot be written: changes are rejected until it can");
        }
    }

    /// Records that a write reached the disk.
    pub(crate) fn record_success(&self) {
        let mut status = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        status.cause = None;
        if std::mem::take(&mut status.log_is_red) {
            tracing::info!("the database can be written again");
        }
    }

    /// Returns the reason why nothing can be written. `None` if no write has failed since the last success.
    pub(crate) fn cause(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cause.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_successful_test_write_clears_a_failure() {
        let writable = WriteAvailability::default();
        writable.record_outcome(&Outcome::<()>::Err(Failure::Busy));
        assert_eq!(writable.cause(), None);
        writable.record_outcome(&Outcome::<()>::Err(Failure::Unwritable("the disk is full".to_owned())));
        writable.record_outcome(&Ok(()));
        assert_eq!(writable.cause().as_deref(), Some("the disk is full"));
        writable.record_success();
        assert_eq!(writable.cause(), None);
    }
}
