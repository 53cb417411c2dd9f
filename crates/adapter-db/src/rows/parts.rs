//! Rows of objects that belong to another object, such as the contacts of a worker. The first columns are the
//! company, the owner and the position in the owner's list. The remaining columns are the members that the
//! domain lists ([`Described`]).

use payroll_domain::description::{Described, NoEncryption, Seal};

use super::cells::StoredMembers;
use crate::columns::{ColumnError, ColumnReader, FromColumns};
use crate::error::Outcome;
use crate::statement::BindValue;
use crate::table::{ArrayColumn, TableDefinition};

/// An object with its own table, which belongs to an owner such as a worker.
pub(crate) trait OwnedObject: Described {
    /// The name of the table.
    const TABLE: &'static str;
    /// The column with the id of the owner.
    const OWNER: &'static str;
    /// The columns of the primary key, separated by commas.
    const KEY: &'static str;
    /// Whether an owner can have several of these objects, which then have positions.
    const IS_LIST: bool;
    /// The names of all columns of the table, separated by commas.
    const ALL_COLUMNS: &'static str;
    /// All columns of the table, each with the PostgreSQL type of an array of its values.
    const TYPES: &'static [ArrayColumn];
}

/// The row of an object that belongs to another object, such as a contact of a worker.
#[derive(Debug, Clone)]
pub(crate) struct OwnedObjectRow<T> {
    pub(crate) company_id: String,
    pub(crate) owner: String,
    pub(crate) position: i64,
    members: StoredMembers<T>,
}

impl<T: OwnedObject> OwnedObjectRow<T> {
    /// Creates the row of an object with this owner and position.
    pub(crate) fn new(company_id: &str, owner: &str, position: i64, part: &T) -> Outcome<Self> {
        Self::encrypt_object((company_id, owner), position, part, &NoEncryption)
    }

    /// Creates the row of an object with encrypted members.
    pub(crate) fn encrypt_object(
        (company_id, owner): (&str, &str),
        position: i64,
        part: &T,
        seal: &dyn Seal,
    ) -> Outcome<Self> {
        let members = StoredMembers::new(part, seal)?;
        Ok(Self { company_id: company_id.to_owned(), owner: owner.to_owned(), position, members })
    }

    /// Returns the id of the object, or an empty text if the object has none.
    pub(crate) fn id(&self) -> &str {
        self.members.id()
    }

    /// Creates the rows of all objects of an owner, in the order of the owner's list.
    pub(crate) fn create_rows<'p>(
        company_id: &str,
        owner: &str,
        parts: impl IntoIterator<Item = &'p T>,
    ) -> Outcome<Vec<Self>> {
        (0..).zip(parts).map(|(at, part)| Self::new(company_id, owner, at, part)).collect()
    }

    /// Returns the object in this row.
    pub(crate) fn decode_value(self) -> Outcome<T> {
        self.decrypt(&NoEncryption)
    }

    /// Returns the object in this row, with decrypted members.
    pub(crate) fn decrypt(self, seal: &dyn Seal) -> Outcome<T> {
        let key = format!("{} {}", self.owner, self.position);
        self.members.decode_value(seal, T::TABLE, &key)
    }
}

impl<T: OwnedObject> TableDefinition for OwnedObjectRow<T> {
    const NAME: &'static str = T::TABLE;
    const COLUMNS: &'static str = T::ALL_COLUMNS;
    const TYPES: &'static [ArrayColumn] = T::TYPES;
    const KEY: &'static str = T::KEY;

    fn bind_values(&self) -> Vec<BindValue<'_>> {
        let position = T::IS_LIST.then(|| BindValue::from(self.position));
        let first = [BindValue::from(&self.company_id), BindValue::from(&self.owner)];
        first.into_iter().chain(position).chain(self.members.bind_values()).collect()
    }
}

impl<T: OwnedObject> FromColumns for OwnedObjectRow<T> {
    const COUNT: usize = T::TYPES.len();

    fn collect_types(types: &mut Vec<&'static str>) {
        <(String, String)>::collect_types(types);
        if T::IS_LIST {
            i64::collect_types(types);
        }
        StoredMembers::<T>::collect_types(types);
    }

    fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
        let (company_id, owner) = FromColumns::from_columns(source)?;
        let position = if T::IS_LIST { i64::from_columns(source)? } else { 0 };
        let members = StoredMembers::from_columns(source)?;
        Ok(Self { company_id, owner, position, members })
    }
}

/// Declares the tables. Each declaration has the column with the owner's id, the key, and whether an owner
/// has several rows (`as list`) or at most one (`as one`). The declaration also lists the columns that an
/// anonymised copy keeps or replaces.
macro_rules! declare_owned_tables {
    ($(
        $part:ident in $table:literal of $owner:literal as $number:ident key $key:literal,
            keeps $copied:literal, replaces [$($column:literal $replacement:expr),*];
    )*) => {
        $(
            impl $crate::rows::parts::OwnedObject for $part {
                const TABLE: &'static str = $table;
                const OWNER: &'static str = $owner;
                const KEY: &'static str = $key;
                const IS_LIST: bool = matches!(stringify!($number).as_bytes(), b"list");
                const TYPES: &'static [(&'static str, &'static str)] = {
                    const OWN: &[$crate::table::ArrayColumn] =
                        &[("company_id", "text[]"), ($owner, "text[]"), ("position", "int8[]")];
                    const COUNT: usize =
                        if <$part as $crate::rows::parts::OwnedObject>::IS_LIST { OWN.len() } else { OWN.len() - 1 };
                    $crate::rows::cells::column_types!(*OWN.split_at(COUNT).0, $part)
                };
                const ALL_COLUMNS: &'static str =
                    $crate::table::column_names!(<$part as $crate::rows::parts::OwnedObject>::TYPES);
            }
        )*

        /// The declared tables, with their treatment in an anonymised copy.
        pub(super) const PARTS: &[$crate::rows::stored_table::StoredTable] = &[
            $($crate::rows::stored_table::StoredTable {
                name: $table,
                copied_columns: concat!("company_id ", $owner, " ", $copied),
                replaced_columns: &[$(($column, $replacement)),*],
                delete_all_sql: concat!("DELETE FROM ", $table),
            }),*
        ];
    };
}
pub(crate) use declare_owned_tables;
