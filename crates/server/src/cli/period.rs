//! `period …`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Paging;

/// What can be done with pay periods.
#[derive(Debug, Subcommand)]
pub enum PeriodCommand {
    /// List the pay periods of a company.
    List {
        /// The company's id.
        company: String,
        /// Which part of the list.
        #[command(flatten)]
        paging: Paging,
    },
    /// Close an open period, so that it can be completed; its company is locked until then.
    Process {
        /// The company's id.
        company: String,
        /// The period's id.
        period: String,
    },
    /// Complete a period in processing: what its checks come to is computed and shown to partners.
    Complete {
        /// The company's id.
        company: String,
        /// The period's id.
        period: String,
        /// A JSON file with taxes, deductions and numbers of checks; `-` reads standard input.
        #[arg(long, value_name = "FILE")]
        input: Option<PathBuf>,
    },
    /// Open a period in processing again.
    Reopen {
        /// The company's id.
        company: String,
        /// The period's id.
        period: String,
    },
}
