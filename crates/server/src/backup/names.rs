//! The names of scheduled backups, which determine whether a backup is due, and which backups to delete.
//!
//! The name contains the time of the backup, because copying a file to another disk changes the times of the
//! file.

use payroll_domain::date::Timestamp;

/// The extension of a backup's name.
const BACKUP_EXTENSION: &str = ".db";
/// The number of characters of a time within a name, such as 2026-11-26T10-05-30Z.
const TIMESTAMP_LENGTH: usize = 20;
/// The positions of the two colons in a timestamp. File names contain hyphens there, because some file
/// systems reject colons.
const COLON_POSITIONS: [usize; 2] = [13, 16];

/// Formats a time, to the second, without characters that file systems reject.
pub(crate) fn format_timestamp(instant: Timestamp) -> String {
    let text = instant.to_string().replace(':', "-");
    let (seconds, _) = text.split_once('.').unwrap_or((&text, ""));
    format!("{seconds}Z")
}

/// Returns the name of a backup, such as payroll-2026-11-26T10-05-30Z.db. `stem` is the name of the database
/// file without its extension.
pub(super) fn backup_file_name(stem: &str, created: Timestamp) -> String {
    format!("{stem}-{}{BACKUP_EXTENSION}", format_timestamp(created))
}

/// Returns the time in a backup's name. `None` if the name is not that of a backup of this database.
pub(super) fn parse_timestamp(stem: &str, name: &str) -> Option<Timestamp> {
    let stamp = name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(BACKUP_EXTENSION)?;
    if stamp.len() != TIMESTAMP_LENGTH || !stamp.is_ascii() {
        return None;
    }
    let colon = |(at, letter)| if COLON_POSITIONS.contains(&at) && letter == '-' { ':' } else { letter };
    Timestamp::parse(&stamp.chars().enumerate().map(colon).collect::<String>()).ok()
}

/// Returns whether a backup is due. A backup is due if no backup was created within the last interval.
/// Backups with a future time are ignored, because a wrong clock created them.
pub(super) fn is_backup_due(created: &[Timestamp], now: Timestamp, interval_seconds: i64) -> bool {
    let newest = created.iter().filter(|created| **created <= now).max();
    newest.is_none_or(|newest| now.as_seconds() - newest.as_seconds() >= interval_seconds)
}

/// Returns the backups to delete: all except the newest `keep` backups. Backups with a future time are never
/// deleted, and do not count towards `keep`.
pub(super) fn outdated_backups(created: &[Timestamp], now: Timestamp, keep: usize) -> Vec<Timestamp> {
    let mut past: Vec<Timestamp> = created.iter().copied().filter(|created| *created <= now).collect();
    past.sort_unstable_by(|one, other| other.cmp(one));
    past.split_off(keep.min(past.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS_PER_HOUR: i64 = 3_600;

    fn timestamp_at_hour(hours: i64) -> Timestamp {
        Timestamp::from_micros(1_778_544_000_000_000).plus_seconds(hours * SECONDS_PER_HOUR)
    }

    #[test]
    fn parses_backup_names_and_ignores_other_files() {
        let name = backup_file_name("payroll", timestamp_at_hour(1));
        assert_eq!(name, "payroll-2026-05-12T01-00-00Z.db");
        assert_eq!(parse_timestamp("payroll", &name), Some(timestamp_at_hour(1)));
        for other in [
            "payroll.db",
            "payroll-2026-05-12T01-00-00Z.db-wal",
            "payroll-2026-05-12.db",
            "payroll-2026-13-12T01-00-00Z.db",
            "payroll-test-2026-05-12T01-00-00Z.db",
            "other-2026-05-12T01-00-00Z.db",
            "payroll-2026-05-12T01-00-0éZ.db",
        ] {
            assert_eq!(parse_timestamp("payroll", other), None, "{other}");
        }
    }

    #[test]
    fn a_backup_is_due_after_the_interval_despite_future_ones() {
        assert!(is_backup_due(&[], timestamp_at_hour(0), SECONDS_PER_HOUR));
        assert!(!is_backup_due(
            &[timestamp_at_hour(0), timestamp_at_hour(-5)],
            timestamp_at_hour(0),
            SECONDS_PER_HOUR
        ));
        assert!(is_backup_due(&[timestamp_at_hour(0)], timestamp_at_hour(1), SECONDS_PER_HOUR));
        assert!(
            is_backup_due(
                &[timestamp_at_hour(0), timestamp_at_hour(500)],
                timestamp_at_hour(1),
                SECONDS_PER_HOUR
            ),
            "the clock was once ahead"
        );
    }

    #[test]
    fn keeps_the_newest_backups_and_those_from_the_future() {
        let created = [
            timestamp_at_hour(1),
            timestamp_at_hour(3),
            timestamp_at_hour(2),
            timestamp_at_hour(99),
            timestamp_at_hour(0),
        ];
        assert_eq!(
            outdated_backups(&created, timestamp_at_hour(4), 2),
            [timestamp_at_hour(1), timestamp_at_hour(0)]
        );
        assert_eq!(outdated_backups(&created, timestamp_at_hour(4), 4), []);
    }
}
