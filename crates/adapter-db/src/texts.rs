//! Caches the texts of statements that are generated for each table. The texts stay in memory until the
//! process ends, because a prepared statement needs a `&'static str`.

use std::any::TypeId;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use crate::table::OnConflict;

/// The purpose of a statement for a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StatementKind {
    /// Inserts one row into the table.
    InsertOne(OnConflict),
    /// Inserts many rows into the table.
    Insert(OnConflict),
    /// Updates many rows by their keys.
    Update,
    /// Increases the version of a row by its key, and sets the instant of the change.
    IncrementVersion,
    /// Increases the versions of many rows by their keys.
    IncrementVersions,
    /// Reads the row of the table with a given id.
    OfId,
    /// Reads the rows of the table with given ids.
    OfIds,
    /// Reads the rows that belong to one owner, such as a worker.
    OfOwner,
    /// Reads the rows that belong to any of several owners.
    OfOwners,
    /// Returns the names of the child tables in which an owner has rows.
    TablesWithRows,
    /// Reads the ids of the rows of a company that match a condition, in the order of their creation.
    Ids { condition: &'static str },
    /// Counts the rows of a company that match a condition.
    Count { condition: &'static str },
    /// Deletes rows by their keys.
    Erase,
    /// Reads those ids of a list that exist in a company.
    StoredIds,
    /// Reads a few of the referrers of an object, which are the objects that refer to it. Without
    /// `reference`, reads a few child companies of a company.
    Referrers { table: &'static str, column: &'static str, reference: Option<&'static str> },
    /// Reads a page of the list whose statement consists of these fragments.
    Listing { size: TextFragment, page: TextFragment, with_head: bool, with_children: bool },
    /// Reads the access, the number of elements and the version of a list.
    ListHead { size: TextFragment },
    /// Reads the child rows of the elements of a list.
    ListChildren { text: TextFragment },
}

/// A piece of a statement's text, as a key of the cache.
///
/// Fragments are compared by content, because the same constant may have more than one address. Only the
/// length is hashed, because fragments are long and rarely have the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextFragment(pub(crate) &'static str);

impl Hash for TextFragment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.len().hash(state);
    }
}

type StatementTextCache = HashMap<(TypeId, StatementKind, &'static str), &'static str>;

static CACHED_TEXTS: Mutex<Option<StatementTextCache>> = Mutex::new(None);

/// Returns the text for a table and a purpose. The text is generated at the first use and leaked. There is
/// only one text for each table, purpose and database, so the leaked memory is limited.
pub(crate) fn cached_text<T: 'static>(
    purpose: StatementKind,
    database: &'static str,
    build_text: impl FnOnce() -> String,
) -> &'static str {
    CACHED_TEXTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert_default()
        .entry((TypeId::of::<T>(), purpose, database))
        .or_insert_with(|| Box::leak(build_text().into_boxed_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cached_text_is_found_by_the_content_of_its_fragments() {
        struct List;
        let head = |size: &str, created: &str| {
            let size = TextFragment(String::leak(size.to_owned()));
            cached_text::<List>(StatementKind::ListHead { size }, "a database", || created.to_owned())
        };
        assert_eq!((head("1", "one"), head("2", "two")), ("one", "two"));
        assert_eq!((head("1", "anew"), head("2", "anew")), ("one", "two"));
    }
}
