//! PostgreSQL: for more than one machine. A pool of connections, statements in flight together.
//!
//! Statements of one connection that are awaited together travel together: `try_join!` over the
//! same `&Conn` costs one round trip. They run in the order in which they are written.

use std::sync::atomic::Ordering;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::try_join;
use payroll_ports::metrics::Metric;
use payroll_ports::schema::Nodes;
use tracing::Instrument;

use crate::connections::{self, StreamPlaces, Work};
use crate::error::{Failure, Outcome};

pub(crate) use self::connection::Conn;
pub(crate) use self::pool::Size;

use self::beginning::{Beginnings, WAIT};
use self::connect::Way;
use self::distributed::{Node, Nodes as Machines, Watch};
use self::news::News;
use self::pool::pool;
use self::pooler::Lending;
use self::reports::Reports;

#[path = "store/mod.rs"]
pub(crate) mod store;

mod address;
mod background;
mod beginning;
pub(crate) mod causes;
pub(crate) mod connect;
mod connection;
mod dial;
pub(crate) mod dialect;
pub(crate) mod distributed;
pub(crate) mod durability;
pub(crate) mod errors;
mod fan_out;
mod heard;
mod lending;
pub(crate) mod news;
pub(crate) mod partition;
mod pool;
pub(crate) mod pooler;
mod pulse;
mod queue;
mod reports;
mod socket;
mod statistics;
mod tls;

/// The database: a pool, and how many long responses may be in progress.
#[derive(Clone)]
pub(crate) struct Db {
    pool: Pool<AsyncPgConnection>,
    streams: StreamPlaces,
    news: std::sync::Arc<News>,
    reports: std::sync::Arc<Reports>,
    /// Distinguishes this process from the others on the database; `None` where its sessions are not its own.
    process: Option<i32>,
    begin: std::sync::Arc<Beginnings>,
    /// The way of the connections, where the database is watched by another one.
    pooler: Option<Way>,
    /// The nodes that the tables are distributed over.
    watch: Option<std::sync::Arc<Watch>>,
    /// Connections to these nodes, where the database is distributed and they are wanted.
    machines: Option<std::sync::Arc<Machines>>,
    /// The node that is used instead of the coordinator, for work about one company.
    node: Option<std::sync::Arc<Node>>,
}

/// Where a database is.
pub(crate) struct Place {
    pub(crate) url: String,
    /// The address of the same database without a pooler, for what needs a session of its own.
    pub(crate) direct: Option<String>,
}

impl Place {
    /// The address for what needs a session of its own.
    pub(crate) fn direct(&self) -> &str {
        self.direct.as_deref().unwrap_or(&self.url)
    }
}

impl Db {
    /// Prepares the pool; connections are made when needed. The number of the process is its own. Without a
    /// direct address the connections are taken for sessions, as the migrations before have found out.
    pub(crate) async fn open(place: &Place, size: Size, process: i32) -> Outcome<Self> {
        let (way, direct) = (Way::of(&place.url)?, Way::of(place.direct())?.of_process(process));
        let lending = match place.direct {
            Some(_) => pooler::lending_beside(&way, &direct).await?,
            None => Lending::Session,
        };
        let (pooled, process) = match lending {
            Lending::Session => (way.of_process(process), Some(process)),
            Lending::Transaction => (way.of_transactions(), None),
        };
        let pooler = place.direct.as_ref().map(|_| pooled.clone());
        let cluster = distributed::cluster(&direct.client().await?).await?;
        let watch = cluster.as_ref().map(|cluster| Watch::new(direct.clone(), cluster).into());
        let machines = match cluster {
            Some(_) if size.node_connections > 0 => {
                Some(Machines::new(Way::of(place.direct())?, size.node_connections))
            }
            _ => None,
        };
        let db = Self::with(pooled, process, News::new(direct), size)?;
        Ok(Self { pooler, watch, machines: machines.map(std::sync::Arc::new), ..db })
    }

