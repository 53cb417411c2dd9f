//! The SQL and functions that are specific to PostgreSQL.

use crate::error::{Failure, Outcome};
use crate::statement::{BindValue, binds, command, query, sql};
use crate::table::{
    OnConflict, TableDefinition, has_modified_column, increment_versions_bind_values,
    increment_versions_statement, insert_one_statement, key_and_other_columns, version_increments,
};
use crate::texts::StatementKind;

use super::connect::PROCESS_LOCK_CLASS;
use super::connection::Conn;

pub(crate) use super::statistics::refresh_statistics;

/// The name of this database system, as a part of the keys of cached statement texts.
pub(crate) const NAME: &str = "postgres";
/// Whether each statement is a round trip to a remote database. If so, queries are combined where possible.
pub(crate) const IS_REMOTE: bool = true;

/// The condition that a column equals an element of the list `$n`. Write `equals_any!("$2")` after the
/// column.
macro_rules! equals_any {
    ($parameter:literal) => {
        concat!(" = ANY(", $parameter, ")")
    };
}
pub(crate) use equals_any;

/// A page of the companies that the application $1 may list. $2 is the limit, at most 250, and $3 the offset.
///
/// With this text, PostgreSQL uses the same efficient plan for every page. The subqueries hide the limit and
/// the offset from the planner, and each company is looked up individually. Otherwise PostgreSQL would plan
/// each page again, or estimate that a page contains a tenth of all companies.
pub(crate) const FROM_PAGE_OF_COMPANIES: &str = " FROM (SELECT company_id AS granted_id, scopes, company_created FROM grants \
        WHERE application_id = $1 AND scopes LIKE '%read:companies%' \
        ORDER BY company_created, company_id LIMIT 250 OFFSET (SELECT CAST($3 AS BIGINT))) g \
     CROSS JOIN LATERAL (SELECT * FROM companies WHERE company_id = granted_id OFFSET 0) companies \
     ORDER BY company_created, granted_id LIMIT (SELECT CAST($2 AS BIGINT))";

/// The companies on a page. The statement that reads the page names these companies `listed`
/// ([`FROM_PAGE_OF_COMPANIES`]).
pub(crate) const FROM_LISTED_COMPANIES: &str = " FROM listed";

/// An additional condition for a join that already compares the companies of two tables. This condition also
/// compares the company with the parameter `$n`. A distributed database then knows from the parameters alone
/// which node has the rows.
macro_rules! same_company_condition {
    ($parameter:literal) => {
        concat!(" AND company_id = ", $parameter)
    };
}
pub(crate) use same_company_condition;

/// The list `$n` as rows with one column, `value`: `list_as_rows!("$1")` in a FROM, followed by a name.
macro_rules! list_as_rows {
    ($parameter:literal) => {
        concat!("(SELECT unnest(CAST(", $parameter, " AS TEXT[])) AS value)")
    };
}
pub(crate) use list_as_rows;

/// The condition that a text column contains a given text.
macro_rules! text_contains {
    ($text:literal, $substring:expr) => {
        concat!("strpos(", $text, ", ", $substring, ") > 0")
    };
}
pub(crate) use text_contains;

/// Locks the selected rows until the transaction ends.
macro_rules! lock_rows {
    ($strength:literal) => {
        concat!(" ", $strength)
    };
}
pub(crate) use lock_rows;

/// The first number of the advisory locks for companies, which distinguishes them from other advisory locks
/// in the database.
const COMPANY_LOCK_CLASS: &str = "7085480128";

/// Waits until no other transaction changes the parents of companies, and acquires an advisory lock until
/// this transaction ends.
pub(crate) async fn lock_company_parents(conn: &Conn) -> Outcome<()> {
    // No other program may use this number for an advisory lock in the database.
    const LOCK_PARENTS: &str = "SELECT pg_advisory_xact_lock(7085480127)";
    conn.execute(command!(LOCK_PARENTS, [])).await?;
    Ok(())
}

/// Waits until no other transaction creates an operator key, and acquires an advisory lock until this
/// transaction ends.
pub(crate) async fn lock_operator_key_creation(conn: &Conn) -> Outcome<()> {
    // No other program may use this number for an advisory lock in the database.
    const LOCK_KEY_CREATION: &str = "SELECT pg_advisory_xact_lock(7085480129)";
    conn.execute(command!(LOCK_KEY_CREATION, [])).await?;
    Ok(())
}

