//! When operator keys were last used. A use is recorded about once a minute, next to the request and without a
//! sync of the disk.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use payroll_domain::date::Timestamp;
use payroll_domain::id::OperatorKeyId;
use payroll_domain::operator_key::OperatorKey;
use payroll_ports::Store;

/// A later use within these seconds is not recorded.
const INTERVAL_SECONDS: i64 = 60;

/// The last uses that this process has recorded, one for each key.
#[derive(Debug, Default)]
pub(super) struct KeyUses {
    recorded: Mutex<HashMap<OperatorKeyId, Timestamp>>,
}

impl KeyUses {
    /// Records that a key is used now, unless that was recorded a short time ago.
    pub(super) fn note(&self, store: &Arc<dyn Store>, key: &OperatorKey, now: Timestamp) {
        if !self.is_due(key, now) {
            return;
        }
        let (store, key_id) = (Arc::clone(store), key.key_id.clone());
        tokio::spawn(async move {
            // No request depends on it, and the next minute tries again.
            if let Err(error) = store.record_operator_key_use(&key_id, now).await {
                tracing::warn!(%error, "the last use of an operator key could not be recorded");
            }
        });
    }

    /// Whether the last use that is known is long enough ago. Another process may have recorded a later one.
    fn is_due(&self, key: &OperatorKey, now: Timestamp) -> bool {
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let last = key.last_used.max(recorded.get(&key.key_id).copied());
        let is_due = last.is_none_or(|last| last.plus_seconds(INTERVAL_SECONDS) <= now);
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
    fn a_use_is_due_once_a_minute_whoever_has_recorded_the_last_one() {
        let at = |seconds: i64| Timestamp::from_micros(0).plus_seconds(seconds);
        let key = |id: &str, last_used| OperatorKey {
            last_used,
            ..OperatorKey::new(id.parse().unwrap(), id.to_owned(), OperatorRole::Auditor, at(0))
        };
        let (uses, ann, ben) = (KeyUses::default(), key("ann", None), key("ben", Some(at(50))));
        for (key, seconds, expected) in [
            (&ann, 0, true),
            (&ann, 59, false),
            (&ben, 109, false),
            (&ann, 60, true),
            (&ben, 110, true),
            (&ben, 111, false),
            (&ann, 30, false),
        ] {
            assert_eq!(uses.is_due(key, at(seconds)), expected, "{} at {seconds}", key.name);
        }
    }
}
