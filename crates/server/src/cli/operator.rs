//! The options of every operator command: the server that it uses, and the format of its result.

use std::path::PathBuf;

use clap::Args;

/// Where a command is carried out and how its result is shown; the flags stand anywhere behind the
/// command's name.
#[derive(Debug, Clone, Default, Args)]
pub struct How {
    /// Ask the running server whose operator's listener this is, such as http://127.0.0.1:8081;
    /// without it, the command works on the database of the settings. The operator key is read
    /// from PAYROLL_OPERATOR_KEY or --operator-key-file.
    #[arg(long, global = true, value_name = "URL", help_heading = "Operator")]
    pub url: Option<String>,
    /// The file that contains only the operator key for --url.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Operator")]
    pub operator_key_file: Option<PathBuf>,
    /// A PEM file with certificate authorities for the certificate of --url, in addition to those of
    /// the system.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Operator")]
    pub ca_file: Option<PathBuf>,
    /// Print the operator API's own JSON, one document, for programs.
    #[arg(long, global = true, help_heading = "Operator")]
    pub json: bool,
}
