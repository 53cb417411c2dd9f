//! The minimal server (floor) on SQLite. Each unit of work runs as one task on a blocking thread.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, params, params_from_iter, types::Value};

use super::reads::{self, Communication, Period, PeriodWithTotals, Worker};
use super::rows::BatchRows;
use super::shown::{Check, Company, ConnectionTarget, WorkerMove};
use super::workforce::{INSERT_NEW_WORKER, LISTS, Row};
use crate::Failure;
use crate::world::{
    BATCH_CHECKS, COMPONENTS, OPEN_PERIOD, PAGE_CHECKS, PAGE_PERIOD, PAGE_PERIODS, PAGE_WORKERS,
};

const PRAGMAS: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
    PRAGMA cache_size = -4096;";

const ACCESS: &str = "SELECT a.enabled, a.access_version, s.secret_id, g.scopes, c.end_date, c.version \
    FROM applications a LEFT JOIN secrets s USING (application_id) \
    LEFT JOIN grants g ON g.application_id = a.application_id AND g.company_id = ?2 \
    LEFT JOIN companies c ON c.company_id = ?2 WHERE a.application_id = ?1";
const COMPANIES: &str = "SELECT c.company_id, c.display_id, c.legal_name, c.legal_id, g.scopes \
    FROM grants g JOIN companies c USING (company_id) WHERE g.application_id = ?1 \
    ORDER BY c.created, c.company_id";
const COMMUNICATIONS: &str = "SELECT c.* FROM grants g JOIN communications c \
    ON c.company_id = g.company_id AND c.owner_id = g.company_id WHERE g.application_id = ?1";
const PERIOD: &str = "SELECT status, check_date, check_count, version FROM pay_periods WHERE company_id = ?1 AND pay_period_id = ?2";
const CHECKS: &str = "SELECT paycheck_id, worker_id, correlation_id, lines FROM checks \
    WHERE company_id = ?1 AND pay_period_id = ?2 ORDER BY ordinal LIMIT CAST(?3 AS BIGINT)";
const WORKERS: &str = "SELECT worker_id, worker_type, exemption_type FROM workers \
    WHERE company_id = ?1 AND worker_id IN (SELECT value FROM json_each(?2))";
const RATES: &str = "SELECT worker_id, rate_id, rate_type, amount, is_default, start_date FROM pay_rates \
    WHERE company_id = ?1 AND worker_id IN (SELECT value FROM json_each(?2))";
const COMPONENTS_NAMED: &str = "SELECT component_id, name, effect_on_pay, classification_type \
    FROM pay_components WHERE company_id = ?1 AND component_id IN (SELECT value FROM json_each(?2))";
const OPEN: &str = "UPDATE pay_periods SET check_count = check_count + ?3, version = version + 1, \
    status = 'ENTRY' WHERE company_id = ?1 AND pay_period_id = ?2 AND status IN ('INITIAL', 'ENTRY') \
    RETURNING check_count - ?3";
const SECRETS: &str = "SELECT a.enabled, s.secret_id, s.hash FROM applications a \
    JOIN secrets s USING (application_id) WHERE a.application_id = ?1";

const MOVED: &str = "UPDATE workers SET version = version + 1 WHERE company_id = ?1 AND worker_id = ?2";
const ADDRESS: &str = "INSERT INTO communications (company_id, owner_id, communication_id, position, \
    communication_type, usage_type, street_line_one) \
    VALUES (?1, ?2, 'floor', 0, 'STREET_ADDRESS', 'HOME', ?3) \
    ON CONFLICT DO UPDATE SET street_line_one = excluded.street_line_one";
const AUDIT: &str = "INSERT INTO audit (at, actor_kind, actor_name, company_id, action, kind, resource_id, \
    before, after) VALUES (0, 'operator', 'load', ?1, 'update', 'worker', ?2, ?3, ?3)";
const EVENT: &str = "INSERT INTO events (event_id, company_id, worker_id, domain, action, as_of) \
    VALUES ('floor', ?1, ?2, 'WRKR_DEM', 'UPDATE', 0)";

/// A connection for reads and a connection for writes. Each connection serves one task at a time.
pub(super) struct SqliteBaseline {
    reader: Arc<Mutex<Connection>>,
    writer: Arc<Mutex<Connection>>,
}

impl SqliteBaseline {
    pub(super) fn open(path: &str) -> Result<Self, Failure> {
        let connection = || -> Result<_, Failure> {
            let connection = Connection::open(path)?;
            connection.execute_batch(PRAGMAS)?;
            Ok(Arc::new(Mutex::new(connection)))
        };
        Ok(Self { reader: connection()?, writer: connection()? })
    }

