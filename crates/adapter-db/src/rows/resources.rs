//! Rows of objects of a company that are described in the domain and are one row each: the columns come
//! from the description, beside the company, the place in the order of creation, and the version.

use std::marker::PhantomData;

use payroll_domain::description::{Cell, Described};

use super::cells::{self, Column};
use crate::columns::{ColumnError, FromColumns, Source};
use crate::error::{Failure, Outcome};
use crate::fixed::Bind;
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
        let cells = resource.cells().ok_or_else(|| Failure::Bug("a decimal is beyond 64 bits".to_owned()))?;
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
        let key = self.id().to_owned();
        T::from_cells(self.cells).map_err(|member| Failure::Corrupt {
            table: T::TABLE,
            key,
            problem: format!("{member} makes no sense"),
        })
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
        cells::sql_types(T::MEMBERS, types);
    }

    fn from_columns(source: &mut dyn Source) -> Result<Self, ColumnError> {
        let (company_id, created, version) = FromColumns::from_columns(source)?;
        let cells = cells::from_columns(T::MEMBERS, source)?;
        Ok(Self { company_id, created, version, cells, resource: PhantomData })
    }
}

/// The columns of every such table that are not members.
pub(crate) const FIRST_COLUMNS: &[Column] =
    &[("company_id", "text[]"), ("created", "int8[]"), ("version", "int8[]")];

/// Says where resources are stored: `CalculationBase in "calculation_bases" key "…";`.
macro_rules! resources {
    ($($resource:ident in $table:literal key $key:literal;)*) => { $(
        impl $crate::rows::resources::StoredResource for $resource {
            const TABLE: &'static str = $table;
            const KEY: &'static str = $key;
            const ALL_COLUMNS: &'static str =
                $crate::fixed::sql!["company_id, created, version, ", <$resource as Described>::COLUMNS];
            const TYPES: &'static [(&'static str, &'static str)] = {
                const FIRST: &[(&str, &str)] = $crate::rows::resources::FIRST_COLUMNS;
                const COUNT: usize = FIRST.len() + <$resource as Described>::MEMBERS.len();
                &$crate::rows::cells::columns::<COUNT>(FIRST, <$resource as Described>::MEMBERS)
            };
        }
    )* };
}
pub(crate) use resources;
