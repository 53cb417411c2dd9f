//! The arguments of the command `doctor`.

use clap::Args;

/// The checks and the format of the report.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Also check the addresses of this host name, in addition to the hosts of registered hooks. Can be
    /// repeated.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Print one JSON document, for programs.
    #[arg(long)]
    pub json: bool,
}
