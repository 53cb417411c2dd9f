//! What PostgreSQL says in its own way.

use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, command};
use crate::table::{OnConflict, Table};
use crate::texts::Use;

use super::Conn;

/// Tells the texts of this database from those of the other.
pub(crate) const NAME: &str = "postgres";

/// The database, as diesel knows it.
pub(crate) type Backend = diesel::pg::Pg;

/// The list `$n` of a condition: `any!("$2")` after a column.
macro_rules! any {
    ($parameter:literal) => {
        concat!(" = ANY(", $parameter, ")")
    };
}
pub(crate) use any;

/// A lock on rows that are read, held until the transaction ends.
macro_rules! lock_rows {
    ($strength:literal) => {
        concat!(" ", $strength)
    };
}
pub(crate) use lock_rows;

/// A list as one value.
pub(crate) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> Bind<'a> {
    Bind::Texts(texts.into_iter().map(|text| Some(text.into())).collect())
}

/// Writes many rows in one statement, whose text does not depend on how many there are.
pub(crate) async fn bulk<T: Table + 'static>(
    conn: &Conn,
    on_conflict: OnConflict,
    rows: &[T],
) -> Outcome<usize> {
    if rows.is_empty() {
        return Ok(0);
    }
    let sql = crate::texts::of::<T>(Use::Insert(on_conflict), NAME, || insert::<T>(on_conflict));
    let mut columns: Vec<Column<'_>> = Vec::new();
    for row in rows {
        let values = row.values();
        if columns.is_empty() {
            columns = values.iter().map(|value| Column::like(value, rows.len())).collect();
        }
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(value)?;
        }
    }
    conn.execute(command(sql, columns.into_iter().map(|column| column.0))).await
}

fn insert<T: Table>(on_conflict: OnConflict) -> String {
    let arrays: Vec<String> =
        T::TYPES.iter().enumerate().map(|(at, (_, array))| format!("${}::{array}", at + 1)).collect();
    format!(
        "INSERT INTO {} ({}) SELECT * FROM unnest({}){}",
        T::NAME,
        T::COLUMNS,
        arrays.join(", "),
        on_conflict.tail::<T>()
    )
}

/// The values of one column, row after row.
struct Column<'a>(Bind<'a>);

impl<'a> Column<'a> {
    fn like(value: &Bind<'_>, rows: usize) -> Self {
        Self(match value {
            Bind::Int(_) | Bind::Ints(_) => Bind::Ints(Vec::with_capacity(rows)),
            Bind::Bool(_) | Bind::Bools(_) => Bind::Bools(Vec::with_capacity(rows)),
            Bind::Date(_) | Bind::Dates(_) => Bind::Dates(Vec::with_capacity(rows)),
            Bind::Text(_) | Bind::Texts(_) | Bind::Bytes(_) => Bind::Texts(Vec::with_capacity(rows)),
        })
    }

    fn push(&mut self, value: Bind<'a>) -> Outcome<()> {
        match (&mut self.0, value) {
            (Bind::Texts(column), Bind::Text(value)) => column.push(value),
            (Bind::Ints(column), Bind::Int(value)) => column.push(value),
            (Bind::Bools(column), Bind::Bool(value)) => column.push(value),
            (Bind::Dates(column), Bind::Date(value)) => column.push(value),
            (_, value) => return Err(Failure::Bug(format!("no bulk insert of {value:?}"))),
        }
        Ok(())
    }
}

/// What PostgreSQL says when trying again later may help: time-outs, a restart, a failover that
/// has made the server a reader, a full disk.
const UNAVAILABLE: [&str; 6] = [
    "timeout",
    "terminating connection",
    "canceling statement",
    "read-only transaction",
    "No space left",
    "the database system is",
];

/// Sorts an error by PostgreSQL's words; a server that speaks another language is a known quirk:
/// its time-outs are then reported as faults.
pub(crate) fn failure(error: diesel::result::Error) -> Failure {
    Failure::sort(error, |message| {
        let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
        if says(&["lock timeout", "deadlock detected"]) {
            Some(Failure::Busy)
        } else if says(&UNAVAILABLE) {
            Some(Failure::Unavailable(message.to_owned()))
        } else {
            None
        }
    })
}
