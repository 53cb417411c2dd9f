//! Archives the checks of old pay periods: each period is written to a file, and its checks are then deleted
//! from the database.
//!
//! Each attempt to archive a period first claims the period, so that only one attempt works on it. The
//! attempt packs the checks into compressed blocks for the payroll register, and writes them to a file. When
//! the blocks and the file are on disk, the period is marked as archived. Only then are its checks deleted.
//! After an interruption, the next housekeeping turn of any process restarts an unfinished archive, and
//! continues an unfinished deletion.
//!
//! The module `housekeeping` decides when to look for old periods, and `folder` determines the paths of the
//! files.

mod folder;

use std::io;

use futures_util::StreamExt;
use payroll_domain::check::ProcessedCheck;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_ports::archive::{
    ArchiveClaim, ArchiveCriteria, ArchiveFile, ArchiveOutcome, ArchivedPeriod, ClaimedPeriod, DuePeriod,
    PackChecksOutcome, PeriodKey,
};
use payroll_ports::checks::CheckRows;
use payroll_ports::write::AuditContext;
use payroll_ports::{Clock, Store, StoreError, Window, new_uuid};

use self::folder::ArchiveDraft;
pub(crate) use self::folder::ArchiveFolder;
use crate::config::Settings;
use crate::failure::{Failure, Outcome};
use crate::system::SystemRandomness;

/// The maximum number of periods that one turn of housekeeping archives. A large period takes a minute, and
/// other housekeeping waits meanwhile.
const MAX_PERIODS_PER_TURN: u32 = 20;
/// The seconds for which a claim on a period is valid. The claim is not extended while the checks of a period
/// are read. Reading takes less time than the claim is valid.
const CLAIM_SECONDS: i64 = 900;
/// The maximum number of checks that one transaction deletes. Larger transactions would block requests for
/// too long.
const MAX_ERASED_PER_TRANSACTION: u32 = 500;
const SECONDS_OF_A_DAY: i64 = 86_400;

/// Archives the periods that are old enough.
pub(crate) struct PeriodArchiver {
    folder: ArchiveFolder,
    days: u32,
    /// The last period of the previous turn. The next turn starts after this period, so that a period with an
    /// error does not block the periods after it.
    after: Option<DuePeriod>,
    last_erased: Option<ArchivedPeriod>,
}

/// The result of a call that archives a period, if the call returns no error.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ArchiveAttempt {
    Archived(ArchiveFile),
    /// The period has changed, or another attempt has claimed it. A later turn retries the archiving.
    NotYet,
}

impl PeriodArchiver {
    /// Creates the archiver of the settings. `None` if archiving is disabled.
    pub(crate) fn from_settings(settings: &Settings) -> Option<Self> {
        let folder = ArchiveFolder::from_settings(settings)?;
        Some(Self { folder, days: settings.check_retention_days, after: None, last_erased: None })
    }

    /// Archives at most [`MAX_PERIODS_PER_TURN`] periods, in one turn of housekeeping. `trusted_time` decides
    /// which periods are old enough.
    pub(crate) async fn run_once(&mut self, store: &dyn Store, trusted_time: Timestamp, clock: &dyn Clock) {
        if let Err(error) = self.archive_if_due(store, trusted_time, clock).await {
            tracing::warn!(%error, "the checks of old pay periods cannot be archived");
        }
    }

