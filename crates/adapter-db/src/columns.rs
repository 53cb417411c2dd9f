//! Reads database rows column by column into values.
//!
//! A statement returns columns in the order of its text, and a row type lists them in the same order. Both
//! databases pass their rows as a [`ColumnReader`]. The row types are therefore compiled once, and the
//! compiler does not have to handle a row as one long tuple.
//!
//! The module `rows` defines the meaning of the values, and `Conn` of each database runs the statements.

use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::deserialize::FromSql;
use diesel::result::Error::DeserializationError;
use diesel::row::{Field, Row};
use diesel::sql_types::{BigInt, Binary, Bool, Date, Text};

/// The reason why a column could not be read: the column has another type, is unexpectedly NULL, or does not
/// exist.
pub(crate) type ColumnError = Box<dyn std::error::Error + Send + Sync>;

/// The columns of one row, read from left to right. `None` is NULL.
pub(crate) trait ColumnReader {
    /// Reads the next column as text.
    fn text(&mut self) -> Result<Option<String>, ColumnError>;
    /// Reads the next column as an integer.
    fn int(&mut self) -> Result<Option<i64>, ColumnError>;
    /// Reads the next column as a boolean.
    fn bool(&mut self) -> Result<Option<bool>, ColumnError>;
    /// Reads the next column as a date.
    fn date(&mut self) -> Result<Option<time::Date>, ColumnError>;
    /// Reads the next column as bytes.
    fn bytes(&mut self) -> Result<Option<Vec<u8>>, ColumnError>;
    /// Returns whether the next column is NULL. The column remains the next one.
    fn is_null(&self) -> bool;
    /// Skips a number of columns.
    fn skip(&mut self, columns: usize);
}

/// A value or a row that is read from adjacent columns.
pub(crate) trait FromColumns: Sized {
    /// The number of columns of the value.
    const COUNT: usize;

    /// Adds the SQL types of the columns in their order.
    fn collect_types(types: &mut Vec<&'static str>);

    /// Reads the value from its columns.
    ///
    /// # Errors
    /// The fault of the first column that cannot be read.
    fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError>;
}

/// A Diesel backend from which values of every column type can be read.
pub(crate) trait ColumnBackend: Backend {
    /// Reads a text column.
    fn text(value: Self::RawValue<'_>) -> Result<String, ColumnError>;
    /// Reads an integer column.
    fn int(value: Self::RawValue<'_>) -> Result<i64, ColumnError>;
    /// Reads a boolean column.
    fn bool(value: Self::RawValue<'_>) -> Result<bool, ColumnError>;
    /// Reads a date column.
    fn date(value: Self::RawValue<'_>) -> Result<time::Date, ColumnError>;
    /// Reads a column of bytes.
    fn bytes(value: Self::RawValue<'_>) -> Result<Vec<u8>, ColumnError>;
}

impl<DB> ColumnBackend for DB
where
    DB: Backend,
    String: FromSql<Text, DB>,
    i64: FromSql<BigInt, DB>,
    bool: FromSql<Bool, DB>,
    time::Date: FromSql<Date, DB>,
    Vec<u8>: FromSql<Binary, DB>,
{
    fn text(value: Self::RawValue<'_>) -> Result<String, ColumnError> {
        String::from_sql(value)
    }

    fn int(value: Self::RawValue<'_>) -> Result<i64, ColumnError> {
        i64::from_sql(value)
    }

    fn bool(value: Self::RawValue<'_>) -> Result<bool, ColumnError> {
        bool::from_sql(value)
    }

    fn date(value: Self::RawValue<'_>) -> Result<time::Date, ColumnError> {
        time::Date::from_sql(value)
    }

    fn bytes(value: Self::RawValue<'_>) -> Result<Vec<u8>, ColumnError> {
        Vec::from_sql(value)
    }
}

/// A function that reads a row from its columns.
pub(crate) type ReadRow<'r> = dyn FnMut(&mut dyn ColumnReader) -> Result<(), ColumnError> + Send + 'r;

/// Passes the columns of a row to a function.
///
/// # Errors
/// A deserialization error that contains the name of the column.
pub(crate) fn read_row_columns<'r, DB: ColumnBackend, R: Row<'r, DB>>(
    row: &R,
    read: &mut ReadRow<'_>,
) -> diesel::QueryResult<()> {
    read(&mut DieselRowReader { row, next: 0, database: PhantomData }).map_err(DeserializationError)
}

/// A row of Diesel as a [`ColumnReader`].
struct DieselRowReader<'c, DB, R> {
    row: &'c R,
    next: usize,
    database: PhantomData<DB>,
}

impl<'r, DB: Backend, R: Row<'r, DB>> DieselRowReader<'_, DB, R> {
    fn value<T>(
        &mut self,
        read: impl FnOnce(DB::RawValue<'_>) -> Result<T, ColumnError>,
    ) -> Result<Option<T>, ColumnError> {
        let number = self.next;
        let field = self.row.get(number).ok_or_else(|| format!("there is no column {number}"))?;
        self.next += 1;
        let read = field.value().map(read).transpose();
        read.map_err(|error| {
            let name = field.field_name().unwrap_or_default();
            format!("column {number} ({name}): {error}").into()
        })
    }
}

impl<'r, DB: ColumnBackend, R: Row<'r, DB>> ColumnReader for DieselRowReader<'_, DB, R> {
    fn text(&mut self) -> Result<Option<String>, ColumnError> {
        self.value(DB::text)
    }

    fn int(&mut self) -> Result<Option<i64>, ColumnError> {
        self.value(DB::int)
    }

    fn bool(&mut self) -> Result<Option<bool>, ColumnError> {
        self.value(DB::bool)
    }

    fn date(&mut self) -> Result<Option<time::Date>, ColumnError> {
        self.value(DB::date)
    }

    fn bytes(&mut self) -> Result<Option<Vec<u8>>, ColumnError> {
        self.value(DB::bytes)
    }

    fn is_null(&self) -> bool {
        self.row.get(self.next).is_none_or(|field| field.is_null())
    }

    fn skip(&mut self, columns: usize) {
        self.next += columns;
    }
}

/// A row of an outer join, which may be missing. The first column of such a row is never NULL. NULL in this
/// column therefore means that the row is missing.
pub(crate) struct OptionalJoin<R>(pub(crate) Option<R>);

impl<R: FromColumns> FromColumns for OptionalJoin<R> {
    const COUNT: usize = R::COUNT;

    fn collect_types(types: &mut Vec<&'static str>) {
        R::collect_types(types);
    }

    fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
        if source.is_null() {
            source.skip(R::COUNT);
            return Ok(Self(None));
        }
        R::from_columns(source).map(|row| Self(Some(row)))
    }
}

/// The PostgreSQL array type for the values of a column. A nullable column has the same array type.
pub(crate) trait ColumnType {
    /// The PostgreSQL type of an array of such values.
    const ARRAY: &'static str;
}

impl<T: ColumnType> ColumnType for Option<T> {
    const ARRAY: &'static str = T::ARRAY;
}

/// Implements [`ColumnType`] and [`FromColumns`] for each type of column, and for its `Option`.
macro_rules! impl_column_types {
    ($($method:ident $sql:literal $array:literal: $ty:ty),* $(,)?) => { $(
        impl ColumnType for $ty {
            const ARRAY: &'static str = $array;
        }

        impl FromColumns for $ty {
            const COUNT: usize = 1;

            fn collect_types(types: &mut Vec<&'static str>) {
                types.push($sql);
            }

            fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
                source.$method()?.ok_or_else(|| "a column is NULL that must not be".into())
            }
        }

        impl FromColumns for Option<$ty> {
            const COUNT: usize = 1;

            fn collect_types(types: &mut Vec<&'static str>) {
                types.push($sql);
            }

            fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
                source.$method()
            }
        }
    )* };
}
impl_column_types!(
    text "TEXT" "text[]": String,
    int "BIGINT" "int8[]": i64,
    bool "BOOLEAN" "bool[]": bool,
    date "DATE" "date[]": time::Date,
    bytes "BYTEA" "bytea[]": Vec<u8>,
);

/// Implements a row without columns, which reads nothing.
impl FromColumns for () {
    const COUNT: usize = 0;

