//! The SQL and functions that are specific to SQLite.

use payroll_ports::schema::StatisticsScope;

use crate::error::Outcome;
use crate::statement::{BindValue, Statement, command, sql};
use crate::table::{
    OnConflict, TableDefinition, increment_versions_bind_values, increment_versions_statement,
    insert_one_statement, key_and_other_columns, key_bind_values, key_condition, non_key_bind_values,
};
use crate::texts::StatementKind;

use super::connection::Conn;

/// The name of this database system, as a part of the keys of cached statement texts.
pub(crate) const NAME: &str = "sqlite";
/// Whether each statement is a round trip. SQLite runs statements in this process, so several simple
/// statements are faster than one combined statement.
pub(crate) const IS_REMOTE: bool = false;

/// Returns `false`: records of another process are never taken over on SQLite, because processes have no
/// numbers there. A server deletes the records of earlier processes when it starts.
pub(crate) async fn has_process_ended(_: &Conn, _: i32) -> Outcome<bool> {
    Ok(false)
}

/// The condition that a column equals an element of the list `$n`. Write `equals_any!("$2")` after the
/// column.
macro_rules! equals_any {
    ($parameter:literal) => {
        concat!(" IN (SELECT value FROM json_each(", $parameter, "))")
    };
}
pub(crate) use equals_any;

/// A page of the companies that the application $1 may list. $2 is the limit and $3 the offset.
///
/// Every grant matches the inner condition on `company_created`. The condition makes SQLite read the grants
/// in the order of an index, even without statistics. Otherwise SQLite would sort all grants. `window!`
/// explains the casts.
pub(crate) const FROM_PAGE_OF_COMPANIES: &str = " FROM (SELECT company_id AS granted_id, scopes, company_created FROM grants \
        WHERE application_id = $1 AND company_created >= -9223372036854775807 \
        AND scopes LIKE '%read:companies%' ORDER BY company_created, company_id \
        LIMIT CAST($2 AS BIGINT) OFFSET CAST($3 AS BIGINT)) g \
     JOIN companies ON company_id = granted_id ORDER BY company_created, granted_id";

/// The FROM clause for the companies on a page, in a separate statement. The clause therefore repeats the
/// selection of the page ([`FROM_PAGE_OF_COMPANIES`]).
pub(crate) const FROM_LISTED_COMPANIES: &str =
    sql![" FROM (SELECT version", FROM_PAGE_OF_COMPANIES, ") listed"];

/// An empty condition, because all companies are in one file. With a condition, SQLite would choose an index
/// by which it reads all rows of the company `$n`.
macro_rules! same_company_condition {
    ($parameter:literal) => {
        ""
    };
}
pub(crate) use same_company_condition;

/// The list `$n` as rows with one column, `value`: `list_as_rows!("$1")` in a FROM, followed by a name.
macro_rules! list_as_rows {
    ($parameter:literal) => {
        concat!("(SELECT value FROM json_each(", $parameter, "))")
    };
}
pub(crate) use list_as_rows;

/// The condition that a text column contains a given text.
macro_rules! text_contains {
    ($text:literal, $substring:expr) => {
        concat!("instr(", $text, ", ", $substring, ") > 0")
    };
}
pub(crate) use text_contains;

/// An empty lock clause, because SQLite has one writer and needs no row locks.
macro_rules! lock_rows {
    ($strength:literal) => {
        ""
    };
}
pub(crate) use lock_rows;

/// Acquires no lock on the parents of companies, because SQLite has only one writer.
pub(crate) async fn lock_company_parents(_: &Conn) -> Outcome<()> {
    Ok(())
}

/// Acquires no lock on the creation of operator keys, because SQLite has only one writer.
pub(crate) async fn lock_operator_key_creation(_: &Conn) -> Outcome<()> {
    Ok(())
}

/// Acquires no shared lock on the company, because SQLite has only one writer. Waiting writers have a fair
/// queue.
pub(crate) async fn lock_company_shared(_: &Conn, _: &str) -> Outcome<()> {
    Ok(())
}

/// Acquires no exclusive lock on the company, because SQLite has only one writer.
pub(crate) async fn lock_company_exclusive(_: &Conn, _: &str) -> Outcome<()> {
    Ok(())
}

/// Refreshes no statistics, because SQLite chooses its indexes without statistics.
pub(crate) async fn refresh_statistics(_: &Conn, _: StatisticsScope) -> Outcome<()> {
    Ok(())
}

/// SQL for the order of the feed. SQLite has one writer, so the order of positions is the order of commits.
/// Every visible event is settled: no other event can appear before it.
pub(crate) mod feed {
    pub(crate) const FEED_ORDER: &str = "position";
    pub(crate) const FEED_ORDER_NEWEST_FIRST: &str = "position DESC";
    pub(crate) const AFTER_POSITION: &str = "position > $1";
    pub(crate) const UP_TO_POSITION: &str = "position <= $1";
    pub(crate) const IS_SETTLED: &str = "TRUE";
}

