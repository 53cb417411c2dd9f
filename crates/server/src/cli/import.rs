//! The arguments of the command `import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::How;

/// What the rows of a CSV file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CsvKind {
    /// Workers of a company.
    Workers,
    /// Pay rates of workers.
    Rates,
    /// Lines of checks for a pay period: hours and amounts of workers.
    Checks,
}

/// What is imported, and how.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// How it is called.
    #[command(flatten)]
    pub how: How,
    /// The file: companies as NDJSON, or rows as CSV; `-` is standard input.
    #[arg(required_unless_present = "template")]
    pub file: Option<PathBuf>,
    /// Validate everything as an import does, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// What the rows of a CSV file are: workers, rates or checks; without it the file's name says so.
    #[arg(long = "as", value_name = "KIND", value_enum, hide_possible_values = true, help_heading = "CSV")]
    pub kind: Option<CsvKind>,
    /// The company that the rows belong to.
    #[arg(long, value_name = "COMPANY", help_heading = "CSV")]
    pub company: Option<String>,
    /// The pay period that checks are added to.
    #[arg(long, value_name = "PERIOD", help_heading = "CSV")]
    pub period: Option<String>,
    /// A TOML file in which `[columns]` names the column for each one of the file's header.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "CSV")]
    pub map: Option<PathBuf>,
    /// Print an example CSV file of workers, rates or checks, and exit.
    #[arg(long, value_name = "KIND", value_enum, hide_possible_values = true, help_heading = "CSV", conflicts_with_all = ["file", "kind", "map"])]
    pub template: Option<CsvKind>,
}
