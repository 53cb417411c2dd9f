//! Operator keys, which grant access to the operator API.

use async_trait::async_trait;
use payroll_domain::audit::AuditedKind;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_domain::id::OperatorKeyId;
use payroll_domain::operator_name;
use payroll_ports::StoreError;
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_keys::{KeyCreationOutcome, OperatorKey, OperatorKeyStore};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::{Conn, Store, dialect, idempotency};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::access::{OperatorKeyRow, to_hex};
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition};

/// The text in `Failure::Taken` if the name of an operator looks like the name of another operator. The
/// transaction creates this failure itself. The database has no such constraint.
const OPERATOR_NAME_CONSTRAINT: &str = "operator_keys_operator_name";

#[async_trait]
impl OperatorKeyStore for Store {
    async fn operator_key(&self, hash: &SecretHash) -> Result<Option<OperatorKey>, StoreError> {
        const SELECT_KEY: &str =
            sql!["SELECT ", OperatorKeyRow::COLUMNS, " FROM operator_keys WHERE hash = $1"];
        let hash = to_hex(&hash.0);
        Ok(run_on_connection!(self.query_by_key, |conn| conn
            .query_row::<OperatorKeyRow>(query!(SELECT_KEY, binds![hash])))?
        .map(OperatorKeyRow::into_operator_key)
        .transpose()?)
    }

    async fn operator_keys(&self) -> Result<Vec<OperatorKey>, StoreError> {
        const SELECT_KEYS: &str =
            sql!["SELECT ", OperatorKeyRow::COLUMNS, " FROM operator_keys ORDER BY name"];
        let read = self.db.read(|conn| {
            Box::pin(async move { conn.query_rows::<OperatorKeyRow>(query!(SELECT_KEYS, binds![])).await })
        });
        Ok(read.await?.into_iter().map(OperatorKeyRow::into_operator_key).collect::<Outcome<_>>()?)
    }

    async fn create_operator_key(
        &self,
        key: &OperatorKey,
        hash: &SecretHash,
        audit: &AuditContext,
    ) -> Result<KeyCreationOutcome, StoreError> {
        let hash = *hash;
        let sealer = &self.sealer;
        match run_on_connection!(self.write, |conn, key, audit, sealer| create_operator_key(
            conn,
            (&key, hash),
            &audit,
            &sealer
        )) {
            Ok(()) => Ok(KeyCreationOutcome::Stored),
            Err(Failure::Taken(what)) if what == OPERATOR_NAME_CONSTRAINT => {
                Ok(KeyCreationOutcome::OperatorLooksTheSame)
            }
            Err(Failure::Taken(_)) => Ok(KeyCreationOutcome::Taken),
            Err(Failure::RecordLost) => Ok(KeyCreationOutcome::RecordLost),
            Err(failure) => Err(failure.into()),
        }
    }

    async fn record_operator_key_use(
        &self,
        key_id: &OperatorKeyId,
        used: Timestamp,
    ) -> Result<(), StoreError> {
        // The write need not wait for the disk. If a power failure loses the record, the next use of the key
        // is recorded instead.
        run_on_connection!(self.write_without_sync, |conn, key_id| record_key_use(conn, &key_id, used))?;
        Ok(())
    }

    async fn revoke_operator_key(
        &self,
        key_id: &OperatorKeyId,
        audit: &AuditContext,
    ) -> Result<bool, StoreError> {
        let sealer = &self.sealer;
        Ok(run_on_connection!(self.write, |conn, key_id, audit, sealer| revoke_key(
            conn, &key_id, &audit, &sealer
        ))?)
    }
}

async fn create_operator_key(
    conn: &Conn,
    (key, hash): (&OperatorKey, SecretHash),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<()> {
    // The unique constraint only detects equal names, but not names that look alike. The comparison below
    // detects names that look alike. The lock prevents that another key is created in the meantime.
    dialect::lock_operator_key_creation(conn).await?;
    const SELECT_NAMES: &str = "SELECT name, coalesce(operator_name, name) FROM operator_keys ORDER BY name";
    let names: Vec<(String, String)> = conn.query_rows(query!(SELECT_NAMES, binds![])).await?;
    if names.iter().any(|(name, _)| operator_name::are_confusable(name, &key.name)) {
        return Err(Failure::Taken("operator_keys_name".to_owned()));
    }
    let own = &key.operator_name;
    if names.iter().any(|(_, other)| other != own && operator_name::are_confusable(other, own)) {
        return Err(Failure::Taken(OPERATOR_NAME_CONSTRAINT.to_owned()));
    }
    dialect::bulk_insert(conn, OnConflict::Fail, &[OperatorKeyRow::new(key, &hash)]).await?;
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(audited_key(&key.key_id), None, Some(document::write_operator_key(key, None)));
    audit_log.store_records(conn).await?;
    idempotency::store_response(conn, audit.response_record.as_ref()).await
}

async fn record_key_use(conn: &Conn, key_id: &OperatorKeyId, used: Timestamp) -> Outcome<()> {
    const UPDATE_LAST_USED: &str = "UPDATE operator_keys SET last_used = $1 \
        WHERE key_id = $2 AND (last_used IS NULL OR last_used < $1)";
    conn.execute(command!(UPDATE_LAST_USED, binds![used.as_micros(), key_id.as_str()])).await?;
    Ok(())
}

async fn revoke_key(
    conn: &Conn,
    key_id: &OperatorKeyId,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<bool> {
    const DELETE_KEY: &str =
        sql!["DELETE FROM operator_keys WHERE key_id = $1 RETURNING ", OperatorKeyRow::COLUMNS];
    let row: Option<OperatorKeyRow> = conn.query_row(query!(DELETE_KEY, binds![key_id.as_str()])).await?;
    let Some(row) = row else { return Ok(false) };
    conn.execute(command!("DELETE FROM operator_sessions WHERE key_id = $1", binds![key_id.as_str()]))
        .await?;
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(
        audited_key(key_id),
        Some(document::write_operator_key(&row.into_operator_key()?, None)),
        None,
    );
    audit_log.store_records(conn).await?;
    Ok(true)
}

fn audited_key(key_id: &OperatorKeyId) -> AuditedObject<'_> {
    AuditedObject { company_id: None, kind: AuditedKind::OperatorKey, id: key_id.as_str() }
}
