//! The arguments of the command `mcp`.

use std::path::PathBuf;

use clap::Args;

/// The arguments of the command `mcp`.
#[derive(Debug, Args)]
pub struct McpArguments {
    /// The listener of the running server, such as http://127.0.0.1:8080. With --operator, its operator
    /// listener.
    #[arg(long, value_name = "URL")]
    pub url: String,
    /// The application's API key. Its secret is in PAYROLL_CLIENT_SECRET.
    #[arg(long, value_name = "ID", required_unless_present = "operator", conflicts_with = "operator")]
    pub client_id: Option<String>,
    /// Offer the operations of operators. The key is in PAYROLL_OPERATOR_KEY or in --operator-key-file.
    #[arg(long)]
    pub operator: bool,
    /// The file that contains only the operator key.
    #[arg(long, value_name = "FILE", requires = "operator")]
    pub operator_key_file: Option<PathBuf>,
    /// A PEM file with certificate authorities for the certificate of --url, in addition to those of
    /// the system.
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Offer only tools that change nothing.
    #[arg(long)]
    pub read_only: bool,
    /// Offer only the operations with these tags of the API description, separated by commas, such as
    /// Payroll,Worker.
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    pub tags: Vec<String>,
}
