//! Everything that one database holds, in another one that is empty: moved as it is from an embedded
//! database to PostgreSQL, or copied from either to either with persons replaced.
//!
//! Which tables and columns there are is read from the catalogs of both databases, so that there is
//! no list to keep of what is moved: a table that only one of them has is rejected. Of an anonymised copy
//! `personal` says what becomes of each column, and what it does not list is rejected as well. Rows go from
//! one to the other in pieces, so that memory does not grow with the database. What is sealed is opened and
//! sealed anew on the way (`passage`).
//!
//! All of it is one transaction of the target, and what was written is counted and summed there and
//! at the source before its commit: afterwards the target holds everything or nothing, and a copy
//! that was cut off is simply begun again. The source is read in one transaction and is not changed; a move
//! keeps other writers out, an anonymised copy does not.
//!
//! Not here: whether a server serves the source, which the caller learns from its lock.

mod columns;
mod compared;
mod disguise;
mod embedded_target;
mod error;
mod lines;
mod passage;
mod personal;
mod piece;
mod postgres_source;
mod sealed;
mod source;
mod target;

use std::sync::Arc;

use payroll_ports::keys::KeySet;
use tokio::sync::mpsc;

use crate::error::Failure;
use crate::opening;
use crate::seal::Sealer;
use crate::settings::{DatabaseUrl, Settings};
use disguise::Disguise;
use passage::Passage;
use piece::Piece;

pub use disguise::{Amounts, Anonymise};
pub use error::MoveError;
pub use piece::{Moved, Progress};

/// Pieces that are on their way at one time: one is written while the next are read.
const PIECES: usize = 4;

/// What is moved where.
pub struct Move {
    /// Where the source is, as in [`Settings::url`].
    pub from: String,
    /// What its secrets are sealed with.
    pub from_keys: KeySet,
    /// The empty database, with the keys that it is to have.
    pub to: Settings,
    /// How persons are replaced. `None`: everything is moved as it is, and then the source is an embedded
    /// database and the target PostgreSQL.
    pub anonymise: Option<Anonymise>,
}

/// Copies everything. The source stays as it is; the target holds everything, or nothing.
///
/// This needs tokio's multi-threaded runtime.
///
/// # Errors
/// [`MoveError`] says what is in the way.
pub async fn transfer(
    wanted: Move,
    progress: impl Fn(Progress<'_>) + Send + Sync,
) -> Result<Moved, MoveError> {
    let (from, to) = (DatabaseUrl::of(&wanted.from), DatabaseUrl::of(&wanted.to.url));
    if wanted.anonymise.is_none()
        && !matches!((&from, &to), (DatabaseUrl::Sqlite(_), DatabaseUrl::Postgres(_)))
    {
        return Err(MoveError::TargetKind);
    }
    let unusable = || Failure::Bug("the key of the copy cannot be used".to_owned());
    let disguise = wanted.anonymise.as_ref().map(|how| Disguise::new(how).ok_or_else(unusable));
    let mut passage = Passage {
        opens: Sealer::new(wanted.from_keys.clone().into(), Arc::clone(&wanted.to.randomness)),
        seals: Sealer::new(wanted.to.keys.clone(), Arc::clone(&wanted.to.randomness)),
        disguise: disguise.transpose()?,
    };
    let (sender, mut pieces) = mpsc::channel(PIECES);
    let reading = async move {
        match from {
            DatabaseUrl::Postgres(url) => postgres_source::read(&url, &mut passage, &sender).await,
            DatabaseUrl::Sqlite(file) => {
                let reading = tokio::task::spawn_blocking(move || source::read(&file, &mut passage, &sender));
                reading.await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string()).into()))
            }
        }
    };
    let writing = async move {
        // A source that cannot be used leaves the target as it is.
        let Some(Piece::Tables(tables)) = pieces.recv().await else { return Ok(None) };
        // Makes the tables, and notes the keys that the target belongs to.
        drop(opening::open(wanted.to).await.map_err(MoveError::Target)?);
        match to {
            DatabaseUrl::Postgres(url) => target::write(&url, &tables, pieces, &progress).await,
            DatabaseUrl::Sqlite(file) => embedded_target::write(&file, &tables, pieces, &progress).await,
        }
    };
    let (read, written) = tokio::join!(reading, writing);
    match (written, read) {
        (Ok(Some(moved)), Ok(())) => Ok(moved),
        (Err(error), Ok(())) | (Ok(_), Err(error)) | (Err(_), Err(error)) => Err(error),
        (Ok(None), Ok(())) => Err(Failure::Bug("the source has ended early".to_owned()).into()),
    }
}
