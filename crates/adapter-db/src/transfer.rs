//! Copies a complete database to an empty database. Without anonymisation, the source is an embedded database
//! and the target is PostgreSQL (a move). With anonymisation, both can be any database, and the data of
//! persons is replaced.
//!
//! The tables and columns are read from the catalogs of both databases, so this module contains no list of
//! tables. The copy is rejected if a table exists in only one of the databases. For an anonymised copy,
//! `personal` lists the treatment of each column, and an unlisted column is rejected as well. Rows are copied
//! in batches, so that memory does not grow with the database. Encrypted values are decrypted with the keys
//! of the source and encrypted with the keys of the target (`pipeline`).
//!
//! Everything is written in one transaction of the target, so an interrupted copy leaves the target empty and
//! can be started again. Before the commit, counts and sums of the rows are compared between source and
//! target. The source is read in one transaction and not changed. A move blocks other writers of the source,
//! but an anonymised copy does not.
//!
//! The caller must hold the lock which guarantees that no server uses the source.

mod anonymise;
mod columns;
mod comparison;
mod embedded_target;
mod error;
mod lines;
mod personal;
mod pipeline;
mod postgres_source;
mod progress;
mod sealed;
mod source;
mod target;

use std::sync::Arc;

use payroll_ports::keys::KeySet;
use tokio::sync::mpsc;

use crate::error::Failure;
use crate::opening;
use crate::seal::Sealer;
use crate::settings::{DatabaseSettings, DatabaseUrl};
use anonymise::Anonymiser;
use pipeline::RowPipeline;
use progress::CopyMessage;

pub use anonymise::{AmountTreatment, AnonymiseSettings};
pub use error::CopyError;
pub use progress::{CopyProgress, CopySummary};

/// The maximum number of batches that were read but not yet written. Reading continues while a batch is
/// written.
const MAX_QUEUED_BATCHES: usize = 4;

/// The source and the target of a copy.
pub struct CopyJob {
    /// The location of the source, in the format of [`DatabaseSettings::url`].
    pub source_url: String,
    /// The keys that encrypt the values of the source database.
    pub source_keys: KeySet,
    /// The settings of the empty target database, including the keys that encrypt its values.
    pub target: DatabaseSettings,
    /// The settings for anonymising. `None` moves the data unchanged. In that case, the source must be an
    /// embedded database and the target PostgreSQL.
    pub anonymise: Option<AnonymiseSettings>,
}

/// Copies all data. The source does not change. If the copy fails, the target stays empty.
///
/// The copy needs tokio's multi-threaded runtime.
///
/// # Errors
/// [`CopyError`] with the reason.
pub async fn transfer_database(
    job: CopyJob,
    progress: impl Fn(CopyProgress<'_>) + Send + Sync,
) -> Result<CopySummary, CopyError> {
    let (from, to) = (DatabaseUrl::parse(&job.source_url), DatabaseUrl::parse(&job.target.url));
    if job.anonymise.is_none() && !matches!((&from, &to), (DatabaseUrl::Sqlite(_), DatabaseUrl::Postgres(_)))
    {
        return Err(CopyError::TargetKind);
    }
    let unusable = || Failure::Bug("the key of the copy cannot be used".to_owned());
    let anonymiser = job.anonymise.as_ref().map(|how| Anonymiser::new(how).ok_or_else(unusable));
    let mut pipeline = RowPipeline {
        opens: Sealer::new(job.source_keys.clone().into(), Arc::clone(&job.target.randomness)),
        seals: Sealer::new(job.target.keys.clone(), Arc::clone(&job.target.randomness)),
        anonymiser: anonymiser.transpose()?,
    };
    let (sender, mut pieces) = mpsc::channel(MAX_QUEUED_BATCHES);
    let reading = async move {
        match from {
            DatabaseUrl::Postgres(url) => postgres_source::read_database(&url, &mut pipeline, &sender).await,
            DatabaseUrl::Sqlite(file) => {
                let reading =
                    tokio::task::spawn_blocking(move || source::read_file(&file, &mut pipeline, &sender));
                reading.await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string()).into()))
            }
        }
    };
    let writing = async move {
        // The source is read first, so that the target does not change if the source cannot be used.
        let Some(CopyMessage::Tables(tables)) = pieces.recv().await else { return Ok(None) };
        // Opening the target creates its tables and stores the canaries of its keys.
        drop(opening::open(job.target).await.map_err(CopyError::Target)?);
        match to {
            DatabaseUrl::Postgres(url) => target::write_database(&url, &tables, pieces, &progress).await,
            DatabaseUrl::Sqlite(file) => embedded_target::write_rows(&file, &tables, pieces, &progress).await,
        }
    };
    let (read, written) = tokio::join!(reading, writing);
    match (written, read) {
        (Ok(Some(moved)), Ok(())) => Ok(moved),
        (Err(error), Ok(())) | (Ok(_), Err(error)) | (Err(_), Err(error)) => Err(error),
        (Ok(None), Ok(())) => Err(Failure::Bug("the source has ended early".to_owned()).into()),
    }
}
