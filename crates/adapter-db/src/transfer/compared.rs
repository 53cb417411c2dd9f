//! What is compared of a table on both sides.

use super::columns::{Column, Kind, Table};
use super::error::MoveError;
use super::sealed::may_be;

impl Table {
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
                Kind::Text if may_be(&self.name, name) => continue,
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
