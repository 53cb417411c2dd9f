//! Statements with a constant text: `&'static str` and typed values.
//!
//! Diesel prepares such a statement once for each connection. Diesel would prepare many statements of its
//! query builder again for each use, such as every UPDATE and upsert. Preparing costs more than running the
//! statement.
//!
//! A statement is written once for both databases. Its parameters are `$1`, `$2`, … in the order of their
//! first use, because SQLite numbers them in this order.
//!
//! `Conn` of each database runs the statements. The `dialect` modules contain the differences.

use std::borrow::Cow;

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Binary, Bool, Date, Nullable, Text, Untyped};
use diesel::sqlite::Sqlite;

/// The SQL texts of all uses of `query!` and `command!`, each with the name of its module.
#[cfg(test)]
#[linkme::distributed_slice]
pub(crate) static STATEMENTS: [(&str, &str)];

/// A value for a parameter of a statement. `None` is NULL. The lists are only available on PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum BindValue<'a> {
    Text(Option<Cow<'a, str>>),
    Int(Option<i64>),
    Bool(Option<bool>),
    Date(Option<time::Date>),
    Bytes(Option<Cow<'a, [u8]>>),
    Texts(Vec<Option<Cow<'a, str>>>),
    Ints(Vec<Option<i64>>),
    Bools(Vec<Option<bool>>),
    Dates(Vec<Option<time::Date>>),
}

/// A statement of constant text with its values.
#[derive(Debug, Clone)]
pub(crate) struct Statement<'a> {
    sql: &'static str,
    binds: Vec<BindValue<'a>>,
}

/// Creates a statement that returns rows. The caller that runs the statement chooses the row type.
pub(crate) fn query<'a>(sql: &'static str, binds: impl IntoIterator<Item = BindValue<'a>>) -> Statement<'a> {
    Statement { sql, binds: binds.into_iter().collect() }
}

/// Creates a [`query`](fn@query) from a constant text. A test prepares every such text on its database
/// (`statements.rs`).
macro_rules! constant_query {
    ($text:expr, $values:expr $(,)?) => {{
        #[cfg(test)]
        {
            #[expect(unsafe_code, reason = "the linker gathers the statements of the test")]
            #[linkme::distributed_slice($crate::statement::STATEMENTS)]
            static STATEMENT: (&str, &str) = (module_path!(), $text);
        }
        $crate::statement::query($text, $values)
    }};
}
pub(crate) use constant_query as query;

/// Like [`query!`], for statements that return no rows.
pub(crate) use constant_query as command;

/// Creates a statement that returns only the number of affected rows.
pub(crate) fn command<'a>(
    sql: &'static str,
    binds: impl IntoIterator<Item = BindValue<'a>>,
) -> Statement<'a> {
    query(sql, binds)
}

/// Creates the list of values of a statement: `binds![company_id, limit]`.
macro_rules! binds {
    ($($value:expr),* $(,)?) => { [$($crate::statement::BindValue::from($value)),*] };
}
pub(crate) use binds;

impl Query for Statement<'_> {
    // The columns are read individually (module `columns`), so Diesel needs no row type.
    type SqlType = Untyped;
}

impl QueryId for Statement<'_> {
    // Diesel caches the prepared statement under its SQL text, so no static id is needed.
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(self.sql);
        for bind in &self.binds {
            match bind {
                BindValue::Text(value) => out.push_bind_param_value_only::<Nullable<Text>, _>(value)?,
                BindValue::Int(value) => out.push_bind_param_value_only::<Nullable<BigInt>, _>(value)?,
                BindValue::Bool(value) => out.push_bind_param_value_only::<Nullable<Bool>, _>(value)?,
                BindValue::Date(value) => out.push_bind_param_value_only::<Nullable<Date>, _>(value)?,
                BindValue::Bytes(value) => {
                    out.push_bind_param_value_only::<Nullable<Binary>, _>(value)?;
                }
                BindValue::Texts(values) => {
                    out.push_bind_param_value_only::<Array<Nullable<Text>>, _>(values)?;
                }
                BindValue::Ints(values) => {
                    out.push_bind_param_value_only::<Array<Nullable<BigInt>>, _>(values)?;
                }
                BindValue::Bools(values) => {
                    out.push_bind_param_value_only::<Array<Nullable<Bool>>, _>(values)?;
                }
                BindValue::Dates(values) => {
                    out.push_bind_param_value_only::<Array<Nullable<Date>>, _>(values)?;
                }
            }
        }
        Ok(())
    }
}

