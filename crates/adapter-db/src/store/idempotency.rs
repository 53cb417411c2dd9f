//! Idempotency keys: records of requests in progress, and stored responses.

use async_trait::async_trait;
use payroll_domain::date::Timestamp;
use payroll_ports::StoreError;
use payroll_ports::idempotency::{
    IdempotencyRecord, IdempotencyState, IdempotencyStore, ResponseRecord, StoredResponse,
};

use super::lists::to_unsigned_count;
use super::{Conn, Store, dialect};
use crate::connections::run_on_connection;
use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::rows::access::to_hex;
use crate::statement::{binds, command, query};

#[async_trait]
impl IdempotencyStore for Store {
    async fn begin_request(
        &self,
        record: &IdempotencyRecord,
        now: Timestamp,
        lease_ends: Timestamp,
    ) -> Result<IdempotencyState, StoreError> {
        // This write need not wait for the disk. The write-ahead log contains this record before the change
        // that the request makes. A power failure that loses the record therefore loses the change as well.
        Ok(run_on_connection!(self.write_without_sync, |conn, record| begin_record(
            conn, &record, now, lease_ends
        ))?)
    }

    async fn store_response(&self, record: &ResponseRecord) -> Result<bool, StoreError> {
        match run_on_connection!(self.write, |conn, record| store_response(conn, Some(&record))) {
            Ok(()) => Ok(true),
            Err(Failure::RecordLost) => Ok(false),
            Err(failure) => Err(failure.into()),
        }
    }

    async fn release_record(&self, record: &IdempotencyRecord) -> Result<(), StoreError> {
        Ok(run_on_connection!(self.write_without_sync, |conn, record| delete_record_of_attempt(
            conn, &record
        ))?)
    }

    async fn delete_expired_records(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(run_on_connection!(self.write_without_sync, |conn| delete_expired_records(conn, now, limit))?)
    }
}

/// Stores the response for retries, in the same transaction as the change. Does nothing if `record` is
/// `None`.
pub(super) async fn store_response(conn: &Conn, record: Option<&ResponseRecord>) -> Outcome<()> {
    const UPDATE_RESPONSE: &str = "UPDATE idempotency_keys \
        SET status = $1, content_type = $2, body = $3, expires = $4 \
        WHERE owner = $5 AND idempotency_key = $6 AND attempt = $7 AND status IS NULL";
    let Some(response_record) = record else { return Ok(()) };
    let attempt = StoredAttempt::new(conn, &response_record.record).to_text();
    let values = binds![
        i64::from(response_record.response.status),
        &response_record.response.content_type,
        &response_record.response.body,
        response_record.expires.as_micros(),
        &response_record.record.owner,
        &response_record.record.key,
        &attempt,
    ];
    if conn.execute(command!(UPDATE_RESPONSE, values)).await? == 1 {
        Ok(())
    } else {
        Err(Failure::RecordLost)
    }
}

/// The attempt that created a record, and the process of the attempt.
struct StoredAttempt<'a> {
    process: Option<i32>,
    id: &'a str,
}

impl<'a> StoredAttempt<'a> {
    fn new(conn: &Conn, record: &'a IdempotencyRecord) -> Self {
        Self { process: conn.process_number(), id: &record.attempt }
    }

    /// Returns the stored form of the attempt. Ids of attempts contain no slash.
    fn to_text(&self) -> String {
        match self.process {
            Some(process) => format!("{process}/{}", self.id),
            None => self.id.to_owned(),
        }
    }

    /// Returns the process of a stored attempt. `None` if the attempt has no process number.
    fn parse_process_number(record_owner: &str) -> Option<i32> {
        record_owner.split_once('/')?.0.parse().ok()
    }
}

async fn begin_record(
    conn: &Conn,
    record: &IdempotencyRecord,
    now: Timestamp,
    lease_ends: Timestamp,
) -> Outcome<IdempotencyState> {
    if insert_record(conn, record, now, lease_ends).await? {
        return Ok(IdempotencyState::Fresh);
    }
    const SELECT_RECORD: &str = "SELECT request_hash, status, content_type, body, attempt, expires \
        FROM idempotency_keys WHERE owner = $1 AND idempotency_key = $2";
    let found: Option<IdempotencyRow> =
        conn.query_row(query!(SELECT_RECORD, binds![&record.owner, &record.key])).await?;
    // The record was deleted between the two statements, because the request that owned it has just ended.
    let Some((stored, status, content_type, body, attempt, expires)) = found else {
        return Ok(IdempotencyState::UnderWay(now));
    };
    if status.is_none() && take_over_record(conn, record, &attempt, lease_ends).await? {
        return Ok(IdempotencyState::Fresh);
    }
    if stored != to_hex(&record.request_hash) {
        return Ok(IdempotencyState::UsedOtherwise);
    }
    match (status, content_type, body) {
        (Some(status), Some(content_type), Some(body)) => {
            let status = RowLocation { table: "idempotency_keys", key: &record.key }.read_number(status)?;
            Ok(IdempotencyState::Answered(StoredResponse { status, content_type, body }))
        }
        _ => Ok(IdempotencyState::UnderWay(Timestamp::from_micros(expires))),
    }
}

