//! The columns of resources that implement [`Described`]. The domain lists the members of such a resource,
//! and each member is stored in one column.

use std::marker::PhantomData;

use payroll_domain::description::{Cell, CellType, Column as DescribedColumn, Described, Seal};
use payroll_domain::tax_id::LastFour;

use crate::columns::{ColumnError, ColumnReader, FromColumns};
use crate::error::{Failure, Outcome};
use crate::seal::Sealer;
use crate::statement::BindValue;
use crate::table::ArrayColumn;

/// The members of a [`Described`] resource in their stored form: one value for each column.
#[derive(Debug, Clone)]
pub(crate) struct StoredMembers<T> {
    cells: Vec<Cell>,
    of: PhantomData<fn() -> T>,
}

impl<T: Described> StoredMembers<T> {
    /// Converts a resource to its stored members.
    pub(crate) fn new(resource: &T, seal: &dyn Seal) -> Outcome<Self> {
        let cells = resource.to_cells(seal);
        let cells = cells.ok_or_else(|| Failure::Bug("a decimal is beyond 64 bits".to_owned()))?;
        Ok(Self { cells, of: PhantomData })
    }

    /// Returns the id of the object, which is the first member. Returns an empty text if the first member is
    /// not a text.
    pub(crate) fn id(&self) -> &str {
        match self.cells.first() {
            Some(Cell::Text(Some(id))) => id,
            _ => "",
        }
    }

    /// Converts the members to the resource. If the members are invalid, the error contains the table and the
    /// key.
    pub(crate) fn decode_value(self, seal: &dyn Seal, table: &'static str, key: &str) -> Outcome<T> {
        T::take_from_cells(&mut self.cells.into_iter(), seal).map_err(|member| Failure::Corrupt {
            table,
            key: key.to_owned(),
            problem: format!("{member} is invalid"),
        })
    }

    /// Returns the text in a column. `None` if the column is NULL, unknown or of another type.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        match self.cells.get(Self::column_index(column)?)? {
            Cell::Text(text) => text.as_deref(),
            Cell::Integer(_) | Cell::Boolean(_) | Cell::Date(_) => None,
        }
    }

    /// Sets the text of a column.
    pub(crate) fn set_text(&mut self, column: &str, text: Option<String>) {
        if let Some(cell) = Self::column_index(column).and_then(|place| self.cells.get_mut(place)) {
            *cell = Cell::Text(text);
        }
    }

    fn column_index(column: &str) -> Option<usize> {
        T::COLUMNS.iter().position(|described| described.name == column)
    }

    /// Returns the values of the columns, in their order.
    pub(crate) fn bind_values(&self) -> impl Iterator<Item = BindValue<'_>> {
        self.cells.iter().map(|cell| match cell {
            Cell::Text(value) => BindValue::from(value),
            Cell::Integer(value) => BindValue::from(value),
            Cell::Boolean(value) => BindValue::from(value),
            Cell::Date(value) => BindValue::from(value),
        })
    }
}

impl<T: Described> FromColumns for StoredMembers<T> {
    const COUNT: usize = T::COLUMNS.len();

    fn collect_types(types: &mut Vec<&'static str>) {
        for column in T::COLUMNS {
            match column.stored_as {
                CellType::Text => String::collect_types(types),
                CellType::Integer => i64::collect_types(types),
                CellType::Boolean => bool::collect_types(types),
                CellType::Date => time::Date::collect_types(types),
            }
        }
    }

    fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
        // `collect` into a `Result` would start with a short list and grow the list several times for each
        // row.
        let mut cells = Vec::with_capacity(T::COLUMNS.len());
        for column in T::COLUMNS {
            cells.push(match column.stored_as {
                CellType::Text => Cell::Text(source.read_text()?),
                CellType::Integer => Cell::Integer(source.read_int()?),
                CellType::Boolean => Cell::Boolean(source.read_bool()?),
                CellType::Date => Cell::Date(source.read_date()?),
            });
        }
        Ok(Self { cells, of: PhantomData })
    }
}

