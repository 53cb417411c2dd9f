//! Sessions of operators' browsers.

use async_trait::async_trait;
use payroll_domain::audit::AuditedKind;
use payroll_domain::date::Timestamp;
use payroll_domain::document;
use payroll_domain::id::OperatorSessionId;
use payroll_ports::StoreError;
use payroll_ports::applications::SecretHash;
use payroll_ports::operator_sessions::{
    MAX_SESSIONS_PER_KEY, OperatorSession, OperatorSessionStore, SessionCreationOutcome,
};
use payroll_ports::write::AuditContext;

use super::super::audit_log::{AuditLog, AuditedObject};
use super::super::{Conn, Store, dialect, idempotency};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::access::to_hex;
use crate::rows::operator_sessions::{OperatorSessionRow, SessionWithKeyRow, into_session};
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::OnConflict;

/// Selects sessions with the operator keys to which they belong. Sessions of revoked keys are not included.
const SELECT_SESSION_WITH_KEY: &str = "SELECT s.session_id, s.key_id, s.created, s.expires, s.hash, k.key_id, k.created, k.name, \
    k.read_only, k.hash, k.operator_name, k.role, k.company_ids, k.expires, k.last_used \
    FROM operator_sessions s JOIN operator_keys k ON k.key_id = s.key_id ";

#[async_trait]
impl OperatorSessionStore for Store {
    async fn operator_session(
        &self,
        hash: &SecretHash,
        now: Timestamp,
    ) -> Result<Option<OperatorSession>, StoreError> {
        const SELECT_VALID_SESSION: &str =
            sql![SELECT_SESSION_WITH_KEY, "WHERE s.hash = $1 AND s.expires > $2"];
        let (hash, now) = (to_hex(&hash.0), now.as_micros());
        let read = run_on_connection!(self.query_by_key, |conn| conn
            .query_row::<SessionWithKeyRow>(query!(SELECT_VALID_SESSION, binds![hash, now])));
        Ok(read?.map(into_session).transpose()?)
    }

    async fn operator_sessions(&self, now: Timestamp) -> Result<Vec<OperatorSession>, StoreError> {
        const SELECT_VALID_SESSIONS: &str =
            sql![SELECT_SESSION_WITH_KEY, "WHERE s.expires > $1 ORDER BY s.created DESC, s.session_id DESC"];
        let now = now.as_micros();
        let read = run_on_connection!(self.query_by_key, |conn| conn
            .query_rows::<SessionWithKeyRow>(query!(SELECT_VALID_SESSIONS, binds![now])));
        Ok(read?.into_iter().map(into_session).collect::<Outcome<_>>()?)
    }

    async fn create_operator_session(
        &self,
        session: &OperatorSession,
        hash: &SecretHash,
        audit: &AuditContext,
    ) -> Result<SessionCreationOutcome, StoreError> {
        let (hash, sealer) = (*hash, &self.sealer);
        let created = run_on_connection!(self.write, |conn, session, audit, sealer| create_session(
            conn,
            (&session, hash),
            &audit,
            &sealer
        ));
        match created {
            Ok(created) => Ok(created),
            Err(Failure::RecordLost) => Ok(SessionCreationOutcome::RecordLost),
            Err(failure) => Err(failure.into()),
        }
    }

    async fn end_operator_session(
        &self,
        session_id: &OperatorSessionId,
        audit: &AuditContext,
    ) -> Result<bool, StoreError> {
        let sealer = &self.sealer;
        Ok(run_on_connection!(self.write, |conn, session_id, audit, sealer| end_session(
            conn,
            &session_id,
            &audit,
            &sealer
        ))?)
    }
}

/// Creates a session. The operator key is locked first. A revocation also locks the key, and then deletes the
/// sessions of the key. A revoked key therefore never has a session.
async fn create_session(
    conn: &Conn,
    (session, hash): (&OperatorSession, SecretHash),
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<SessionCreationOutcome> {
    const LOCK_KEY: &str = "UPDATE operator_keys SET name = name WHERE key_id = $1";
    const DELETE_EXPIRED_SESSIONS: &str = "DELETE FROM operator_sessions WHERE expires <= $1";
    const DELETE_OLDEST_SESSIONS: &str = "DELETE FROM operator_sessions WHERE key_id = $1 AND session_id NOT IN (\
        SELECT session_id FROM operator_sessions WHERE key_id = $1 \
        ORDER BY created DESC, session_id DESC LIMIT CAST($2 AS BIGINT))";
    let key_id = session.key.key_id.as_str();
    if conn.execute(command!(LOCK_KEY, binds![key_id])).await? == 0 {
        return Ok(SessionCreationOutcome::NoKey);
    }
    dialect::bulk_insert(conn, OnConflict::Fail, &[OperatorSessionRow::new(session, &hash)]).await?;
    conn.execute(command!(DELETE_EXPIRED_SESSIONS, binds![audit.now.as_micros()])).await?;
    conn.execute(command!(DELETE_OLDEST_SESSIONS, binds![key_id, MAX_SESSIONS_PER_KEY])).await?;
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(
        audited_session(&session.session_id),
        None,
        Some(document::write_operator_session(session, None)),
    );
    audit_log.store_records(conn).await?;
    idempotency::store_response(conn, audit.response_record.as_ref()).await?;
    Ok(SessionCreationOutcome::Stored)
}

async fn end_session(
    conn: &Conn,
    session_id: &OperatorSessionId,
    audit: &AuditContext,
    sealer: &Sealer,
) -> Outcome<bool> {
    const SELECT_SESSION: &str = sql![SELECT_SESSION_WITH_KEY, "WHERE s.session_id = $1"];
    const DELETE_SESSION: &str = "DELETE FROM operator_sessions WHERE session_id = $1";
    let row: Option<SessionWithKeyRow> =
        conn.query_row(query!(SELECT_SESSION, binds![session_id.as_str()])).await?;
    if conn.execute(command!(DELETE_SESSION, binds![session_id.as_str()])).await? == 0 {
        return Ok(false);
    }
    let Some(row) = row else { return Ok(false) };
    let mut audit_log = AuditLog::new(audit, sealer);
    audit_log.record_change(
        audited_session(session_id),
        Some(document::write_operator_session(&into_session(row)?, None)),
        None,
    );
    audit_log.store_records(conn).await?;
    Ok(true)
}

fn audited_session(session_id: &OperatorSessionId) -> AuditedObject<'_> {
    AuditedObject { company_id: None, kind: AuditedKind::OperatorSession, id: session_id.as_str() }
}
