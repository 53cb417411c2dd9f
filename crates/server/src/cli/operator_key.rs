//! `operator-key …`.

use clap::Subcommand;

/// What can be done with operator keys. KEY is an id or a name.
#[derive(Debug, Subcommand)]
pub enum OperatorKeyCommand {
    /// Make a key and print it, this once. Without --url it needs no other key, so that the first one
    /// can be made.
    Create {
        /// Its name, which no other key has; the audit trail shows it.
        name: String,
        /// The key reads, with tax identities of persons masked, and writes nothing.
        #[arg(long)]
        read_only: bool,
    },
    /// List all keys, without their values.
    List,
    /// Revoke a key. This stops the very next request.
    Revoke {
        /// The key.
        key: String,
    },
}
