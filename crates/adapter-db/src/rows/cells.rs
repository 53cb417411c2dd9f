//! Cells of described resources as columns.

use payroll_domain::description::{Cell, Member, StoredAs};

use crate::columns::{ColumnError, FromColumns, Source};
use crate::fixed::Bind;

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

/// Reads the cells of members from columns that stand side by side.
pub(crate) fn from_columns(members: &[Member], source: &mut dyn Source) -> Result<Vec<Cell>, ColumnError> {
    let cell = |member: &Member| {
        Ok(match member.stored_as {
            StoredAs::Text => Cell::Text(source.text()?),
            StoredAs::Integer => Cell::Integer(source.int()?),
            StoredAs::Boolean => Cell::Boolean(source.bool()?),
            StoredAs::Date => Cell::Date(source.date()?),
        })
    };
    members.iter().map(cell).collect()
}

/// The SQL types of members.
pub(crate) fn sql_types(members: &[Member], types: &mut Vec<&'static str>) {
    for member in members {
        match member.stored_as {
            StoredAs::Text => String::types(types),
            StoredAs::Integer => i64::types(types),
            StoredAs::Boolean => bool::types(types),
            StoredAs::Date => time::Date::types(types),
        }
    }
}

/// The first columns of a table, and those of members behind them.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn columns<const COLUMNS: usize>(first: &[Column], members: &[Member]) -> [Column; COLUMNS] {
    let mut all = [("", ""); COLUMNS];
    let mut at = 0;
    while at < first.len() {
        all[at] = first[at];
        at += 1;
    }
    while at < COLUMNS {
        let Member { column, stored_as, .. } = members[at - first.len()];
        let array = match stored_as {
            StoredAs::Text => "text[]",
            StoredAs::Integer => "int8[]",
            StoredAs::Boolean => "bool[]",
            StoredAs::Date => "date[]",
        };
        all[at] = (column, array);
        at += 1;
    }
    all
}
