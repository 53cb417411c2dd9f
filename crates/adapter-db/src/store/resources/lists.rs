//! The lists of the operator's side: ids in the order of creation, and the objects that they name.
//!
//! Long lists are streamed: ids come in blocks, so that an offset is not counted off again for
//! every few objects, and objects in chunks of a block.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_domain::resource::Resource;
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Window};

use super::super::lists::unsigned;
use super::super::windows::{self, First, Pages};
use super::super::{Db, dialect};
use super::Conn;
use crate::error::Outcome;
use crate::fixed::{self, binds, query, window};
use crate::seal::Sealer;
use crate::table::Table;
use crate::texts::{self, Use};

use super::objects::{self, Home, Kind, StoredObject};

/// Ids that are read at once: few enough to be small in memory, and enough that sorting a company's
/// ids once for each block does not count.
const BLOCK: i64 = 10_000;

/// What the list is of.
#[derive(Clone)]
pub(in super::super) enum Of {
    /// The objects of a company.
    Company(String),
    /// The companies of the server, with that display key if one is given.
    Server { display_key: Option<String> },
}

/// The query of a window of a list.
#[derive(Clone)]
pub(in super::super) struct ObjectListQuery {
    pub(in super::super) of: Of,
    pub(in super::super) sealer: Arc<Sealer>,
    pub(in super::super) window: Window,
}

impl ObjectListQuery {
    fn home<'a>(&'a self, conn: &'a Conn) -> Home<'a> {
        let company_id = match &self.of {
            Of::Company(company_id) => company_id,
            Of::Server { .. } => "",
        };
        Home { conn, company_id, sealer: &self.sealer }
    }
}

/// How many objects there are, and the version of them.
type Head = (u64, i64);

/// A window of a list: in one go when it is short, else as a stream; `None`: no such company.
pub(super) async fn listing<K: Kind>(
    db: &Db,
    query: ObjectListQuery,
) -> Outcome<Option<Listing<Versioned<Resource>>>> {
    let window = query.window;
    let objects =
        Objects::<K> { query, ids: VecDeque::new(), offset: i64::from(window.offset), kind: PhantomData };
    let (head, rows) = windows::window(db, objects, window).await?;
    Ok(head.map(|(total, version)| Listing { total, version, rows }))
}

/// The objects of a list, from the first one on, for whoever holds a snapshot.
pub(in super::super) fn all<K: Kind>(query: ObjectListQuery) -> impl Pages<Item = Versioned<Resource>> {
    Objects::<K> { query, ids: VecDeque::new(), offset: 0, kind: PhantomData }
}

/// The objects of a list, and how many of them have been passed.
struct Objects<K> {
    query: ObjectListQuery,
    /// The ids of those that come next.
    ids: VecDeque<String>,
    /// How many ids have been read or left out.
    offset: i64,
    kind: PhantomData<fn() -> K>,
}

impl<K> Clone for Objects<K> {
    fn clone(&self) -> Self {
        Self { query: self.query.clone(), ids: self.ids.clone(), offset: self.offset, kind: PhantomData }
    }
}

impl<K: Kind> Pages for Objects<K> {
    type Head = Option<Head>;
    type Item = Versioned<Resource>;

    fn total(head: &Self::Head) -> u64 {
        head.map_or(0, |(total, _)| total)
    }

    fn first<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, First<Self>> {
        Box::pin(async move {
            let (head, ids) =
                try_join!(head::<K>(conn, &self.query), ids::<K>(conn, &self.query, limit, self.offset))?;
            self.offset += limit;
            Ok((head, named::<K>(self.query.home(conn), &ids).await?))
        })
    }

    fn next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        Box::pin(async move {
            if self.ids.is_empty() {
                self.ids = ids::<K>(conn, &self.query, BLOCK, self.offset).await?.into();
                self.offset += BLOCK;
            }
            let few = self.ids.len().min(usize::try_from(limit).unwrap_or(usize::MAX));
            let ids: Vec<String> = self.ids.drain(..few).collect();
            named::<K>(self.query.home(conn), &ids).await
        })
    }
}

async fn named<K: Kind>(home: Home<'_>, ids: &[String]) -> Outcome<Vec<Versioned<Resource>>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    Ok(objects::load::<K>(home, &ids).await?.into_iter().map(versioned).collect())
}

async fn head<K: Kind>(conn: &Conn, query: &ObjectListQuery) -> Outcome<Option<Head>> {
    // Versions only grow, so their sum differs after every change of a company.
    const SERVER: &str = "SELECT count(*) FILTER (WHERE CAST($1 AS TEXT) IS NULL OR display_key = $1), \
        CAST(coalesce(sum(version), 0) AS BIGINT) FROM companies";
    const VERSION: &str = "SELECT version FROM companies WHERE company_id = $1";
    match &query.of {
        Of::Server { display_key } => {
            let row: Option<(i64, i64)> = conn.row(query!(SERVER, binds![display_key])).await?;
            row.map(|(total, version)| Ok((unsigned(total)?, version))).transpose()
        }
        Of::Company(company_id) => {
            let count = texts::of::<K::Row>(Use::Count, dialect::NAME, || {
                format!("SELECT count(*) FROM {} WHERE company_id = $1", K::Row::NAME)
            });
            let (version, total): (Option<(i64,)>, Option<(i64,)>) = try_join!(
                conn.row(query!(VERSION, binds![company_id])),
                conn.row(fixed::query(count, binds![company_id])),
            )?;
            let total = unsigned(total.map_or(0, |(total,)| total))?;
            Ok(version.map(|(version,)| (total, version)))
        }
    }
}

/// A window of the list's ids, in the order of creation.
async fn ids<K: Kind>(conn: &Conn, query: &ObjectListQuery, limit: i64, offset: i64) -> Outcome<Vec<String>> {
    const SERVER: &str = concat!(
        "SELECT company_id FROM companies WHERE CAST($1 AS TEXT) IS NULL OR display_key = $1 \
         ORDER BY created, company_id",
        window!("$2", "$3")
    );
    let (text, first) = match &query.of {
        Of::Server { display_key } => (SERVER, display_key.as_deref()),
        Of::Company(company_id) => {
            let text = texts::of::<K::Row>(Use::Ids, dialect::NAME, || {
                let (table, id) = (K::Row::NAME, objects::id_column::<K::Row>());
                let window = window!("$2", "$3");
                format!("SELECT {id} FROM {table} WHERE company_id = $1 ORDER BY created, {id}{window}")
            });
            (text, Some(company_id.as_str()))
        }
    };
    let rows: Vec<(String,)> = conn.rows(fixed::query(text, binds![first, limit, offset])).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// A stored object as it is read.
pub(super) fn versioned<K: Kind>(found: StoredObject<K>) -> Versioned<Resource> {
    Versioned { version: found.version(), value: K::wrap(found.object) }
}
