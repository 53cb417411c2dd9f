//! Everything that an embedded database holds, moved into an empty PostgreSQL database.
//!
//! Which tables and columns there are is read from the catalogs of both databases, so that there is
//! no list to keep: a table that only one of them has is refused. Rows go from one to the other as
//! PostgreSQL's text of rows (`COPY`), in pieces, so that memory does not grow with the database. What
//! is sealed is opened and sealed anew on the way (`sealed`).
//!
//! All of it is one transaction of the target, and what was written is counted and summed there and
//! at the source before its commit: afterwards the target holds everything or nothing, and a copy
//! that was cut off is simply begun again. The source is read in one transaction that keeps other
//! writers out, and is not changed.
//!
//! Not here: whether a server serves the source, which the caller learns from its lock.

mod columns;
mod compared;
mod error;
mod lines;
mod piece;
mod sealed;
mod source;
mod target;

use std::path::PathBuf;
use std::sync::Arc;

use payroll_ports::keys::KeySet;
use tokio::sync::mpsc;

use crate::error::Failure;
use crate::seal::Sealer;
use crate::{Place, Settings};
use piece::Piece;

pub use error::MoveError;
pub use piece::{Moved, Progress};

/// Pieces that are on their way at one time: one is written while the next are read.
const PIECES: usize = 4;

/// What is moved where.
pub struct Move {
    /// The file of the embedded database.
    pub from: PathBuf,
    /// What its secrets are sealed with.
    pub from_keys: KeySet,
    /// The PostgreSQL database, with the keys that it is to have.
    pub to: Settings,
}

/// Moves everything. The source stays as it is; the target holds everything, or nothing.
///
/// # Errors
/// [`MoveError`] says what is in the way.
pub async fn transfer(
    wanted: Move,
    progress: impl Fn(Progress<'_>) + Send + Sync,
) -> Result<Moved, MoveError> {
    let Place::Postgres(url) = Place::of(&wanted.to.url) else { return Err(MoveError::TargetKind) };
    let opens = Sealer::new(wanted.from_keys.clone().into(), Arc::clone(&wanted.to.randomness));
    let seals = Sealer::new(wanted.to.keys.clone(), Arc::clone(&wanted.to.randomness));
    let (sender, mut pieces) = mpsc::channel(PIECES);
    let from = wanted.from;
    let reading = tokio::task::spawn_blocking(move || source::read(&from, &opens, &seals, &sender));
    let written = async {
        // A source that cannot be used leaves the target as it is.
        let Some(Piece::Tables(tables)) = pieces.recv().await else { return Ok(None) };
        // Makes the tables, and notes the keys that the target belongs to.
        drop(crate::open(wanted.to).await.map_err(MoveError::Target)?);
        target::write(&url, &tables, pieces, &progress).await
    };
    let written: Result<Option<Moved>, MoveError> = written.await;
    let read = reading.await.unwrap_or_else(|error| Err(Failure::Bug(error.to_string()).into()));
    match (written, read) {
        (Ok(Some(moved)), Ok(())) => Ok(moved),
        (Err(error), Ok(())) | (Ok(_), Err(error)) | (Err(_), Err(error)) => Err(error),
        (Ok(None), Ok(())) => Err(Failure::Bug("the source has ended early".to_owned()).into()),
    }
}
