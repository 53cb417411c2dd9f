//! Cells of described resources as columns.

use payroll_domain::description::{Cell, Column as Described, Seal, StoredAs};
use payroll_domain::tax_id::LastFour;

use crate::columns::{ColumnError, FromColumns, Source};
use crate::fixed::Bind;
use crate::seal::Sealer;

/// A column with its PostgreSQL type as an array.
pub(crate) type Column = (&'static str, &'static str);

/// The values of cells.
pub(crate) fn binds(cells: &[Cell]) -> impl Iterator<Item = Bind<'_>> {
    cells.iter().map(|cell| match cell {
        Cell::Text(value) => Bind::from(value),
        Cell::Integer(value) => Bind::from(value),
        Cell::Boolean(value) => Bind::from(value),
        Cell::Date(value) => Bind::from(value),
    })
}

/// Reads the cells of columns that stand side by side.
pub(crate) fn from_columns(columns: &[Described], source: &mut dyn Source) -> Result<Vec<Cell>, ColumnError> {
    let cell = |column: &Described| {
        Ok(match column.stored_as {
            StoredAs::Text => Cell::Text(source.text()?),
            StoredAs::Integer => Cell::Integer(source.int()?),
            StoredAs::Boolean => Cell::Boolean(source.bool()?),
            StoredAs::Date => Cell::Date(source.date()?),
        })
    };
    columns.iter().map(cell).collect()
}

/// The SQL types of columns.
pub(crate) fn sql_types(columns: &[Described], types: &mut Vec<&'static str>) {
    for column in columns {
        match column.stored_as {
            StoredAs::Text => String::types(types),
            StoredAs::Integer => i64::types(types),
            StoredAs::Boolean => bool::types(types),
            StoredAs::Date => time::Date::types(types),
        }
    }
}

/// The first columns of a table, and those that are described behind them.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn columns<const COLUMNS: usize>(
    first: &[Column],
    described: &[Described],
) -> [Column; COLUMNS] {
    let mut all = [("", ""); COLUMNS];
    let mut at = 0;
    while at < first.len() {
        all[at] = first[at];
        at += 1;
    }
    while at < COLUMNS {
        let Described { name, stored_as } = described[at - first.len()];
        let array = match stored_as {
            StoredAs::Text => "text[]",
            StoredAs::Integer => "int8[]",
            StoredAs::Boolean => "bool[]",
            StoredAs::Date => "date[]",
        };
        all[at] = (name, array);
        at += 1;
    }
    all
}

/// The names of columns with commas between them, as parts of a text.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn names<const PARTS: usize>(columns: &[Column]) -> [&'static str; PARTS] {
    let mut parts = [""; PARTS];
    let mut at = 0;
    while at < PARTS {
        parts[at] = if at % 2 == 1 { ", " } else { columns[at / 2].0 };
        at += 1;
    }
    parts
}

/// The columns of a table and their names with commas between them: those that every such table has, and
/// those that are described.
macro_rules! table_columns {
    ($first:expr, $described:ty) => {
        const TYPES: &'static [$crate::rows::cells::Column] = {
            const FIRST: &[$crate::rows::cells::Column] = &$first;
            const DESCRIBED: &[payroll_domain::description::Column] =
                <$described as payroll_domain::description::Described>::COLUMNS;
            const COUNT: usize = FIRST.len() + DESCRIBED.len();
            &$crate::rows::cells::columns::<COUNT>(FIRST, DESCRIBED)
        };
        const ALL_COLUMNS: &'static str = {
            const TYPES: &[$crate::rows::cells::Column] = <$described>::TYPES;
            const PARTS: &[&str] = &$crate::rows::cells::names::<{ TYPES.len() * 2 - 1 }>(TYPES);
            const BYTES: [u8; $crate::fixed::length(PARTS)] = $crate::fixed::join(PARTS);
            $crate::fixed::text(&BYTES)
        };
    };
}
pub(crate) use table_columns;

/// What seals the members of one row: to its id, and hashes by its company.
pub(crate) struct RowSeal<'a> {
    pub(crate) sealer: &'a Sealer,
    pub(crate) company_id: &'a str,
    pub(crate) row_id: &'a str,
}

impl Seal for RowSeal<'_> {
    fn seal(&self, text: &str) -> Option<String> {
        Some(self.sealer.seal(text, self.row_id))
    }

    fn open(&self, sealed: &str) -> Option<String> {
        self.sealer.open(sealed, self.row_id)
    }

    fn last_four_hash(&self, digits: &LastFour) -> Option<String> {
        Some(self.sealer.last_four_hash(self.company_id, digits))
    }
}