/// Changes no events after a restore. A restored file contains the last assigned position, so new events get
/// higher positions.
pub(crate) async fn lower_restored_transaction_ids(_: &Conn) -> Outcome<()> {
    Ok(())
}

/// Changes no planner setting, because SQLite uses the index of these rows instead of sorting them anyway.
pub(crate) async fn prefer_index_scans(_: &Conn) -> Outcome<()> {
    Ok(())
}

/// Returns a list of numbers as one JSON array in a text.
pub(crate) fn bind_numbers(numbers: impl IntoIterator<Item = i64>) -> BindValue<'static> {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    BindValue::from(format!("[{}]", numbers.join(",")))
}

/// Returns a list of texts as one JSON array in a text.
pub(crate) fn bind_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> BindValue<'static> {
    let mut json = String::from("[");
    for text in texts {
        if json.len() > 1 {
            json.push(',');
        }
        push_json_string(&mut json, text);
    }
    json.push(']');
    BindValue::from(json)
}

/// Returns a list of pairs as one JSON value. SQLite can use an index to look up a text that is extracted
/// from a pair. SQLite cannot use an index for a text that is an element of a list.
pub(crate) fn bind_pairs<'a>(pairs: impl IntoIterator<Item = [&'a str; 2]>) -> BindValue<'static> {
    let mut json = String::from("[");
    for [first, second] in pairs {
        json.push_str(if json.len() > 1 { ",[" } else { "[" });
        push_json_string(&mut json, first);
        json.push(',');
        push_json_string(&mut json, second);
        json.push(']');
    }
    json.push(']');
    BindValue::from(json)
}

/// Inserts many rows with one prepared statement, which runs once for each row.
pub(crate) async fn bulk_insert<T: TableDefinition + 'static>(
    conn: &Conn,
    on_conflict: OnConflict,
    rows: &[T],
) -> Outcome<usize> {
    let sql = crate::texts::cached_text::<T>(StatementKind::InsertOne(on_conflict), NAME, || {
        insert_one_statement::<T>(on_conflict)
    });
    conn.execute_all(rows.iter().map(|row| -> Statement<'_> { command(sql, row.bind_values()) }))
}

/// Deletes many rows by their keys with one prepared statement, which runs once for each row.
pub(crate) async fn bulk_delete<T: TableDefinition + 'static>(conn: &Conn, rows: &[T]) -> Outcome<usize> {
    let sql = crate::texts::cached_text::<T>(StatementKind::Erase, NAME, delete_statement::<T>);
    conn.execute_all(
        rows.iter().map(|row| -> Statement<'_> { command(sql, crate::table::key_bind_values(row)) }),
    )
}

/// Increases the versions of rows by their keys with one prepared statement, which runs once for each row.
pub(crate) async fn increment_versions<T: TableDefinition + 'static>(
    conn: &Conn,
    rows: &[T],
) -> Outcome<usize> {
    let sql = crate::texts::cached_text::<T>(
        StatementKind::IncrementVersion,
        NAME,
        increment_versions_statement::<T>,
    );
    conn.execute_all(
        rows.iter().map(|row| -> Statement<'_> { command(sql, increment_versions_bind_values(row)) }),
    )
}

fn delete_statement<T: TableDefinition>() -> String {
    format!("DELETE FROM {}{}", T::NAME, key_condition::<T>())
}

/// Updates many rows by their keys with one prepared statement, which runs once for each row.
pub(crate) async fn bulk_update<T: TableDefinition + 'static>(conn: &Conn, rows: &[T]) -> Outcome<usize> {
    let sql = crate::texts::cached_text::<T>(StatementKind::Update, NAME, update_statement::<T>);
    conn.execute_all(rows.iter().map(|row| -> Statement<'_> {
        let values = non_key_bind_values(row).into_iter().chain(key_bind_values(row));
        command(sql, values)
    }))
}

fn update_statement<T: TableDefinition>() -> String {
    let (keys, others) = key_and_other_columns::<T>();
    let numbered = |from: usize, names: &[&str], between: &str| {
        let terms = names.iter().zip(from..).map(|(name, n)| format!("{name} = ${n}"));
        terms.collect::<Vec<_>>().join(between)
    };
    let set = numbered(1, &others, ", ");
    let found = numbered(others.len() + 1, &keys, " AND ");
    format!("UPDATE {} SET {set} WHERE {found}", T::NAME)
}

fn push_json_string(json: &mut String, text: &str) {
    use std::fmt::Write;
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            control if control < ' ' => {
                // The result is ignored, because writing to a String cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            plain => json.push(plain),
        }
    }
    json.push('"');
}
