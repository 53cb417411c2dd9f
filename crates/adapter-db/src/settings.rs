//! Which database is opened, and how it is used.

use std::path::PathBuf;
use std::sync::Arc;

use payroll_ports::Randomness;
use payroll_ports::keys::LiveKeys;

/// Where the data is, and how it is used.
pub struct Settings {
    /// `postgres://…`, or the path of a SQLite file, with or without `sqlite:` before it. A file
    /// that is not there is made.
    pub url: String,
    /// The address of the same PostgreSQL database without a pooler, where a pooler lends its connections for
    /// one transaction: for migrations, and notifications between processes.
    pub direct_url: Option<String>,
    /// PostgreSQL connections of this process.
    pub connections: usize,
    /// Connections of this process to each machine that companies lie on, where the database is distributed; 0:
    /// everything goes through the coordinator.
    pub node_connections: usize,
    /// Long responses that may be in progress at the same time; each holds a snapshot.
    pub streams: usize,
    /// No other process serves the database, as who has the lock of an embedded one knows: what a request
    /// was doing there before has ended.
    pub alone: bool,
    /// What seals the secrets at rest; it may be replaced meanwhile.
    pub keys: LiveKeys,
    /// Where nonces come from.
    pub randomness: Arc<dyn Randomness>,
}

/// How a replica is read.
pub struct ReplicaSettings {
    /// Connections of this process.
    pub connections: usize,
    /// Long responses that may be in progress at the same time; each holds a snapshot.
    pub streams: usize,
    /// What the secrets at rest were sealed with.
    pub keys: LiveKeys,
    /// Where nonces come from; none is needed.
    pub randomness: Arc<dyn Randomness>,
}

/// Which database an address means.
pub(crate) enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(String),
}

impl DatabaseUrl {
    pub(crate) fn of(url: &str) -> Self {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Self::Postgres(url.to_owned());
        }
        Self::Sqlite(url.strip_prefix("sqlite:").unwrap_or(url).into())
    }
}

/// Whether the address is that of an embedded database, and then the path of its file.
#[must_use]
pub fn embedded_file(url: &str) -> Option<PathBuf> {
    match DatabaseUrl::of(url) {
        DatabaseUrl::Sqlite(path) => Some(path),
        DatabaseUrl::Postgres(_) => None,
    }
}
