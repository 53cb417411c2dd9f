//! Whether the database can be written, as the writes of this process have found out: a full disk, a
//! file system that only reads, a server that became a reader by a failover.
//!
//! A write that fails for such a reason turns readiness red. It stays red until the check of
//! readiness has tried to write, and could. Meanwhile writes of requests are tried all the same.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Failure, Outcome};

/// Between two lines of the log that say that nothing can be written. Where small writes succeed and
/// large ones do not, this changes with each of them.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// The last known state of the database.
#[derive(Debug, Default)]
pub(crate) struct Writable(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Why the last write failed.
    cause: Option<String>,
    /// When that was last logged.
    logged: Option<Instant>,
    /// The log says that nothing can be written, and not yet that it can again.
    log_is_red: bool,
}

impl Writable {
    /// Checks how a write ended. What was undone for another reason shows nothing, and neither does
    /// what succeeded: it may have had nothing to write.
    pub(crate) fn note<T>(&self, outcome: &Outcome<T>) {
        if let Err(Failure::Unwritable(cause)) = outcome {
            self.failed(cause);
        }
    }

    /// A write has failed, because nothing can be written.
    pub(crate) fn failed(&self, cause: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.cause = Some(cause.to_owned());
        if known.logged.is_none_or(|logged| logged.elapsed() >= LOG_INTERVAL) {
            known.logged = Some(Instant::now());
            known.log_is_red = true;
            tracing::error!(cause, "the database cannot be written: changes are refused until it can");
        }
    }

    /// Something was written, and is on the disk.
    pub(crate) fn succeeded(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.cause = None;
        if std::mem::take(&mut known.log_is_red) {
            tracing::info!("the database can be written again");
        }
    }

    /// Why nothing can be written, as far as is known.
    pub(crate) fn cause(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cause.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_write_that_succeeds_ends_what_a_failed_one_has_begun() {
        let writable = Writable::default();
        writable.note(&Outcome::<()>::Err(Failure::Busy));
        assert_eq!(writable.cause(), None);
        writable.note(&Outcome::<()>::Err(Failure::Unwritable("the disk is full".to_owned())));
        writable.note(&Ok(()));
        assert_eq!(writable.cause().as_deref(), Some("the disk is full"));
        writable.succeeded();
        assert_eq!(writable.cause(), None);
    }
}
