//! Reads, compares and writes the objects of companies, of every kind.
//!
//! The same code serves single writes and bulk writes:
//!
//! 1. [`load_objects`] reads objects by their ids with all their children in one round trip. One query reads
//!    the objects, and one query reads each child table.
//! 2. [`StoredObject::differs_from`] compares an object with the stored one in memory.
//! 3. [`write_changes`] executes [`ObjectChange`]s. It inserts, replaces or deletes the rows of the objects
//!    in bulk, and writes only the changed rows of their children. The version of every replaced object
//!    increases by one. If only children differ, the object's own row still gets the new version. This row
//!    also gets the instant of the change if its table stores this instant.
//!
//! A writer first locks the company's row ([`company::lock_company`]), which serializes all writers of a
//! company's objects. Objects that the writer loads under this lock cannot change before they are written, so
//! their new version is [`StoredObject::version`] plus one. The caller increases the company's own `version`,
//! which partners see, once for all changes ([`company::increment_company_version`] or the lock mode
//! [`CompanyLockMode::IncrementVersion`]).
//!
//! `store/resources` decides which writes are allowed and writes the audit log.

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

pub(super) use children::{ChildRow, group_by_owner, read_rows_by_owner, take_children};
pub(super) use company::{
    Companies, CompanyLockMode, LockHolders, increment_company_version, lock_company, read_lock_holders,
};
pub(super) use lists::{
    Categories, ContactTypes, CustomFields, LookupObjects, Organizations, PayComponents, PayPeriods,
};
pub(super) use of_kind::with_object_kind;
pub(super) use workers::{Workers, load_with_list};

use super::{Conn, dialect};
use crate::columns::FromColumns;
use crate::error::Outcome;
use crate::seal::Sealer;
use crate::statement::{BindValue, query};
use crate::table::{OnConflict, TableDefinition, replaceable_values};
use crate::texts::{self, StatementKind};

/// The company of the objects, and the connection for reading and writing them.
#[derive(Clone, Copy)]
pub(crate) struct CompanyContext<'a> {
    pub(crate) conn: &'a Conn,
    pub(crate) company_id: &'a str,
    pub(crate) sealer: &'a Sealer,
}

/// A row of a table that queries can return.
pub(crate) trait ReadableRow: TableDefinition + Clone + Send + Sync + 'static {
    /// Reads the rows that a query for the table's columns returns.
    fn read<'c>(
        conn: &'c Conn,
        text: &'static str,
        values: Vec<BindValue<'c>>,
    ) -> BoxFuture<'c, Outcome<Vec<Self>>>;
}

impl<T> ReadableRow for T
where
    T: TableDefinition + FromColumns + Clone + Send + Sync + 'static,
{
    fn read<'c>(
        conn: &'c Conn,
        text: &'static str,
        values: Vec<BindValue<'c>>,
    ) -> BoxFuture<'c, Outcome<Vec<Self>>> {
        Box::pin(conn.query_rows(query(text, values)))
    }
}

