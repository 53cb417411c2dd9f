//! `import …`.

use std::path::PathBuf;

use clap::Args;

use super::How;

/// What is imported, and how.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// How it is called.
    #[command(flatten)]
    pub how: How,
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// Judge every line as an import does, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
}
