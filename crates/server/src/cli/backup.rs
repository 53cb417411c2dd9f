//! The arguments of the command `backup`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of the command `backup`.
#[derive(Debug, Args)]
pub struct BackupArguments {
    /// The file of the copy. It must not exist.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Replace the file if it is a copy that is not in use.
    #[arg(long)]
    pub force: bool,
}
