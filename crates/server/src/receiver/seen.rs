//! The ids of notifications that have already arrived.

use std::collections::{HashSet, VecDeque};

/// The maximum number of ids in memory. The oldest ids are removed first, because duplicates usually arrive
/// soon after the first notification.
const MAX_REMEMBERED_IDS: usize = 10_000;
/// The maximum length in bytes of an id that is recorded. A UUID has 36 bytes.
const MAX_ID_BYTES: usize = 128;

/// The ids of the most recent notifications, up to a maximum number.
#[derive(Debug, Default)]
pub(super) struct SeenNotifications {
    ids: HashSet<String>,
    oldest_first: VecDeque<String>,
}

impl SeenNotifications {
    /// Records the id, and returns whether it was recorded before.
    pub(super) fn record_and_detect_duplicate(&mut self, id: &str) -> bool {
        if id.is_empty() || id.len() > MAX_ID_BYTES {
            return false;
        }
        if !self.ids.insert(id.to_owned()) {
            return true;
        }
        self.oldest_first.push_back(id.to_owned());
        if self.oldest_first.len() > MAX_REMEMBERED_IDS
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.ids.remove(&oldest);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_a_repeated_notification_id() {
        let mut seen = SeenNotifications::default();
        assert_eq!(
            [
                seen.record_and_detect_duplicate("a"),
                seen.record_and_detect_duplicate("b"),
                seen.record_and_detect_duplicate("a")
            ],
            [false, false, true]
        );
    }

    #[test]
    fn limits_the_number_and_length_of_ids() {
        let mut seen = SeenNotifications::default();
        let long = "x".repeat(MAX_ID_BYTES + 1);
        assert_eq!(
            [
                seen.record_and_detect_duplicate(&long),
                seen.record_and_detect_duplicate(&long),
                seen.record_and_detect_duplicate("")
            ],
            [false; 3]
        );
        let found: Vec<bool> =
            (0..=MAX_REMEMBERED_IDS).map(|id| seen.record_and_detect_duplicate(&id.to_string())).collect();
        assert!(!found.contains(&true));
        assert_eq!((seen.ids.len(), seen.oldest_first.len()), (MAX_REMEMBERED_IDS, MAX_REMEMBERED_IDS));
        assert_eq!(
            [
                seen.record_and_detect_duplicate("0"),
                seen.record_and_detect_duplicate(&MAX_REMEMBERED_IDS.to_string())
            ],
            [false, true]
        );
    }
}
