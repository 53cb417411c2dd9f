//! The note about the last backup of an embedded database: a small file next to the database. Every backup
//! writes the note, and `doctor` and the metrics read it. If writing the note fails, the backup itself is
//! still complete.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use payroll_adapter_http::MetricSource;
use payroll_domain::date::Timestamp;
use payroll_ports::metrics::{Metric, to_f64};
use payroll_ports::oversight::Backup;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::config::Settings;
use crate::keys::with_suffix;

/// The suffix that follows the name of the database in the name of the note.
const NOTE_SUFFIX: &str = ".backup.json";
/// The name of the metric with the time of the last backup, in seconds since 1970.
const METRIC_NAME: &str = "payroll_last_backup_timestamp_seconds";
/// The maximum size of a note in bytes. A note with the longest path that an operating system allows fits.
const MAX_NOTE_BYTES: u64 = 16 * 1024;

/// Writes the note about a backup to a temporary file, and then renames that file.
///
/// # Errors
/// The note cannot be written.
pub(crate) fn write_backup_note(database: &Path, backup: &Backup) -> io::Result<()> {
    let path = note_path(database);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = NamedTempFile::new_in(folder)?;
    let Backup { created, file, bytes } = backup;
    writeln!(draft, "{}", json!({"made": created.to_string(), "file": file, "bytes": bytes}))?;
    draft.persist(path)?;
    Ok(())
}

/// Reads the note next to a database. `None` if there is no note, or if it cannot be read.
pub(crate) fn read_backup_note(database: &Path) -> Option<Backup> {
    let mut text = String::new();
    File::open(note_path(database)).ok()?.take(MAX_NOTE_BYTES).read_to_string(&mut text).ok()?;
    let note: Value = serde_json::from_str(&text).ok()?;
    let member = |name: &str| note.get(name).and_then(Value::as_str);
    Some(Backup {
        created: Timestamp::parse(member("made")?).ok()?,
        file: member("file")?.to_owned(),
        bytes: note.get("bytes")?.as_u64()?,
    })
}

/// Returns a source of the metric for the time of the last backup, for alerts about missing backups. The
/// metric has no value if no backup is known, such as on PostgreSQL.
pub(crate) fn metric_source(settings: &Settings) -> MetricSource {
    let database = settings.database_url.embedded_path();
    Box::new(move || {
        let backup = database.as_deref().and_then(read_backup_note);
        let seconds = backup.and_then(|backup| u64::try_from(backup.created.as_seconds()).ok());
        let metric = |seconds| {
            Metric::gauge(
                METRIC_NAME,
                "Time of the last backup of the embedded database, in seconds since 1970.",
                to_f64(seconds),
            )
        };
        seconds.map(metric).into_iter().collect()
    })
}

fn note_path(database: &Path) -> PathBuf {
    with_suffix(database, NOTE_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_note_is_read_and_an_invalid_note_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("payroll.db");
        assert_eq!(read_backup_note(&database), None);
        let backup = Backup {
            created: Timestamp::from_micros(1_778_544_000_000_000),
            file: "/backups/\"monday\".db".to_owned(),
            bytes: 7,
        };
        write_backup_note(&database, &backup).unwrap();
        assert_eq!(read_backup_note(&database), Some(backup.clone()));
        write_backup_note(&database, &Backup { bytes: 8, ..backup.clone() }).unwrap();
        assert_eq!(read_backup_note(&database), Some(Backup { bytes: 8, ..backup }));
        for nonsense in ["", "{}", "nothing", r#"{"made": "yesterday", "file": "x", "bytes": 1}"#] {
            std::fs::write(note_path(&database), nonsense).unwrap();
            assert_eq!(read_backup_note(&database), None, "{nonsense}");
        }
    }
}
