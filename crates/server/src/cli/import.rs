//! The arguments of the command `import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::OperatorOptions;

/// The kind of the rows in a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CsvKind {
    /// Each row is a worker of a company.
    Workers,
    /// Each row is a pay rate of a worker.
    Rates,
    /// Each row is a line of a check in a pay period: hours or an amount of a worker.
    Checks,
}

/// The arguments of the command `import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// The server and the output format.
    #[command(flatten)]
    pub how: OperatorOptions,
    /// The file: companies as NDJSON, or rows as CSV. `-` is standard input.
    #[arg(required_unless_present = "template")]
    pub file: Option<PathBuf>,
    /// Validate everything like an import, and store nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The kind of the rows in a CSV file: workers, rates or checks. Default: as in the name of the file.
    #[arg(long = "as", value_name = "KIND", value_enum, hide_possible_values = true, help_heading = "CSV")]
    pub kind: Option<CsvKind>,
    /// The company that the rows of the CSV file belong to.
    #[arg(long, value_name = "COMPANY", help_heading = "CSV")]
    pub company: Option<String>,
    /// The pay period that the checks of the CSV file belong to.
    #[arg(long, value_name = "PERIOD", help_heading = "CSV")]
    pub period: Option<String>,
    /// A TOML file for other column names than those of the template. Its table `[columns]` maps each name
    /// in your file to one of the template, such as "Emp No" = "employeeId".
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "CSV")]
    pub map: Option<PathBuf>,
    /// Print an example CSV file of workers, rates or checks, and exit.
    #[arg(long, value_name = "KIND", value_enum, hide_possible_values = true, help_heading = "CSV", conflicts_with_all = ["file", "kind", "map"])]
    pub template: Option<CsvKind>,
}