    async fn archive_if_due(
        &mut self,
        store: &dyn Store,
        trusted_time: Timestamp,
        clock: &dyn Clock,
    ) -> Outcome {
        self.continue_erasing_archived_checks(store, clock).await?;
        // Tests whether the folder can be written before any period is claimed. Otherwise, all checks of a
        // period would be packed although the file cannot be written.
        let folder = self.folder.clone();
        run_blocking(move || Ok(folder.try_to_write())).await??;
        let before = trusted_time.plus_seconds(-i64::from(self.days) * SECONDS_OF_A_DAY);
        let due = ArchiveCriteria { paid_before: before.date(), unchanged_since: before };
        let found = store.periods_to_archive(&due, self.after.as_ref(), MAX_PERIODS_PER_TURN).await;
        let periods = found.map_err(storage_failure)?;
        self.after = periods.last().filter(|_| periods.len() >= MAX_PERIODS_PER_TURN as usize).cloned();
        for DuePeriod { period, .. } in &periods {
            if let Err(error) = self.archive_period(store, period, clock).await {
                log_failure(period, &error, "the checks of a pay period could not be archived");
            }
        }
        Ok(())
    }

    /// Archives a period and deletes its checks. Does nothing if another attempt has claimed the period.
    async fn archive_period(&self, store: &dyn Store, period: &PeriodKey, clock: &dyn Clock) -> Outcome {
        let attempt = new_uuid(&SystemRandomness);
        let claimed = store
            .begin_archive(period, &new_archive_claim(&attempt, clock))
            .await
            .map_err(storage_failure)?;
        let Some(claimed) = claimed else { return Ok(()) };
        let tried = self.try_to_archive(store, (period, claimed), &attempt, clock).await;
        let Ok(ArchiveAttempt::Archived(file)) = tried else {
            store.abandon_archive(period, &attempt).await.map_err(storage_failure)?;
            return tried.map(|_| ());
        };
        let PeriodKey { company_id, pay_period_id } = period;
        let checks = file.checks;
        tracing::info!(%company_id, %pay_period_id, checks, "the checks of a pay period were archived");
        self.erase_period(store, period, &file, clock).await
    }

    /// Packs the checks, writes the file, and marks the period as archived.
    async fn try_to_archive(
        &self,
        store: &dyn Store,
        (period, claimed): (&PeriodKey, ClaimedPeriod),
        attempt: &str,
        clock: &dyn Clock,
    ) -> Outcome<ArchiveAttempt> {
        if !pack_checks(store, period, attempt, clock).await? {
            return Ok(ArchiveAttempt::NotYet);
        }
        let Some(draft) = self.write_archive_file(store, (period, claimed), attempt).await? else {
            return Ok(ArchiveAttempt::NotYet);
        };
        // Writing the file may take almost as long as the claim is valid. Calling `pack_checks` again extends
        // the claim before the file gets its final name.
        if !pack_checks(store, period, attempt, clock).await? {
            return Ok(ArchiveAttempt::NotYet);
        }
        let file = run_blocking(move || draft.publish()).await?;
        let claim = new_archive_claim(attempt, clock);
        let audit = AuditContext::for_server_component("housekeeping", claim.now);
        match store.end_archive(period, &claim, &file, &audit).await.map_err(storage_failure)? {
            ArchiveOutcome::Done => Ok(ArchiveAttempt::Archived(file)),
            ArchiveOutcome::Lost => Ok(ArchiveAttempt::NotYet),
            ArchiveOutcome::Changed => {
                // The period was not archived, so its file is deleted. The claim still prevents other
                // attempts from writing a file with the same name.
                let (folder, period) = (self.folder.clone(), period.clone());
                run_blocking(move || folder.remove_archive_file(&period)).await?;
                Ok(ArchiveAttempt::NotYet)
            }
        }
    }

