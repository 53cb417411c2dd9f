//! The properties of a table that do not depend on its rows.

use super::anonymisation::Anonymisation;

/// A table that is declared by one entry in the module `rows`. Each of its rows belongs to a company.
#[derive(Debug)]
pub(crate) struct StoredTable {
    /// The name of the table.
    pub(crate) name: &'static str,
    /// The columns that an anonymised copy keeps, separated by spaces.
    pub(crate) copied_columns: &'static str,
    /// The columns whose values an anonymised copy replaces.
    pub(crate) replaced_columns: &'static [(&'static str, Anonymisation)],
    /// The statement that deletes the rows of all companies.
    pub(crate) delete_all_sql: &'static str,
}
