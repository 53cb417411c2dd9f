//! The store about itself: its schema, whether it is empty, which keys it belongs to.

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Text};
use payroll_ports::StoreError;
use payroll_ports::schema::SchemaStore;

use super::{Conn, Store};
use crate::error::Outcome;
use crate::fixed::{binds, command, query};
use crate::seal::Sealer;

/// What is sealed as a canary, and the row that it is sealed to.
const CANARY: &str = "canary";

#[async_trait]
impl SchemaStore for Store {
    async fn schema_version(&self) -> Result<String, StoreError> {
        const VERSION: &str = "SELECT coalesce(max(version), '') FROM __diesel_schema_migrations";
        let read = self.db.read(move |conn| {
            Box::pin(async move { conn.row::<_, (String,)>(query::<(Text,)>(VERSION, binds![])).await })
        });
        Ok(read.await?.map(|(version,)| version).unwrap_or_default())
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        const ROWS: &str = "SELECT CAST(EXISTS (SELECT 1 FROM companies) AS INTEGER) * CAST(1 AS BIGINT) \
            + CAST(EXISTS (SELECT 1 FROM applications) AS INTEGER)";
        let read = self.db.read(move |conn| {
            Box::pin(async move { conn.row::<_, (i64,)>(query::<(BigInt,)>(ROWS, binds![])).await })
        });
        Ok(read.await?.is_none_or(|(rows,)| rows == 0))
    }
}

impl Store {
    /// Whether the key set is the one that this database was sealed with. A new database takes
    /// the key set as its own; a new key of the right set gets a canary of its own.
    pub(crate) async fn accepts_keys(&self) -> Outcome<bool> {
        let sealer = self.sealer.clone();
        self.db.write(move |conn| Box::pin(async move { accepts(conn, &sealer).await })).await
    }
}

async fn accepts(conn: &Conn, sealer: &Sealer) -> Outcome<bool> {
    const CANARIES: &str = "SELECT key_id, sealed FROM key_canaries";
    const INSERT: &str =
        "INSERT INTO key_canaries (key_id, sealed) VALUES ($1, $2) ON CONFLICT (key_id) DO NOTHING";
    let canaries: Vec<(String, String)> = conn.rows(query::<(Text, Text)>(CANARIES, binds![])).await?;
    let opens = |(_, sealed): &&(String, String)| sealer.open(sealed, CANARY).as_deref() == Some(CANARY);
    let opened = canaries.iter().filter(opens).count();
    let known = canaries.iter().filter(|(key_id, _)| sealer.has(key_id)).count();
    // A key of a known id that does not open its canary is another key of that id.
    if opened != known || (opened == 0 && !canaries.is_empty()) {
        return Ok(false);
    }
    let active = sealer.active_key_id();
    if canaries.iter().all(|(key_id, _)| key_id != active) {
        let sealed = sealer.seal(CANARY, CANARY);
        conn.execute(command(INSERT, binds![active, &sealed])).await?;
    }
    Ok(true)
}
