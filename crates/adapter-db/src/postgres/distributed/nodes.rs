//! Connections to the nodes of a distributed database. Work about one company is sent to the node of the
//! company, which plans and executes the statements. The coordinator only handles shared data.
//!
//! The coordinator is queried for the node of a company, and the result is cached for some minutes. A stale
//! cache entry only costs time, because each node can reach the rows of every company.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::{Object, Pool, PoolError};
use tokio::time::{Instant, timeout};
use tokio_postgres::Client;
use tokio_postgres::types::Type;

use crate::error::{Failure, Outcome};
use crate::postgres::begin_statements::CONNECTION_WAIT;
use crate::postgres::causes::query_failure;
use crate::postgres::connect::DatabaseConnector;
use crate::postgres::pool::create_pool;

/// Reads the node that stores a company, if this node is active and has the metadata of all tables.
const SELECT_NODE_OF_COMPANY: &str = "SELECT node.nodename, node.nodeport FROM pg_dist_placement placement \
    JOIN pg_dist_node node ON node.groupid = placement.groupid \
    WHERE placement.shardid = get_shard_id_for_distribution_column('companies', $1) \
        AND node.noderole = 'primary' AND node.isactive AND node.hasmetadata AND node.metadatasynced \
        AND node.groupid <> 0";
/// The lifetime of the cache. Companies rarely move, and a stale entry only costs time.
const CACHE_TIME: Duration = Duration::from_mins(5);
/// The maximum number of companies in the cache. A full cache takes a few megabytes of memory. A full cache
/// is cleared.
const MAX_CACHED_COMPANIES: usize = 50_000;
/// The time limit for querying the coordinator for a company's node. After that, the work is sent to the
/// coordinator.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);
/// The time limit for connecting to a node. After that, the coordinator serves the companies of the node.
pub(super) const NODE_CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The time after a failed connection during which the node is not tried again.
const RETRY_AFTER_FAILURE: Duration = Duration::from_secs(5);
/// The time after which a unit of work on a node is aborted if the node does not respond. This time exceeds
/// the statement timeout of the node.
const NODE_RESPONSE_TIMEOUT: Duration = Duration::from_secs(35);

/// The nodes, and the cached nodes of companies.
pub(in crate::postgres) struct Nodes {
    /// The connection settings of the coordinator.
    connector: DatabaseConnector,
    /// The number of connections to each node.
    connections: usize,
    cache: Mutex<KnownNodes>,
    /// The client for queries to the coordinator.
    client: tokio::sync::Mutex<Option<Arc<Client>>>,
}

struct KnownNodes {
    nodes: HashMap<(String, u16), Arc<Node>>,
    node_by_company: HashMap<String, Option<Arc<Node>>>,
    cached_at: Instant,
}

/// One node with its connection pool.
pub(in crate::postgres) struct Node {
    pool: Pool<AsyncPgConnection>,
    address: String,
    /// The instant until which the node is not tried again.
    unavailable_until: Mutex<Option<Instant>>,
}

impl Nodes {
    /// Creates the set of nodes, which is empty at first. The pool of a node is created when the node is
    /// first used, and no connection is opened here.
    pub(in crate::postgres) fn new(connector: DatabaseConnector, connections: usize) -> Self {
        let cache =
            KnownNodes { nodes: HashMap::new(), node_by_company: HashMap::new(), cached_at: Instant::now() };
        Self { connector, connections, cache: Mutex::new(cache), client: tokio::sync::Mutex::default() }
    }

    /// Returns the node of a company. `None` if the node is unknown or not reachable at present.
    pub(in crate::postgres) async fn node_of_company(&self, company_id: &str) -> Option<Arc<Node>> {
        let place = match self.find_cached_node(company_id) {
            Some(place) => place,
            None => {
                let place = self.look_up_node(company_id).await.ok()?;
                self.cache_node(company_id, place.as_ref());
                place
            }
        };
        place.filter(|node| !node.is_unreachable())
    }

    /// Returns the connection pools of all nodes that were used so far.
    pub(in crate::postgres) fn pools(&self) -> Vec<Pool<AsyncPgConnection>> {
        let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.nodes.values().map(|node| node.pool.clone()).collect()
    }

