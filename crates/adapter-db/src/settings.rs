//! Settings for opening a database.

use std::path::PathBuf;
use std::sync::Arc;

use payroll_ports::Randomness;
use payroll_ports::keys::CurrentKeys;

/// The settings for opening a database: the URL, the limits on connections, and the encryption keys.
pub struct DatabaseSettings {
    /// `postgres://…`, or the path of a SQLite file, with or without `sqlite:` before it. A missing file is
    /// created.
    pub url: String,
    /// The address of the same PostgreSQL database without a pooler. This address is needed if the pooler may
    /// use another session for each transaction. Migrations and notifications between processes use this
    /// address.
    pub direct_url: Option<String>,
    /// The maximum number of PostgreSQL connections of this process.
    pub connections: usize,
    /// The maximum number of connections to each node of a distributed database. 0 sends all work through the
    /// coordinator.
    pub node_connections: usize,
    /// The maximum number of long responses at the same time. Each response keeps a snapshot open.
    pub streams: usize,
    /// Whether no other process uses the database. The lock of an embedded database guarantees this. If so,
    /// all requests of earlier processes have ended, and the server deletes the idempotency records of
    /// unfinished requests.
    pub is_exclusive: bool,
    /// The keys that encrypt secrets. The keys may be replaced while the database is open.
    pub keys: CurrentKeys,
    /// The source of nonces for encryption.
    pub randomness: Arc<dyn Randomness>,
}

/// Settings for reading a replica.
pub struct ReplicaSettings {
    /// The maximum number of connections of this process.
    pub connections: usize,
    /// The maximum number of long responses at the same time. Each response keeps a snapshot open.
    pub streams: usize,
    /// The keys that decrypt secrets.
    pub keys: CurrentKeys,
    /// The source of nonces for encryption, which a replica does not need.
    pub randomness: Arc<dyn Randomness>,
}

/// A database URL, parsed into the kind of database and its address.
pub(crate) enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(String),
}

impl DatabaseUrl {
    pub(crate) fn parse(url: &str) -> Self {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Self::Postgres(url.to_owned());
        }
        Self::Sqlite(url.strip_prefix("sqlite:").unwrap_or(url).into())
    }
}

/// Returns the path of the file if the URL is that of an embedded database, and `None` otherwise.
#[must_use]
pub fn embedded_file(url: &str) -> Option<PathBuf> {
    match DatabaseUrl::parse(url) {
        DatabaseUrl::Sqlite(path) => Some(path),
        DatabaseUrl::Postgres(_) => None,
    }
}
