//! Rows of a company's objects that have one row each and implement [`Described`]. The first columns are the
//! company, the position in the order of creation and the version. The remaining columns are the members that
//! the domain lists.

use payroll_domain::description::{Described, NoEncryption, Seal};

use super::cells::{RowSeal, StoredMembers};
use crate::columns::{ColumnError, ColumnReader, FromColumns};
use crate::error::Outcome;
use crate::seal::Sealer;
use crate::statement::BindValue;
use crate::table::{ArrayColumn, TableDefinition};

/// An object of a company with its own table. Its first member is its id.
pub(crate) trait StoredResource: Described {
    /// The name of the table.
    const TABLE: &'static str;
    /// The columns of the primary key: company and id.
    const KEY: &'static str;
    /// The names of all columns of the table, separated by commas.
    const ALL_COLUMNS: &'static str;
    /// All columns of the table, each with the PostgreSQL type of an array of its values.
    const TYPES: &'static [ArrayColumn];
    /// Whether the table stores the instant of the last change.
    const HAS_MODIFIED: bool;
}

/// The row of an object that has its own table and belongs to a company.
#[derive(Debug, Clone)]
pub(crate) struct ResourceRow<T> {
    company_id: String,
    created: i64,
    version: i64,
    /// The instant of the last change, if the table stores it.
    modified: i64,
    pub(crate) members: StoredMembers<T>,
}

impl<T: StoredResource> ResourceRow<T> {
    /// Creates the row of an object.
    pub(crate) fn new(company_id: &str, created: i64, resource: &T) -> Outcome<Self> {
        Self::encrypt_resource(company_id, created, resource, &NoEncryption)
    }

    /// Creates the row of an object with encrypted members.
    pub(crate) fn encrypt_resource(
        company_id: &str,
        created: i64,
        resource: &T,
        seal: &dyn Seal,
    ) -> Outcome<Self> {
        let members = StoredMembers::new(resource, seal)?;
        Ok(Self { company_id: company_id.to_owned(), created, version: created, modified: created, members })
    }

    /// Returns the id of the object.
    pub(crate) fn id(&self) -> &str {
        self.members.id()
    }

    /// Returns the version of the object.
    pub(crate) const fn version(&self) -> i64 {
        self.version
    }

    /// Sets the instant of the last change, if the table stores it.
    pub(crate) fn set_modified(&mut self, at: i64) {
        self.modified = at;
    }

    /// Returns the object in this row.
    pub(crate) fn decode_value(self) -> Outcome<T> {
        let id = self.id().to_owned();
        self.members.decode_value(&NoEncryption, T::TABLE, &id)
    }

    /// Converts the row, which may have encrypted members, to the object.
    pub(crate) fn decrypt(self, sealer: &Sealer) -> Outcome<T> {
        let row_id = self.id().to_owned();
        let seal = RowSeal { sealer, company_id: &self.company_id, row_id: &row_id };
        self.members.decode_value(&seal, T::TABLE, &row_id)
    }
}

impl<T: StoredResource> TableDefinition for ResourceRow<T> {
    const NAME: &'static str = T::TABLE;
    const COLUMNS: &'static str = T::ALL_COLUMNS;
    const TYPES: &'static [ArrayColumn] = T::TYPES;
    const KEY: &'static str = T::KEY;

    fn bind_values(&self) -> Vec<BindValue<'_>> {
        let first =
            [BindValue::from(&self.company_id), BindValue::from(self.created), BindValue::from(self.version)];
        let modified = T::HAS_MODIFIED.then(|| BindValue::from(self.modified));
        first.into_iter().chain(modified).chain(self.members.bind_values()).collect()
    }
}

impl<T: StoredResource> FromColumns for ResourceRow<T> {
    const COUNT: usize = T::TYPES.len();

    fn collect_types(types: &mut Vec<&'static str>) {
        <(String, i64, i64)>::collect_types(types);
        if T::HAS_MODIFIED {
            i64::collect_types(types);
        }
        StoredMembers::<T>::collect_types(types);
    }

    fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
        let (company_id, created, version) = FromColumns::from_columns(source)?;
        let modified = if T::HAS_MODIFIED { i64::from_columns(source)? } else { created };
        let members = StoredMembers::from_columns(source)?;
        Ok(Self { company_id, created, version, modified, members })
    }
}

/// The columns that every table of resources has in addition to the members. The last column stores the
/// instant of the last change. Some tables do not have this column.
const FIRST_COLUMNS: &[ArrayColumn] =
    &[("company_id", "text[]"), ("created", "int8[]"), ("version", "int8[]"), ("modified", "int8[]")];

/// Returns the columns that are not members, for a table with or without `modified`.
pub(crate) const fn columns_of_store(has_modified: bool) -> &'static [ArrayColumn] {
    if has_modified { FIRST_COLUMNS } else { FIRST_COLUMNS.split_at(FIRST_COLUMNS.len() - 1).0 }
}

/// Declares the tables: `CalculationBase in "calculation_bases" key "…";`. With `, modified` after the key,
/// the table stores the instant of the last change.
macro_rules! declare_resource_tables {
    ($($resource:ident in $table:literal key $key:expr $(, $modified:ident)?;)*) => { $(
        impl $crate::rows::resources::StoredResource for $resource {
            const TABLE: &'static str = $table;
            const KEY: &'static str = $key;
            const HAS_MODIFIED: bool = {
                const MODIFIED: &[&str] = &[$(stringify!($modified))?];
                !MODIFIED.is_empty()
            };
            const TYPES: &'static [(&'static str, &'static str)] = $crate::rows::cells::column_types!(
                *$crate::rows::resources::columns_of_store(
                    <$resource as $crate::rows::resources::StoredResource>::HAS_MODIFIED
                ),
                $resource
            );
            const ALL_COLUMNS: &'static str = $crate::table::column_names!(
                <$resource as $crate::rows::resources::StoredResource>::TYPES
            );
        }
    )* };
}
pub(crate) use declare_resource_tables;
