//! The texts of statements that are the same for every table, made once for each table and kept
//! for the life of the process: a prepared statement wants a text that stays.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::table::{OnConflict, Table};

/// What a text does with its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    /// Inserts many rows.
    Insert(OnConflict),
    /// Reads all rows of a company.
    OfCompany,
    /// Deletes the rows of some owners; the column that names them.
    DeleteOf(&'static str),
}

type Texts = HashMap<(TypeId, Use, &'static str), &'static str>;

static TEXTS: Mutex<Option<Texts>> = Mutex::new(None);

/// The text for this table, made at its first use. One per table, use and database: what is
/// leaked here is bounded by the program's own text.
pub(crate) fn of<T: Table + 'static>(
    purpose: Use,
    database: &'static str,
    make: impl FnOnce() -> String,
) -> &'static str {
    TEXTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get_or_insert_default()
        .entry((TypeId::of::<T>(), purpose, database))
        .or_insert_with(|| Box::leak(make().into_boxed_str()))
}