/// Returns the columns that only the store uses, followed by those of the described members.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn join_columns<const COLUMNS: usize>(
    first: &[ArrayColumn],
    described: &[DescribedColumn],
) -> [ArrayColumn; COLUMNS] {
    let mut all = [("", ""); COLUMNS];
    let mut at = 0;
    while at < first.len() {
        all[at] = first[at];
        at += 1;
    }
    while at < COLUMNS {
        let DescribedColumn { name, stored_as } = described[at - first.len()];
        let array = match stored_as {
            CellType::Text => "text[]",
            CellType::Integer => "int8[]",
            CellType::Boolean => "bool[]",
            CellType::Date => "date[]",
        };
        all[at] = (name, array);
        at += 1;
    }
    all
}

/// Returns the columns of a table: those that only the store uses, followed by those of the described
/// members.
macro_rules! column_types {
    ($first:expr, $described:ty) => {{
        const FIRST: &[$crate::table::ArrayColumn] = &$first;
        const DESCRIBED: &[payroll_domain::description::Column] =
            <$described as payroll_domain::description::Described>::COLUMNS;
        &$crate::rows::cells::join_columns::<{ FIRST.len() + DESCRIBED.len() }>(FIRST, DESCRIBED)
    }};
}
pub(crate) use column_types;

/// Defines a row that consists of columns that only the store uses and of the members of a resource. `$state`
/// is the type of the store's columns, which `table!` has defined.
macro_rules! declare_row_with_members {
    ($row:ident: $state:ty, $described:ty) => {
        impl $crate::table::TableDefinition for $row {
            const NAME: &'static str = <$state as $crate::table::TableDefinition>::NAME;
            const COLUMNS: &'static str =
                $crate::table::column_names!(<$row as $crate::table::TableDefinition>::TYPES);
            const TYPES: &'static [$crate::table::ArrayColumn] = $crate::rows::cells::column_types!(
                *<$state as $crate::table::TableDefinition>::TYPES,
                $described
            );
            const KEY: &'static str = <$state as $crate::table::TableDefinition>::KEY;

            fn bind_values(&self) -> Vec<$crate::statement::BindValue<'_>> {
                self.state.bind_values().into_iter().chain(self.members.bind_values()).collect()
            }
        }

        impl $crate::columns::FromColumns for $row {
            const COUNT: usize = <$row as $crate::table::TableDefinition>::TYPES.len();

            fn collect_types(types: &mut Vec<&'static str>) {
                <$state as $crate::columns::FromColumns>::collect_types(types);
                <$crate::rows::cells::StoredMembers<$described> as $crate::columns::FromColumns>::collect_types(
                    types,
                );
            }

            fn from_columns(
                source: &mut dyn $crate::columns::ColumnReader,
            ) -> Result<Self, $crate::columns::ColumnError> {
                let state = $crate::columns::FromColumns::from_columns(source)?;
                Ok(Self { state, members: $crate::columns::FromColumns::from_columns(source)? })
            }
        }
    };
}
pub(crate) use declare_row_with_members;

/// Encrypts and hashes the members of one row. An encrypted text is bound to the id of the row. A hash is
/// bound to the company.
pub(crate) struct RowSeal<'a> {
    pub(crate) sealer: &'a Sealer,
    pub(crate) company_id: &'a str,
    pub(crate) row_id: &'a str,
}

impl Seal for RowSeal<'_> {
    fn seal(&self, text: &str) -> Option<String> {
        Some(self.sealer.seal(text, self.row_id))
    }

    fn unseal(&self, ciphertext: &str) -> Option<String> {
        self.sealer.unseal(ciphertext, self.row_id)
    }

    fn hash_last_four(&self, digits: &LastFour) -> Option<String> {
        Some(self.sealer.hash_last_four(self.company_id, digits))
    }
}
