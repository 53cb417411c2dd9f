//! Tables as both catalogs know them, and what is read, written and compared of each column.

use super::MoveError;
use super::sealed;

/// A table of the source.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: u64,
    /// The last number that the source has handed out, where it numbers the rows.
    pub(super) last_number: Option<i64>,
}

/// One of its columns.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Truth,
    Day,
    Bytes,
}

impl Kind {
    /// The kind of a column, by the type that the migrations of the embedded database say.
    pub(super) fn of(declared: &str) -> Option<Self> {
        match declared {
            "TEXT" => Some(Self::Text),
            "BIGINT" | "INTEGER" => Some(Self::Number),
            "BOOLEAN" => Some(Self::Truth),
            "DATE" => Some(Self::Day),
            "BLOB" => Some(Self::Bytes),
            _ => None,
        }
    }
}

impl Table {
    /// The names of its columns, for a statement.
    pub(super) fn names(&self) -> String {
        let names = self.columns.iter().map(|column| format!("\"{}\"", column.name));
        names.collect::<Vec<_>>().join(", ")
    }

    /// Where a column stands.
    pub(super) fn place_of(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|it| it.name == column)
    }

    /// Reads every row of an embedded database, each value as the text that PostgreSQL reads.
    pub(super) fn select(&self) -> String {
        let values = self.columns.iter().map(|Column { name, kind }| match kind {
            Kind::Text | Kind::Day => format!("\"{name}\""),
            Kind::Number | Kind::Truth => format!("CAST(\"{name}\" AS TEXT)"),
            Kind::Bytes => format!("'\\x' || hex(\"{name}\")"),
        });
        format!("SELECT {} FROM \"{}\"", values.collect::<Vec<_>>().join(", "), self.name)
    }

    /// What is compared: for each column how many rows have it, and a sum over them. The statement
    /// answers one text, in which they are separated by spaces; `day` and `both` are how the
    /// database writes a day as a number.
    pub(super) fn figures(&self, day: impl Fn(&str) -> String) -> String {
        let mut figures = vec!["CAST(count(*) AS TEXT)".to_owned()];
        for Column { name, kind } in &self.columns {
            let column = format!("\"{name}\"");
            figures.push(format!("CAST(count({column}) AS TEXT)"));
            let summed = match kind {
                // Another key has another name, which stands in what it sealed.
                Kind::Text if sealed::may_be(&self.name, name) => continue,
                Kind::Text | Kind::Bytes => format!("length({column})"),
                Kind::Truth => format!("CASE WHEN {column} THEN 1 ELSE 0 END"),
                Kind::Day => day(&column),
                // An instant is so large that a sum of many would not fit: its two halves do.
                Kind::Number => {
                    figures.push(sum(&format!("{column} / 1000000")));
                    format!("{column} % 1000000")
                }
            };
            figures.push(sum(&summed));
        }
        format!("SELECT {} AS text FROM \"{}\"", figures.join(" || ' ' || "), self.name)
    }

    /// Compares what both sides come to.
    pub(super) fn compare(&self, read: &[String], written: &[String]) -> Result<(), MoveError> {
        let differs = |what: &str| MoveError::Differs { table: self.name.clone(), what: what.to_owned() };
        if read.len() != written.len() {
            return Err(differs("the number of its columns"));
        }
        match read.iter().zip(written).position(|(read, written)| read != written) {
            None => Ok(()),
            Some(0) => Err(differs("the number of its rows")),
            Some(_) => Err(differs("a count or a sum of its columns")),
        }
    }
}

fn sum(what: &str) -> String {
    format!("CAST(coalesce(sum({what}), 0) AS TEXT)")
}
