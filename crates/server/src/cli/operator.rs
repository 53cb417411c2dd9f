//! The options of every operator command: the server that it uses, and the format of its result.

use std::path::PathBuf;

use clap::Args;

/// The server for a command, and the format of its result. The flags may be anywhere after the command's
/// name.
#[derive(Debug, Clone, Default, Args)]
pub struct OperatorOptions {
    /// The operator listener of the running server to use, such as http://127.0.0.1:8081. Default: the
    /// command works on the database of the settings. The operator key is read from PAYROLL_OPERATOR_KEY or
    /// --operator-key-file.
    #[arg(long, global = true, value_name = "URL", help_heading = "Operator")]
    pub url: Option<String>,
    /// The file that contains only the operator key for --url.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Operator")]
    pub operator_key_file: Option<PathBuf>,
    /// A PEM file with certificate authorities for the certificate of --url, in addition to those of
    /// the system.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Operator")]
    pub ca_file: Option<PathBuf>,
    /// Print the operator API's own JSON as one document, for programs.
    #[arg(long, global = true, help_heading = "Operator")]
    pub json: bool,
}
