//! What SQLite says in its own way.

use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, Fixed, command};
use crate::table::{OnConflict, Table};
use crate::texts::Use;

use super::Conn;

/// Tells the texts of this database from those of the other.
pub(crate) const NAME: &str = "sqlite";

/// The database, as diesel knows it.
pub(crate) type Backend = diesel::sqlite::Sqlite;

/// The list `$n` of a condition: `any!("$2")` after a column.
macro_rules! any {
    ($parameter:literal) => {
        concat!(" IN (SELECT value FROM json_each(", $parameter, "))")
    };
}
pub(crate) use any;

/// A lock on rows that are read: SQLite has one writer, who needs none.
macro_rules! lock_rows {
    ($strength:literal) => {
        ""
    };
}
pub(crate) use lock_rows;

/// A list as one value.
pub(crate) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> Bind<'static> {
    let mut json = String::from("[");
    for text in texts {
        if json.len() > 1 {
            json.push(',');
        }
        push_json(&mut json, text);
    }
    json.push(']');
    Bind::from(json)
}

/// Writes many rows, one prepared statement that runs once for each of them.
pub(crate) async fn bulk<T: Table + 'static>(
    conn: &Conn,
    on_conflict: OnConflict,
    rows: &[T],
) -> Outcome<usize> {
    let sql = crate::texts::of::<T>(Use::Insert(on_conflict), NAME, || insert::<T>(on_conflict));
    conn.execute_all(rows.iter().map(|row| -> Fixed<'_> { command(sql, row.values()) }))
}

fn insert<T: Table>(on_conflict: OnConflict) -> String {
    let values: Vec<String> = (1..=T::TYPES.len()).map(|n| format!("${n}")).collect();
    format!(
        "INSERT INTO {} ({}) VALUES ({}){}",
        T::NAME,
        T::COLUMNS,
        values.join(", "),
        on_conflict.tail::<T>()
    )
}

/// Sorts an error by SQLite's words.
pub(crate) fn failure(error: diesel::result::Error) -> Failure {
    Failure::sort(error, |message| {
        let busy = message.contains("locked") || message.contains("busy");
        // Whose writer is in the way is not known, so this is never the company's fault.
        let gone = ["disk", "unable to open", "full", "readonly"].iter().any(|w| message.contains(w));
        match (busy, gone) {
            (true, _) | (false, true) => Some(Failure::Unavailable(message.to_owned())),
            (false, false) => None,
        }
    })
}

fn push_json(json: &mut String, text: &str) {
    use std::fmt::Write;
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            control if control < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(control));
            }
            plain => json.push(plain),
        }
    }
    json.push('"');
}
