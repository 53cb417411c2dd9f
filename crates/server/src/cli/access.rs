//! `access …`.

use clap::Subcommand;

/// What can be done with requests of applications for access. REQUEST is the link that the partner
/// has sent, or an id.
#[derive(Debug, Subcommand)]
pub enum AccessCommand {
    /// List the requests that wait for a decision.
    List,
    /// Grant what a request asks for, or less.
    Approve {
        /// The request.
        request: String,
        /// Such as read:payroll. None: all that it asks for.
        scopes: Vec<String>,
    },
    /// Refuse a request.
    Refuse {
        /// The request.
        request: String,
    },
}
