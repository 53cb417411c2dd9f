//! A table's columns, said once: the row as a struct, how it is read, the list for a SELECT and both
//! bulk inserts come from one definition.
//!
//! Not here: what the rows mean (`store`), and how each database takes many rows at once (the
//! `dialect` modules).

use crate::fixed::Bind;

/// The definition of a table, made by [`table!`].
pub(crate) trait Table {
    /// The name of the table.
    const NAME: &'static str;
    /// Its columns, separated by commas.
    const COLUMNS: &'static str;
    /// The columns and their PostgreSQL types, as arrays.
    const TYPES: &'static [(&'static str, &'static str)];
    /// The columns of the primary key, separated by commas.
    const KEY: &'static str;

    /// The values of the row, in the order of the columns.
    fn values(&self) -> Vec<Bind<'_>>;
}

/// Columns that a stored row keeps when another one replaces it: its place in the order, and what
/// only the store itself counts.
const KEPT: [&str; 6] =
    ["created", "check_count", "removed_checks", "version", "record_version", "checks_archived"];
/// Those of them that distinguish one state of the row from the next: each replacement makes them greater.
const VERSIONS: [&str; 2] = ["version", "record_version"];

/// The column that says when a row was changed: replaced with the row, and no difference by itself.
const MODIFIED: &str = "modified";

/// What an insert does with a row whose key is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum OnConflict {
    /// Fails: the row must be new.
    Fail,
    /// Replaces the stored row; its version grows, so only what differs should be written.
    Replace,
}

impl OnConflict {
    /// The tail of the insert, the same words on both databases.
    pub(crate) fn tail<T: Table>(self) -> String {
        match self {
            Self::Fail => String::new(),
            Self::Replace => replace_tail::<T>(),
        }
    }
}

fn replace_tail<T: Table>() -> String {
    let keys: Vec<&str> = T::KEY.split(", ").collect();
    let names = || T::TYPES.iter().map(|(name, _)| *name);
    let replaced = names().filter(|name| !keys.contains(name) && !KEPT.contains(name));
    let replaced = replaced.map(|name| format!("{name} = excluded.{name}"));
    let set: Vec<String> = replaced.chain(versions_grow::<T>()).collect();
    if set.is_empty() {
        return format!(" ON CONFLICT ({}) DO NOTHING", T::KEY);
    }
    format!(" ON CONFLICT ({}) DO UPDATE SET {}", T::KEY, set.join(", "))
}

/// Whether the table keeps when a row was changed.
pub(crate) fn has_modified<T: Table>() -> bool {
    T::TYPES.iter().any(|(name, _)| *name == MODIFIED)
}

/// Makes each version of a row greater, as the assignments of an update.
pub(crate) fn versions_grow<T: Table>() -> impl Iterator<Item = String> {
    let versions = T::TYPES.iter().map(|(name, _)| *name).filter(|name| VERSIONS.contains(name));
    versions.map(|name| format!("{name} = {}.{name} + 1", T::NAME))
}

/// Defines a table: `table! { struct Name in "table" key "a, b" { column: kind, … } }`, where a
/// kind is `text`, `int`, `bool`, `date` or `bytes`, or one of them with `_or_null`.
macro_rules! table {
    (
        $(#[$meta:meta])*
        struct $row:ident in $name:literal key $key:literal {
            $($column:ident: $kind:ident),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone)]
        pub(crate) struct $row {
            $(pub(crate) $column: $crate::table::rust_type!($kind)),*
        }

        impl $crate::columns::FromColumns for $row {
            const COUNT: usize = <Self as $crate::table::Table>::TYPES.len();

            fn types(types: &mut Vec<&'static str>) {
                $(<$crate::table::rust_type!($kind) as $crate::columns::FromColumns>::types(types);)*
            }

            fn from_columns(
                source: &mut dyn $crate::columns::Source,
            ) -> Result<Self, $crate::columns::ColumnError> {
                Ok(Self { $($column: $crate::columns::FromColumns::from_columns(source)?),* })
            }
        }

        impl $crate::table::Table for $row {
            const NAME: &'static str = $name;
            const COLUMNS: &'static str = $crate::table::list!($($column),*);
            const TYPES: &'static [(&'static str, &'static str)] =
                &[$((stringify!($column), $crate::table::pg_array!($kind))),*];
            const KEY: &'static str = $key;

            fn values(&self) -> Vec<$crate::fixed::Bind<'_>> {
                vec![$($crate::fixed::Bind::from(&self.$column)),*]
            }
        }
    };
}
pub(crate) use table;

