//! A PostgreSQL whose tables are distributed over several machines by the extension Citus.
//!
//! What belongs to a company lies on one of the nodes, found by its id; what belongs to all lies on the
//! coordinator, which servers are connected to. [`LAYOUT`] says which table is which. On any other layout ids
//! could be taken twice, a company could be seen half changed, and readers of the feed could miss events: it is
//! rejected. Where the extension is only installed, and every table is on the node that is connected to, the
//! database is a PostgreSQL like any other.

mod cluster;
mod layout;
mod nodes;
mod watch;

use tokio_postgres::Client;

use super::causes::failed;
use super::connect::Way;
use crate::error::{Failure, Outcome};

pub(crate) use self::cluster::lift_limits;
pub(super) use self::nodes::{Node, Nodes};
pub(super) use self::watch::Watch;

use self::cluster::Cluster;
use self::layout::{LAYOUT, Spread};

/// Whether there is a catalogue of what is distributed.
const CATALOGUE: &str = "SELECT to_regclass('pg_dist_partition') IS NOT NULL";
/// The tables of this schema, and how Citus has them: whether it knows of them, by which column they are
/// distributed (none where their rows lie on the coordinator, or completely on each node), whether they are
/// complete on each node, and which of them have their rows of one value on one node.
const TABLES: &str = "SELECT c.relname::text, p.logicalrelid IS NOT NULL, \
        CASE WHEN p.partmethod <> 'n' THEN column_to_column_name(p.logicalrelid, p.partkey) END, \
        coalesce(p.repmodel = 't', FALSE), coalesce(p.colocationid, 0) \
    FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid \
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')";

/// A table of this schema.
struct Table {
    name: String,
    /// `None` for a way that no table is to lie in.
    spread: Option<Spread>,
    colocation: i32,
}

/// Of the nodes of a distributed database.
#[derive(Debug, Clone, Default)]
pub struct ClusterInspection {
    /// The version of the extension Citus.
    pub version: String,
    /// The nodes in addition to the coordinator, as `host:port`.
    pub nodes: Vec<String>,
    /// Those that do not respond.
    pub silent: Vec<String>,
    /// Those that this machine cannot connect to, where that was tried.
    pub unreachable: Vec<String>,
    /// Those whose sessions have no limits, or other ones than the server needs.
    pub unlimited: Vec<String>,
}

/// The tables that there are.
struct Tables(Vec<Table>);

/// The cluster on which the tables are distributed; `None` where they are not.
///
/// # Errors
/// They are distributed in another way than [`LAYOUT`] says, this is not the coordinator, or it cannot be asked.
pub(crate) async fn cluster(client: &Client) -> Outcome<Option<Cluster>> {
    let tables = Tables::of(client).await?;
    if !tables.are_distributed() {
        return Ok(None);
    }
    match tables.wrong() {
        Some(wrong) => Err(Failure::Unavailable(wrong)),
        None => Cluster::of(client).await.map(Some),
    }
}

/// Whether a table is distributed, in whichever way.
///
/// # Errors
/// The database cannot be asked.
pub(crate) async fn is_begun(client: &Client) -> Outcome<bool> {
    Ok(Tables::of(client).await?.are_distributed())
}

/// The cluster, and what of it is not as it has to be.
///
/// # Errors
/// The same as those of [`cluster()`].
pub(crate) async fn inspect(client: &Client) -> Outcome<Option<ClusterInspection>> {
    let Some(Cluster { version, nodes }) = cluster(client).await? else { return Ok(None) };
    let (silent, unlimited) = (cluster::silent(client).await?, cluster::unlimited(client).await?);
    Ok(Some(ClusterInspection { version, nodes, silent, unreachable: Vec::new(), unlimited }))
}

/// The nodes that cannot be connected to from here.
///
/// # Errors
/// TLS cannot be set up.
pub(crate) async fn unreachable(way: &Way, nodes: &[String]) -> Outcome<Vec<String>> {
    let mut unreachable = Vec::new();
    for node in nodes {
        let place = node.rsplit_once(':').and_then(|(host, port)| Some((host, port.parse().ok()?)));
        let is_reached = match place {
            Some((host, port)) => way.to_node(host, port, nodes::CONNECT)?.bare().await.is_ok(),
            None => false,
        };
        if !is_reached {
            unreachable.push(node.clone());
        }
    }
    Ok(unreachable)
}

/// Makes sure that there is a cluster whose nodes are as they have to be.
///
/// # Errors
/// There is none, or they are not.
pub(crate) async fn may_begin(client: &Client) -> Outcome<()> {
    if !has_extension(client).await? {
        return Err(Failure::Unavailable(
            "this database does not have the extension Citus: CREATE EXTENSION citus in it, on each node"
                .into(),
        ));
    }
    Cluster::of(client).await?;
    cluster::fit(client).await
}

