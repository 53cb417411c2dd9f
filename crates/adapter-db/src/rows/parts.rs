//! Rows of what belongs to objects and is described in the domain: the columns come from the
//! description, beside the company, the owner and the place in the owner's list.

use std::marker::PhantomData;

use payroll_domain::description::{Cell, Described, NothingSealed};

use super::cells::{self, Column};
use crate::columns::{ColumnError, FromColumns, Source};
use crate::error::{Failure, Outcome};
use crate::fixed::Bind;
use crate::table::Table;

/// What belongs to an object, in a table of its own.
pub(crate) trait Part: Described {
    /// The table.
    const TABLE: &'static str;
    /// The column that names the owner.
    const OWNER: &'static str;
    /// The columns of the primary key, separated by commas.
    const KEY: &'static str;
    /// Whether an owner has several, in an order.
    const IS_LIST: bool;
    /// All columns, separated by commas.
    const ALL_COLUMNS: &'static str;
    /// All columns with their types.
    const TYPES: &'static [Column];
}

/// A row of such a table.
#[derive(Debug)]
pub(crate) struct PartRow<T> {
    pub(crate) company_id: String,
    pub(crate) owner: String,
    pub(crate) position: i64,
    cells: Vec<Cell>,
    part: PhantomData<fn() -> T>,
}

// By hand: what is derived would ask the part to be `Clone`.
impl<T> Clone for PartRow<T> {
    fn clone(&self) -> Self {
        let Self { company_id, owner, position, cells, part } = self;
        let (company_id, owner, cells) = (company_id.clone(), owner.clone(), cells.clone());
        Self { company_id, owner, position: *position, cells, part: *part }
    }
}

impl<T: Part> PartRow<T> {
    /// A part of that owner, at its position, as a row.
    pub(crate) fn new(company_id: &str, owner: &str, position: i64, part: &T) -> Outcome<Self> {
        let cells = part
            .cells(&NothingSealed)
            .ok_or_else(|| Failure::Bug("a decimal is beyond 64 bits".to_owned()))?;
        let (company_id, owner) = (company_id.to_owned(), owner.to_owned());
        Ok(Self { company_id, owner, position, cells, part: PhantomData })
    }

    /// What an owner has, in its order, as rows.
    pub(crate) fn all<'p>(
        company_id: &str,
        owner: &str,
        parts: impl IntoIterator<Item = &'p T>,
    ) -> Outcome<Vec<Self>> {
        (0..).zip(parts).map(|(at, part)| Self::new(company_id, owner, at, part)).collect()
    }

    /// What the row means.
    pub(crate) fn value(self) -> Outcome<T> {
        let Self { owner, position, cells, .. } = self;
        T::load(&mut cells.into_iter(), &NothingSealed).map_err(|member| Failure::Corrupt {
            table: T::TABLE,
            key: format!("{owner} {position}"),
            problem: format!("{member} makes no sense"),
        })
    }
}

impl<T: Part> Table for PartRow<T> {
    const NAME: &'static str = T::TABLE;
    const COLUMNS: &'static str = T::ALL_COLUMNS;
    const TYPES: &'static [Column] = T::TYPES;
    const KEY: &'static str = T::KEY;

    fn values(&self) -> Vec<Bind<'_>> {
        let position = T::IS_LIST.then(|| Bind::from(self.position));
        let first = [Bind::from(&self.company_id), Bind::from(&self.owner)];
        first.into_iter().chain(position).chain(cells::binds(&self.cells)).collect()
    }
}

impl<T: Part> FromColumns for PartRow<T> {
    const COUNT: usize = T::TYPES.len();

    fn types(types: &mut Vec<&'static str>) {
        <(String, String)>::types(types);
        if T::IS_LIST {
            i64::types(types);
        }
        cells::sql_types(<T as Described>::COLUMNS, types);
    }

    fn from_columns(source: &mut dyn Source) -> Result<Self, ColumnError> {
        let (company_id, owner) = FromColumns::from_columns(source)?;
        let position = if T::IS_LIST { i64::from_columns(source)? } else { 0 };
        let cells = cells::from_columns(<T as Described>::COLUMNS, source)?;
        Ok(Self { company_id, owner, position, cells, part: PhantomData })
    }
}

/// Says where parts are stored: `PayRate in "pay_rates" of "worker_id" as list key "…";`, or `as one`
/// where an owner has no more than one.
macro_rules! parts {
    ($($part:ident in $table:literal of $owner:literal as $number:ident key $key:literal;)*) => { $(
        impl $crate::rows::parts::Part for $part {
            const TABLE: &'static str = $table;
            const OWNER: &'static str = $owner;
            const KEY: &'static str = $key;
            const IS_LIST: bool = $crate::rows::parts::first_columns!($number, $owner).len() == 3;
            $crate::rows::cells::table_columns!($crate::rows::parts::first_columns!($number, $owner), $part);
        }
    )* };
}
pub(crate) use parts;

macro_rules! first_columns {
    (list, $owner:literal) => {
        [("company_id", "text[]"), ($owner, "text[]"), ("position", "int8[]")]
    };
    (one, $owner:literal) => {
        [("company_id", "text[]"), ($owner, "text[]")]
    };
}
pub(crate) use first_columns;
