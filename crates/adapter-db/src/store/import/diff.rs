//! Comparing rows of a file with stored ones, whatever their table, and writing the difference.

use std::collections::{BTreeMap, HashMap, HashSet};

use diesel::deserialize::FromSqlRow;
use diesel::expression::QueryMetadata;
use payroll_ports::import::ImportCounts;

use super::super::{Conn, dialect};
use crate::error::Outcome;
use crate::fixed::{Bind, binds, command, query};
use crate::table::{OnConflict, Table, content, key};
use crate::texts::{self, Use};

/// All rows that a company has in a table.
pub(super) async fn stored<T>(conn: &Conn, company_id: &str) -> Outcome<Vec<T>>
where
    T: Table + FromSqlRow<T::Sql, dialect::Backend> + Send + 'static,
    T::Sql: Send + 'static,
    dialect::Backend: QueryMetadata<T::Sql>,
{
    let text = texts::of::<T>(Use::OfCompany, dialect::NAME, || {
        format!("SELECT {} FROM {} WHERE company_id = $1 ORDER BY {}", T::COLUMNS, T::NAME, T::KEY)
    });
    conn.rows(query::<T::Sql>(text, binds![company_id])).await
}

/// Writes the objects that are new or differ, and counts all of them. An object that is the same
/// but owns something that has changed counts as changed.
pub(super) async fn write_objects<T: Table + Clone + Send + Sync + 'static>(
    conn: &Conn,
    stored: &[T],
    wanted: Vec<T>,
    owns_a_change: impl Fn(&T) -> bool,
) -> Outcome<ImportCounts> {
    let known: HashMap<_, _> = stored.iter().map(|row| (key(row), content(row))).collect();
    let (mut counts, mut writes) = (ImportCounts::default(), Vec::new());
    for row in &wanted {
        match known.get(&key(row)) {
            None => counts.created += 1,
            Some(found) if *found != content(row) => counts.changed += 1,
            Some(_) if owns_a_change(row) => {
                counts.changed += 1;
                continue;
            }
            Some(_) => {
                counts.unchanged += 1;
                continue;
            }
        }
        writes.push(row.clone());
    }
    dialect::bulk(conn, OnConflict::Replace, &writes).await?;
    Ok(counts)
}

/// How rows belong to their owners: the column, and its value.
pub(super) struct Owned<T> {
    pub(super) column: &'static str,
    pub(super) owner: fn(&T) -> &str,
}

/// Replaces what the owners own where it differs; returns the owners of a difference. Owners that
/// are not named keep what they have.
pub(super) async fn replace_owned<T: Table + Clone + Send + Sync + 'static>(
    conn: &Conn,
    company_id: &str,
    owners: impl IntoIterator<Item = &str>,
    (stored, wanted): (Vec<T>, Vec<T>),
    owned: Owned<T>,
) -> Outcome<HashSet<String>> {
    let (old, new) = (grouped(&stored, owned.owner), grouped(&wanted, owned.owner));
    let owners = owners.into_iter();
    let differs: HashSet<String> =
        owners.filter(|owner| old.get(owner) != new.get(owner)).map(ToOwned::to_owned).collect();
    if differs.is_empty() {
        return Ok(differs);
    }
    let text = texts::of::<T>(Use::DeleteOf(owned.column), dialect::NAME, || {
        let any = dialect::any!("$2");
        format!("DELETE FROM {} WHERE company_id = $1 AND {}{any}", T::NAME, owned.column)
    });
    let values = [Bind::from(company_id), dialect::list(differs.iter().map(String::as_str))];
    conn.execute(command(text, values)).await?;
    let writes: Vec<T> = wanted.iter().filter(|row| differs.contains((owned.owner)(row))).cloned().collect();
    dialect::bulk(conn, OnConflict::Fail, &writes).await?;
    Ok(differs)
}

type Grouped<'r> = HashMap<&'r str, BTreeMap<String, Vec<Bind<'r>>>>;

/// The rows of each owner, in an order of their own.
fn grouped<T: Table>(rows: &[T], owner: fn(&T) -> &str) -> Grouped<'_> {
    let mut groups: Grouped<'_> = HashMap::new();
    for row in rows {
        groups.entry(owner(row)).or_default().insert(format!("{:?}", key(row)), content(row));
    }
    groups
}
