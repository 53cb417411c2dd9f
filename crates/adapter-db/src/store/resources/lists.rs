//! The lists of the operator's side: ids in the order of creation, and the objects that they name.
//!
//! Long lists are streamed: ids come in blocks, so that an offset is not counted off again for
//! every few objects, and objects in chunks of a block.

use std::sync::Arc;

use futures_util::try_join;
use payroll_domain::resource::Resource;
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Rows, Window};

use super::super::lists::unsigned;
use super::super::streams::{CHUNK, stream};
use super::super::{Db, dialect};
use super::Conn;
use crate::error::Outcome;
use crate::fixed::{binds, query, window};
use crate::seal::Sealer;
use crate::table::Table;
use crate::texts::{self, Use};

use super::objects::{self, Found, Home, Kind};

/// Ids that are read at once: few enough to be small in memory, and of so many objects that
/// sorting a company's ids once for each block does not count.
const BLOCK: i64 = 10_000;

/// What the list is of.
#[derive(Clone)]
pub(super) enum Of {
    /// The objects of a company.
    Company(String),
    /// The companies of the server, with that display key if one is given.
    Server { display_key: Option<String> },
}

/// A list that is asked for.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) of: Of,
    pub(super) sealer: Arc<Sealer>,
    pub(super) window: Window,
}

impl Asked {
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
pub(super) async fn listing<K: Kind>(db: &Db, asked: Asked) -> Outcome<Option<Listing<Versioned<Resource>>>> {
    let question = asked.clone();
    let (counted, first) =
        db.read(move |conn| Box::pin(async move { short::<K>(conn, &question).await })).await?;
    let Some((total, version)) = counted else { return Ok(None) };
    if asked.window.count_of(total) <= u64::try_from(first.len()).unwrap_or(0) {
        return Ok(Some(Listing { total, version, rows: Rows::All(first) }));
    }
    let (head, chunks) = stream(db, move |conn, feed| {
        Box::pin(async move {
            let head = head::<K>(conn, &asked).await?;
            let mut left = head.map_or(0, |(total, _)| asked.window.count_of(total));
            feed.head(head);
            let mut offset = i64::from(asked.window.offset);
            while left > 0 {
                let block = BLOCK.min(i64::try_from(left).unwrap_or(BLOCK));
                let ids = ids::<K>(conn, &asked, block, offset).await?;
                for chunk in ids.chunks(CHUNK as usize) {
                    if !feed.chunk(named::<K>(asked.home(conn), chunk).await?).await {
                        return Ok(());
                    }
                }
                if ids.is_empty() {
                    return Ok(());
                }
                left = left.saturating_sub(u64::try_from(ids.len()).unwrap_or(left));
                offset += block;
            }
            Ok(())
        })
    })
    .await?;
    Ok(head.map(|(total, version)| Listing { total, version, rows: Rows::Stream(chunks) }))
}

async fn short<K: Kind>(conn: &Conn, asked: &Asked) -> Outcome<(Option<Head>, Vec<Versioned<Resource>>)> {
    let limit = asked.window.limit.map_or(CHUNK, |limit| limit.get().min(CHUNK));
    let (head, ids) = try_join!(
        head::<K>(conn, asked),
        ids::<K>(conn, asked, i64::from(limit), i64::from(asked.window.offset)),
    )?;
    Ok((head, named::<K>(asked.home(conn), &ids).await?))
}

async fn named<K: Kind>(home: Home<'_>, ids: &[String]) -> Outcome<Vec<Versioned<Resource>>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    Ok(objects::load::<K>(home, &ids).await?.into_iter().map(versioned).collect())
}

async fn head<K: Kind>(conn: &Conn, asked: &Asked) -> Outcome<Option<Head>> {
    // Versions only grow, so their sum tells every change to any of the companies.
    const SERVER: &str = "SELECT count(*) FILTER (WHERE CAST($1 AS TEXT) IS NULL OR display_key = $1), \
        CAST(coalesce(sum(version), 0) AS BIGINT) FROM companies";
    const VERSION: &str = "SELECT version FROM companies WHERE company_id = $1";
    match &asked.of {
        Of::Server { display_key } => {
            let row: Option<(i64, i64)> = conn.row(query(SERVER, binds![display_key])).await?;
            row.map(|(total, version)| Ok((unsigned(total)?, version))).transpose()
        }
        Of::Company(company_id) => {
            let count = texts::of::<K::Row>(Use::Count, dialect::NAME, || {
                format!("SELECT count(*) FROM {} WHERE company_id = $1", K::Row::NAME)
            });
            let (version, total): (Option<(i64,)>, Option<(i64,)>) = try_join!(
                conn.row(query(VERSION, binds![company_id])),
                conn.row(query(count, binds![company_id])),
            )?;
            let total = unsigned(total.map_or(0, |(total,)| total))?;
            Ok(version.map(|(version,)| (total, version)))
        }
    }
}

/// So many ids of the list behind so many others, in the order of creation.
async fn ids<K: Kind>(conn: &Conn, asked: &Asked, limit: i64, offset: i64) -> Outcome<Vec<String>> {
    const SERVER: &str = concat!(
        "SELECT company_id FROM companies WHERE CAST($1 AS TEXT) IS NULL OR display_key = $1 \
         ORDER BY created, company_id",
        window!("$2", "$3")
    );
    let (text, first) = match &asked.of {
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
    let rows: Vec<(String,)> = conn.rows(query(text, binds![first, limit, offset])).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// A stored object as it is read.
pub(super) fn versioned<K: Kind>(found: Found<K>) -> Versioned<Resource> {
    Versioned { version: found.version(), value: K::wrap(found.object) }
}
