//! Recognizes a database that Litestream replicates. Litestream writes each change to files next to the
//! database, and then sends these files to its replica.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::report::DiagnosticsReport;

/// The delay of Litestream above which `doctor` warns. By default, Litestream reads changes every second.
const MAX_REPLICATION_DELAY: Duration = Duration::from_secs(600);

/// The times of the last change of the database and of the last change that Litestream has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Replication {
    changed_at: SystemTime,
    read_at: SystemTime,
}

impl Replication {
    /// Returns the replication of a database. `None` if Litestream has never read the database.
    pub(super) fn find_replica(database: &Path) -> Option<Self> {
        let name = database.file_name()?.to_str()?;
        let read = newest_file_time(&database.with_file_name(format!(".{name}-litestream")).join("ltx"))?;
        let log = database.with_file_name(format!("{name}-wal"));
        let changed = [database, &log].into_iter().filter_map(modification_time).max()?;
        Some(Self { changed_at: changed, read_at: read })
    }

    pub(super) fn add_to_report(self, area: &'static str, report: &mut DiagnosticsReport) {
        match self.changed_at.duration_since(self.read_at) {
            Ok(delay) if delay > MAX_REPLICATION_DELAY => report.add_warning(
                area,
                format!("Litestream has not read the changes of the last {} minutes", delay.as_secs() / 60),
                "start `litestream replicate`, or check its log",
            ),
            _ => report.add_ok(
                area,
                "Litestream has read all changes. This server cannot see whether they are in the replica",
            ),
        }
    }
}

/// Returns the time of the newest file in a folder and in all folders below it.
fn newest_file_time(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?;
    let paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths
        .iter()
        .filter_map(|path| if path.is_dir() { newest_file_time(path) } else { modification_time(path) })
        .max()
}

fn modification_time(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|file| file.modified()).ok()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use payroll_ports::oversight::FindingSeverity;

    use super::*;

    /// Creates a file whose modification time is this number of seconds after 1970.
    fn write_file_with_time(path: &Path, seconds: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::create(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn the_newest_file_of_litestream_is_compared_with_the_last_change() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("payroll.db");
        write_file_with_time(&database, 1_000);
        assert_eq!(Replication::find_replica(&database), None);
        let files = folder.path().join(".payroll.db-litestream/ltx");
        write_file_with_time(&files.join("0/1.ltx"), 1_000);
        write_file_with_time(&files.join("1/1.ltx"), 900);
        for (changed, state) in [
            (1_000, FindingSeverity::Fine),
            (1_600, FindingSeverity::Fine),
            (1_601, FindingSeverity::Warning),
        ] {
            write_file_with_time(&folder.path().join("payroll.db-wal"), changed);
            let mut report = DiagnosticsReport::default();
            Replication::find_replica(&database).unwrap().add_to_report("backup", &mut report);
            assert_eq!(report.into_findings()[0].state, state, "{changed}");
        }
    }
}
