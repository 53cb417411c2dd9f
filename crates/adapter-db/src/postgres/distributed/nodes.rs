//! Connections to the nodes of a distributed database: what is about one company is sent to the node where it
//! lies, which plans it and has its rows. The coordinator has what belongs to all, and nothing else to do.
//!
//! The coordinator is queried for the node once for a company, and remembered for a while. It is a
//! matter of speed alone: each node finds the rows of every company, wherever they lie by now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{Object, Pool, PoolError};
use tokio::time::{Instant, timeout};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::error::{Failure, Outcome};
use crate::postgres::beginning::WAIT;
use crate::postgres::causes::failed;
use crate::postgres::connect::Way;
use crate::postgres::pool::pool;

/// The node that a company lies on, where it knows of the tables of the others.
const PLACE: &str = "SELECT node.nodename, node.nodeport FROM pg_dist_placement placement \
    JOIN pg_dist_node node ON node.groupid = placement.groupid \
    WHERE placement.shardid = get_shard_id_for_distribution_column('companies', $1) \
        AND node.noderole = 'primary' AND node.isactive AND node.hasmetadata AND node.metadatasynced \
        AND node.groupid <> 0";
/// For how long it is remembered where companies lie. They seldom move, and a wrong place costs time only.
const REMEMBERED: Duration = Duration::from_mins(5);
/// Companies whose places are remembered: a few megabytes of memory. Beyond that all are looked up anew.
const MOST_PLACES: usize = 50_000;
/// How long the coordinator may take to say where a company lies. Without it the request goes to the coordinator.
const LOOK_UP: Duration = Duration::from_secs(1);
/// How long a node may take to be connected to, before its companies are asked for at the coordinator.
pub(super) const CONNECT: Duration = Duration::from_secs(1);
/// For how long a node that could not be connected to is not tried again.
const AWAY: Duration = Duration::from_secs(5);
/// How long a node may say nothing in one unit of work: longer than it lets a statement run.
const SILENT: Duration = Duration::from_secs(35);

/// The nodes, and what is known of who lies where.
pub(in crate::postgres) struct Nodes {
    /// The way to the coordinator.
    way: Way,
    /// Connections to each node.
    connections: usize,
    known: Mutex<Known>,
    /// The client that asks the coordinator.
    client: tokio::sync::Mutex<Option<Arc<Client>>>,
}

struct Known {
    nodes: HashMap<(String, u16), Arc<Node>>,
    places: HashMap<String, Option<Arc<Node>>>,
    since: Instant,
}

/// One node, with the connections to it.
pub(in crate::postgres) struct Node {
    pool: Pool<AsyncPgConnection>,
    address: String,
    /// Until when it is not tried again.
    away: Mutex<Option<Instant>>,
}

impl Nodes {
    /// Connects to nothing yet.
    pub(in crate::postgres) fn new(way: Way, connections: usize) -> Self {
        let known = Known { nodes: HashMap::new(), places: HashMap::new(), since: Instant::now() };
        Self { way, connections, known: Mutex::new(known), client: tokio::sync::Mutex::default() }
    }

    /// The node that a company lies on; `None` where that is not known, or it cannot be connected to at present.
    pub(in crate::postgres) async fn of_company(&self, company_id: &str) -> Option<Arc<Node>> {
        let place = match self.remembered(company_id) {
            Some(place) => place,
            None => {
                let place = self.look_up(company_id).await.ok()?;
                self.remember(company_id, place.as_ref());
                place
            }
        };
        place.filter(|node| !node.is_away())
    }

    /// All that were needed so far.
    pub(in crate::postgres) fn pools(&self) -> Vec<Pool<AsyncPgConnection>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.nodes.values().map(|node| node.pool.clone()).collect()
    }

    fn remembered(&self, company_id: &str) -> Option<Option<Arc<Node>>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.since.elapsed() > REMEMBERED || known.places.len() >= MOST_PLACES {
            known.places.clear();
            known.since = Instant::now();
        }
        known.places.get(company_id).cloned()
    }

    fn remember(&self, company_id: &str, place: Option<&Arc<Node>>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.places.insert(company_id.to_owned(), place.cloned());
    }

    async fn look_up(&self, company_id: &str) -> Outcome<Option<Arc<Node>>> {
        let asked = async {
            let client = self.client().await?;
            let rows = client.query_typed(PLACE, &[(&company_id, Type::TEXT)]).await.map_err(failed)?;
            let Some(row) = rows.first() else { return Ok(None) };
            let (host, port): (String, i32) =
                (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
            let port = u16::try_from(port).map_err(|error| Failure::Unavailable(error.to_string()))?;
            self.node(host, port).map(Some)
        };
        let late = || Failure::Unavailable("the coordinator does not say where a company lies".to_owned());
        timeout(LOOK_UP, asked).await.map_err(|_| late())?
    }

    /// The session that asks, created again if it has ended.
    async fn client(&self) -> Outcome<Arc<Client>> {
        let mut client = self.client.lock().await;
        match &*client {
            Some(open) if !open.is_closed() => Ok(Arc::clone(open)),
            _ => Ok(Arc::clone(client.insert(Arc::new(self.way.client().await?)))),
        }
    }

    fn node(&self, host: String, port: u16) -> Outcome<Arc<Node>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (host, port);
        if let Some(node) = known.nodes.get(&place) {
            return Ok(Arc::clone(node));
        }
        let way = self.way.to_node(&place.0, place.1, CONNECT)?;
        let address = format!("{}:{}", place.0, place.1);
        let node = Node { pool: pool(way, self.connections)?, address, away: Mutex::default() };
        Ok(Arc::clone(known.nodes.entry(place).or_insert(Arc::new(node))))
    }
}

impl Node {
    /// A connection to it; `None` where it cannot be connected to, so that the coordinator is to be asked.
    ///
    /// # Errors
    /// All connections to it are in use, and none became free.
    pub(in crate::postgres) async fn lend(&self) -> Outcome<Option<Object<AsyncPgConnection>>> {
        match timeout(WAIT, self.pool.get()).await {
            Ok(Ok(object)) => Ok(Some(object)),
            Ok(Err(error)) => {
                self.note_away(&error);
                Ok(None)
            }
            Err(_) => Err(Failure::Unavailable("no connection became free".to_owned())),
        }
    }

    /// Does a unit of work on it, as long as it responds. After a failure of the connection none of the idle ones
    /// is used again.
    pub(in crate::postgres) async fn within<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let late = || Failure::Unavailable("a node of the distributed database does not answer".to_owned());
        let outcome = timeout(SILENT, work).await.unwrap_or_else(|_| Err(late()));
        if matches!(outcome, Err(Failure::Unavailable(_) | Failure::Unwritable(_))) {
            self.pool.retain(|_, _| false);
        }
        outcome
    }

    fn is_away(&self) -> bool {
        let away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        away.is_some_and(|until| Instant::now() < until)
    }

    fn note_away(&self, error: &PoolError) {
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        *away = Some(Instant::now() + AWAY);
        tracing::warn!(
            node = self.address,
            %error,
            "a node of the distributed database cannot be reached: requests for its companies go through the coordinator"
        );
    }
}
