//! The arguments of the command `copy`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use payroll_adapter_db::AmountTreatment;
use payroll_domain::SecretText;

use crate::config::{DatabaseUrl, Setting};

/// The minimum number of characters in a seed. An attacker could try all likely shorter seeds.
const MIN_SEED_LENGTH: usize = 16;

/// The arguments of the command `copy`.
#[derive(Debug, Args)]
pub struct CopyArguments {
    /// The source: the file of an embedded database. Stop its server first. With --anonymise, the source can
    /// also be a PostgreSQL URL, and its servers may continue to run. The source is not changed.
    #[arg(long, value_name = "FILE", value_parser = <DatabaseUrl as Setting>::read)]
    pub from: DatabaseUrl,
    /// The target: an empty PostgreSQL database. With --anonymise, the target can also be a file that does
    /// not exist yet. Default: the database of the settings, so that the password does not appear on the
    /// command line.
    #[arg(long, value_name = "URL", value_parser = <DatabaseUrl as Setting>::read)]
    pub to: Option<DatabaseUrl>,
    /// The file with the keys of the source. Default: the file next to the embedded database, otherwise
    /// the keys of the settings. The target always uses the keys of the settings.
    #[arg(long, value_name = "FILE")]
    pub from_key_file: Option<PathBuf>,
    /// Replace all data of persons and companies, so that the copy can be used for tests.
    #[arg(long)]
    pub anonymise: bool,
    /// A secret text from which the replacements are derived. Copies with the same text have the same
    /// replacements. Default: a random text.
    #[arg(long, value_name = "TEXT", requires = "anonymise", value_parser = parse_seed)]
    pub anonymise_seed: Option<SecretText>,
    /// Whether the copy keeps amounts of money or changes them. Default: `keep`.
    #[arg(long, value_name = "WHAT", requires = "anonymise")]
    pub amounts: Option<CopiedAmounts>,
}

/// The treatment of amounts of money in an anonymised copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CopiedAmounts {
    /// Amounts do not change.
    Keep,
    /// The amounts of each company are multiplied by its own factor, and checks still add up.
    Scale,
}

impl From<CopiedAmounts> for AmountTreatment {
    fn from(from: CopiedAmounts) -> Self {
        match from {
            CopiedAmounts::Keep => Self::Keep,
            CopiedAmounts::Scale => Self::Scale,
        }
    }
}

fn parse_seed(text: &str) -> Result<SecretText, String> {
    if text.chars().count() < MIN_SEED_LENGTH {
        return Err(format!("must have {MIN_SEED_LENGTH} characters or more"));
    }
    Ok(SecretText::new(text))
}