macro_rules! list {
    ($first:ident $(, $rest:ident)*) => {
        concat!(stringify!($first) $(, ", ", stringify!($rest))*)
    };
}
pub(crate) use list;

macro_rules! rust_type {
    (text) => { String };
    (text_or_null) => { Option<String> };
    (int) => { i64 };
    (int_or_null) => { Option<i64> };
    (bool) => { bool };
    (bool_or_null) => { Option<bool> };
    (date) => { time::Date };
    (date_or_null) => { Option<time::Date> };
    (bytes) => { Vec<u8> };
    (bytes_or_null) => { Option<Vec<u8>> };
}
pub(crate) use rust_type;

macro_rules! pg_array {
    (text) => {
        "text[]"
    };
    (text_or_null) => {
        "text[]"
    };
    (int) => {
        "int8[]"
    };
    (int_or_null) => {
        "int8[]"
    };
    (bool) => {
        "bool[]"
    };
    (bool_or_null) => {
        "bool[]"
    };
    (date) => {
        "date[]"
    };
    (date_or_null) => {
        "date[]"
    };
    (bytes) => {
        "bytea[]"
    };
    (bytes_or_null) => {
        "bytea[]"
    };
}
pub(crate) use pg_array;

/// The columns that identify a row, each with its PostgreSQL type as an array, in the order of
/// [`key`].
pub(crate) fn key_columns<T: Table>() -> Vec<(&'static str, &'static str)> {
    let keys: Vec<&str> = T::KEY.split(", ").collect();
    T::TYPES.iter().filter(|(name, _)| keys.contains(name)).copied().collect()
}

/// The values of the columns that identify the row.
pub(crate) fn key<T: Table>(row: &T) -> Vec<Bind<'_>> {
    let keys: Vec<&str> = T::KEY.split(", ").collect();
    picked(row, |name| keys.contains(&name))
}

/// The values of all other columns.
pub(crate) fn beside_key<T: Table>(row: &T) -> Vec<Bind<'_>> {
    let keys: Vec<&str> = T::KEY.split(", ").collect();
    picked(row, |name| !keys.contains(&name))
}

/// An insert of one row's values.
pub(crate) fn insert_one<T: Table>(on_conflict: OnConflict) -> String {
    let values: Vec<String> = (1..=T::TYPES.len()).map(|n| format!("${n}")).collect();
    format!(
        "INSERT INTO {} ({}) VALUES ({}){}",
        T::NAME,
        T::COLUMNS,
        values.join(", "),
        on_conflict.tail::<T>()
    )
}

/// The row that has a key, as a condition of its values.
pub(crate) fn of_key<T: Table>() -> String {
    let keys = key_columns::<T>();
    let keys: Vec<String> =
        keys.iter().enumerate().map(|(at, (name, _))| format!("{name} = ${}", at + 1)).collect();
    format!(" WHERE {}", keys.join(" AND "))
}

/// The names of a table's columns: those of the key, and the others.
pub(crate) fn names<T: Table>() -> (Vec<&'static str>, Vec<&'static str>) {
    let keys: Vec<&str> = T::KEY.split(", ").collect();
    T::TYPES.iter().map(|(name, _)| *name).partition(|name| keys.contains(name))
}

/// The values of the columns that another row with the same key would replace.
pub(crate) fn content<T: Table>(row: &T) -> Vec<Bind<'_>> {
    picked(row, |name| !KEPT.contains(&name) && name != MODIFIED)
}

fn picked<T: Table>(row: &T, wanted: impl Fn(&str) -> bool) -> Vec<Bind<'_>> {
    let named = T::TYPES.iter().zip(row.values());
    named.filter(|((name, _), _)| wanted(name)).map(|(_, value)| value).collect()
}
