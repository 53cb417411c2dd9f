//! The arguments of the command `restore`.

use std::path::PathBuf;

use clap::Args;

/// The backup to restore.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// The file of the backup. The command only reads it.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Restore even if there is a database. The existing database is renamed and stays in its folder.
    #[arg(long)]
    pub force: bool,
}
