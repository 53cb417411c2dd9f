//! Information about the database: its schema, whether it is empty, and its keys.

use async_trait::async_trait;
use payroll_ports::StoreError;
use payroll_ports::metrics::Metric;
use payroll_ports::schema::{ClusterNodes, SchemaStore, StatisticsScope};

use super::lists::to_unsigned_count;
use super::{Conn, Store, dialect};
use crate::connections::run_on_connection;
use crate::error::{self, Outcome};
use crate::keys::{KeyCheckResult, MissingKey};
use crate::seal::{COUNT_ROWS_OF_KEY, SELECT_CANARIES, Sealer, ciphertext_bounds};
use crate::statement::{binds, command, query};

#[async_trait]
impl SchemaStore for Store {
    async fn schema_version(&self) -> Result<String, StoreError> {
        const SELECT_SCHEMA_VERSION: &str =
            "SELECT coalesce(max(version), '') FROM __diesel_schema_migrations";
        Ok(run_on_connection!(self.query_once, |conn| conn
            .query_row::<(String,)>(query!(SELECT_SCHEMA_VERSION, binds![])))?
        .map(|(version,)| version)
        .unwrap_or_default())
    }

    async fn ping(&self) -> Result<String, StoreError> {
        Ok(self.db.ping().await?)
    }

    fn nodes(&self) -> Option<ClusterNodes> {
        self.db.nodes()
    }

    fn metrics(&self) -> Vec<Metric> {
        let of_database = self.db.metrics().into_iter();
        of_database.chain(error::metrics()).chain([self.unreadable_companies.metric()]).collect()
    }

    fn unreadable_companies(&self) -> Vec<String> {
        self.unreadable_companies.ids()
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        const SELECT_HAS_ROWS: &str = "SELECT CAST(EXISTS (SELECT 1 FROM companies) AS INTEGER) * CAST(1 AS BIGINT) \
            + CAST(EXISTS (SELECT 1 FROM applications) AS INTEGER)";
        Ok(run_on_connection!(self.query_once, |conn| conn
            .query_row::<(i64,)>(query!(SELECT_HAS_ROWS, binds![])))?
        .is_none_or(|(rows,)| rows == 0))
    }

    async fn refresh_statistics(&self, scope: StatisticsScope) -> Result<(), StoreError> {
        Ok(self.db.write(move |conn| Box::pin(dialect::refresh_statistics(conn, scope))).await?)
    }
}

impl Store {
    /// Verifies that the key set belongs to this database and has every key that a row needs. A new database
    /// accepts any key set. The canary of a key that is not in the key set and that no row needs is deleted.
    /// If the key set is correct and the active key has no canary yet, a canary is stored for this key.
    pub(crate) async fn check_keys(&self) -> Outcome<KeyCheckResult> {
        let sealer = self.sealer.clone();
        self.db.write(move |conn| Box::pin(async move { check_canaries(conn, &sealer).await })).await
    }
}

async fn check_canaries(conn: &Conn, sealer: &Sealer) -> Outcome<KeyCheckResult> {
    const INSERT_CANARY: &str =
        "INSERT INTO key_canaries (key_id, sealed) VALUES ($1, $2) ON CONFLICT (key_id) DO NOTHING";
    const DELETE_CANARY: &str = "DELETE FROM key_canaries WHERE key_id = $1";
    let canaries: Vec<(String, String)> = conn.query_rows(query!(SELECT_CANARIES, binds![])).await?;
    if !sealer.can_decrypt_canaries(&canaries) {
        return Ok(KeyCheckResult::Others);
    }
    let mut missing = Vec::new();
    for key_id in sealer.unknown_key_ids(&canaries) {
        match count_rows_encrypted_with(conn, &key_id).await? {
            0 => drop(conn.execute(command!(DELETE_CANARY, binds![key_id])).await?),
            rows => missing.push(MissingKey { key_id, rows }),
        }
    }
    if !missing.is_empty() {
        return Ok(KeyCheckResult::Missing(missing));
    }
    let active = sealer.active_key_id();
    if canaries.iter().all(|(key_id, _)| *key_id != active) {
        conn.execute(command!(INSERT_CANARY, binds![active, sealer.encrypt_canary()])).await?;
    }
    Ok(KeyCheckResult::All)
}

/// Returns the number of rows with values that a key has encrypted or hashed.
async fn count_rows_encrypted_with(conn: &Conn, key_id: &str) -> Outcome<u64> {
    let [from, before] = ciphertext_bounds(key_id);
    let row: Option<(i64,)> = conn.query_row(query!(COUNT_ROWS_OF_KEY, binds![from, before])).await?;
    to_unsigned_count(row.map_or(0, |(rows,)| rows))
}
