//! Scheduled backups of the embedded database by the server itself.
//!
//! The schedule stores nothing about earlier backups. Before each backup, the schedule reads the names in the
//! folder instead. A backup is due if the folder contains no backup from the last interval. A restart
//! therefore creates no additional backup, and a missed backup is created at the start.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::Clock;

use super::{BackupDestination, create_backup, names, scheduled_backup_folder};
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::keys::OWNER_ONLY_MODE;

/// The interval at which the server checks whether a backup is due. This interval is short compared with the
/// shortest backup interval, an hour.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);
/// The pause after a failed backup. Each attempt reads the entire database, and a cause such as a full disk
/// is rarely fixed sooner.
const RETRY_PAUSE: Duration = Duration::from_secs(600);
/// The lock file that prevents a second server from deleting backups in the same folder.
const LOCK_FILE_NAME: &str = ".payroll-backups.lock";
/// The prefix of the temporary name of a scheduled backup. A server that was killed leaves such a file.
const DRAFT_PREFIX: &str = ".payroll-scheduled-";
const SECONDS_OF_AN_HOUR: i64 = 3_600;

/// Creates a backup whenever a backup is due, and deletes backups beyond the configured number.
pub(crate) struct BackupSchedule {
    database: PathBuf,
    folder: PathBuf,
    /// The beginning of each backup's name: the name of the database file without its extension.
    stem: String,
    interval_seconds: i64,
    keep: usize,
    /// After a failure, the time of the next attempt, on the monotonic clock.
    retry_at: Option<Duration>,
    /// The lock file, which is held as long as the server runs.
    _lock: File,
}

impl BackupSchedule {
    /// Creates the schedule of the settings. `None` if the settings contain no folder for backups, or the
    /// database is not embedded.
    ///
    /// # Errors
    /// The folder does not exist, cannot be written, or is used by another server.
    pub(crate) fn from_settings(settings: &Settings) -> Outcome<Option<Self>> {
        let (Some(folder), Some(database)) =
            (scheduled_backup_folder(settings), settings.database_url.embedded_path())
        else {
            return Ok(None);
        };
        let lock = lock_folder(&folder)?;
        let stem = database.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Some(Self {
            database,
            folder,
            stem,
            interval_seconds: i64::from(settings.backup_interval_hours) * SECONDS_OF_AN_HOUR,
            keep: usize::try_from(settings.backup_keep).unwrap_or(usize::MAX),
            retry_at: None,
            _lock: lock,
        }))
    }

    /// Creates backups when they are due, for as long as the server runs.
    pub(crate) async fn run(mut self, clock: Arc<dyn Clock>) {
        let mut interval = tokio::time::interval(CHECK_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            interval.tick().await;
            self.run_once(&*clock).await;
        }
    }

    /// Creates a backup if one is due. A failure is logged, and the next attempt follows after
    /// [`RETRY_PAUSE`].
    async fn run_once(&mut self, clock: &dyn Clock) {
        if self.retry_at.is_some_and(|at| clock.monotonic_time() < at) {
            return;
        }
        self.retry_at = None;
        if let Err(error) = self.back_up_if_due(clock).await {
            self.retry_at = Some(clock.monotonic_time() + RETRY_PAUSE);
            tracing::error!(%error, folder = %self.folder.display(), "the scheduled backup failed");
        }
    }

    async fn back_up_if_due(&self, clock: &dyn Clock) -> Outcome {
        let now = clock.now();
        let unreadable = |error: io::Error| self.unusable_folder_failure(&error);
        let mut existing = self.existing_backups().map_err(unreadable)?;
        if !names::is_backup_due(&existing, now, self.interval_seconds) {
            return Ok(());
        }
        self.delete_drafts().map_err(unreadable)?;
        let file = self.folder.join(names::backup_file_name(&self.stem, now));
        let destination = BackupDestination { file: &file, replaces: false, draft_prefix: DRAFT_PREFIX };
        let created = create_backup(&self.database, destination, || now).await?;
        if let Some(error) = created.note_error {
            tracing::warn!(%error, "the time of the scheduled backup could not be recorded next to the \
                database");
        }
        existing.push(now);
        for surplus in names::outdated_backups(&existing, now, self.keep) {
            let old = self.folder.join(names::backup_file_name(&self.stem, surplus));
            fs::remove_file(&old).map_err(unreadable)?;
        }
        tracing::info!(
            file = created.backup.file,
            bytes = created.backup.bytes,
            "the scheduled backup is complete"
        );
        Ok(())
    }

    /// Returns the times of all backups of this database in the folder.
    fn existing_backups(&self) -> io::Result<Vec<Timestamp>> {
        let mut created = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            created.extend(names::parse_timestamp(&self.stem, &entry?.file_name().to_string_lossy()));
        }
        Ok(created)
    }

    /// Deletes unfinished backups that a killed server has left.
    fn delete_drafts(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(DRAFT_PREFIX) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn unusable_folder_failure(&self, error: &io::Error) -> Failure {
        Failure::with_cause(format!("the backup folder {} cannot be used", self.folder.display()), error)
    }
}