    /// The same for a replica of the database, from which is only read. Its limits are set in each transaction,
    /// so it does not matter whether its connections are sessions; none is made here.
    pub(crate) fn open_replica(url: &str, connections: usize, streams: usize) -> Outcome<Self> {
        let way = Way::of(url)?;
        let news = News::of_replica(way.clone());
        let size = Size { connections, node_connections: 0, streams };
        Self::with(way.of_transactions(), None, news, size)
    }

    fn with(way: Way, process: Option<i32>, news: News, size: Size) -> Outcome<Self> {
        let reports = std::sync::Arc::clone(way.reports());
        let limits = process.is_none().then(|| way.limits());
        let begin = Beginnings::of(limits.as_deref());
        let pool = pool(way, size.connections)?;
        let streams = StreamPlaces::new(size.streams);
        Ok(Self {
            pool,
            streams,
            news: news.into(),
            reports,
            process,
            begin: begin.into(),
            pooler: None,
            watch: None,
            machines: None,
            node: None,
        })
    }

    /// Whether the tables are distributed over several nodes.
    pub(crate) const fn is_distributed(&self) -> bool {
        self.watch.is_some()
    }

    /// Returns when something may have been queued since the last call, here or by another process.
    pub(crate) async fn queued(&self) {
        self.news.queued().await;
    }

    /// Notifies the other processes that there is something to send.
    pub(crate) fn tell_others(&self) {
        self.news.tell_others();
    }

    /// Runs one unit of reading, in a snapshot of its own.
    pub(crate) async fn read<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(work);
        self.unit(self.read_now(work)).await?;
        slot.value()
    }

    async fn read_now(&self, work: Work<Conn>) -> Outcome<()> {
        let conn = self.take().await?;
        let outcome = inside(&conn, &self.begin.snapshot, work).await;
        // No request has to wait for the end of a transaction that changes nothing: the statement is sent,
        // and the next user of the connection gets its response after it.
        let sent = end(&conn, "COMMIT").now_or_never();
        conn.open.store(matches!(sent, Some(Err(_))), Ordering::Relaxed);
        outcome
    }

    /// Runs one statement that reads. It is a snapshot by itself, and needs no transaction around it.
    pub(crate) async fn ask<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(work);
        self.unit(self.ask_now(work)).await?;
        slot.value()
    }

    async fn ask_now(&self, statement: Work<Conn>) -> Outcome<()> {
        if self.process.is_none() {
            // The limits of a session are those of a transaction there.
            return self.read_now(statement).await;
        }
        let conn = self.take().await?;
        // A statement that is given up goes with its connection: no other statement is to wait for it.
        conn.open.store(true, Ordering::Relaxed);
        let answer = statement(&conn).await;
        conn.open.store(answer.is_err(), Ordering::Relaxed);
        answer
    }

    /// Reads a window of a list: here that is one statement, which is its own snapshot.
    pub(crate) async fn read_list<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        self.ask(work).await
    }

    /// Runs one transaction that writes: committed when the work succeeds, else undone.
    pub(crate) async fn write<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(work);
        self.transaction(&self.begin.write, work).await?;
        slot.value()
    }

    /// Runs one of many transactions that write one after the other. No pause for other writers is needed:
    /// there are as many writers as connections.
    pub(crate) async fn write_of_many<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(work);
        self.transaction(&self.begin.one_of_many, work).await?;
        slot.value()
    }

    /// Runs one transaction that writes what holds for a while only, and that a loss of power may
    /// undo.
    pub(crate) async fn write_in_passing<T, F>(&self, work: F) -> Outcome<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<T>> + Send + 'static,
    {
        let (work, slot) = connections::work(work);
        self.transaction(&self.begin.passing, work).await?;
        slot.value()
    }

    async fn transaction(&self, begin: &str, work: Work<Conn>) -> Outcome<()> {
        let done = async {
            let conn = self.take().await?;
            let outcome = transaction(&conn, begin, work).await;
            if outcome.is_ok() && conn.queued.load(Ordering::Relaxed) {
                self.news.tell();
            }
            outcome
        };
        let outcome = self.news.unless_commits_wait(self.unit(done)).await;
        if let Err(Failure::Unwritable(cause)) = &outcome
            && self.node.is_none()
        {
            self.news.cannot_be_written(cause);
            // Another server may have become the one that takes writes: connections are made anew.
            self.pool.retain(|_, _| false);
        }
        outcome
    }

    /// Runs one snapshot of its own in addition to everything else, for as long as `work` takes.
    pub(crate) async fn snapshot(&self, work: Work<Conn>) -> Outcome<()> {
        let place = self.streams.take(WAIT).await?;
        let conn = self.while_it_answers(self.take()).await?;
        let db = self.clone();
        // Detached: the reader of the answer ends the work by no longer listening.
        drop(tokio::spawn(async move {
            let outcome = db.while_it_answers(transaction(&conn, &db.begin.snapshot, work)).await;
            drop((conn, place));
            outcome
        }));
        Ok(())
    }

    /// What was last read from the database: the version of its schema. Never waits for the database itself; a
    /// pooler that is not on the way to it has to take a connection.
    pub(crate) async fn pulse(&self) -> Outcome<String> {
        let version = self.news.version()?;
        if let Some(pooler) = &self.pooler {
            drop(pooler.bare().await?);
        }
        Ok(version)
    }

    /// The nodes that the tables are distributed over, where they are.
    pub(crate) fn nodes(&self) -> Option<Nodes> {
        self.watch.as_ref().map(|watch| watch.nodes())
    }

    /// What the connections do, and how many nodes there are.
    pub(crate) fn metrics(&self) -> Vec<Metric> {
        let connections = self.connections();
        let nodes = self.nodes().map(connections::nodes);
        connections.metrics().into_iter().chain(nodes.into_iter().flatten()).collect()
    }

    /// Does a unit of work that ends soon, as long as the database responds, and the node that does it.
    async fn unit<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let work = self.while_it_answers(work);
        match &self.node {
            Some(node) => node.within(work).await,
            None => work.await,
        }
    }

    /// Does the work, as long as the database responds. When it does not, idle connections are of no
    /// use either: none of them is to cost a request when it is back.
    async fn while_it_answers<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let span = tracing::info_span!(target: "payroll_trace", "database", "db.system.name" = "postgresql");
        let outcome = self.news.unless_lost(work).instrument(span).await;
        if outcome.is_err() && self.news.is_lost() {
            self.pool.retain(|_, _| false);
        }
        outcome
    }
}