/// Takes over the record of an attempt whose process has ended. Returns `false` if the process may still
/// exist, or if another request has taken over the record first.
async fn take_over_record(
    conn: &Conn,
    record: &IdempotencyRecord,
    from: &str,
    lease_ends: Timestamp,
) -> Outcome<bool> {
    const TAKE_OVER_RECORD: &str = "UPDATE idempotency_keys SET request_hash = $1, attempt = $2, expires = $3 \
        WHERE owner = $4 AND idempotency_key = $5 AND attempt = $6 AND status IS NULL";
    let Some(process) = StoredAttempt::parse_process_number(from) else { return Ok(false) };
    if conn.process_number() == Some(process) || !dialect::has_process_ended(conn, process).await? {
        return Ok(false);
    }
    let (hash, attempt) = (to_hex(&record.request_hash), StoredAttempt::new(conn, record).to_text());
    let values = binds![&hash, &attempt, lease_ends.as_micros(), &record.owner, &record.key, from];
    Ok(conn.execute(command!(TAKE_OVER_RECORD, values)).await? == 1)
}

/// Creates a record, unless the owner has a valid record for this key. Returns whether the record was
/// created.
async fn insert_record(
    conn: &Conn,
    record: &IdempotencyRecord,
    now: Timestamp,
    lease_ends: Timestamp,
) -> Outcome<bool> {
    // One statement creates the record or leaves the existing one. Of many concurrent requests, exactly one
    // creates the record.
    const INSERT_RECORD: &str = "INSERT INTO idempotency_keys (owner, idempotency_key, request_hash, attempt, expires) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (owner, idempotency_key) DO UPDATE \
        SET request_hash = excluded.request_hash, attempt = excluded.attempt, expires = excluded.expires, \
            status = NULL, content_type = NULL, body = NULL \
        WHERE idempotency_keys.expires <= $6 \
            OR (idempotency_keys.status IS NULL AND idempotency_keys.expires > $7)";
    let (hash, attempt) = (to_hex(&record.request_hash), StoredAttempt::new(conn, record).to_text());
    // A record that expires later than two leases from now was created before the clock was set back. Such a
    // record is replaced. The request that owned it has ended, or will detect that it has lost the record.
    // One lease would suffice if the clocks of all servers were equal.
    let lease = lease_ends.as_micros().saturating_sub(now.as_micros());
    let latest = lease_ends.as_micros().saturating_add(lease);
    let values =
        binds![&record.owner, &record.key, &hash, &attempt, lease_ends.as_micros(), now.as_micros(), latest,];
    Ok(conn.execute(command!(INSERT_RECORD, values)).await? == 1)
}

type IdempotencyRow = (String, Option<i64>, Option<String>, Option<Vec<u8>>, String, i64);

async fn delete_record_of_attempt(conn: &Conn, record: &IdempotencyRecord) -> Outcome<()> {
    const DELETE_RECORD: &str = "DELETE FROM idempotency_keys \
        WHERE owner = $1 AND idempotency_key = $2 AND attempt = $3 AND status IS NULL";
    let attempt = StoredAttempt::new(conn, record).to_text();
    conn.execute(command!(DELETE_RECORD, binds![&record.owner, &record.key, &attempt])).await?;
    Ok(())
}

/// Deletes every in-flight record. If only one process uses the database, all records that exist when it
/// starts belong to requests of earlier processes.
async fn delete_records_in_flight(conn: &Conn) -> Outcome<()> {
    const DELETE_RECORDS_IN_FLIGHT: &str = "DELETE FROM idempotency_keys WHERE status IS NULL";
    conn.execute(command!(DELETE_RECORDS_IN_FLIGHT, [])).await?;
    Ok(())
}

impl Store {
    /// Deletes the records of requests that an earlier process did not finish. Only a process that uses the
    /// database exclusively may call this method.
    pub(crate) async fn release_records_of_dead_processes(&self) -> Outcome<()> {
        self.db.write(|conn| Box::pin(delete_records_in_flight(conn))).await
    }
}

async fn delete_expired_records(conn: &Conn, now: Timestamp, limit: u32) -> Outcome<u64> {
    const DELETE_EXPIRED_RECORDS: &str = "DELETE FROM idempotency_keys WHERE (owner, idempotency_key) IN (\
        SELECT owner, idempotency_key FROM idempotency_keys WHERE expires <= $1 LIMIT $2) AND expires <= $1";
    let forgotten =
        conn.execute(command!(DELETE_EXPIRED_RECORDS, binds![now.as_micros(), i64::from(limit)])).await?;
    to_unsigned_count(i64::try_from(forgotten).unwrap_or(0))
}
