//! `doctor …`.

use clap::Args;

/// What is looked at, and how it is reported.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Resolve this host as a webhook's, beside those of registered hooks; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Print one JSON document, for programs.
    #[arg(long)]
    pub json: bool,
}
