//! `events` and `audit`.

use clap::Args;

/// Which events are shown.
#[derive(Debug, Args)]
pub struct EventsArguments {
    /// Those behind this cursor, which the last call printed; without it, from the oldest kept.
    #[arg(long, value_name = "CURSOR")]
    pub after: Option<String>,
    /// Go on with what comes, until Ctrl-C; with --json, one event a line.
    #[arg(long)]
    pub follow: bool,
    /// Only those about this company.
    #[arg(long, value_name = "COMPANY")]
    pub company: Option<String>,
    /// Only those of this domain, such as WRKR_DEM.
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
    /// At most so many at once.
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<u32>,
}

/// Which rows of the audit trail are shown, newest first.
#[derive(Debug, Args)]
pub struct AuditArguments {
    /// Only what concerns this company.
    #[arg(long, value_name = "COMPANY")]
    pub company: Option<String>,
    /// Only changes of this kind of object, such as worker or grant.
    #[arg(long, value_name = "KIND")]
    pub kind: Option<String>,
    /// Only changes of the object with this id.
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Not older than this instant.
    #[arg(long, value_name = "INSTANT")]
    pub from: Option<String>,
    /// Older than this instant.
    #[arg(long, value_name = "INSTANT")]
    pub until: Option<String>,
    /// Go on behind a page that was shown: rows before this position.
    #[arg(long, value_name = "POSITION")]
    pub before: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<u32>,
}
