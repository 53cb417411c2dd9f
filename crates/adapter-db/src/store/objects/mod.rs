//! The objects of companies as the store keeps them, of every kind: read, compared, written.
//!
//! One machinery for a single write and for many at once:
//!
//! 1. [`load`] reads the objects of some ids with everything that belongs to them, in one round
//!    trip however many they are: one query for the objects, one for each table that they own.
//! 2. Compare in memory: [`StoredObject::differs`] says whether an object differs from the stored one.
//! 3. [`write()`] takes the [`Change`]s, inserts, replaces or erases the rows of the objects in bulk,
//!    and of what they own exactly the rows that differ. The version of every object that it
//!    replaces grows by one, whichever of its rows were touched; where none but those that it owns
//!    differ, the version is all that is written of its own row, unless that keeps the instant too.
//!
//! A writer holds the company's row first ([`company::hold`]): it keeps all writers of a company's objects
//! apart, so what was loaded after it is unchanged when it is written, and a [`StoredObject::version`] plus
//! one is the version afterwards. The company's own `version`, which partners see, is raised by the caller
//! ([`company::raise_version`], or by how it holds the row: [`Hold::Raising`]), once for all changes.
//!
//! Not here: what is allowed (`store/resources`), and the trail.

mod children;
mod company;
mod deposits;
mod files;
mod lists;
mod of_kind;
mod statuses;
mod workers;

use std::collections::HashMap;

use futures_util::future::BoxFuture;
use futures_util::{join, try_join};
use payroll_domain::date::Timestamp;
use payroll_domain::resource::{Resource, ResourceKind};

pub(super) use children::{Child, by_owner, of_owners, taken};
pub(super) use company::{Companies, Hold, Holders, hold, look, raise_version};
pub(super) use lists::{
    Categories, ContactTypes, CustomFields, Organizations, PayComponents, PayPeriods, PlainObjects,
};
pub(super) use of_kind::of_kind;
pub(super) use workers::Workers;

use super::{Conn, dialect};
use crate::columns::FromColumns;
use crate::error::Outcome;
use crate::fixed::{Bind, query};
use crate::seal::Sealer;
use crate::table::{OnConflict, Table, content, has_modified};
use crate::texts::{self, Use};

/// Where objects are: their company, and the connection on which it is read or written.
#[derive(Clone, Copy)]
pub(crate) struct Home<'a> {
    pub(crate) conn: &'a Conn,
    pub(crate) company_id: &'a str,
    pub(crate) sealer: &'a Sealer,
}

/// A row that can be read back.
pub(crate) trait Readable: Table + Clone + Send + Sync + 'static {
    /// The rows that a query of the table's columns answers.
    fn read<'c>(
        conn: &'c Conn,
        text: &'static str,
        values: Vec<Bind<'c>>,
    ) -> BoxFuture<'c, Outcome<Vec<Self>>>;
}

impl<T> Readable for T
where
    T: Table + FromColumns + Clone + Send + Sync + 'static,
{
    fn read<'c>(
        conn: &'c Conn,
        text: &'static str,
        values: Vec<Bind<'c>>,
    ) -> BoxFuture<'c, Outcome<Vec<Self>>> {
        Box::pin(conn.rows(query(text, values)))
    }
}

/// A kind of objects: how they are kept in rows.
pub(crate) trait Kind: Sized + Send + Sync + 'static {
    /// What it is in the domain.
    type Object: Clone + PartialEq + Send + Sync + 'static;
    /// The row of the object itself.
    type Row: Readable;
    /// The rows of what belongs to some objects.
    type Children: Send;

    /// Its name.
    const KIND: ResourceKind;
    /// Its objects are one row each: reading one is one statement, which needs no snapshot around it.
    const ONE_ROW: bool = false;

    /// The object among all kinds.
    fn wrap(object: Self::Object) -> Resource;
    /// The object, if it is of this kind.
    fn unwrap(resource: &Resource) -> Option<&Self::Object>;
    /// The object's id.
    fn id(object: &Self::Object) -> &str;
    /// The id in a row.
    fn row_id(row: &Self::Row) -> &str;
    /// The version in a row.
    fn version(row: &Self::Row) -> i64;

    /// The object as it comes back once it is stored: two that come back alike are the same.
    fn settled(object: &Self::Object) -> Self::Object {
        object.clone()
    }

    /// The row of a new object; what belongs to it are rows of their own.
    fn row(home: Home<'_>, created: i64, object: &Self::Object) -> Outcome<Self::Row>;

    /// Says in a row when its object was changed, where the table keeps that.
    fn set_modified(_row: &mut Self::Row, _at: i64) {}

    /// Takes over from the stored row what the object does not say.
    fn take_over(_row: &mut Self::Row, _object: &Self::Object, _found: &StoredObject<Self>) {}

    /// Reads what belongs to the objects of these ids.
    fn children<'c>(home: Home<'c>, ids: &'c [&'c str]) -> BoxFuture<'c, Outcome<Self::Children>>;

    /// What a row means, with what belongs to it taken out of the children.
    fn object(row: Self::Row, children: &mut Self::Children, sealer: &Sealer) -> Outcome<Self::Object>;

    /// Writes what belongs to the objects, where it differs, at that instant.
    fn write_children<'c>(
        home: Home<'c>,
        changes: &'c [Change<'c, Self>],
        now: Timestamp,
    ) -> BoxFuture<'c, Outcome<()>>;
}