    /// Writes the checks of a period from one snapshot. `None` if the period has changed since it was
    /// claimed.
    async fn write_archive_file(
        &self,
        store: &dyn Store,
        (period, claimed): (&PeriodKey, ClaimedPeriod),
        attempt: &str,
    ) -> Outcome<Option<ArchiveDraft>> {
        let PeriodKey { company_id, pay_period_id } = period;
        let found = store.checks_of_period(company_id, pay_period_id, Window::default()).await;
        let Some(found) = found.map_err(storage_failure)?.filter(|found| found.version == claimed.version)
        else {
            return Ok(None);
        };
        let CheckRows::Processed(rows) = found.rows else { return Ok(None) };
        let (folder, period, attempt) = (self.folder.clone(), period.clone(), attempt.to_owned());
        let mut draft = run_blocking(move || folder.create_draft(&period, &attempt)).await?;
        let mut chunks = rows.into_stream();
        while let Some(checks) = chunks.next().await {
            let checks = checks.map_err(storage_failure)?;
            draft =
                run_blocking(move || draft.write(&to_ndjson(&checks), checks.len()).map(|()| draft)).await?;
        }
        Ok(Some(run_blocking(move || draft.sync().map(|()| draft)).await?))
    }

    /// Continues the deletion of archived checks that an earlier turn has not finished.
    async fn continue_erasing_archived_checks(&mut self, store: &dyn Store, clock: &dyn Clock) -> Outcome {
        let left = store
            .periods_to_erase(self.last_erased.as_ref(), MAX_PERIODS_PER_TURN)
            .await
            .map_err(storage_failure)?;
        self.last_erased = left.last().filter(|_| left.len() >= MAX_PERIODS_PER_TURN as usize).cloned();
        for ArchivedPeriod { period, file, .. } in &left {
            if let Err(error) = self.erase_period(store, period, file, clock).await {
                log_failure(period, &error, "archived checks could not be removed");
            }
        }
        Ok(())
    }

    /// Deletes the checks of an archived period from the database, if its file has the expected content.
    async fn erase_period(
        &self,
        store: &dyn Store,
        period: &PeriodKey,
        file: &ArchiveFile,
        clock: &dyn Clock,
    ) -> Outcome {
        let (folder, of, written) = (self.folder.clone(), period.clone(), file.clone());
        if !run_blocking(move || folder.file_matches(&of, &written)).await? {
            return Err(Failure::new("the file of the archive has changed since it was written"));
        }
        while store
            .erase_archived_checks(period, clock.now(), MAX_ERASED_PER_TRANSACTION)
            .await
            .map_err(storage_failure)?
            > 0
        {}
        Ok(())
    }
}

/// Logs the message `what` with the error and the ids of the period. The next turn retries the failed step.
fn log_failure(period: &PeriodKey, error: &Failure, what: &str) {
    let PeriodKey { company_id, pay_period_id } = period;
    tracing::warn!(%company_id, %pay_period_id, %error, "{what}");
}

/// Creates a claim for an attempt to archive. The claim is valid from now on.
fn new_archive_claim(attempt: &str, clock: &dyn Clock) -> ArchiveClaim {
    let now = clock.now();
    ArchiveClaim { attempt: attempt.to_owned(), now, expires_at: now.plus_seconds(CLAIM_SECONDS) }
}

/// Packs the remaining checks of a period. `false` if the claim is lost or the period has changed.
async fn pack_checks(
    store: &dyn Store,
    period: &PeriodKey,
    attempt: &str,
    clock: &dyn Clock,
) -> Outcome<bool> {
    loop {
        match store
            .pack_next_checks(period, &new_archive_claim(attempt, clock))
            .await
            .map_err(storage_failure)?
        {
            PackChecksOutcome::More => {}
            PackChecksOutcome::All => return Ok(true),
            PackChecksOutcome::Lost => return Ok(false),
        }
    }
}

/// Formats the checks as lines of an archive file.
fn to_ndjson(checks: &[ProcessedCheck]) -> String {
    let mut lines = String::new();
    for check in checks {
        document::write_check_line(check, &mut lines);
    }
    lines
}

/// Runs file operations on a thread that may block, and describes their errors.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Outcome<T> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.map_err(|error| Failure::with_cause("an archive could not be written", &error))?;
    done.map_err(|error| Failure::with_cause("the folder of archives cannot be used", &error))
}

fn storage_failure(error: StoreError) -> Failure {
    Failure::with_cause("the storage failed", &error)
}
