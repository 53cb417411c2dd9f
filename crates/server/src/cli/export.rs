//! The arguments of the command `export`.

use clap::Args;

use super::OperatorOptions;

/// The arguments of the command `export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// The server and the output format.
    #[command(flatten)]
    pub how: OperatorOptions,
    /// The companies, or `--all`, followed by the file, which must not exist. `-` is standard output.
    #[arg(required = true, value_name = "COMPANY… FILE")]
    pub words: Vec<String>,
    /// Export every company of the server. The file is then the only other argument.
    #[arg(long)]
    pub all: bool,
    /// Replace the file if it exists.
    #[arg(long)]
    pub force: bool,
}
