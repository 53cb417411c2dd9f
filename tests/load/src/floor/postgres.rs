//! The minimal server (floor) on PostgreSQL. The statements of one connection are pipelined.

use std::sync::{Mutex, PoisonError};

use futures_util::{future, try_join};
use tokio::sync::Semaphore;
use tokio_postgres::{Client, NoTls, Statement};

use super::reads::{self, Communication, Period, PeriodWithTotals, Worker};
use super::rows::BatchRows;
use super::shown::{Check, Company, ConnectionTarget, WorkerMove};
use super::workforce::{INSERT_NEW_WORKER, LISTS, Row};
use crate::Failure;
use crate::world::{
    BATCH_CHECKS, COMPONENTS, OPEN_PERIOD, PAGE_CHECKS, PAGE_PERIOD, PAGE_PERIODS, PAGE_WORKERS,
};

const CONNECTIONS: usize = 8;

const ACCESS: &str = "SELECT a.enabled, a.access_version, s.secret_id, g.scopes, c.end_date, c.version \
    FROM applications a LEFT JOIN secrets s USING (application_id) \
    LEFT JOIN grants g ON g.application_id = a.application_id AND g.company_id = $2 \
    LEFT JOIN companies c ON c.company_id = $2 WHERE a.application_id = $1";
const COMPANIES: &str = "SELECT c.company_id, c.display_id, c.legal_name, c.legal_id, g.scopes \
    FROM grants g JOIN companies c USING (company_id) WHERE g.application_id = $1 \
    ORDER BY c.created, c.company_id";
const COMMUNICATIONS: &str = "SELECT c.* FROM grants g JOIN communications c \
    ON c.company_id = g.company_id AND c.owner_id = g.company_id WHERE g.application_id = $1";
const PERIOD: &str = "SELECT status, check_date, check_count, version FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2";
const CHECKS: &str = "SELECT paycheck_id, worker_id, correlation_id, lines FROM checks \
    WHERE company_id = $1 AND pay_period_id = $2 ORDER BY ordinal LIMIT $3";
const WORKERS: &str = "SELECT worker_id, worker_type, exemption_type FROM workers \
    WHERE company_id = $1 AND worker_id = ANY($2)";
const RATES: &str = "SELECT worker_id, rate_id, rate_type, amount, is_default, start_date FROM pay_rates \
    WHERE company_id = $1 AND worker_id = ANY($2)";
const COMPONENTS_NAMED: &str = "SELECT component_id, name, effect_on_pay, classification_type \
    FROM pay_components WHERE company_id = $1 AND component_id = ANY($2)";
const ADD_CHECKS_SQL: &str = "WITH opened AS (UPDATE pay_periods SET check_count = check_count + $3, \
        version = version + 1, status = 'ENTRY' WHERE company_id = $1 AND pay_period_id = $2 \
        AND status IN ('INITIAL', 'ENTRY') RETURNING check_count - $3 AS before) \
    INSERT INTO checks (company_id, pay_period_id, ordinal, paycheck_id, worker_id, \
        application_id, correlation_id, block_auto_distribution, lines) \
        SELECT $1, $2, opened.before + n, id, worker, $4, correlation, false, lines FROM opened, \
        unnest($5::text[], $6::text[], $7::text[], $8::text[]) \
        WITH ORDINALITY AS t(id, worker, correlation, lines, n)";
const SECRETS: &str = "SELECT a.enabled, s.secret_id, s.hash FROM applications a \
    JOIN secrets s USING (application_id) WHERE a.application_id = $1";
const INCREMENT_WORKER_VERSION: &str =
    "UPDATE workers SET version = version + 1 WHERE company_id = $1 AND worker_id = $2";
const ADDRESS: &str = "INSERT INTO communications (company_id, owner_id, communication_id, position, \
    communication_type, usage_type, street_line_one) \
    VALUES ($1, $2, 'floor', 0, 'STREET_ADDRESS', 'HOME', $3) \
    ON CONFLICT (company_id, owner_id, communication_id) \
    DO UPDATE SET street_line_one = excluded.street_line_one";
const AUDIT: &str = "INSERT INTO audit (at, actor_kind, actor_name, company_id, action, kind, resource_id, \
    before, after) VALUES (0, 'operator', 'load', $1, 'update', 'worker', $2, $3, $3)";
const EVENT: &str = "INSERT INTO events (event_id, company_id, worker_id, domain, action, as_of) \
    VALUES ('floor', $1, $2, 'WRKR_DEM', 'UPDATE', 0)";

/// Creates a query that owns its list of values, so that several queries can be pipelined.
macro_rules! owned_query {
    ($client:ident, $statement:expr, $($value:expr),*) => {
        async { $client.query(&$statement, &[$($value),*]).await }
    };
}

pub(super) struct PostgresBaseline {
    idle: Mutex<Vec<Connection>>,
    slots: Semaphore,
}

struct Connection {
    client: Client,
    statements: Statements,
}

