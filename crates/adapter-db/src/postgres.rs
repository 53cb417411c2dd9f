//! PostgreSQL, for more than one machine, with a connection pool and pipelined statements.
//!
//! Statements on one connection that are awaited together (`try_join!` with the same `&Conn`) take one round
//! trip. The statements run in the order in which the code lists them.

use std::sync::atomic::Ordering;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::try_join;
use payroll_ports::metrics::Metric;
use payroll_ports::schema::ClusterNodes;
use tracing::Instrument;

use crate::connections::{self, ConnectionWork, StreamPermits};
use crate::error::{Failure, Outcome};

pub(crate) use self::connection::Conn;
pub(crate) use self::pool::PoolSize;
#[cfg(test)]
pub(crate) use self::queue::CLAIM_DELIVERIES_IN_ORDER;

use self::begin_statements::{BeginStatements, CONNECTION_WAIT};
use self::connect::DatabaseConnector;
use self::distributed::{Node, NodeMonitor, Nodes as Machines};
use self::notifications::DatabaseMonitor;
use self::pool::create_pool;
use self::pooler::PoolingMode;
use self::reports::RecentErrorReports;

#[path = "store/mod.rs"]
pub(crate) mod store;

pub(crate) mod address;
mod background;
mod begin_statements;
pub(crate) mod causes;
mod checkout;
pub(crate) mod connect;
mod connection;
mod dial;
pub(crate) mod dialect;
pub(crate) mod distributed;
pub(crate) mod durability;
pub(crate) mod errors;
mod fan_out;
mod liveness;
pub(crate) mod notifications;
pub(crate) mod partition;
mod pool;
pub(crate) mod pooler;
mod queue;
mod reports;
mod socket;
mod statistics;
mod tls;
mod traffic_tap;

/// The database: a connection pool, and a limit on long responses.
#[derive(Clone)]
pub(crate) struct Db {
    pool: Pool<AsyncPgConnection>,
    streams: StreamPermits,
    database_monitor: std::sync::Arc<DatabaseMonitor>,
    reports: std::sync::Arc<RecentErrorReports>,
    /// The number that identifies this process on the database. `None` if a pooler may use another session
    /// for each transaction.
    process: Option<i32>,
    begin_statements: std::sync::Arc<BeginStatements>,
    /// The connector to the pooler. `None` if no direct address is configured. In that case all connections
    /// use the same address.
    pooler: Option<DatabaseConnector>,
    /// Monitors the nodes of a distributed database.
    node_monitor: Option<std::sync::Arc<NodeMonitor>>,
    /// The connections to the nodes of a distributed database, if this process connects to them.
    machines: Option<std::sync::Arc<Machines>>,
    /// The node that replaces the coordinator for work about one company.
    node: Option<std::sync::Arc<Node>>,
}

/// The addresses of a database.
pub(crate) struct DatabaseUrls {
    pub(crate) url: String,
    /// The address of the same database without a pooler, for work that needs its own session.
    pub(crate) direct: Option<String>,
}

impl DatabaseUrls {
    /// Returns the address for work that needs its own session.
    pub(crate) fn session_url(&self) -> &str {
        self.direct.as_deref().unwrap_or(&self.url)
    }
}

impl Db {
    /// Prepares the pool, which opens connections when they are needed. `process` must be unique among the
    /// processes. If no direct address is configured, every connection must keep one session for its
    /// lifetime. The migrations run before this function and reject addresses without this property.
    pub(crate) async fn open(urls: &DatabaseUrls, size: PoolSize, process: i32) -> Outcome<Self> {
        let (connector, direct) = (
            DatabaseConnector::from_url(&urls.url)?,
            DatabaseConnector::from_url(urls.session_url())?.with_process(process),
        );
        let pooling_mode = match urls.direct {
            Some(_) => pooler::pooling_mode_with_direct_address(&connector, &direct).await?,
            None => PoolingMode::Session,
        };
        let (pooled, process) = match pooling_mode {
            PoolingMode::Session => (connector.with_process(process), Some(process)),
            PoolingMode::Transaction => (connector.with_transaction_pooling(), None),
        };
        let pooler = urls.direct.as_ref().map(|_| pooled.clone());
        let cluster = distributed::load_cluster(&direct.connect_client().await?).await?;
        let watch = cluster.as_ref().map(|cluster| NodeMonitor::new(direct.clone(), cluster).into());
        let machines = match cluster {
            Some(_) if size.node_connections > 0 => {
                Some(Machines::new(DatabaseConnector::from_url(urls.session_url())?, size.node_connections))
            }
            _ => None,
        };
        let db = Self::from_connector(pooled, process, DatabaseMonitor::new(direct), size)?;
        Ok(Self { pooler, node_monitor: watch, machines: machines.map(std::sync::Arc::new), ..db })
    }

