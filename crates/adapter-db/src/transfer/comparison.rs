//! The counts and sums with which a table is compared between source and target: the number of values in each
//! column, and sums over the values.

use super::columns::{ColumnType, CopiedColumn, SourceTable};
use super::error::CopyError;
use super::progress::TextRow;
use super::sealed::may_be_sealed;

/// Returns the expression that converts a date to a number in an embedded database.
pub(super) fn embedded_date_sql(day: &str) -> String {
    format!("CAST(replace({day}, '-', '') AS INTEGER)")
}

/// Returns the expression that converts a date to a number in PostgreSQL.
pub(super) fn postgres_date_sql(day: &str) -> String {
    format!("CAST(to_char({day}, 'YYYYMMDD') AS BIGINT)")
}

/// Computes the counts and sums of the rows of an anonymised copy. This copy changes values, so the counts
/// and sums that SQL computes in the source do not apply to the target. The counts and sums have the same
/// order as those of [`SourceTable::counts_and_sums_sql`].
pub(super) struct RowStatistics {
    rows: u64,
    /// For each column: the number of values and two sums. For a column of numbers, these are the sums of the
    /// quotients and of the remainders of a division by 1,000,000.
    columns: Vec<(u64, i128, i128)>,
}

impl RowStatistics {
    pub(super) fn new(table: &SourceTable) -> Self {
        Self { rows: 0, columns: vec![(0, 0, 0); table.columns.len()] }
    }

    /// Adds a row to the counts and sums.
    pub(super) fn add(&mut self, table: &SourceTable, row: &TextRow) {
        self.rows += 1;
        for ((column, value), (count, first, second)) in table.columns.iter().zip(row).zip(&mut self.columns)
        {
            let Some(value) = value else { continue };
            *count += 1;
            let number = || value.parse::<i128>().unwrap_or_default();
            match column.kind {
                ColumnType::Text => *second += value.chars().count() as i128,
                ColumnType::Bytes => *second += (value.len() as i128 - 2) / 2,
                ColumnType::Truth => *second += number(),
                ColumnType::Day => *second += value.replace('-', "").parse::<i128>().unwrap_or_default(),
                ColumnType::Number => {
                    *first += number() / 1_000_000;
                    *second += number() % 1_000_000;
                }
            }
        }
    }

    /// Returns the counts and sums of the table as texts.
    pub(super) fn to_counts_and_sums(&self, table: &SourceTable) -> Vec<String> {
        let mut figures = vec![self.rows.to_string()];
        for (column, (count, first, second)) in table.columns.iter().zip(&self.columns) {
            figures.push(count.to_string());
            if column.kind == ColumnType::Number {
                figures.push(first.to_string());
            }
            if column.kind != ColumnType::Text || !may_be_sealed(&table.name, &column.name) {
                figures.push(second.to_string());
            }
        }
        figures
    }
}

impl SourceTable {
    /// Returns the expression for the counts and sums: for each column the number of values, and a sum over
    /// them. The expression is a text with all counts and sums, separated by spaces. `day` converts a date to
    /// a number in the database's dialect.
    pub(super) fn counts_and_sums_sql(&self, day: impl Fn(&str) -> String) -> String {
        let mut figures = vec!["CAST(count(*) AS TEXT)".to_owned()];
        for CopiedColumn { name, kind } in &self.columns {
            let column = format!("\"{name}\"");
            figures.push(format!("CAST(count({column}) AS TEXT)"));
            let summed = match kind {
                // Each encrypted text contains the id of its key, so the text may have a different length in
                // the target.
                ColumnType::Text if may_be_sealed(&self.name, name) => continue,
                ColumnType::Text | ColumnType::Bytes => format!("length({column})"),
                ColumnType::Truth => format!("CASE WHEN {column} THEN 1 ELSE 0 END"),
                ColumnType::Day => day(&column),
                // A sum of many instants would overflow. The sum of their quotients and the sum of their
                // remainders do not overflow.
                ColumnType::Number => {
                    figures.push(sum_sql(&format!("{column} / 1000000")));
                    format!("{column} % 1000000")
                }
            };
            figures.push(sum_sql(&summed));
        }
        format!("SELECT {} AS text FROM \"{}\"", figures.join(" || ' ' || "), self.name)
    }

    /// Compares the counts and sums of the source (`read`) with the counts and sums of the target
    /// (`written`).
    pub(super) fn require_equal_summaries(
        &self,
        read: &[String],
        written: &[String],
    ) -> Result<(), CopyError> {
        let differs = |what: &str| CopyError::Differs { table: self.name.clone(), figure: what.to_owned() };
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

fn sum_sql(expression: &str) -> String {
    format!("CAST(coalesce(sum({expression}), 0) AS TEXT)")
}
