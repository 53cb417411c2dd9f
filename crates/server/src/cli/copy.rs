//! The arguments of the command `copy`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use payroll_adapter_db::Amounts;
use payroll_domain::SecretText;

use crate::config::{DatabaseUrl, Setting};

/// The minimum number of characters in a seed. All likely values of a shorter one could be tried.
const MIN_SEED_LENGTH: usize = 16;

/// What is copied where.
#[derive(Debug, Args)]
pub struct CopyArguments {
    /// The file of the embedded database, which no server serves meanwhile; with --anonymise also the
    /// address of a PostgreSQL database, and servers may go on. It is not changed.
    #[arg(long, value_name = "FILE", value_parser = <DatabaseUrl as Setting>::read)]
    pub from: DatabaseUrl,
    /// The PostgreSQL database, which must be empty; with --anonymise also a file that is not there yet.
    /// Default: the database of the settings, which keeps the password off the command line.
    #[arg(long, value_name = "URL", value_parser = <DatabaseUrl as Setting>::read)]
    pub to: Option<DatabaseUrl>,
    /// The file with the keys of the source. Default: the file next to the embedded database, otherwise
    /// the keys of the settings. The target always uses the keys of the settings.
    #[arg(long, value_name = "FILE")]
    pub from_key_file: Option<PathBuf>,
    /// Replace all data of persons and companies, so that the copy can be used for tests.
    #[arg(long)]
    pub anonymise: bool,
    /// Replace it in the same way whenever this text is given. Without it, no other copy is like this one.
    #[arg(long, value_name = "TEXT", requires = "anonymise", value_parser = seed)]
    pub anonymise_seed: Option<SecretText>,
    /// What becomes of amounts of money; `keep` without it.
    #[arg(long, value_name = "WHAT", requires = "anonymise")]
    pub amounts: Option<CopiedAmounts>,
}

/// What becomes of amounts of money in an anonymised copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CopiedAmounts {
    /// Amounts stay as they are.
    Keep,
    /// Those of each company are multiplied by a factor of its own, and checks add up as before.
    Scale,
}

impl From<CopiedAmounts> for Amounts {
    fn from(from: CopiedAmounts) -> Self {
        match from {
            CopiedAmounts::Keep => Self::Keep,
            CopiedAmounts::Scale => Self::Scale,
        }
    }
}

fn seed(text: &str) -> Result<SecretText, String> {
    if text.chars().count() < MIN_SEED_LENGTH {
        return Err(format!("must have {MIN_SEED_LENGTH} characters or more"));
    }
    Ok(SecretText::new(text))
}
