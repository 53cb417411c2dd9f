//! The arguments of the command `export`.

use clap::Args;

use super::How;

/// What is exported, and where to.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// How it is called.
    #[command(flatten)]
    pub how: How,
    /// The companies, or `--all`; and the file at last, which must not be there yet. `-` is standard output.
    #[arg(required = true, value_name = "COMPANY… FILE")]
    pub words: Vec<String>,
    /// Every company of the server; then the file stands alone.
    #[arg(long)]
    pub all: bool,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
}
