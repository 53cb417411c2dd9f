//! Idempotency keys: marks of requests under way, and the answers that are kept.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::idempotency::{Answer, Begun, IdempotencyStore, KeptAnswer, RequestMark};

use super::lists::unsigned;
use super::{Conn, Store};
use crate::connections::on_connection;
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, command, query};
use crate::rows::At;
use crate::rows::access::hex;

#[async_trait]
impl IdempotencyStore for Store {
    async fn begin(
        &self,
        mark: &RequestMark,
        now: Timestamp,
        lease_ends: Timestamp,
    ) -> Result<Begun, StoreError> {
        Ok(on_connection!(self.write, |conn, mark| begin(conn, &mark, now, lease_ends))?)
    }

    async fn keep(&self, kept: &KeptAnswer) -> Result<bool, StoreError> {
        match on_connection!(self.write, |conn, kept| keep(conn, Some(&kept))) {
            Ok(()) => Ok(true),
            Err(Failure::MarkLost) => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }

    async fn release(&self, mark: &RequestMark) -> Result<(), StoreError> {
        let mark = mark.clone();
        Ok(self.db.write(move |conn| Box::pin(async move { release(conn, &mark).await })).await?)
    }

    async fn forget_expired(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(on_connection!(self.write, |conn| forget(conn, now, limit))?)
    }
}

/// Keeps the answer, if there is one to keep, in the transaction of the change.
pub(super) async fn keep(conn: &Conn, kept: Option<&KeptAnswer>) -> Outcome<()> {
    const KEEP: &str = "UPDATE idempotency_keys \
        SET status = $1, content_type = $2, body = $3, expires = $4 \
        WHERE owner = $5 AND idempotency_key = $6 AND attempt = $7 AND status IS NULL";
    let Some(kept) = kept else { return Ok(()) };
    let values = binds![
        i64::from(kept.answer.status),
        &kept.answer.content_type,
        &kept.answer.body,
        kept.expires.as_micros(),
        &kept.mark.owner,
        &kept.mark.key,
        &kept.mark.attempt,
    ];
    if conn.execute(command!(KEEP, values)).await? == 1 { Ok(()) } else { Err(Failure::MarkLost) }
}

async fn begin(conn: &Conn, mark: &RequestMark, now: Timestamp, lease_ends: Timestamp) -> Outcome<Begun> {
    // One statement sets the mark or leaves what stands: of many at once, one sets it.
    const MARK: &str = "INSERT INTO idempotency_keys (owner, idempotency_key, request_hash, attempt, expires) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner, idempotency_key) DO UPDATE \
        SET request_hash = excluded.request_hash, attempt = excluded.attempt, expires = excluded.expires, \
            status = NULL, content_type = NULL, body = NULL \
        WHERE idempotency_keys.expires <= $6 \
            OR (idempotency_keys.status IS NULL AND idempotency_keys.expires > $7)";
    const FOUND: &str = "SELECT request_hash, status, content_type, body FROM idempotency_keys \
        WHERE owner = $1 AND idempotency_key = $2";
    let hash = hex(&mark.request_hash);
    // A mark that ends later than two leases from now was set before the clock was set back: by now
    // its request has ended, or finds its mark lost. One lease more is for clocks that differ.
    let lease = lease_ends.as_micros().saturating_sub(now.as_micros());
    let latest = lease_ends.as_micros().saturating_add(lease);
    let values = binds![
        &mark.owner,
        &mark.key,
        &hash,
        &mark.attempt,
        lease_ends.as_micros(),
        now.as_micros(),
        latest,
    ];
    if conn.execute(command!(MARK, values)).await? == 1 {
        return Ok(Begun::Fresh);
    }
    let values = binds![&mark.owner, &mark.key];
    let found: Option<MarkRow> = conn.row(query!(FOUND, values)).await?;
    match found {
        // Taken back between the two statements: its request ends just now.
        None => Ok(Begun::UnderWay),
        Some((stored, ..)) if stored != hash => Ok(Begun::UsedOtherwise),
        Some((_, Some(status), Some(content_type), Some(body))) => {
            let status = At { table: "idempotency_keys", key: &mark.key }.number(status)?;
            Ok(Begun::Answered(Answer { status, content_type, body }))
        }
        Some(_) => Ok(Begun::UnderWay),
    }
}

type MarkRow = (String, Option<i64>, Option<String>, Option<Vec<u8>>);

async fn release(conn: &Conn, mark: &RequestMark) -> Outcome<()> {
    const RELEASE: &str = "DELETE FROM idempotency_keys \
        WHERE owner = $1 AND idempotency_key = $2 AND attempt = $3 AND status IS NULL";
    conn.execute(command!(RELEASE, binds![&mark.owner, &mark.key, &mark.attempt])).await?;
    Ok(())
}

async fn forget(conn: &Conn, now: Timestamp, limit: u32) -> Outcome<u64> {
    const FORGET: &str = "DELETE FROM idempotency_keys WHERE (owner, idempotency_key) IN (\
        SELECT owner, idempotency_key FROM idempotency_keys WHERE expires <= $1 LIMIT $2) AND expires <= $1";
    let forgotten = conn.execute(command!(FORGET, binds![now.as_micros(), i64::from(limit)])).await?;
    unsigned(i64::try_from(forgotten).unwrap_or(0))
}