    fn collect_types(_: &mut Vec<&'static str>) {}

    fn from_columns(_: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
        Ok(())
    }
}

/// Implements [`FromColumns`] for tuples, whose parts are read from adjacent columns.
macro_rules! impl_from_columns_for_tuples {
    ($($part:ident),*) => {
        impl<$($part: FromColumns),*> FromColumns for ($($part,)*) {
            const COUNT: usize = 0 $(+ $part::COUNT)*;

            fn collect_types(types: &mut Vec<&'static str>) {
                $($part::collect_types(types);)*
            }

            fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError> {
                Ok(($($part::from_columns(source)?,)*))
            }
        }
    };
}
impl_from_columns_for_tuples!(A);
impl_from_columns_for_tuples!(A, B);
impl_from_columns_for_tuples!(A, B, C);
impl_from_columns_for_tuples!(A, B, C, D);
impl_from_columns_for_tuples!(A, B, C, D, E);
impl_from_columns_for_tuples!(A, B, C, D, E, F);
impl_from_columns_for_tuples!(A, B, C, D, E, F, G);
impl_from_columns_for_tuples!(A, B, C, D, E, F, G, H);

/// Defines the row type of a query that does not return complete table rows. The type is a struct whose
/// fields are read in their order.
macro_rules! query_row {
    (
        $(#[$meta:meta])*
        $visible:vis struct $name:ident { $($member_visible:vis $member:ident: $ty:ty),* $(,)? }
    ) => {
        $(#[$meta])*
        $visible struct $name { $($member_visible $member: $ty),* }

        impl $crate::columns::FromColumns for $name {
            const COUNT: usize = 0 $(+ <$ty as $crate::columns::FromColumns>::COUNT)*;

            fn collect_types(types: &mut Vec<&'static str>) {
                $(<$ty as $crate::columns::FromColumns>::collect_types(types);)*
            }

            fn from_columns(
                source: &mut dyn $crate::columns::ColumnReader,
            ) -> Result<Self, $crate::columns::ColumnError> {
                Ok(Self { $($member: $crate::columns::FromColumns::from_columns(source)?),* })
            }
        }
    };
}
pub(crate) use query_row;