/// A stored object with its row, which holds what the object does not show.
pub(crate) struct StoredObject<K: Kind> {
    pub(crate) object: K::Object,
    pub(crate) row: K::Row,
}

impl<K: Kind> StoredObject<K> {
    /// The version of its row.
    pub(crate) fn version(&self) -> i64 {
        K::version(&self.row)
    }

    /// Whether a [settled](Kind::settled) object is another one than is stored.
    pub(crate) fn differs(&self, object: &K::Object) -> bool {
        self.object != *object
    }
}

/// A change of an object.
pub(crate) enum Change<'a, K: Kind> {
    /// It is new, and has this place in the order of creation.
    Create(&'a K::Object, i64),
    /// It takes the place of the stored one.
    Replace(&'a StoredObject<K>, &'a K::Object),
    /// It goes.
    Delete(&'a StoredObject<K>),
}

impl<K: Kind> Change<'_, K> {
    /// The object before.
    pub(crate) fn before(&self) -> Option<&K::Object> {
        match self {
            Self::Create(..) => None,
            Self::Replace(found, _) | Self::Delete(found) => Some(&found.object),
        }
    }

    /// The object afterwards.
    pub(crate) fn after(&self) -> Option<&K::Object> {
        match self {
            Self::Create(object, _) | Self::Replace(_, object) => Some(object),
            Self::Delete(_) => None,
        }
    }
}

/// The objects of these ids, in the order of the ids; those that are not there are left out.
pub(crate) async fn load<K: Kind>(home: Home<'_>, ids: &[&str]) -> Outcome<Vec<StoredObject<K>>> {
    let (text, values) = of_ids::<K::Row>(home, ids);
    let (rows, mut children) = try_join!(K::Row::read(home.conn, text, values), K::children(home, ids))?;
    let mut rows: HashMap<String, K::Row> =
        rows.into_iter().map(|row| (K::row_id(&row).to_owned(), row)).collect();
    let found = ids.iter().filter_map(|id| rows.remove(*id)).map(|row| {
        let object = K::object(row.clone(), &mut children, home.sealer)?;
        Ok(StoredObject { object, row })
    });
    found.collect()
}

fn of_ids<'c, T: Table + 'static>(home: Home<'c>, ids: &[&'c str]) -> (&'static str, Vec<Bind<'c>>) {
    let (select, column) = (format!("SELECT {} FROM {}", T::COLUMNS, T::NAME), id_column::<T>());
    let (purpose, [first, second], ids) = among(ids, Use::OfId, Use::OfIds);
    if column == "company_id" {
        let text = texts::of::<T>(purpose, dialect::NAME, || format!("{select} WHERE company_id{first}"));
        return (text, vec![ids]);
    }
    let of_company = || format!("{select} WHERE company_id = $1 AND {column}{second}");
    (texts::of::<T>(purpose, dialect::NAME, of_company), vec![Bind::from(home.company_id), ids])
}

/// How rows of one or of many ids are found: what a column is compared with, as the first and as
/// the second parameter. One id is no list: PostgreSQL plans a statement with a list anew each time
/// that it runs, since the list could be long.
fn among<'c>(ids: &[&'c str], one: Use, many: Use) -> (Use, [&'static str; 2], Bind<'c>) {
    match ids {
        [id] => (one, [" = $1", " = $2"], Bind::from(*id)),
        _ => (many, [dialect::any!("$1"), dialect::any!("$2")], dialect::list(ids.iter().copied())),
    }
}

/// The column of an object's id: the last one of its key, which begins with the company.
pub(crate) fn id_column<T: Table>() -> &'static str {
    T::KEY.rsplit(", ").next().unwrap_or(T::KEY)
}

/// Writes changes of different objects, made at that instant.
pub(crate) async fn write<K: Kind>(home: Home<'_>, changes: &[Change<'_, K>], now: Timestamp) -> Outcome<()> {
    let (mut new, mut replaced, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    let mut raised = Vec::new();
    for change in changes {
        match change {
            Change::Create(object, created) => {
                let mut row = K::row(home, *created, object)?;
                K::set_modified(&mut row, now.as_micros());
                new.push(row);
            }
            Change::Replace(found, object) => {
                let mut row = K::row(home, 0, object)?;
                K::take_over(&mut row, object, found);
                K::set_modified(&mut row, now.as_micros());
                let same = content(&row) == content(&found.row);
                // The instant is written with the row.
                if same && !has_modified::<K::Row>() { raised.push(row) } else { replaced.push(row) }
            }
            Change::Delete(found) => gone.push(found.row.clone()),
        }
    }
    // Sent together, and judged in this order: what follows a refused statement fails without
    // saying why.
    let (erased, inserted, updated, raised, owned) = join!(
        dialect::erase(home.conn, &gone),
        dialect::bulk(home.conn, OnConflict::Fail, &new),
        dialect::bulk(home.conn, OnConflict::Replace, &replaced),
        dialect::raise(home.conn, &raised),
        K::write_children(home, changes, now),
    );
    erased?;
    inserted?;
    updated?;
    raised?;
    owned
}
