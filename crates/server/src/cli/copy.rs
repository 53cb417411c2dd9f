//! `copy …`.

use std::path::PathBuf;

use clap::Args;

use crate::config::{DatabaseUrl, Setting};

/// What is copied where.
#[derive(Debug, Args)]
pub struct CopyArguments {
    /// The file of the embedded database, which no server serves meanwhile. It is not changed.
    #[arg(long, value_name = "FILE", value_parser = <DatabaseUrl as Setting>::read)]
    pub from: DatabaseUrl,
    /// The PostgreSQL database, which must be empty; without it, that of the settings, where its
    /// password does not stand on the command line.
    #[arg(long, value_name = "URL", value_parser = <DatabaseUrl as Setting>::read)]
    pub to: Option<DatabaseUrl>,
    /// The file with the keys of the embedded database. Without it, the one beside the database, and
    /// where there is none, the keys of the settings, which are always those of the target.
    #[arg(long, value_name = "FILE")]
    pub from_key_file: Option<PathBuf>,
}