/// Acquires the lock of a company in shared mode until the transaction ends. Other writers can also hold the
/// lock in shared mode. A writer that already waits for the exclusive lock gets it first.
///
/// A row lock would not be fair. Transactions that share a row overtake a transaction that waits to change
/// the row, which might wait forever. An advisory lock has a queue. The statement reads the company's row, so
/// that a distributed database acquires the lock on the company's node.
pub(crate) async fn lock_company_shared(conn: &Conn, company_id: &str) -> Outcome<()> {
    const LOCK_COMPANY_SHARED: &str = sql![
        "SELECT pg_advisory_xact_lock_shared(hashtextextended(company_id, ",
        COMPANY_LOCK_CLASS,
        ")) FROM companies WHERE company_id = $1"
    ];
    conn.execute(query!(LOCK_COMPANY_SHARED, binds![company_id])).await?;
    Ok(())
}

/// Locks the company exclusively until the transaction ends. Exclusive and shared locks
/// ([`lock_company_shared`]) are granted in the order in which they were requested.
pub(crate) async fn lock_company_exclusive(conn: &Conn, company_id: &str) -> Outcome<()> {
    const LOCK_COMPANY_EXCLUSIVE: &str = sql![
        "SELECT pg_advisory_xact_lock(hashtextextended(company_id, ",
        COMPANY_LOCK_CLASS,
        ")) FROM companies WHERE company_id = $1"
    ];
    conn.execute(query!(LOCK_COMPANY_EXCLUSIVE, binds![company_id])).await?;
    Ok(())
}

/// Returns whether a process has no session left, so that it can no longer commit anything. Every session of
/// a process shares an advisory lock as long as the session exists ([`PROCESS_LOCK_CLASS`]).
pub(crate) async fn has_process_ended(conn: &Conn, process: i32) -> Outcome<bool> {
    const TRY_TO_LOCK_PROCESS: &str =
        "SELECT pg_try_advisory_xact_lock(CAST($1 AS INTEGER), CAST($2 AS INTEGER))";
    let values = binds![i64::from(PROCESS_LOCK_CLASS), i64::from(process)];
    let gone: Option<(bool,)> = conn.query_row(query!(TRY_TO_LOCK_PROCESS, values)).await?;
    Ok(gone.is_some_and(|(gone,)| gone))
}

/// SQL for the order of the feed. Events are ordered by transaction id first, because positions are assigned
/// before the commit. An event is settled when its transaction and all earlier transactions have ended, so no
/// event can appear before it. $1 is the reader's cursor. At the start of the feed, $1 is a number below
/// every position, which no event has. In this case `coalesce` also uses $1 as the transaction id.
pub(crate) mod feed {
    pub(crate) const FEED_ORDER: &str = "transaction_id, position";
    pub(crate) const FEED_ORDER_NEWEST_FIRST: &str = "transaction_id DESC, position DESC";
    pub(crate) const AFTER_POSITION: &str = "(transaction_id, position) > \
        (coalesce((SELECT transaction_id FROM events WHERE position = $1), $1), $1)";
    pub(crate) const UP_TO_POSITION: &str =
        "(transaction_id, position) <= ((SELECT transaction_id FROM events WHERE position = $1), $1)";
    pub(crate) const IS_SETTLED: &str =
        "transaction_id < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT)";
}

/// Handles a database that was restored into a PostgreSQL cluster with lower transaction ids. The function
/// lowers the transaction ids of existing events below all new ones and keeps their order. Otherwise existing
/// events would appear after new events. Positions do not change, so readers continue from their cursors.
pub(crate) async fn lower_restored_transaction_ids(conn: &Conn) -> Outcome<()> {
    // Only one process at a time lowers the ids. Millions of events take longer than the statement timeout.
    const LOCK_EVENTS: &str = "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; \
        LOCK TABLE events IN SHARE UPDATE EXCLUSIVE MODE";
    // All events up to the last restored one get lower transaction ids. Later events were written in this
    // cluster and keep their transaction ids.
    const LOWER_TRANSACTION_IDS: &str = "UPDATE events SET transaction_id = transaction_id - \
        (SELECT max(transaction_id) FROM events WHERE position <= $1) WHERE position <= $1";
    if read_last_restored_event_position(conn).await?.is_none() {
        return Ok(());
    }
    conn.execute_batch(LOCK_EVENTS).await?;
    // Another process may have lowered the ids before this process got the lock, so the query is repeated.
    if let Some(last) = read_last_restored_event_position(conn).await? {
        conn.execute(command!(LOWER_TRANSACTION_IDS, binds![last])).await?;
    }
    Ok(())
}

/// Returns the position of the last event from another cluster. `None` if every event has a transaction id
/// that exists in this cluster.
async fn read_last_restored_event_position(conn: &Conn) -> Outcome<Option<i64>> {
    const SELECT_LAST_RESTORED_EVENT: &str = "SELECT max(position) FROM events \
        WHERE transaction_id >= CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT)";
    let last: Option<(Option<i64>,)> = conn.query_row(query!(SELECT_LAST_RESTORED_EVENT, binds![])).await?;
    Ok(last.and_then(|(position,)| position))
}

