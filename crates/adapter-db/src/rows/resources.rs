//! Rows of objects of a company that are described in the domain and are one row each: the columns come
//! from the description, beside the company, the place in the order of creation, and the version.

use std::marker::PhantomData;

use payroll_domain::description::{Cell, Described, NothingSealed, Seal};

use super::cells::{self, Column, RowSeal};
use crate::columns::{ColumnError, FromColumns, Source};
use crate::error::{Failure, Outcome};
use crate::fixed::Bind;
use crate::seal::Sealer;
use crate::table::Table;

/// An object of a company, in a table of its own. Its first member is its id.
pub(crate) trait StoredResource: Described {
    /// The table.
    const TABLE: &'static str;
    /// The columns of the primary key: company and id.
    const KEY: &'static str;
    /// All columns, separated by commas.
    const ALL_COLUMNS: &'static str;
    /// All columns with their types.
    const TYPES: &'static [Column];
}

/// A row of such a table.
#[derive(Debug)]
pub(crate) struct ResourceRow<T> {
    company_id: String,
    created: i64,
    pub(crate) version: i64,
    cells: Vec<Cell>,
    resource: PhantomData<fn() -> T>,
}

// By hand: what is derived would ask the resource to be `Clone`.
impl<T> Clone for ResourceRow<T> {
    fn clone(&self) -> Self {
        let Self { company_id, created, version, cells, resource } = self;
        let (company_id, cells) = (company_id.clone(), cells.clone());
        Self { company_id, created: *created, version: *version, cells, resource: *resource }
    }
}

impl<T: StoredResource> ResourceRow<T> {
    /// An object as a row.
    pub(crate) fn new(company_id: &str, created: i64, resource: &T) -> Outcome<Self> {
        Self::sealed(company_id, created, resource, &NothingSealed)
    }

    /// An object that has something to seal as a row.
    pub(crate) fn sealed(company_id: &str, created: i64, resource: &T, seal: &dyn Seal) -> Outcome<Self> {
        let cells = resource.cells(seal);
        let cells = cells.ok_or_else(|| Failure::Bug("a decimal is beyond 64 bits".to_owned()))?;
        Ok(Self {
            company_id: company_id.to_owned(),
            created,
            version: created,
            cells,
            resource: PhantomData,
        })
    }

    /// The id of the object.
    pub(crate) fn id(&self) -> &str {
        match self.cells.first() {
            Some(Cell::Text(Some(id))) => id,
            _ => "",
        }
    }

    /// What the row means.
    pub(crate) fn value(self) -> Outcome<T> {
        let id = self.id().to_owned();
        Self::loaded(self.cells, &id, &NothingSealed)
    }

    /// What the row means, of an object that may have something sealed.
    pub(crate) fn opened(self, sealer: &Sealer) -> Outcome<T> {
        let row_id = self.id().to_owned();
        let seal = RowSeal { sealer, company_id: &self.company_id, row_id: &row_id };
        Self::loaded(self.cells, &row_id, &seal)
    }

    fn loaded(cells: Vec<Cell>, id: &str, seal: &dyn Seal) -> Outcome<T> {
        T::load(&mut cells.into_iter(), seal).map_err(|member| Failure::Corrupt {
            table: T::TABLE,
            key: id.to_owned(),
            problem: format!("{member} makes no sense"),
        })
    }

    /// What a column holds, if it is one of text.
    pub(crate) fn text(&self, column: &str) -> Option<&str> {
        match self.cells.get(place::<T>(column)?)? {
            Cell::Text(text) => text.as_deref(),
            Cell::Integer(_) | Cell::Boolean(_) | Cell::Date(_) => None,
        }
    }

    /// Has a column of text hold that.
    pub(crate) fn set_text(&mut self, column: &str, text: Option<String>) {
        if let Some(cell) = place::<T>(column).and_then(|place| self.cells.get_mut(place)) {
            *cell = Cell::Text(text);
        }
    }
}

impl<T: StoredResource> Table for ResourceRow<T> {
    const NAME: &'static str = T::TABLE;
    const COLUMNS: &'static str = T::ALL_COLUMNS;
    const TYPES: &'static [Column] = T::TYPES;
    const KEY: &'static str = T::KEY;

    fn values(&self) -> Vec<Bind<'_>> {
        let first = [Bind::from(&self.company_id), Bind::from(self.created), Bind::from(self.version)];
        first.into_iter().chain(cells::binds(&self.cells)).collect()
    }
}

impl<T: StoredResource> FromColumns for ResourceRow<T> {
    const COUNT: usize = T::TYPES.len();

    fn types(types: &mut Vec<&'static str>) {
        <(String, i64, i64)>::types(types);
        cells::sql_types(<T as Described>::COLUMNS, types);
    }

    fn from_columns(source: &mut dyn Source) -> Result<Self, ColumnError> {
        let (company_id, created, version) = FromColumns::from_columns(source)?;
        let cells = cells::from_columns(<T as Described>::COLUMNS, source)?;
        Ok(Self { company_id, created, version, cells, resource: PhantomData })
    }
}

/// The place of a column among those of the members.
fn place<T: Described>(column: &str) -> Option<usize> {
    T::COLUMNS.iter().position(|described| described.name == column)
}

/// The columns of every such table that are not members.
pub(crate) const FIRST_COLUMNS: [Column; 3] =
    [("company_id", "text[]"), ("created", "int8[]"), ("version", "int8[]")];

/// Says where resources are stored: `CalculationBase in "calculation_bases" key "…";`.
macro_rules! resources {
    ($($resource:ident in $table:literal key $key:literal;)*) => { $(
        impl $crate::rows::resources::StoredResource for $resource {
            const TABLE: &'static str = $table;
            const KEY: &'static str = $key;
            $crate::rows::cells::table_columns!($crate::rows::resources::FIRST_COLUMNS, $resource);
        }
    )* };
}
pub(crate) use resources;