/// Distributes the tables as [`LAYOUT`] says, over that number of shards or what Citus is set to, and sets the
/// limits of all nodes; what lies right already stays. All tables or none, whatever happens meanwhile. Returns
/// those that it has distributed.
///
/// # Errors
/// A table is distributed in another way, or a statement fails.
pub(crate) async fn distribute(client: &Client, shards: Option<u32>) -> Outcome<Vec<&'static str>> {
    let tables = Tables::of(client).await?;
    let left: Vec<_> = LAYOUT.iter().filter(|(table, wanted)| tables.is_left(table, *wanted)).collect();
    if !left.is_empty() {
        // What is there may be much: moving it takes as long as it takes.
        lift_limits(client).await?;
    }
    // In the order of the statements: one after the other sees what the one before has changed.
    let mut text = "BEGIN; SET LOCAL citus.multi_shard_modify_mode = 'sequential'; ".to_owned();
    text.extend(shards.map(|shards| format!("SET LOCAL citus.shard_count = {shards}; ")));
    text.extend(left.iter().map(|(table, wanted)| wanted.statement(table)));
    text.push_str("COMMIT");
    let done = client.batch_execute(&text).await.map_err(failed);
    if done.is_err() {
        drop(client.batch_execute("ROLLBACK").await);
    }
    cluster::set_limits(client).await?;
    done?;
    match Tables::of(client).await?.wrong() {
        Some(wrong) => Err(Failure::Unavailable(wrong)),
        None => Ok(left.iter().map(|(table, _)| *table).collect()),
    }
}

async fn has_extension(client: &Client) -> Outcome<bool> {
    client.query_one(CATALOGUE, &[]).await.and_then(|row| row.try_get(0)).map_err(failed)
}

impl Tables {
    async fn of(client: &Client) -> Outcome<Self> {
        if !has_extension(client).await? {
            return Ok(Self(Vec::new()));
        }
        let rows = client.query(TABLES, &[]).await.map_err(failed)?;
        let tables = rows.iter().map(|row| {
            let (is_known, is_everywhere): (bool, bool) = (row.try_get(1)?, row.try_get(3)?);
            let spread = match is_known {
                true => Spread::found(row.try_get(2)?, is_everywhere),
                false => Some(Spread::Coordinator),
            };
            Ok(Table { name: row.try_get(0)?, spread, colocation: row.try_get(4)? })
        });
        tables.collect::<Result<_, tokio_postgres::Error>>().map(Self).map_err(failed)
    }

    fn find(&self, name: &str) -> Option<&Table> {
        self.0.iter().find(|table| table.name == name)
    }

    fn are_distributed(&self) -> bool {
        let is_known = |name| self.find(name).is_some_and(|table| table.spread != Some(Spread::Coordinator));
        LAYOUT.iter().any(|(name, _)| is_known(name))
    }

    /// Whether a table is there, and still has to be distributed.
    fn is_left(&self, name: &str, wanted: Spread) -> bool {
        let here = self.find(name).is_some_and(|table| table.spread == Some(Spread::Coordinator));
        here && wanted != Spread::Coordinator
    }

    /// What is wrong with how they lie, if something is.
    fn wrong(&self) -> Option<String> {
        let home = self.find("companies").map(|companies| companies.colocation);
        let wrong = LAYOUT.iter().find(|(name, wanted)| {
            let Some(table) = self.find(name) else { return false };
            let elsewhere = *wanted == Spread::Company && Some(table.colocation) != home;
            table.spread != Some(*wanted) || elsewhere
        });
        wrong.map(|(table, wanted)| {
            format!(
                "the table {table} does not lie where it has to on a distributed database (Citus), where {}: ids \
                 would not be unique, and events could be missed, so this server does not run on it. \
                 `undistribute_table` brings tables back, `payroll-server distribute` distributes them",
                wanted.explained()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{LAYOUT, Spread};
    use crate::migrated::Migrated;

    #[tokio::test(flavor = "multi_thread")]
    async fn every_table_has_its_place_and_what_belongs_to_a_company_a_key_that_says_so() {
        const KEYS: &str = "SELECT c.conrelid::regclass::text, bool_and(EXISTS (SELECT FROM pg_attribute a \
                WHERE a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey) AND a.attname = 'company_id')) \
            FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid \
            WHERE c.contype IN ('p', 'u') AND t.relnamespace = 'public'::regnamespace \
                AND t.relname NOT LIKE '%migrations' GROUP BY 1";
        let Some(database) = Migrated::make("layout").await else { return };
        let rows = database.client.query(KEYS, &[]).await.unwrap();
        database.remove().await;
        let tables: Vec<(String, bool)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let listed: BTreeSet<&str> = LAYOUT.iter().map(|(table, _)| *table).collect();
        assert_eq!(tables.iter().map(|(table, _)| table.as_str()).collect::<BTreeSet<_>>(), listed);
        for (table, named) in &tables {
            let with_company = LAYOUT.contains(&(table.as_str(), Spread::Company));
            assert!(!with_company || *named, "{table} has a key without company_id");
        }
    }
}