/// A kind of objects, with its rows.
pub(crate) trait ObjectKind: Sized + Send + Sync + 'static {
    /// The type of the objects in the domain.
    type Object: Clone + PartialEq + Send + Sync + 'static;
    /// The type of the object's own row, without the rows of its children.
    type Row: ReadableRow;
    /// The child rows of many objects, which are read together.
    type Children: Send;

    /// The same kind in the domain's enum of all kinds.
    const KIND: ResourceKind;
    /// Whether each object has only one row. If so, reading an object is a single statement and needs no
    /// transaction for a snapshot.
    const ONE_ROW: bool = false;

    /// Converts the object to the enum of all kinds.
    fn into_resource(object: Self::Object) -> Resource;
    /// Returns the object if it is of this kind, and `None` otherwise.
    fn from_resource(resource: &Resource) -> Option<&Self::Object>;
    /// Returns the id of the object.
    fn id(object: &Self::Object) -> &str;
    /// Returns the id of the object that a database row contains.
    fn row_id(row: &Self::Row) -> &str;
    /// Returns the version of the object that a database row contains.
    fn version(row: &Self::Row) -> i64;

    /// Returns the object in the form in which it is read back after storing. Objects are compared in this
    /// form.
    fn normalized(object: &Self::Object) -> Self::Object {
        object.clone()
    }

    /// Creates the row of a new object. Its children have their own rows.
    fn to_row(context: CompanyContext<'_>, created: i64, object: &Self::Object) -> Outcome<Self::Row>;

    /// Sets the instant of the change in a row, if the table stores it.
    fn set_modified(_row: &mut Self::Row, _at: i64) {}

    /// Copies those values from the stored row that the object does not contain.
    fn copy_missing_values(_row: &mut Self::Row, _object: &Self::Object, _found: &StoredObject<Self>) {}

    /// Reads the children of the objects with these ids.
    fn read_children<'c>(
        context: CompanyContext<'c>,
        ids: &'c [&'c str],
    ) -> BoxFuture<'c, Outcome<Self::Children>>;

    /// Creates the object from its row. Its children are removed from `children`.
    fn object_from_row(
        row: Self::Row,
        children: &mut Self::Children,
        sealer: &Sealer,
    ) -> Outcome<Self::Object>;

    /// Writes the changed children of the objects. `now` is the instant of the change.
    fn write_children<'c>(
        context: CompanyContext<'c>,
        changes: &'c [ObjectChange<'c, Self>],
        now: Timestamp,
    ) -> BoxFuture<'c, Outcome<()>>;
}

/// A stored object with its row. The row contains additional values, such as the encrypted form of a secret.
pub(crate) struct StoredObject<K: ObjectKind> {
    pub(crate) object: K::Object,
    pub(crate) row: K::Row,
}

impl<K: ObjectKind> StoredObject<K> {
    /// Returns the version of the stored row.
    pub(crate) fn version(&self) -> i64 {
        K::version(&self.row)
    }

    /// Returns whether a [normalized](ObjectKind::normalized) object differs from the stored one.
    pub(crate) fn differs_from(&self, object: &K::Object) -> bool {
        self.object != *object
    }
}

/// A change of an object.
pub(crate) enum ObjectChange<'a, K: ObjectKind> {
    /// The object is new and gets this position in the order of creation.
    Create(&'a K::Object, i64),
    /// The object replaces the stored one.
    Replace(&'a StoredObject<K>, &'a K::Object),
    /// The stored object is deleted.
    Delete(&'a StoredObject<K>),
}

impl<K: ObjectKind> ObjectChange<'_, K> {
    /// Returns the object before the change.
    pub(crate) fn before(&self) -> Option<&K::Object> {
        match self {
            Self::Create(..) => None,
            Self::Replace(found, _) | Self::Delete(found) => Some(&found.object),
        }
    }

    /// Returns the object after the change.
    pub(crate) fn after(&self) -> Option<&K::Object> {
        match self {
            Self::Create(object, _) | Self::Replace(_, object) => Some(object),
            Self::Delete(_) => None,
        }
    }
}

/// Reads the objects with these ids, in the order of the ids. Missing objects are omitted.
pub(crate) async fn load_objects<K: ObjectKind>(
    context: CompanyContext<'_>,
    ids: &[&str],
) -> Outcome<Vec<StoredObject<K>>> {
    load_with_children(context, ids, K::read_children(context, ids)).await
}