/// Makes PostgreSQL read rows in the order of an index instead of sorting them, until the transaction ends.
/// PostgreSQL estimates the number of rows of one hook from the average of all hooks. If one hook has a
/// million rows and the average is low, PostgreSQL would otherwise read and sort the million rows.
pub(crate) async fn prefer_index_scans(conn: &Conn) -> Outcome<()> {
    conn.execute_batch(
        "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off",
    )
    .await
}

/// Returns a list of numbers as one array value.
pub(crate) fn bind_numbers(numbers: impl IntoIterator<Item = i64>) -> BindValue<'static> {
    BindValue::Ints(numbers.into_iter().map(Some).collect())
}

/// Returns a list of texts as one array value.
pub(crate) fn bind_list<'a>(texts: impl IntoIterator<Item = &'a str>) -> BindValue<'a> {
    BindValue::Texts(texts.into_iter().map(|text| Some(text.into())).collect())
}

/// Returns pairs of texts as one array value that contains only the second text of each pair. Only SQLite
/// needs the first texts, because PostgreSQL reads rows together with their children ([`IS_REMOTE`]).
pub(crate) fn bind_pairs<'a>(pairs: impl IntoIterator<Item = [&'a str; 2]>) -> BindValue<'a> {
    bind_list(pairs.into_iter().map(|[_, second]| second))
}

/// Inserts many rows with one statement, whose text is the same for any number of rows. A single row is
/// inserted without arrays, because arrays cost more than the row itself.
pub(crate) async fn bulk_insert<T: TableDefinition + 'static>(
    conn: &Conn,
    on_conflict: OnConflict,
    rows: &[T],
) -> Outcome<usize> {
    match rows {
        [] => Ok(0),
        [row] => {
            let one = || insert_one_statement::<T>(on_conflict);
            let sql = crate::texts::cached_text::<T>(StatementKind::InsertOne(on_conflict), NAME, one);
            conn.execute(command(sql, row.bind_values())).await
        }
        _ => {
            let sql = crate::texts::cached_text::<T>(StatementKind::Insert(on_conflict), NAME, || {
                insert_statement::<T>(on_conflict)
            });
            conn.execute(command(sql, transpose_into_columns(rows.iter().map(T::bind_values))?)).await
        }
    }
}

/// Updates many rows by their keys, with one statement for each company.
pub(crate) async fn bulk_update<T: TableDefinition + 'static>(conn: &Conn, rows: &[T]) -> Outcome<usize> {
    let sql = crate::texts::cached_text::<T>(StatementKind::Update, NAME, update_statement::<T>);
    execute_by_company(conn, sql, rows, T::bind_values).await
}

/// Deletes many rows by their keys, with one statement for each company.
pub(crate) async fn bulk_delete<T: TableDefinition + 'static>(conn: &Conn, rows: &[T]) -> Outcome<usize> {
    let sql = crate::texts::cached_text::<T>(StatementKind::Erase, NAME, delete_statement::<T>);
    execute_by_company(conn, sql, rows, crate::table::key_bind_values).await
}

/// Runs a statement with the values of rows as arrays, once for each company. The statement also contains the
/// company itself, so that a distributed database sends it to one node. Rows without a company share one
/// statement.
async fn execute_by_company<'a, T: TableDefinition + 'static>(
    conn: &Conn,
    sql: &'static str,
    rows: &'a [T],
    values: fn(&'a T) -> Vec<BindValue<'a>>,
) -> Outcome<usize> {
    let mut done = 0;
    for rows in rows.chunk_by(|one, other| company_of_row::<T>(one) == company_of_row::<T>(other)) {
        let mut arrays = transpose_into_columns(rows.iter().map(values))?;
        arrays.extend(rows.first().and_then(company_of_row::<T>));
        done += conn.execute(command(sql, arrays)).await?;
    }
    Ok(done)
}

/// Returns the company of a row whose key starts with the company. `None` for rows of other tables.
fn company_of_row<T: TableDefinition>(row: &T) -> Option<BindValue<'_>> {
    has_company_key::<T>().then(|| crate::table::key_bind_values(row).into_iter().next()).flatten()
}

fn has_company_key<T: TableDefinition>() -> bool {
    T::KEY.split(", ").next() == Some("company_id")
}

/// Returns the condition that a row belongs to the company. `preceding_parameters` is the number of parameters
/// that come before the company's parameter.
fn company_condition<T: TableDefinition>(preceding_parameters: usize) -> String {
    match has_company_key::<T>() {
        true => format!(" AND {}.company_id = ${}", T::NAME, preceding_parameters + 1),
        false => String::new(),
    }
}