    pub(super) async fn companies(&self, application_id: String) -> Result<Vec<Company>, Failure> {
        run_blocking(&self.reader, move |connection| {
            count_rows(connection, ACCESS, params![application_id, ""])?;
            count_rows(connection, COMMUNICATIONS, params![application_id])?;
            let mut statement = connection.prepare_cached(COMPANIES)?;
            let companies = statement.query_map(params![application_id], |row| {
                Ok(Company {
                    company_id: row.get(0)?,
                    display_id: row.get(1)?,
                    legal_name: row.get(2)?,
                    legal_id: row.get(3)?,
                })
            })?;
            Ok(companies.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn page_of_checks(&self, target: ConnectionTarget) -> Result<Vec<Check>, Failure> {
        run_blocking(&self.reader, move |connection| {
            let ConnectionTarget { application_id, company_id } = target;
            count_rows(connection, ACCESS, params![application_id, company_id])?;
            count_rows(connection, PERIOD, params![company_id, PAGE_PERIOD])?;
            let window = params![company_id, PAGE_PERIOD, i64::try_from(PAGE_CHECKS)?];
            let mut statement = connection.prepare_cached(CHECKS)?;
            Ok(statement.query_map(window, check_from_row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn workers(
        &self,
        target: ConnectionTarget,
    ) -> Result<(Vec<Worker>, Vec<Communication>), Failure> {
        run_blocking(&self.reader, move |connection| {
            let ConnectionTarget { application_id, company_id } = target;
            count_rows(connection, ACCESS, params![application_id, company_id])?;
            count_rows(connection, reads::WORKERS_COUNT, params![company_id])?;
            let window = params![company_id, i64::try_from(PAGE_WORKERS)?, i64::try_from(BATCH_CHECKS)?];
            let mut statement = connection.prepare_cached(reads::WORKERS_PAGE)?;
            let workers = statement.query_map(window, Worker::from_sqlite_row)?.collect::<Result<_, _>>()?;
            let mut statement = connection.prepare_cached(reads::WORKERS_COMMUNICATIONS)?;
            let communications = statement.query_map(window, Communication::from_sqlite_row)?;
            Ok((workers, communications.collect::<Result<_, _>>()?))
        })
        .await
    }

    pub(super) async fn periods(&self, target: ConnectionTarget) -> Result<Vec<Period>, Failure> {
        run_blocking(&self.reader, move |connection| {
            let ConnectionTarget { application_id, company_id } = target;
            count_rows(connection, ACCESS, params![application_id, company_id])?;
            count_rows(connection, reads::PERIODS_COUNT, params![company_id])?;
            let window = params![company_id, i64::try_from(PAGE_PERIODS)?, 0_i64];
            let mut statement = connection.prepare_cached(reads::PERIODS_PAGE)?;
            Ok(statement.query_map(window, Period::from_sqlite_row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn period(&self, company_id: String) -> Result<PeriodWithTotals, Failure> {
        run_blocking(&self.reader, move |connection| {
            count_rows(connection, reads::OPERATOR_KEY, params!["floor"])?;
            let mut statement = connection.prepare_cached(reads::PERIOD_WITH_TOTALS)?;
            Ok(statement.query_row(params![company_id, PAGE_PERIOD], PeriodWithTotals::from_sqlite_row)?)
        })
        .await
    }

    /// Reads the referenced data on the read connection, and writes the checks on the write connection.
    pub(super) async fn add(&self, target: ConnectionTarget, checks: usize) -> Result<(), Failure> {
        let rows = BatchRows::new(&target.company_id, checks);
        let workers = format!("[\"{}\"]", rows.worker_ids.join("\",\""));
        let components = format!("[\"{}\"]", COMPONENTS.join("\",\""));
        let ConnectionTarget { application_id, company_id } = target.clone();
        let found = run_blocking(&self.reader, move |connection| {
            count_rows(connection, ACCESS, params![application_id, company_id])?;
            count_rows(connection, PERIOD, params![company_id, OPEN_PERIOD])?;
            count_rows(connection, RATES, params![company_id, workers])?;
            count_rows(connection, COMPONENTS_NAMED, params![company_id, components])?;
            count_rows(connection, WORKERS, params![company_id, workers])
        })
        .await?;
        if found != checks {
            return Err("the workers of the floor are not there".into());
        }
        run_blocking(&self.writer, move |connection| insert(connection, &target, rows)).await
    }

    pub(super) async fn move_worker(&self, moved: WorkerMove) -> Result<(), Failure> {
        run_blocking(&self.writer, move |connection| change_worker(connection, MOVED, &moved)).await
    }

    /// Reads the access on the read connection, and writes the rows on the write connection.
    pub(super) async fn change_worker(
        &self,
        application_id: String,
        moved: WorkerMove,
        is_new: bool,
    ) -> Result<(), Failure> {
        let company_id = moved.company_id.clone();
        run_blocking(&self.reader, move |connection| {
            count_rows(connection, ACCESS, params![application_id, company_id])
        })
        .await?;
        let worker = if is_new { INSERT_NEW_WORKER } else { MOVED };
        run_blocking(&self.writer, move |connection| change_worker(connection, worker, &moved)).await
    }

    pub(super) async fn list(
        &self,
        at: usize,
        target: ConnectionTarget,
        worker_id: String,
    ) -> Result<Vec<Row>, Failure> {
        run_blocking(&self.reader, move |connection| {
            let ConnectionTarget { application_id, company_id } = target;
            count_rows(connection, ACCESS, params![application_id, company_id])?;
            let mut statement = connection.prepare_cached(LISTS.get(at).ok_or("no such list")?.sql)?;
            let columns = statement.column_count();
            let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect();
            Ok(statement.query_map(params![company_id, worker_id], row)?.collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn count_secrets(&self, application_id: String) -> Result<usize, Failure> {
        run_blocking(&self.reader, move |connection| count_rows(connection, SECRETS, params![application_id]))
            .await
    }
}

/// Changes the row of the worker and inserts three rows in one transaction.
fn change_worker(connection: &mut Connection, worker: &str, moved: &WorkerMove) -> Result<(), Failure> {
    let WorkerMove { company_id, worker_id, document } = moved;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if transaction.prepare_cached(worker)?.execute(params![company_id, worker_id])? != 1 {
        return Err("the worker of the floor is not there".into());
    }
    transaction.prepare_cached(ADDRESS)?.execute(params![company_id, worker_id, document])?;
    transaction.prepare_cached(AUDIT)?.execute(params![company_id, worker_id, document])?;
    transaction.prepare_cached(EVENT)?.execute(params![company_id, worker_id])?;
    Ok(transaction.commit()?)
}

/// Inserts many rows with one statement in a transaction.
fn insert(connection: &mut Connection, target: &ConnectionTarget, rows: BatchRows) -> Result<(), Failure> {
    let ConnectionTarget { application_id, company_id } = target;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let rows_count = rows.paycheck_ids.len();
    let count = i64::try_from(rows_count)?;
    let before: i64 = transaction
        .prepare_cached(OPEN)?
        .query_row(params![company_id, OPEN_PERIOD, count], |row| row.get(0))?;
    let text = |text: &str| Value::Text(text.to_owned());
    let mut checks = Vec::with_capacity(rows_count * 9);
    let ids = rows.paycheck_ids.into_iter().zip(rows.worker_ids).zip(rows.correlation_ids).zip(rows.lines);
    for (ordinal, (((paycheck, worker), correlation), lines)) in (before + 1..).zip(ids) {
        checks.extend([text(company_id), text(OPEN_PERIOD), Value::Integer(ordinal), Value::Text(paycheck)]);
        let own = [Value::Text(worker), text(application_id), Value::Text(correlation), Value::Integer(0)];
        checks.extend(own);
        checks.push(Value::Text(lines));
    }
    let columns = "checks (company_id, pay_period_id, ordinal, paycheck_id, worker_id, application_id, \
        correlation_id, block_auto_distribution, lines)";
    let sql = multi_row_insert(columns, 9, rows_count);
    transaction.prepare_cached(&sql)?.execute(params_from_iter(checks))?;
    Ok(transaction.commit()?)
}

/// Returns `INSERT INTO … VALUES (?, …), (?, …), …`. The text is the same for each batch, so it is prepared
/// once.
fn multi_row_insert(columns: &str, width: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; width].join(","));
    format!("INSERT INTO {columns} VALUES {}", vec![row; rows].join(","))
}

async fn run_blocking<T: Send + 'static>(
    connection: &Arc<Mutex<Connection>>,
    work: impl FnOnce(&mut Connection) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let connection = Arc::clone(connection);
    let ran = move || work(&mut connection.lock().unwrap_or_else(PoisonError::into_inner));
    tokio::task::spawn_blocking(ran).await?
}

/// Reads every row of a statement and returns the number of rows.
fn count_rows(connection: &Connection, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<usize, Failure> {
    let mut statement = connection.prepare_cached(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query(values)?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            let _: Value = row.get(column)?;
        }
        count += 1;
    }
    Ok(count)
}

fn check_from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Check> {
    let lines = row.get_ref(3)?.as_str()?;
    Ok(Check {
        paycheck_id: row.get(0)?,
        worker_id: row.get(1)?,
        check_correlation_id: row.get(2)?,
        earnings: serde_json::from_str(lines).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, Box::new(error))
        })?,
    })
}