/// Reads objects like [`load_objects`], but with the children that the caller's future reads.
async fn load_with_children<K: ObjectKind>(
    context: CompanyContext<'_>,
    ids: &[&str],
    children: impl Future<Output = Outcome<K::Children>>,
) -> Outcome<Vec<StoredObject<K>>> {
    let (text, values) = select_by_ids::<K::Row>(context, ids);
    let (rows, mut children) = try_join!(K::Row::read(context.conn, text, values), children)?;
    let mut rows: HashMap<String, K::Row> =
        rows.into_iter().map(|row| (K::row_id(&row).to_owned(), row)).collect();
    let found = ids.iter().filter_map(|id| rows.remove(*id)).map(|row| {
        let object = K::object_from_row(row.clone(), &mut children, context.sealer)?;
        Ok(StoredObject { object, row })
    });
    found.collect()
}

fn select_by_ids<'c, T: TableDefinition + 'static>(
    context: CompanyContext<'c>,
    ids: &[&'c str],
) -> (&'static str, Vec<BindValue<'c>>) {
    let (select, column) = (format!("SELECT {} FROM {}", T::COLUMNS, T::NAME), id_column::<T>());
    let (purpose, [first, second], ids) = ids_condition(ids, StatementKind::OfId, StatementKind::OfIds);
    if column == "company_id" {
        let text =
            texts::cached_text::<T>(purpose, dialect::NAME, || format!("{select} WHERE company_id{first}"));
        return (text, vec![ids]);
    }
    let of_company = || format!("{select} WHERE company_id = $1 AND {column}{second}");
    (
        texts::cached_text::<T>(purpose, dialect::NAME, of_company),
        vec![BindValue::from(context.company_id), ids],
    )
}

/// Chooses the statement for one id or for several. Returns the condition with the ids as first parameter,
/// the condition with the ids as second parameter, and the value of the ids. A single id is not passed as a
/// list, because PostgreSQL would then plan the statement again for each execution.
fn ids_condition<'c>(
    ids: &[&'c str],
    one: StatementKind,
    many: StatementKind,
) -> (StatementKind, [&'static str; 2], BindValue<'c>) {
    match ids {
        [id] => (one, [" = $1", " = $2"], BindValue::from(*id)),
        _ => (
            many,
            [dialect::equals_any!("$1"), dialect::equals_any!("$2")],
            dialect::bind_list(ids.iter().copied()),
        ),
    }
}

/// Returns the column with the id of an object. The primary key consists of the company and this column.
pub(crate) fn id_column<T: TableDefinition>() -> &'static str {
    T::KEY.rsplit(", ").next().unwrap_or(T::KEY)
}

/// Writes changes of different objects. `now` is the instant of the change.
pub(crate) async fn write_changes<K: ObjectKind>(
    context: CompanyContext<'_>,
    changes: &[ObjectChange<'_, K>],
    now: Timestamp,
) -> Outcome<()> {
    let (mut new, mut replaced, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    let mut raised = Vec::new();
    for change in changes {
        match change {
            ObjectChange::Create(object, created) => {
                let mut row = K::to_row(context, *created, object)?;
                K::set_modified(&mut row, now.as_micros());
                new.push(row);
            }
            ObjectChange::Replace(found, object) => {
                let mut row = K::to_row(context, 0, object)?;
                K::copy_missing_values(&mut row, object, found);
                K::set_modified(&mut row, now.as_micros());
                if replaceable_values(&row) == replaceable_values(&found.row) {
                    raised.push(row)
                } else {
                    replaced.push(row)
                }
            }
            ObjectChange::Delete(found) => gone.push(found.row.clone()),
        }
    }
    // The statements are sent together, and their outcomes are read in this order. After a failed statement,
    // all later statements fail too, and only the first error contains the reason.
    let (erased, inserted, updated, raised, owned) = join!(
        dialect::bulk_delete(context.conn, &gone),
        dialect::bulk_insert(context.conn, OnConflict::Fail, &new),
        dialect::bulk_insert(context.conn, OnConflict::Replace, &replaced),
        dialect::increment_versions(context.conn, &raised),
        K::write_children(context, changes, now),
    );
    erased?;
    inserted?;
    updated?;
    raised?;
    owned
}