/// Increases the versions of rows by their keys, with one statement for each company. A single row has its
/// own statement without arrays, because PostgreSQL would plan a statement with arrays of one element again
/// each time.
pub(crate) async fn increment_versions<T: TableDefinition + 'static>(
    conn: &Conn,
    rows: &[T],
) -> Outcome<usize> {
    match rows {
        [] => Ok(0),
        [row] => {
            let sql = crate::texts::cached_text::<T>(
                StatementKind::IncrementVersion,
                NAME,
                increment_versions_statement::<T>,
            );
            conn.execute(command(sql, increment_versions_bind_values(row))).await
        }
        // The rows already contain the new instant of the last change, so all columns are written and not
        // only the version.
        _ if has_modified_column::<T>() => bulk_insert(conn, OnConflict::Replace, rows).await,
        _ => {
            let sql = crate::texts::cached_text::<T>(StatementKind::IncrementVersions, NAME, || {
                let set: Vec<String> = version_increments::<T>().collect();
                format!("UPDATE {} SET {}{}", T::NAME, set.join(", "), keys_condition::<T>())
            });
            execute_by_company(conn, sql, rows, crate::table::key_bind_values).await
        }
    }
}

fn delete_statement<T: TableDefinition>() -> String {
    format!("DELETE FROM {}{}", T::NAME, keys_condition::<T>())
}

/// Returns the condition that a row has one of the keys.
fn keys_condition<T: TableDefinition>() -> String {
    let keys = crate::table::key_columns::<T>();
    let names: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
    let arrays: Vec<String> =
        keys.iter().enumerate().map(|(at, (_, array))| format!("${}::{array}", at + 1)).collect();
    let of_company = company_condition::<T>(keys.len());
    format!(" WHERE ({}) IN (SELECT * FROM unnest({})){of_company}", names.join(", "), arrays.join(", "))
}

/// Transposes rows into one array of values for each column.
pub(crate) fn transpose_into_columns<'a>(
    rows: impl IntoIterator<Item = Vec<BindValue<'a>>>,
) -> Outcome<Vec<BindValue<'a>>> {
    let rows = rows.into_iter();
    let (count, _) = rows.size_hint();
    let mut columns: Vec<ColumnArray<'_>> = Vec::new();
    for values in rows {
        if columns.is_empty() {
            columns = values.iter().map(|value| ColumnArray::empty_array_for(value, count)).collect();
        }
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(value)?;
        }
    }
    Ok(columns.into_iter().map(|column| column.0).collect())
}

fn update_statement<T: TableDefinition>() -> String {
    let (keys, others) = key_and_other_columns::<T>();
    let arrays = array_parameters::<T>();
    let set: Vec<String> = others.iter().map(|name| format!("{name} = new.{name}")).collect();
    let found: Vec<String> = keys.iter().map(|name| format!("{}.{name} = new.{name}", T::NAME)).collect();
    format!(
        "UPDATE {} SET {} FROM unnest({arrays}) AS new ({}) WHERE {}{}",
        T::NAME,
        set.join(", "),
        T::COLUMNS,
        found.join(" AND "),
        company_condition::<T>(T::TYPES.len())
    )
}

fn insert_statement<T: TableDefinition>(on_conflict: OnConflict) -> String {
    format!(
        "INSERT INTO {} ({}) SELECT * FROM unnest({}){}",
        T::NAME,
        T::COLUMNS,
        array_parameters::<T>(),
        on_conflict.on_conflict_clause::<T>()
    )
}

/// Returns a parameter for each column, with its type.
fn array_parameters<T: TableDefinition>() -> String {
    let typed = T::TYPES.iter().enumerate().map(|(at, (_, array))| format!("${}::{array}", at + 1));
    typed.collect::<Vec<_>>().join(", ")
}

/// The values of one column as an array.
struct ColumnArray<'a>(BindValue<'a>);

impl<'a> ColumnArray<'a> {
    fn empty_array_for(value: &BindValue<'_>, rows: usize) -> Self {
        Self(match value {
            BindValue::Int(_) | BindValue::Ints(_) => BindValue::Ints(Vec::with_capacity(rows)),
            BindValue::Bool(_) | BindValue::Bools(_) => BindValue::Bools(Vec::with_capacity(rows)),
            BindValue::Date(_) | BindValue::Dates(_) => BindValue::Dates(Vec::with_capacity(rows)),
            BindValue::Text(_) | BindValue::Texts(_) | BindValue::Bytes(_) => {
                BindValue::Texts(Vec::with_capacity(rows))
            }
        })
    }

    fn push(&mut self, value: BindValue<'a>) -> Outcome<()> {
        match (&mut self.0, value) {
            (BindValue::Texts(column), BindValue::Text(value)) => column.push(value),
            (BindValue::Ints(column), BindValue::Int(value)) => column.push(value),
            (BindValue::Bools(column), BindValue::Bool(value)) => column.push(value),
            (BindValue::Dates(column), BindValue::Date(value)) => column.push(value),
            (_, value) => return Err(Failure::Bug(format!("no bulk insert of {value:?}"))),
        }
        Ok(())
    }
}