    /// Prepares the pool of a read-only replica. The time limits are set in each transaction, so a pooler may
    /// share sessions between the connections. No connection is opened here.
    pub(crate) fn open_replica(url: &str, connections: usize, streams: usize) -> Outcome<Self> {
        let connector = DatabaseConnector::from_url(url)?;
        let news = DatabaseMonitor::for_replica(connector.clone());
        let size = PoolSize { connections, node_connections: 0, streams };
        Self::from_connector(connector.with_transaction_pooling(), None, news, size)
    }

    fn from_connector(
        connector: DatabaseConnector,
        process: Option<i32>,
        database_monitor: DatabaseMonitor,
        size: PoolSize,
    ) -> Outcome<Self> {
        let reports = std::sync::Arc::clone(connector.error_reports());
        let limits = process.is_none().then(|| connector.transaction_limits_sql());
        let begin = BeginStatements::from_transaction_limits(limits.as_deref());
        let pool = create_pool(connector, size.connections)?;
        let streams = StreamPermits::new(size.streams);
        Ok(Self {
            pool,
            streams,
            database_monitor: database_monitor.into(),
            reports,
            process,
            begin_statements: begin.into(),
            pooler: None,
            node_monitor: None,
            machines: None,
            node: None,
        })
    }

    /// Returns whether the tables are distributed over several nodes.
    pub(crate) const fn is_distributed(&self) -> bool {
        self.node_monitor.is_some()
    }

    /// Waits for a signal that this or another process may have queued deliveries since the last call.
    pub(crate) async fn wait_for_deliveries(&self) {
        self.database_monitor.wait_for_deliveries().await;
    }

    /// Notifies the other processes that deliveries are queued.
    pub(crate) fn notify_other_processes(&self) {
        self.database_monitor.notify_other_processes();
    }

