//! Reads database rows column by column into values.
//!
//! A row type lists its columns in the order in which the SQL of its statements selects them. SQLite and
//! PostgreSQL rows are both read through [`ColumnReader`], so the code of a row type is compiled once.
//! Reading column by column also avoids Diesel's long tuple types, which compile slowly.
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
    fn read_text(&mut self) -> Result<Option<String>, ColumnError>;
    /// Reads the next column as an integer.
    fn read_int(&mut self) -> Result<Option<i64>, ColumnError>;
    /// Reads the next column as a boolean.
    fn read_bool(&mut self) -> Result<Option<bool>, ColumnError>;
    /// Reads the next column as a date.
    fn read_date(&mut self) -> Result<Option<time::Date>, ColumnError>;
    /// Reads the next column as bytes.
    fn read_bytes(&mut self) -> Result<Option<Vec<u8>>, ColumnError>;
    /// Returns whether the next column is NULL, without skipping the column.
    fn is_null(&self) -> bool;
    /// Skips a number of columns.
    fn skip_columns(&mut self, columns: usize);
}

/// A value or a row that is read from adjacent columns.
pub(crate) trait FromColumns: Sized {
    /// The number of columns of the value.
    const COUNT: usize;

    /// Appends the SQL type of each column of the value to `types`, in the order of the columns.
    fn collect_types(types: &mut Vec<&'static str>);

    /// Reads the value from its columns.
    ///
    /// # Errors
    /// The error of the first column that cannot be read.
    fn from_columns(source: &mut dyn ColumnReader) -> Result<Self, ColumnError>;
}

/// A Diesel backend from which values of every column type can be read.
pub(crate) trait ColumnBackend: Backend {
    /// Reads a text column.
    fn decode_text(value: Self::RawValue<'_>) -> Result<String, ColumnError>;
    /// Reads an integer column.
    fn decode_int(value: Self::RawValue<'_>) -> Result<i64, ColumnError>;
    /// Reads a boolean column.
    fn decode_bool(value: Self::RawValue<'_>) -> Result<bool, ColumnError>;
    /// Reads a date column.
    fn decode_date(value: Self::RawValue<'_>) -> Result<time::Date, ColumnError>;
    /// Reads a column of bytes.
    fn decode_bytes(value: Self::RawValue<'_>) -> Result<Vec<u8>, ColumnError>;
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
    fn decode_text(value: Self::RawValue<'_>) -> Result<String, ColumnError> {
        String::from_sql(value)
    }

    fn decode_int(value: Self::RawValue<'_>) -> Result<i64, ColumnError> {
        i64::from_sql(value)
    }

    fn decode_bool(value: Self::RawValue<'_>) -> Result<bool, ColumnError> {
        bool::from_sql(value)
    }

    fn decode_date(value: Self::RawValue<'_>) -> Result<time::Date, ColumnError> {
        time::Date::from_sql(value)
    }

    fn decode_bytes(value: Self::RawValue<'_>) -> Result<Vec<u8>, ColumnError> {
        Vec::from_sql(value)
    }
}

/// A function that reads a row from its columns.
pub(crate) type ReadRow<'r> = dyn FnMut(&mut dyn ColumnReader) -> Result<(), ColumnError> + Send + 'r;

/// Calls the function `read` with a reader of the row's columns.
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
    fn read_next<T>(
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
    fn read_text(&mut self) -> Result<Option<String>, ColumnError> {
        self.read_next(DB::decode_text)
    }

    fn read_int(&mut self) -> Result<Option<i64>, ColumnError> {
        self.read_next(DB::decode_int)
    }

    fn read_bool(&mut self) -> Result<Option<bool>, ColumnError> {
        self.read_next(DB::decode_bool)
    }

    fn read_date(&mut self) -> Result<Option<time::Date>, ColumnError> {
        self.read_next(DB::decode_date)
    }

    fn read_bytes(&mut self) -> Result<Option<Vec<u8>>, ColumnError> {
        self.read_next(DB::decode_bytes)
    }

    fn is_null(&self) -> bool {
        self.row.get(self.next).is_none_or(|field| field.is_null())
    }

    fn skip_columns(&mut self, columns: usize) {
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
            source.skip_columns(R::COUNT);
            return Ok(Self(None));
        }
        R::from_columns(source).map(|row| Self(Some(row)))
    }
}

/// The PostgreSQL array type for a list of column values. A nullable column uses the same array type as a
/// column without NULL.
pub(crate) trait ColumnType {
    /// The PostgreSQL type of an array of such column values, for example `text[]`.
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
    read_text "TEXT" "text[]": String,
    read_int "BIGINT" "int8[]": i64,
    read_bool "BOOLEAN" "bool[]": bool,
    read_date "DATE" "date[]": time::Date,
    read_bytes "BYTEA" "bytea[]": Vec<u8>,
);

/// Implements [`FromColumns`] for the empty row `()`, which reads no columns.
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
