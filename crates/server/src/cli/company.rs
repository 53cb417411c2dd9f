//! `company …`.

use clap::Subcommand;

use super::Paging;

/// What can be done with companies.
#[derive(Debug, Subcommand)]
pub enum CompanyCommand {
    /// List companies.
    List {
        /// Only those with this display id; its last 8 characters count.
        #[arg(long, value_name = "DISPLAY-ID")]
        displayid: Option<String>,
        /// Which part of the list.
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a company, its products and who holds it.
    Show {
        /// The company's id.
        company: String,
    },
    /// Lock a company: partners add no checks, and no other operator changes workers, pay components and periods.
    Lock {
        /// The company's id.
        company: String,
        /// Why, for whoever is refused.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// When the lock ends by itself, as yyyy-MM-ddTHH:mm:ssZ.
        #[arg(long, value_name = "INSTANT")]
        until: Option<String>,
    },
    /// Give the lock of a company back, whoever took it.
    Unlock {
        /// The company's id.
        company: String,
    },
    /// Set the last day on which partners reach a company.
    EndDate {
        /// The company's id.
        company: String,
        /// The day, as yyyy-MM-dd.
        #[arg(required_unless_present = "clear")]
        date: Option<String>,
        /// Take the end date away.
        #[arg(long, conflicts_with = "date")]
        clear: bool,
    },
}