/// Locks the folder for this server. The system releases the lock when the process ends.
fn lock_folder(folder: &std::path::Path) -> Outcome<File> {
    let shown = folder.display();
    let setting = "setting `backup_folder`";
    let unusable = |error: io::Error| {
        Failure::with_cause(format!("{setting}: the folder {shown} cannot be written"), &error)
    };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(OWNER_ONLY_MODE);
    let file = options.open(folder.join(LOCK_FILE_NAME)).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failure::new(format!(
            "{setting}: another payroll-server uses {shown}. Give each server a folder of its own"
        ))),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app;
    use crate::system::{SystemClock, SystemRandomness};
    use payroll_ports::Randomness;

    /// A clock that a test sets.
    struct SettableClock(std::sync::Mutex<Timestamp>);

    impl Clock for SettableClock {
        fn now(&self) -> Timestamp {
            *self.0.lock().unwrap()
        }

        fn monotonic_time(&self) -> Duration {
            SystemClock.monotonic_time()
        }
    }

    fn settings(folder: &std::path::Path) -> Settings {
        let backups = folder.join("backups");
        fs::create_dir(&backups).unwrap();
        Settings {
            database_url: crate::config::Setting::read(folder.join("payroll.db").to_str().unwrap()).unwrap(),
            backup_folder: backups.display().to_string(),
            backup_interval_hours: 24,
            backup_keep: 2,
            ..Settings::default()
        }
    }

    fn files(settings: &Settings) -> Vec<String> {
        let entries = fs::read_dir(&settings.backup_folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != LOCK_FILE_NAME).collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn creates_daily_backups_and_deletes_only_surplus_ones() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        let randomness: Arc<dyn Randomness> = Arc::new(SystemRandomness);
        let store = app::open_or_create_store(&settings, randomness).await.unwrap();
        let mut schedule = BackupSchedule::from_settings(&settings).unwrap().unwrap();
        let in_folder = |name: &str| std::path::Path::new(&settings.backup_folder).join(name);
        fs::write(in_folder("letter.db"), "Dear Sir or Madam").unwrap();
        fs::write(in_folder(".payroll-scheduled-left"), "unfinished").unwrap();
        let start = Timestamp::from_micros(1_778_544_000_000_000);
        let clock = SettableClock(start.into());
        for hour in [0, 1, 23, 24, 47, 48] {
            *clock.0.lock().unwrap() = start.plus_seconds(hour * SECONDS_OF_AN_HOUR);
            schedule.run_once(&clock).await;
        }
        let retained = ["letter.db", "payroll-2026-05-13T00-00-00Z.db", "payroll-2026-05-14T00-00-00Z.db"];
        assert_eq!(files(&settings), retained);
        assert!(
            BackupSchedule::from_settings(&settings).err().unwrap().to_string().contains("folder of its own")
        );
        drop(store);
    }

    #[tokio::test]
    async fn a_failed_backup_is_not_retried_immediately() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        let mut schedule = BackupSchedule::from_settings(&settings).unwrap().unwrap();
        fs::write(folder.path().join("payroll.db"), "not a database").unwrap();
        schedule.run_once(&SystemClock).await;
        assert!(schedule.retry_at.is_some() && files(&settings).is_empty());
    }
}