    fn find_cached_node(&self, company_id: &str) -> Option<Option<Arc<Node>>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.cached_at.elapsed() > CACHE_TIME || cache.node_by_company.len() >= MAX_CACHED_COMPANIES {
            cache.node_by_company.clear();
            cache.cached_at = Instant::now();
        }
        cache.node_by_company.get(company_id).cloned()
    }

    fn cache_node(&self, company_id: &str, node: Option<&Arc<Node>>) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.node_by_company.insert(company_id.to_owned(), node.cloned());
    }

    async fn look_up_node(&self, company_id: &str) -> Outcome<Option<Arc<Node>>> {
        let query = async {
            let client = self.get_or_open_client().await?;
            let rows = client
                .query_typed(SELECT_NODE_OF_COMPANY, &[(&company_id, Type::TEXT)])
                .await
                .map_err(query_failure)?;
            let Some(row) = rows.first() else { return Ok(None) };
            let (host, port): (String, i32) =
                (row.try_get(0).map_err(query_failure)?, row.try_get(1).map_err(query_failure)?);
            let port = u16::try_from(port).map_err(|error| Failure::Unavailable(error.to_string()))?;
            self.get_or_create_node(host, port).map(Some)
        };
        let late = || Failure::Unavailable("the coordinator did not return the node of a company".to_owned());
        timeout(LOOKUP_TIMEOUT, query).await.map_err(|_| late())?
    }

    /// Returns the session for queries to the coordinator. If the last session has ended, this method opens a
    /// new session.
    async fn get_or_open_client(&self) -> Outcome<Arc<Client>> {
        let mut client = self.client.lock().await;
        match &*client {
            Some(open) if !open.is_closed() => Ok(Arc::clone(open)),
            _ => Ok(Arc::clone(client.insert(Arc::new(self.connector.connect_client().await?)))),
        }
    }

    fn get_or_create_node(&self, host: String, port: u16) -> Outcome<Arc<Node>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (host, port);
        if let Some(node) = cache.nodes.get(&place) {
            return Ok(Arc::clone(node));
        }
        let connector = self.connector.with_server(&place.0, place.1, NODE_CONNECT_TIMEOUT)?;
        let address = format!("{}:{}", place.0, place.1);
        let node = Node {
            pool: create_pool(connector, self.connections)?,
            address,
            unavailable_until: Mutex::default(),
        };
        Ok(Arc::clone(cache.nodes.entry(place).or_insert(Arc::new(node))))
    }
}

impl Node {
    /// Borrows a connection to the node. `None` if the node is not reachable, so that the coordinator must be
    /// used.
    ///
    /// # Errors
    /// All connections to the node are in use, and none became free in time.
    pub(in crate::postgres) async fn checkout(&self) -> Outcome<Option<Object<AsyncPgConnection>>> {
        match timeout(CONNECTION_WAIT, self.pool.get()).await {
            Ok(Ok(object)) => Ok(Some(object)),
            Ok(Err(error)) => {
                self.record_unreachable(&error);
                Ok(None)
            }
            Err(_) => Err(Failure::Unavailable("all connections to the database are in use".to_owned())),
        }
    }

    /// Runs a unit of work on the node, and aborts it if the node does not respond in time. After a failure
    /// of the connection, all idle connections are discarded.
    pub(in crate::postgres) async fn run_with_node_timeout<T>(
        &self,
        work: impl Future<Output = Outcome<T>>,
    ) -> Outcome<T> {
        let late = || Failure::Unavailable("a node of the distributed database does not respond".to_owned());
        let outcome = timeout(NODE_RESPONSE_TIMEOUT, work).await.unwrap_or_else(|_| Err(late()));
        if matches!(outcome, Err(Failure::Unavailable(_) | Failure::Unwritable(_))) {
            self.pool.retain(|_, _| false);
        }
        outcome
    }

    fn is_unreachable(&self) -> bool {
        let unavailable_until = self.unavailable_until.lock().unwrap_or_else(PoisonError::into_inner);
        unavailable_until.is_some_and(|until| Instant::now() < until)
    }

    fn record_unreachable(&self, error: &PoolError) {
        let mut unavailable_until = self.unavailable_until.lock().unwrap_or_else(PoisonError::into_inner);
        *unavailable_until = Some(Instant::now() + RETRY_AFTER_FAILURE);
        tracing::warn!(
            node = self.address,
            %error,
            "a node of the distributed database cannot be reached: requests about companies on this node go \
             through the coordinator"
        );
    }
}
