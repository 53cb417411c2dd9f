//! The children of objects. Each kind of children has its own table, such as the contacts of workers.
//! Children are read for many owners at once, and only changed rows are written.

use std::collections::{HashMap, HashSet};

use futures_util::join;

use super::{CompanyContext, ObjectChange, ObjectKind, ReadableRow, ids_condition};
use crate::error::Outcome;
use crate::rows::parts::{OwnedObject, OwnedObjectRow};
use crate::statement::{BindValue, query};
use crate::table::{OnConflict, TableDefinition, key_bind_values, replaceable_values};
use crate::texts::{self, StatementKind};

use super::super::dialect;

/// A row of a child table, which belongs to an object.
pub(in super::super) trait ChildRow: ReadableRow {
    /// The column with the id of the owner.
    const OWNER: &'static str;
    /// The columns that order the rows of one owner.
    const ORDER: &'static str;
    /// Returns the id of the owner.
    fn owner(&self) -> &str;
}

impl<T: OwnedObject> ChildRow for OwnedObjectRow<T> {
    const OWNER: &'static str = T::OWNER;
    const ORDER: &'static str = if T::IS_LIST { "position" } else { T::OWNER };

    fn owner(&self) -> &str {
        &self.owner
    }
}

/// The rows of each owner, in the order of the owner's list.
pub(in super::super) type RowsByOwner<T> = HashMap<String, Vec<T>>;

/// The child tables that have rows of an owner.
///
/// An object with many child tables has rows in only a few of these tables. One statement that detects these
/// tables costs less than a statement that reads rows for each table.
pub(super) enum TablesWithRows {
    /// Every table is read, because any table may have rows if several owners are read at once.
    Any,
    /// The names of the tables to read. All other tables have no rows of the owner, or are not requested.
    Only(Vec<(String,)>),
}

impl TablesWithRows {
    /// Detects which tables have rows of the owner. `tables` has the name of each table and the column with
    /// the owner's id. The statement's text is cached under the type `O`.
    pub(super) async fn detect_tables_with_rows<O: 'static>(
        context: CompanyContext<'_>,
        owners: &[&str],
        tables: &[(&str, &str)],
    ) -> Outcome<Self> {
        let [owner] = owners else { return Ok(Self::Any) };
        let text = texts::cached_text::<O>(StatementKind::TablesWithRows, dialect::NAME, || {
            let queries = tables.iter().map(|(table, column)| {
                format!(
                    "SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {table} WHERE company_id = $1 AND {column} = $2)"
                )
            });
            queries.collect::<Vec<_>>().join(" UNION ALL ")
        });
        let values = [BindValue::from(context.company_id), BindValue::from(*owner)];
        Ok(Self::Only(context.conn.query_rows(query(text, values)).await?))
    }

    /// Reads the rows of the owners in a table. A table that is known to have no such rows is not queried.
    pub(super) async fn read<T: ChildRow>(
        &self,
        context: CompanyContext<'_>,
        owners: &[&str],
    ) -> Outcome<RowsByOwner<T>> {
        self.read_rows_if_parent_has_some::<T, T>(context, owners).await
    }

    /// Like `read`, for a table that can have rows only if the table of `P` has rows.
    pub(super) async fn read_rows_if_parent_has_some<T: ChildRow, P: ChildRow>(
        &self,
        context: CompanyContext<'_>,
        owners: &[&str],
    ) -> Outcome<RowsByOwner<T>> {
        match self {
            Self::Only(tables) if tables.iter().all(|(table,)| table != P::NAME) => Ok(RowsByOwner::new()),
            _ => read_rows_by_owner(context, owners).await,
        }
    }
}

/// Reads the rows of these owners in a table.
pub(in super::super) async fn read_rows_by_owner<T: ChildRow>(
    context: CompanyContext<'_>,
    owners: &[&str],
) -> Outcome<RowsByOwner<T>> {
    let (purpose, [_, second], owners) =
        ids_condition(owners, StatementKind::OfOwner, StatementKind::OfOwners);
    let text = texts::cached_text::<T>(purpose, dialect::NAME, || {
        format!(
            "SELECT {} FROM {} WHERE company_id = $1 AND {}{second} ORDER BY {}",
            T::COLUMNS,
            T::NAME,
            T::OWNER,
            T::ORDER
        )
    });
    let values = vec![BindValue::from(context.company_id), owners];
    Ok(group_by_owner(T::read(context.conn, text, values).await?))
}

/// Groups rows by their owners.
pub(in super::super) fn group_by_owner<T: ChildRow>(rows: Vec<T>) -> RowsByOwner<T> {
    let mut sorted = RowsByOwner::<T>::new();
    for row in rows {
        // The owner is looked up before an insertion, because most owners are already in the map. The id of
        // such an owner need not be copied.
        match sorted.get_mut(row.owner()) {
            Some(own) => own.push(row),
            None => drop(sorted.insert(row.owner().to_owned(), vec![row])),
        }
    }
    sorted
}

/// Removes the rows of one owner from the map and converts them.
pub(in super::super) fn take_children<T, M>(
    children: &mut RowsByOwner<T>,
    owner: &str,
    decode: fn(T) -> Outcome<M>,
) -> Outcome<Vec<M>> {
    children.remove(owner).unwrap_or_default().into_iter().map(decode).collect()
}

/// Writes the changed rows of a table and deletes the removed ones.
pub(super) async fn write_child_rows<K: ObjectKind, T: ChildRow>(
    context: CompanyContext<'_>,
    changes: &[ObjectChange<'_, K>],
    rows: impl Fn(&K::Object) -> Outcome<Vec<T>>,
) -> Outcome<()> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for change in changes {
        old.extend(change.before().map(&rows).transpose()?.into_iter().flatten());
        new.extend(change.after().map(&rows).transpose()?.into_iter().flatten());
    }
    replace_child_rows(context, &old, &new).await
}

/// Deletes the old rows whose keys no longer exist, and writes the new rows that differ from the stored ones.
pub(super) async fn replace_child_rows<T: ChildRow>(
    context: CompanyContext<'_>,
    old: &[T],
    new: &[T],
) -> Outcome<()> {
    if old.is_empty() {
        dialect::bulk_insert(context.conn, OnConflict::Fail, new).await?;
        return Ok(());
    }
    let (gone, differing) = split_removed_and_changed(old, new);
    // The deleted and the written rows have different keys, so the order of the statements does not matter.
    let (erased, written) = join!(
        dialect::bulk_delete(context.conn, &gone),
        dialect::bulk_insert(context.conn, OnConflict::Replace, &differing),
    );
    erased?;
    written?;
    Ok(())
}

/// Returns the old rows whose keys no longer exist, and the new rows that differ from the stored ones.
fn split_removed_and_changed<T: TableDefinition + Clone>(old: &[T], new: &[T]) -> (Vec<T>, Vec<T>) {
    let known: HashMap<_, _> =
        old.iter().map(|row| (key_bind_values(row), replaceable_values(row))).collect();
    let retained_keys: HashSet<_> = new.iter().map(key_bind_values).collect();
    let gone = old.iter().filter(|row| !retained_keys.contains(&key_bind_values(*row)));
    let differing =
        new.iter().filter(|row| known.get(&key_bind_values(*row)) != Some(&replaceable_values(*row)));
    (gone.cloned().collect(), differing.cloned().collect())
}
