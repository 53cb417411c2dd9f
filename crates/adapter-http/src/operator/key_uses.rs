//! Records when operator keys were last used. A use is recorded at most once a minute, in the background and
//! without a sync to disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorKeyId;
use payroll_domain::operator_key::OperatorKey;
use payroll_ports::Store;

/// The minimum number of seconds between two recorded uses of a key.
const MIN_INTERVAL_SECONDS: i64 = 60;

/// The last use of each key that this process has recorded.
#[derive(Debug, Default)]
pub(super) struct KeyUseRecorder {
    recorded_uses: Mutex<HashMap<OperatorKeyId, Timestamp>>,
}

impl KeyUseRecorder {
    /// Records the use of a key, unless a use was recorded within the last minute.
    pub(super) fn record_use(&self, store: &Arc<dyn Store>, key: &OperatorKey, now: Timestamp) {
        if !self.is_recording_due(key, now) {
            return;
        }
        let (store, key_id) = (Arc::clone(store), key.key_id.clone());
        tokio::spawn(async move {
            // The error is only logged, because no request depends on this record. A use after the next
            // minute is recorded again.
            if let Err(error) = store.record_operator_key_use(&key_id, now).await {
                tracing::warn!(%error, "the last use of an operator key could not be recorded");
            }
        });
    }

    /// Whether the last known use was at least a minute ago. If so, `now` becomes the last known use.
    /// `key.last_used` can be later than this process knows, because other processes also record uses.
    fn is_recording_due(&self, key: &OperatorKey, now: Timestamp) -> bool {
        let mut recorded = self.recorded_uses.lock().unwrap_or_else(PoisonError::into_inner);
        let last = key.last_used.max(recorded.get(&key.key_id).copied());
        let is_due = last.is_none_or(|last| last.plus_seconds(MIN_INTERVAL_SECONDS) <= now);
        if is_due {
            recorded.insert(key.key_id.clone(), now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_domain::operator_key::OperatorRole;

    #[test]
    fn key_use_is_recorded_once_a_minute_across_processes() {
        let at = |seconds: i64| Timestamp::from_micros(0).plus_seconds(seconds);
        let key = |id: &str, last_used| OperatorKey {
            last_used,
            ..OperatorKey::new(id.parse().unwrap(), id.to_owned(), OperatorRole::Auditor, at(0))
        };
        let (uses, ann, ben) = (KeyUseRecorder::default(), key("ann", None), key("ben", Some(at(50))));
        for (key, seconds, expected) in [
            (&ann, 0, true),
            (&ann, 59, false),
            (&ben, 109, false),
            (&ann, 60, true),
            (&ben, 110, true),
            (&ben, 111, false),
            (&ann, 30, false),
        ] {
            assert_eq!(uses.is_recording_due(key, at(seconds)), expected, "{} at {seconds}", key.name);
        }
    }
}
