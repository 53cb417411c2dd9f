//! The arguments of the command `backup`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of the command `backup`.
#[derive(Debug, Args)]
pub struct BackupArguments {
    /// The backup file to create. Without --force, the file must not exist.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace the file if it is an earlier backup that no program uses.
    #[arg(long)]
    pub force: bool,
}