impl QueryFragment<Sqlite> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql(self.sql);
        for bind in &self.binds {
            match bind {
                BindValue::Text(value) => out.push_bind_param_value_only::<Nullable<Text>, _>(value)?,
                BindValue::Int(value) => out.push_bind_param_value_only::<Nullable<BigInt>, _>(value)?,
                BindValue::Bool(value) => out.push_bind_param_value_only::<Nullable<Bool>, _>(value)?,
                BindValue::Date(value) => out.push_bind_param_value_only::<Nullable<Date>, _>(value)?,
                BindValue::Bytes(value) => {
                    out.push_bind_param_value_only::<Nullable<Binary>, _>(value)?;
                }
                BindValue::Texts(_) | BindValue::Ints(_) | BindValue::Bools(_) | BindValue::Dates(_) => {
                    return Err(diesel::result::Error::SerializationError(
                        "SQLite has no lists: the dialect sends them as JSON".into(),
                    ));
                }
            }
        }
        Ok(())
    }
}

impl<'a> From<&'a str> for BindValue<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Some(Cow::Borrowed(value)))
    }
}

impl From<String> for BindValue<'_> {
    fn from(value: String) -> Self {
        Self::Text(Some(Cow::Owned(value)))
    }
}

impl<'a> From<&'a String> for BindValue<'a> {
    fn from(value: &'a String) -> Self {
        Self::from(value.as_str())
    }
}

impl<'a> From<Option<&'a str>> for BindValue<'a> {
    fn from(value: Option<&'a str>) -> Self {
        Self::Text(value.map(Cow::Borrowed))
    }
}

impl<'a> From<&'a Option<String>> for BindValue<'a> {
    fn from(value: &'a Option<String>) -> Self {
        Self::Text(value.as_deref().map(Cow::Borrowed))
    }
}

impl From<Option<String>> for BindValue<'_> {
    fn from(value: Option<String>) -> Self {
        Self::Text(value.map(Cow::Owned))
    }
}

impl<'a> From<&'a [u8]> for BindValue<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(Some(Cow::Borrowed(value)))
    }
}

impl<'a> From<&'a Vec<u8>> for BindValue<'a> {
    fn from(value: &'a Vec<u8>) -> Self {
        Self::from(value.as_slice())
    }
}

impl<'a> From<&'a Option<Vec<u8>>> for BindValue<'a> {
    fn from(value: &'a Option<Vec<u8>>) -> Self {
        Self::Bytes(value.as_deref().map(Cow::Borrowed))
    }
}

impl From<Vec<u8>> for BindValue<'_> {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(Some(Cow::Owned(value)))
    }
}

macro_rules! impl_from_copied_values {
    ($($kind:ident: $ty:ty),*) => { $(
        impl From<$ty> for BindValue<'_> {
            fn from(value: $ty) -> Self { Self::$kind(Some(value)) }
        }
        impl From<&$ty> for BindValue<'_> {
            fn from(value: &$ty) -> Self { Self::$kind(Some(*value)) }
        }
        impl From<Option<$ty>> for BindValue<'_> {
            fn from(value: Option<$ty>) -> Self { Self::$kind(value) }
        }
        impl From<&Option<$ty>> for BindValue<'_> {
            fn from(value: &Option<$ty>) -> Self { Self::$kind(*value) }
        }
    )* };
}
impl_from_copied_values!(Int: i64, Bool: bool, Date: time::Date);

/// The SQL for limit and offset: `window!("$2", "$3")`. The casts hide the values from SQLite's planner.
/// Otherwise SQLite would plan the statement for these values, and would prepare it again for each use.
macro_rules! window {
    ($limit:literal, $offset:literal) => {
        concat!(" LIMIT CAST(", $limit, " AS BIGINT) OFFSET CAST(", $offset, " AS BIGINT)")
    };
}
pub(crate) use window;

/// Joins constant texts, so that a column list is only written in its table: `sql!["SELECT ",
/// CheckRow::COLUMNS, " FROM checks"]`.
macro_rules! sql {
    [$($part:expr),+ $(,)?] => {{
        const PARTS: &[&str] = &[$($part),+];
        const BYTES: [u8; $crate::statement::total_length(PARTS)] = $crate::statement::join(PARTS);
        const TEXT: &str = $crate::statement::bytes_to_str(&BYTES);
        TEXT
    }};
}
pub(crate) use sql;

/// Returns the sum of the texts' lengths in bytes.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn total_length(parts: &[&str]) -> usize {
    let (mut length, mut part) = (0, 0);
    while part < parts.len() {
        length += parts[part].len();
        part += 1;
    }
    length
}

/// Joins the bytes of the texts in their order.
#[expect(clippy::indexing_slicing, reason = "runs in the compiler, where a mistake does not compile")]
pub(crate) const fn join<const LENGTH: usize>(parts: &[&str]) -> [u8; LENGTH] {
    let (mut joined, mut at, mut part) = ([0; LENGTH], 0, 0);
    while part < parts.len() {
        let bytes = parts[part].as_bytes();
        let mut byte = 0;
        while byte < bytes.len() {
            joined[at] = bytes[byte];
            at += 1;
            byte += 1;
        }
        part += 1;
    }
    joined
}

/// Converts the joined bytes to text. The conversion always succeeds, because joined valid texts are a valid
/// text.
pub(crate) const fn bytes_to_str(bytes: &'static [u8]) -> &'static str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}