/// Runs the work in a transaction: committed when it succeeds, else undone.
async fn transaction(conn: &Conn, begin: &str, work: Work<Conn>) -> Outcome<()> {
    match inside(conn, begin, work).await {
        Ok(()) if conn.sealed.load(Ordering::Relaxed) => {
            conn.open.store(false, Ordering::Relaxed);
            Ok(())
        }
        Ok(()) => end(conn, "COMMIT").await,
        // The connection is not used again, and ends with its transaction.
        Err(failure @ Failure::Unwritable(_)) => Err(failure),
        Err(failure) => {
            // A transaction that cannot be undone ends with its connection.
            conn.sealed.store(false, Ordering::Relaxed);
            let _ = end(conn, "ROLLBACK").await;
            Err(failure)
        }
    }
}

/// Begins a transaction and does the work in it; the beginning travels with the first statements.
async fn inside(conn: &Conn, begin: &str, work: Work<Conn>) -> Outcome<()> {
    conn.open.store(true, Ordering::Relaxed);
    let begun = async {
        let begun = conn.begin(begin).await;
        conn.refused.store(begun.is_err(), Ordering::Relaxed);
        begun
    };
    try_join!(begun, work(conn)).map(|_| ())
}

/// Ends a transaction; a connection on which that fails does not go back to the pool.
async fn end(conn: &Conn, how: &'static str) -> Outcome<()> {
    let ended = conn.batch(how).await;
    conn.open.store(ended.is_err(), Ordering::Relaxed);
    ended
}