    /// Runs a unit of reads in its own snapshot.
    pub(crate) async fn read<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        self.run_or_abort(self.run_read_transaction(work)).await?;
        slot.into_result()
    }

    async fn run_read_transaction(&self, work: ConnectionWork<Conn>) -> Outcome<()> {
        let conn = self.checkout_connection().await?;
        let outcome = run_in_transaction(&conn, &self.begin_statements.snapshot, work).await;
        // The commit of a read-only transaction is sent but not awaited. The response to the commit is
        // received when the connection is used the next time.
        let sent = end_transaction(&conn, "COMMIT").now_or_never();
        conn.in_transaction.store(matches!(sent, Some(Err(_))), Ordering::Relaxed);
        outcome
    }

    /// Runs one statement that reads. A single statement is a snapshot and needs no transaction.
    pub(crate) async fn query_once<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        self.run_or_abort(self.run_single_statement(work)).await?;
        slot.into_result()
    }

    async fn run_single_statement(&self, statement: ConnectionWork<Conn>) -> Outcome<()> {
        if self.process.is_none() {
            // A pooler may use another session for each transaction. Time limits can then only be set inside
            // a transaction, so the statement runs in one.
            return self.run_read_transaction(statement).await;
        }
        let conn = self.checkout_connection().await?;
        // Until the statement ends, the connection is marked as having an open transaction. If the caller
        // cancels the statement, the mark causes the connection to be closed. Otherwise the next user would
        // wait for the cancelled statement.
        conn.in_transaction.store(true, Ordering::Relaxed);
        let response = statement(&conn).await;
        conn.in_transaction.store(response.is_err(), Ordering::Relaxed);
        response
    }

    /// Runs one statement that finds a few rows by their keys. On PostgreSQL, this method is the same as
    /// [`Self::query_once`]. Only SQLite has a faster way for such statements.
    pub(crate) async fn query_by_key<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.query_once(work).await
    }

    /// Reads a few rows by their keys in one snapshot. On PostgreSQL, this method is the same as
    /// [`Self::read`]. Only SQLite has a faster way for such reads.
    pub(crate) async fn read_by_key<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.read(work).await
    }

    /// Reads a page of a list with one statement, which is its own snapshot.
    pub(crate) async fn read_list<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.query_once(work).await
    }

    /// Runs a write transaction, which is committed if the work succeeds and rolled back otherwise.
    pub(crate) async fn write<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        self.run_write_transaction(&self.begin_statements.write, work).await?;
        slot.into_result()
    }

    /// Runs one of many consecutive write transactions. In contrast to SQLite, other transactions can write
    /// at the same time, so no pauses are needed.
    pub(crate) async fn write_in_series<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        self.run_write_transaction(&self.begin_statements.one_of_many, work).await?;
        slot.into_result()
    }

    /// Runs a write transaction with short-lived data. A power failure may undo the transaction.
    pub(crate) async fn write_without_sync<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::into_connection_work(work);
        self.run_write_transaction(&self.begin_statements.passing, work).await?;
        slot.into_result()
    }

    async fn run_write_transaction(&self, begin_sql: &str, work: ConnectionWork<Conn>) -> Outcome<()> {
        let done = async {
            let conn = self.checkout_connection().await?;
            let outcome = run_transaction(&conn, begin_sql, work).await;
            if outcome.is_ok() && conn.queued.load(Ordering::Relaxed) {
                self.database_monitor.notify_all_processes();
            }
            outcome
        };
        let outcome = self.database_monitor.run_unless_commits_wait(self.run_or_abort(done)).await;
        if let Err(Failure::Unwritable(cause)) = &outcome
            && self.node.is_none()
        {
            self.database_monitor.record_write_failure(cause);
            // The address may contain several servers, and after a failover a different server accepts
            // writes. Idle connections are closed, so that new connections are opened to that server.
            self.pool.retain(|_, _| false);
        }
        outcome
    }

    /// Runs work in its own snapshot, independent of other work and without a time limit.
    pub(crate) async fn run_in_snapshot(&self, work: ConnectionWork<Conn>) -> Outcome<()> {
        let permit = self.streams.acquire_permit(CONNECTION_WAIT).await?;
        let conn = self.run_while_responsive(self.checkout_connection()).await?;
        let db = self.clone();
        // The task is detached. The work ends when the reader of the response stops reading.
        drop(tokio::spawn(async move {
            let outcome =
                db.run_while_responsive(run_transaction(&conn, &db.begin_statements.snapshot, work)).await;
            drop((conn, permit));
            outcome
        }));
        Ok(())
    }

    /// Returns the version of the schema that the monitor read last. If connections go through a pooler, this
    /// method also opens a connection through the pooler, to verify that the pooler works.
    pub(crate) async fn ping(&self) -> Outcome<String> {
        let version = self.database_monitor.schema_version()?;
        if let Some(pooler) = &self.pooler {
            drop(pooler.connect_without_session().await?);
        }
        Ok(version)
    }

    /// Returns the nodes over which the tables are distributed. `None` if they are not distributed.
    pub(crate) fn nodes(&self) -> Option<ClusterNodes> {
        self.node_monitor.as_ref().map(|watch| watch.nodes())
    }

    /// Returns metrics about the connections and, on a distributed database, the nodes.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        let connections = self.connection_counts();
        let nodes = self.nodes().map(connections::to_node_metrics);
        connections.to_metrics().into_iter().chain(nodes.into_iter().flatten()).collect()
    }

    /// Runs a short unit of work, which is aborted if the database or the node for the work stops responding.
    async fn run_or_abort<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let work = self.run_while_responsive(work);
        match &self.node {
            Some(node) => node.run_with_node_timeout(work).await,
            None => work.await,
        }
    }

    /// Runs the work, which is aborted if the database stops responding. If the work is aborted, all idle
    /// connections are discarded, because later requests on these connections would fail.
    async fn run_while_responsive<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let span = tracing::info_span!(target: "payroll_trace", "database", "db.system.name" = "postgresql");
        let outcome = self.database_monitor.run_while_database_responds(work).instrument(span).await;
        if outcome.is_err() && self.database_monitor.is_silent() {
            self.pool.retain(|_, _| false);
        }
        outcome
    }
}

/// Runs the work in a transaction, which is committed if the work succeeds and rolled back otherwise.
async fn run_transaction(conn: &Conn, begin_sql: &str, work: ConnectionWork<Conn>) -> Outcome<()> {
    match run_in_transaction(conn, begin_sql, work).await {
        Ok(()) if conn.commit_sent.load(Ordering::Relaxed) => {
            conn.in_transaction.store(false, Ordering::Relaxed);
            Ok(())
        }
        Ok(()) => end_transaction(conn, "COMMIT").await,
        // The connection is not used again. Closing it also ends the transaction.
        Err(failure @ Failure::Unwritable(_)) => Err(failure),
        Err(failure) => {
            // A transaction that cannot be rolled back ends with its connection.
            conn.commit_sent.store(false, Ordering::Relaxed);
            let _ = end_transaction(conn, "ROLLBACK").await;
            Err(failure)
        }
    }
}

/// Begins a transaction and runs the work in it. BEGIN is sent together with the first statements.
async fn run_in_transaction(conn: &Conn, begin_sql: &str, work: ConnectionWork<Conn>) -> Outcome<()> {
    conn.in_transaction.store(true, Ordering::Relaxed);
    let started = async {
        let started = conn.begin(begin_sql).await;
        conn.begin_failed.store(started.is_err(), Ordering::Relaxed);
        started
    };
    try_join!(started, work(conn)).map(|_| ())
}

/// Ends a transaction. If the statement fails, the connection does not return to the pool.
async fn end_transaction(conn: &Conn, end_sql: &'static str) -> Outcome<()> {
    let ended = conn.execute_batch(end_sql).await;
    conn.in_transaction.store(ended.is_err(), Ordering::Relaxed);
    ended
}