struct Statements {
    access: Statement,
    companies: Statement,
    communications: Statement,
    period: Statement,
    checks: Statement,
    workers: Statement,
    rates: Statement,
    components: Statement,
    add: Statement,
    secrets: Statement,
    moved: Statement,
    address: Statement,
    audit: Statement,
    event: Statement,
    workers_count: Statement,
    workers_page: Statement,
    workers_communications: Statement,
    periods_count: Statement,
    periods_page: Statement,
    period_with_totals: Statement,
    operator_key: Statement,
    hired: Statement,
    /// The prepared statements for the lists in [`LISTS`], one for each list.
    lists: Vec<Statement>,
}

impl PostgresBaseline {
    pub(super) async fn open(url: &str) -> Result<Self, Failure> {
        let mut idle = Vec::new();
        for _ in 0..CONNECTIONS {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            let statements = Statements::prepare(&client).await?;
            idle.push(Connection { client, statements });
        }
        Ok(Self { idle: Mutex::new(idle), slots: Semaphore::new(CONNECTIONS) })
    }

    pub(super) async fn companies(&self, application_id: &str) -> Result<Vec<Company>, Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            let no_company = "";
            let (_, _, rows) = try_join!(
                owned_query!(client, statements.access, &application_id, &no_company),
                owned_query!(client, statements.communications, &application_id),
                owned_query!(client, statements.companies, &application_id),
            )?;
            let company = |row: &tokio_postgres::Row| Company {
                company_id: row.get(0),
                display_id: row.get(1),
                legal_name: row.get(2),
                legal_id: row.get(3),
            };
            Ok(rows.iter().map(company).collect())
        })
        .await
    }

    pub(super) async fn page_of_checks(&self, target: &ConnectionTarget) -> Result<Vec<Check>, Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            let ConnectionTarget { application_id, company_id } = target;
            let limit = i64::try_from(PAGE_CHECKS)?;
            let (_, _, checks) = try_join!(
                owned_query!(client, statements.access, application_id, company_id),
                owned_query!(client, statements.period, company_id, &PAGE_PERIOD),
                owned_query!(client, statements.checks, company_id, &PAGE_PERIOD, &limit),
            )?;
            checks.iter().map(check_from_row).collect()
        })
        .await
    }

    pub(super) async fn workers(
        &self,
        target: &ConnectionTarget,
    ) -> Result<(Vec<Worker>, Vec<Communication>), Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            let ConnectionTarget { application_id, company_id } = target;
            let (limit, offset) = (i64::try_from(PAGE_WORKERS)?, i64::try_from(BATCH_CHECKS)?);
            let (_, _, workers, communications) = try_join!(
                owned_query!(client, statements.access, application_id, company_id),
                owned_query!(client, statements.workers_count, company_id),
                owned_query!(client, statements.workers_page, company_id, &limit, &offset),
                owned_query!(client, statements.workers_communications, company_id, &limit, &offset),
            )?;
            let workers = workers.iter().map(Worker::from_postgres_row).collect::<Result<_, _>>()?;
            let communications = communications.iter().map(Communication::from_postgres_row);
            Ok((workers, communications.collect::<Result<_, _>>()?))
        })
        .await
    }

    pub(super) async fn periods(&self, target: &ConnectionTarget) -> Result<Vec<Period>, Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            let ConnectionTarget { application_id, company_id } = target;
            let (limit, offset) = (i64::try_from(PAGE_PERIODS)?, 0_i64);
            let (_, _, periods) = try_join!(
                owned_query!(client, statements.access, application_id, company_id),
                owned_query!(client, statements.periods_count, company_id),
                owned_query!(client, statements.periods_page, company_id, &limit, &offset),
            )?;
            Ok(periods.iter().map(Period::from_postgres_row).collect::<Result<_, _>>()?)
        })
        .await
    }

    pub(super) async fn period(&self, company_id: &str) -> Result<PeriodWithTotals, Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            let (_, periods) = try_join!(
                owned_query!(client, statements.operator_key, &"floor"),
                owned_query!(client, statements.period_with_totals, &company_id, &PAGE_PERIOD),
            )?;
            Ok(PeriodWithTotals::from_postgres_row(
                periods.first().ok_or("the period of the floor is not there")?,
            )?)
        })
        .await
    }

    pub(super) async fn add(&self, target: &ConnectionTarget, checks: usize) -> Result<(), Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            let ConnectionTarget { application_id, company_id } = target;
            let rows = BatchRows::new(company_id, checks);
            let components: Vec<&str> = COMPONENTS.to_vec();
            let facts = try_join!(
                owned_query!(client, statements.access, application_id, company_id),
                owned_query!(client, statements.period, company_id, &OPEN_PERIOD),
                owned_query!(client, statements.workers, company_id, &rows.worker_ids),
                owned_query!(client, statements.rates, company_id, &rows.worker_ids),
                owned_query!(client, statements.components, company_id, &components),
            )?;
            if facts.2.len() != checks {
                return Err("the workers of the floor are not there".into());
            }
            insert(client, &statements.add, target, &rows).await
        })
        .await
    }

    pub(super) async fn move_worker(&self, moved: &WorkerMove) -> Result<(), Failure> {
        self.with_idle_connection(async |connection| {
            connection.change_worker(&connection.statements.moved, moved).await
        })
        .await
    }

    pub(super) async fn change_worker(
        &self,
        application_id: &str,
        moved: &WorkerMove,
        is_new: bool,
    ) -> Result<(), Failure> {
        self.with_idle_connection(async |connection| {
            let Connection { client, statements } = connection;
            owned_query!(client, statements.access, &application_id, &moved.company_id).await?;
            let worker = if is_new { &statements.hired } else { &statements.moved };
            connection.change_worker(worker, moved).await
        })
        .await
    }

    pub(super) async fn list(
        &self,
        at: usize,
        target: &ConnectionTarget,
        worker_id: &str,
    ) -> Result<Vec<Row>, Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            let ConnectionTarget { application_id, company_id } = target;
            let list = statements.lists.get(at).ok_or("no such list")?;
            let (_, rows) = try_join!(
                owned_query!(client, statements.access, application_id, company_id),
                owned_query!(client, *list, company_id, &worker_id),
            )?;
            let row = |row: &tokio_postgres::Row| (0..row.len()).map(|column| row.get(column)).collect();
            Ok(rows.iter().map(row).collect())
        })
        .await
    }

    pub(super) async fn count_secrets(&self, application_id: &str) -> Result<usize, Failure> {
        self.with_idle_connection(async |Connection { client, statements }| {
            Ok(client.query(&statements.secrets, &[&application_id]).await?.len())
        })
        .await
    }

    async fn with_idle_connection<T>(
        &self,
        work: impl AsyncFnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let _place = self.slots.acquire().await?;
        let idle_connection = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle_connection.ok_or("no idle connection")?;
        let outcome = work(&connection).await;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        outcome
    }
}

impl Connection {
    /// Changes a worker. The statements between BEGIN and COMMIT are pipelined.
    async fn change_worker(&self, worker: &Statement, moved: &WorkerMove) -> Result<(), Failure> {
        let Self { client, statements } = self;
        let WorkerMove { company_id, worker_id, document } = moved;
        let (_, changed, ..) = try_join!(
            client.batch_execute("BEGIN"),
            async { client.execute(worker, &[company_id, worker_id]).await },
            async { client.execute(&statements.address, &[company_id, worker_id, document]).await },
            async { client.execute(&statements.audit, &[company_id, worker_id, document]).await },
            async { client.execute(&statements.event, &[company_id, worker_id]).await },
            client.batch_execute("COMMIT"),
        )?;
        if changed == 1 { Ok(()) } else { Err("the worker of the floor is not there".into()) }
    }
}

/// Inserts the rows with one statement, which is its own transaction.
async fn insert(
    client: &Client,
    add: &Statement,
    target: &ConnectionTarget,
    rows: &BatchRows,
) -> Result<(), Failure> {
    let count = i64::try_from(BATCH_CHECKS)?;
    let ConnectionTarget { application_id, company_id } = target;
    client
        .execute(
            add,
            &[
                company_id,
                &OPEN_PERIOD,
                &count,
                application_id,
                &rows.paycheck_ids,
                &rows.worker_ids,
                &rows.correlation_ids,
                &rows.lines,
            ],
        )
        .await?;
    Ok(())
}

fn check_from_row(row: &tokio_postgres::Row) -> Result<Check, Failure> {
    Ok(Check {
        paycheck_id: row.get(0),
        worker_id: row.get(1),
        check_correlation_id: row.get(2),
        earnings: serde_json::from_str(row.get(3))?,
    })
}

impl Statements {
    async fn prepare(client: &Client) -> Result<Self, tokio_postgres::Error> {
        let texts = [
            ACCESS,
            COMPANIES,
            COMMUNICATIONS,
            PERIOD,
            CHECKS,
            WORKERS,
            RATES,
            COMPONENTS_NAMED,
            ADD_CHECKS_SQL,
            SECRETS,
            INCREMENT_WORKER_VERSION,
            ADDRESS,
            AUDIT,
            EVENT,
            reads::WORKERS_COUNT,
            reads::WORKERS_PAGE,
            reads::WORKERS_COMMUNICATIONS,
            reads::PERIODS_COUNT,
            reads::PERIODS_PAGE,
            reads::PERIOD_WITH_TOTALS,
            reads::OPERATOR_KEY,
            INSERT_NEW_WORKER,
        ];
        let texts = texts.into_iter().chain(LISTS.iter().map(|list| list.sql));
        let prepared = future::try_join_all(texts.map(|text| client.prepare(text))).await?;
        let mut prepared = prepared.into_iter();
        let mut next = || prepared.next().unwrap_or_else(|| unreachable!("one for each text"));
        Ok(Self {
            access: next(),
            companies: next(),
            communications: next(),
            period: next(),
            checks: next(),
            workers: next(),
            rates: next(),
            components: next(),
            add: next(),
            secrets: next(),
            moved: next(),
            address: next(),
            audit: next(),
            event: next(),
            workers_count: next(),
            workers_page: next(),
            workers_communications: next(),
            periods_count: next(),
            periods_page: next(),
            period_with_totals: next(),
            operator_key: next(),
            hired: next(),
            lists: prepared.collect(),
        })
    }
}
